"""Sums over tiles of float32 rows by fused kernels, added in float64: what a pass over the rows gives.

Where these are not exact enough, or there is no Triton, the callers have the same in float64 by PyTorch's own products.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array

#: Most rows that one program adds in float32, and rows of a tile.
RUN, TILE = 16_384, 64
#: Columns, padded, of a table that stays in a multiprocessor.
WIDE = 256
#: Programs of a pass; rows and warps of a tile of products; classes and cells of a tile of cells.
RUNS, PRODUCTS_TILE, PRODUCTS_WARPS, CLASSES, CLASS_CELLS = 2112, 64, 4, 4, 2048


@cache
def tiles() -> Any:
    """The fused kernels, where Triton is installed."""
    try:
        from parzen.compute.device import tiles as found
    except ImportError:
        return None
    return found


def fused(rows: torch.Tensor, d_most: int = 127) -> bool:
    """Whether rows can be read by the fused kernels."""
    inside = rows.dtype == torch.float32 and rows.stride(1) == 1 and rows.shape[1] <= d_most
    return inside and 0 < len(rows) < 2**31 and tiles() is not None


@dataclass(frozen=True)
class Layout:
    """How rows and groups are cut: `DP` padded columns, `KB` groups a chunk, `runs` programs of `per` rows."""

    DP: int
    KB: int
    chunks: int
    runs: int
    per: int


def layout(rows: torch.Tensor, K: int, wide: bool) -> Layout:
    """The cut of rows for K groups; `wide` where each group has a square of columns."""
    n, d = rows.shape
    DP = max(_power(d + 1), 16)
    KB = max(WIDE // DP if DP <= 32 else 1, 1) if wide else 64
    KB = min(KB, max(_power(K), 1 if wide else 16))
    per = min(max(-(-n // 528), TILE), RUN)
    per = -(-per // TILE) * TILE
    return Layout(DP, KB, -(-K // KB), -(-n // per), per)


def _power(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()


def full_moments(
    rows: torch.Tensor, w: torch.Tensor | None, origin: Array, K: int, gaussians: Any = None, codes: Any = None
) -> tuple[Array, Array, Array, float]:
    """Weights (K,), totals (K, d) and squares (K, d, d) of centred rows; by responsibilities, or by codes.

    Parameters
    ----------
    origin : array of shape (d,), which rows are centred about
    gaussians : inverses of factors (K, d, d), means about the origin (K, d), constants (K,), in units of log2; or None
    codes : tensor of shape (n,), int32, or None

    Returns
    -------
    weights, totals, squares, and the log-likelihood (to base 2; 0 with codes)
    """
    n, d = rows.shape
    cut = layout(rows, K, wide=True)
    DP, KB = cut.DP, cut.KB
    table, constant = _full_table(gaussians, d, cut) if gaussians is not None else (None, None)
    here = rows.device
    at = torch.from_numpy(origin.astype(np.float32)).to(here)
    table, constant = (None if part is None else torch.from_numpy(part).to(here) for part in (table, constant))
    out = torch.empty((cut.runs, cut.chunks, KB * DP, DP), dtype=torch.float32, device=here)
    likelihood = torch.zeros(cut.runs, dtype=torch.float32, device=here)
    mode, evidence = (2, None) if codes is not None else (0 if cut.chunks == 1 else 1, None)
    if mode == 1:
        evidence = torch.empty(n, dtype=torch.float32, device=here)
        tiles().full_evidence[(-(-n // TILE),)](
            rows, at, table, constant, evidence, n, rows.stride(0), K, cut.chunks, d=d, DP=DP, KB=KB, BM=TILE
        )
    tiles().full_tile[(cut.runs, cut.chunks)](
        rows, at, table, constant, evidence, codes, w, out, likelihood, n, rows.stride(0), cut.per, K,
        d=d, DP=DP, KB=KB, BM=TILE, MODE=mode, WEIGHTED=w is not None,
    )  # fmt: skip
    total = out.sum(0, dtype=torch.float64).reshape(cut.chunks * KB, DP, DP)[:K].cpu().numpy()
    score = _score(mode, likelihood, evidence, w)
    return total[:, d, d].copy(), total[:, d, :d].copy(), total[:, :d, :d].copy(), score


def _full_table(gaussians: tuple[Array, Array, Array], d: int, cut: Layout) -> tuple[Any, Any]:
    """Inverses of the factors, a chunk of components side by side; in row d what makes z = L^-1 (x - mean)."""
    inverse, off, constant = gaussians
    K = len(constant)
    table = np.zeros((cut.chunks * cut.KB, cut.DP, cut.DP), dtype=np.float32)  # component, row of L^-1, column
    table[:K, :d, :d] = inverse
    table[:K, :d, d] = -np.einsum("kij,kj->ki", inverse, off)
    side = table.reshape(cut.chunks, cut.KB * cut.DP, cut.DP).transpose(0, 2, 1)
    return np.ascontiguousarray(side), constant.astype(np.float32)


def _score(mode: int, likelihood: torch.Tensor, evidence: torch.Tensor | None, w: torch.Tensor | None) -> float:
    if mode == 0:
        return float(likelihood.sum(dtype=torch.float64))
    if evidence is None:
        return 0.0
    return float(evidence.sum(dtype=torch.float64) if w is None else torch.dot(evidence.double(), w.double()))


def diagonal_moments(
    rows: torch.Tensor,
    w: torch.Tensor | None,
    origin: Array,
    K: int,
    gaussians: Any = None,
    codes: Any = None,
    guess: Array | None = None,
) -> tuple[Array, Array, Array, float]:
    """Weights (K,), totals and squares (K, d) of centred rows, column by column; see `full_moments`.

    With codes, rows are centred about the `guess` (K, d) of their group beside the origin.
    """
    n, d = rows.shape
    cut = layout(rows, K, wide=False)
    DP, KB, here = cut.DP, cut.KB, rows.device

    def there(part: Array | None) -> Any:
        return None if part is None else torch.from_numpy(np.ascontiguousarray(part, dtype=np.float32)).to(here)

    slope = curve = constant = None
    if gaussians is not None:
        inverse, off, level = gaussians
        squares = inverse * inverse
        slope = there(np.concatenate([(2.0 * squares * off).T, -(squares * off * off).sum(1)[None]]))
        curve, constant = there(-squares.T), there(level)
    out = torch.empty((cut.runs, cut.chunks, 2, KB, DP), dtype=torch.float32, device=here)
    likelihood = torch.zeros(cut.runs, dtype=torch.float32, device=here)
    mode, evidence, at = 2 if codes is not None else 0 if cut.chunks == 1 else 1, None, there(origin)
    if mode == 1:
        evidence = torch.empty(n, dtype=torch.float32, device=here)
        tiles().diagonal_evidence[(-(-n // TILE),)](
            rows, at, slope, curve, constant, evidence, n, rows.stride(0), K, cut.chunks, d=d, DP=DP, KB=KB, BM=TILE
        )
    tiles().diagonal_tile[(cut.runs, cut.chunks)](
        rows, at, slope, curve, constant, evidence, codes, there(guess), w, out, likelihood, n, rows.stride(0), cut.per,
        K, d=d, DP=DP, KB=KB, BM=TILE, MODE=mode, WEIGHTED=w is not None,
    )  # fmt: skip
    total = out.sum(0, dtype=torch.float64).transpose(0, 1).reshape(2, cut.chunks * KB, DP)[:, :K].cpu().numpy()
    score = _score(mode, likelihood, evidence, w)
    return total[0, :, d].copy(), total[0, :, :d].copy(), total[1, :, :d].copy(), score


def nearest(rows: torch.Tensor, origin: Array, centre: Array, codes: torch.Tensor) -> torch.Tensor:
    """Write the nearest centre of each row to codes; give the squared distances (n,)."""
    n, d = rows.shape
    K = len(centre)
    DP, KB, here = max(_power(d + 1), 16), 64, rows.device
    off = (centre - origin).astype(np.float32)
    points, half, at = (
        torch.from_numpy(np.ascontiguousarray(part)).to(here)
        for part in (off, (0.5 * (off.astype(np.float64) ** 2).sum(1)).astype(np.float32), origin.astype(np.float32))
    )
    squares = torch.empty(n, dtype=torch.float32, device=here)
    tiles().nearest_tile[(-(-n // 128),)](
        rows, at, points, half, codes, squares, n, rows.stride(0), K, -(-K // KB), d=d, DP=DP, KB=KB, BM=128
    )
    return squares


def gaussian_sums(queries: torch.Tensor, points: torch.Tensor, w: torch.Tensor | None) -> torch.Tensor:
    """Sums of w 2^(-|q - p|^2) at each query, (m,) float64; both are float32 and centred."""
    m, d = queries.shape
    n = len(points)
    shares = max(1, min(-(-n // 4096), -(-4 * 132 * 64 // max(m, 1)), 64)) if m < 2**16 else max(1, n // 2**18)
    per = -(-(-(-n // shares)) // 128) * 128
    shares = -(-n // per)
    out = torch.empty((shares, m), dtype=torch.float32, device=queries.device)
    if d <= 8:
        Q, P = queries.T.contiguous(), points.T.contiguous()
        BM, BN, warps = (64, 64, 4) if d <= 3 else (64, 128, 8)
        tiles().gaussian_pairs[(-(-m // BM), shares)](
            Q, P, w, out, m, n, per, d=d, BM=BM, BN=BN, WEIGHTED=w is not None, num_warps=warps
        )
        return out.sum(0, dtype=torch.float64)
    DP = max(_power(d), 16)
    Q, P = (torch.nn.functional.pad(part, (0, DP - d)).contiguous() for part in (queries, points))
    tiles().gaussian_products[(-(-m // 64), shares)](
        Q, P, Q.square().sum(1), P.square().sum(1), w, out, m, n, per, DP=DP, BM=64, BN=64, WEIGHTED=w is not None
    )
    return out.sum(0, dtype=torch.float64)


def quadratic_moments(
    rows: torch.Tensor, w: torch.Tensor | None, origin: Array, K: int, gaussians: Any = None, codes: Any = None
) -> tuple[Array, Array, Array, float]:
    """`full_moments` in one pass, by products of cells: where there are few of these, and at most `MOST` groups."""
    n, d = rows.shape
    DP, KP = max(_power(d + 1), 16), max(_power(K), 16)
    first, second = np.tril_indices(d)
    F = max(_power(len(first)), 16)
    here = rows.device
    theta, linear = np.zeros((F, KP), dtype=np.float32), np.zeros((DP, KP), dtype=np.float32)
    if gaussians is not None:
        inverse, off, constant = gaussians
        precision = np.einsum("kij,kil->kjl", inverse, inverse)
        double = np.where(first == second, 1.0, 2.0)
        theta[: len(first), :K] = -(double * precision[:, first, second]).T
        slope = np.einsum("kij,kj->ki", precision, off)
        linear[:d, :K], linear[d, :K] = 2.0 * slope.T, constant - (slope * off).sum(1)
        linear[d, K:] = -1e30
    per = -(-min(max(-(-n // RUNS), PRODUCTS_TILE), RUN) // PRODUCTS_TILE) * PRODUCTS_TILE
    runs = -(-n // per)
    place = np.zeros((2, F), dtype=np.int32)
    place[0, : len(first)], place[1, : len(first)] = first, second
    I, J, at, theta_, linear_ = (
        torch.from_numpy(part).to(here) for part in (place[0], place[1], origin.astype(np.float32), theta, linear)
    )
    squares = torch.empty((runs, F, KP), dtype=torch.float32, device=here)
    totals = torch.empty((runs, DP, KP), dtype=torch.float32, device=here)
    likelihood = torch.zeros(runs, dtype=torch.float32, device=here)
    mode = 0 if codes is None else 2
    tiles().quadratic_tile[(runs,)](
        rows, at, I, J, theta_, linear_, codes, w, squares, totals, likelihood, n, rows.stride(0), per, K,
        d=d, DP=DP, F=F, KP=KP, BM=PRODUCTS_TILE, MODE=mode, WEIGHTED=w is not None, num_warps=PRODUCTS_WARPS,
    )  # fmt: skip
    second_order = squares.sum(0, dtype=torch.float64).cpu().numpy()[: len(first), :K]
    first_order = totals.sum(0, dtype=torch.float64).cpu().numpy()[:, :K]
    matrix = np.empty((K, d, d))
    matrix[:, first, second] = matrix[:, second, first] = second_order.T
    return first_order[d].copy(), first_order[:d].T.copy(), matrix, _score(mode, likelihood, None, w)


def class_moments(
    rows: torch.Tensor, w: torch.Tensor | None, guess: Array, K: int, codes: torch.Tensor
) -> tuple[Array, Array, Array]:
    """Weights, totals about a guess of the mean, and squares of the cells of each class, all (K, d)."""
    n, d = rows.shape
    DP, KB = max(_power(d), 2), min(max(_power(K), 1), CLASSES)
    BM = max(CLASS_CELLS // (KB * DP), 1)
    chunks = -(-K // KB)
    per = -(-min(max(-(-n // RUNS), BM), RUN) // BM) * BM
    runs, here = -(-n // per), rows.device
    out = torch.empty((runs, chunks, 3, KB, DP), dtype=torch.float32, device=here)
    at = torch.from_numpy(np.ascontiguousarray(guess, dtype=np.float32)).to(here)
    tiles().class_tile[(runs, chunks)](
        rows, at, codes, w, out, n, rows.stride(0), per, K, d=d, DP=DP, KB=KB, BM=BM, WEIGHTED=w is not None
    )
    found = out.sum(0, dtype=torch.float64).transpose(0, 1).reshape(3, chunks * KB, DP)[:, :K, :d].cpu().numpy()
    return found[0], found[1], found[2]


def cluster_totals(
    rows: torch.Tensor, w: torch.Tensor | None, centre: Array, codes: torch.Tensor
) -> tuple[Array, Array]:
    """Weights (K,) and totals (K, d) of the rows of each cluster about its centre."""
    n, d = rows.shape
    K, here = len(centre), rows.device
    short = codes.to(torch.int16) if K < 2**15 else codes
    order = torch.sort(short, stable=True).indices.to(torch.int32)
    begin = torch.zeros(K + 1, dtype=torch.int32, device=here)
    begin[1:] = torch.cumsum(torch.bincount(codes, minlength=K), 0)
    DP, shares = max(_power(d + 1), 2), max(1, min(64, -(-2112 // K)))
    out = torch.empty((K, shares, DP), dtype=torch.float32, device=here)
    at = torch.from_numpy(np.ascontiguousarray(centre, dtype=np.float32)).to(here)
    tiles().segment_tile[(K, shares)](
        rows, at, order, begin, w, out, n, rows.stride(0), shares, d=d, DP=DP, BM=max(2048 // DP, 1),
        WEIGHTED=w is not None,
    )  # fmt: skip
    found = out.sum(1, dtype=torch.float64).cpu().numpy()
    return found[:, d].copy(), found[:, :d].copy()
