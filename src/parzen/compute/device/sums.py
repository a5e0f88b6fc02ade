"""Sums over float32 rows by fused kernels, added in float64: what a pass over the rows gives.

Where these are not exact enough, or there is no Triton, or there are too many columns for a thread to keep, the callers
do the same by PyTorch's own products.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray

from parzen.compute.arrays import Array

Sums = TypeVar("Sums", bound=Callable[..., Any])

#: Rows that one program adds in float32, at least and as a rule at most, a row in each thread of a warp at a time.
LEAST, RUN, STEP = 2048, 8192, 32
#: Steps whose rows are on their way.
DEPTH = 3
#: Programs that fill a device.
PROGRAMS = 4096
#: Rows of a program that computes evidence.
EVIDENCE = 512
#: Most sums, with numbers of the components, that a thread keeps where a program takes several groups: of
#: components, and of classes.
HELD = (100, 112)
#: Rows that one program adds to the sums of classes, in steps of the least (runs that begin at any row cost twice the
#: time), at most, and steps whose rows are on their way.
CLASS_RUN, CLASS_DEPTH = (1024, 8192), 4
#: Most rows of one launch, whose grid has at most 65,535 programs in its second direction.
MOST_ROWS = 65_535 * RUN
#: Most sums that a thread keeps: 13 columns with their products, 45 with their squares.
MOST_SUMS = 105


#: Queries and points of a tile, warps and stages of kernel sums by products, by their columns.
TILES = {16: (64, 64, 4, 3), 32: (128, 64, 8, 3)}


@cache
def kernels() -> Any:
    """The fused kernels on the tensor cores, where Triton is installed."""
    try:
        from parzen.compute.device import tiles
    except ImportError:
        return None
    return tiles


def passes() -> Any:
    """The fused kernels that read a row in each thread."""
    from parzen.compute.device import passes

    return passes


def classes() -> Any:
    """The fused kernel of the moments of classes."""
    from parzen.compute.device import class_passes

    return class_passes


def along_rows() -> Any:
    """The fused kernels whose results are as long as the rows."""
    from parzen.compute.device import row_passes

    return row_passes


def single(values: Array) -> Array:
    """Numbers as float32 holds them: what is subtracted from rows of float32 must be known to the last digit."""
    return values.astype(np.float32).astype(np.float64)


def readable(rows: torch.Tensor, dtype: torch.dtype = torch.float32) -> bool:
    """Whether rows are such as the fused kernels read."""
    plain = rows.dtype == dtype and (rows.shape[1] == 1 or rows.stride(1) == 1)
    there = kernels() is not None and (rows.device.type == "cuda" or kernels().INTERPRETED)
    return there and plain and 0 < len(rows) < 2**31 - 2**20


def sums_of(d: int, full: bool, labels: bool) -> int:
    """How many sums a thread keeps."""
    return (d + 1) * (d + 2) // 2 if full else 3 * d if labels else 2 * d + 1


def in_launches(sums: Sums) -> Sums:
    """Let sums over rows take any number of them: results of several launches are added, in order."""

    @wraps(sums)
    def summed(rows: torch.Tensor, w: torch.Tensor | None, origin: Array, other: Any, *args: Any, **kwargs: Any) -> Any:
        if len(rows) <= MOST_ROWS:
            return sums(rows, w, origin, other, *args, **kwargs)
        parts = []
        for begin in range(0, len(rows), MOST_ROWS):
            some = slice(begin, begin + MOST_ROWS)
            own = other[some] if isinstance(other, torch.Tensor) else other
            parts.append(sums(rows[some], None if w is None else w[some], origin, own, *args, **kwargs))
        return tuple(sum(found) for found in zip(*parts, strict=True))

    return cast(Sums, summed)


@in_launches
def mixture_sums(
    rows: torch.Tensor, w: torch.Tensor | None, origin: Array, gaussians: tuple[Array, Array, Array],
    own: int | None = None, block: int = EVIDENCE,
) -> tuple[Array, Array, Array, float]:  # fmt: skip
    """Weights (K,), totals (K, d) and squares, (K, d, d) or (K, d), of rows about an origin, by responsibilities.

    Parameters
    ----------
    rows, w : float32 tensors of shape (n, d) and (n,); w may be None
    origin : array of shape (d,)
    gaussians : inverses of factors (K, d, d) or of deviations (K, d), means about the origin (K, d), constants (K,);
        scores are constants less squares, logs to base 2

    Returns
    -------
    weights, totals, squares, and the log-likelihood, to base 2
    """
    inverse, off, constant = gaussians
    n, d = rows.shape
    K, full = len(constant), inverse.ndim == 3
    F, WIDTH = sums_of(d, full, False), d + (d * (d + 1) // 2 if full else d)
    KB = together(K, F + WIDTH, HELD[0]) if own is None else own
    pad = -K % KB
    table, constants = np.zeros((K + pad, WIDTH)), np.full(K + pad, -1e30)
    table[:K, :-d] = inverse[:, *_lower(d)] if full else inverse
    table[:K, -d:] = -((inverse @ off[:, :, None])[:, :, 0] if full else inverse * off)
    constants[:K] = constant
    at, table_, constant_ = _all_there(rows, origin, table, constants)
    evidence = torch.empty(n, dtype=torch.float32, device=rows.device)
    shape = {"stride": rows.stride(0), "d": d, "WIDTH": WIDTH, "FULL": full}
    scores = torch.empty(-(-n // block), dtype=torch.float32, device=rows.device)
    passes().evidence_rows[(len(scores),)](
        rows, at, table_, constant_, w, evidence, scores, n, K, BM=block, WEIGHTED=w is not None, **shape
    )
    per = run(n, (K + pad) // KB)
    out = torch.empty((-(-n // per), K + pad, F), dtype=torch.float32, device=rows.device)
    passes().moment_rows[((K + pad) // KB, len(out))](
        rows, at, table_, constant_, evidence, w, out, n, per,
        F=F, KB=KB, **steps(KB * (F + WIDTH)), WEIGHTED=w is not None, num_warps=1, **shape,
    )  # fmt: skip
    score = scores.sum(dtype=torch.float64)
    sent = torch.cat([out.sum(0, dtype=torch.float64)[:K].ravel(), score[None]]).cpu().numpy()
    found = sent[:-1].reshape(K, F)
    square = _symmetric(found, d) if full else found[:, :d]
    return found[:, -1], found[:, -d - 1 : -1], square, float(sent[-1])


def steps(sums: int = 0) -> dict[str, int]:
    """Rows of a step of a program, and how many steps are ahead; a program of few sums has enough others beside it.

    Triton's interpreter takes as long for many rows as for few.
    """
    return {"BM": 256, "DEPTH": 1} if kernels().INTERPRETED else {"BM": STEP, "DEPTH": DEPTH if sums > 60 else 1}


def run(n: int, parts: int) -> int:
    """Rows of one program, of which there are so many for the same rows: a multiple of its step."""
    rows = max(min(n * parts // PROGRAMS, RUN), LEAST)
    return -(-rows // STEP) * STEP


def together(K: int, each: int, most: int) -> int:
    """How many groups one program takes, of which each needs so many registers; as even as can be."""
    many = max(min(most // each, K), 1)
    return -(-K // -(-K // many))


def class_cut(d: int, K: int) -> tuple[int, int, int]:
    """Columns of a thread, threads of a row and classes of a program: as few threads as can keep the sums of all."""
    for P in (1, 2, 4, 8, 16, 32):
        C = -(-d // P)
        if HELD[1] >= K * (2 * C + 1):
            return C, P, K
    C = max((HELD[1] // K - 1) // 2, 1)
    return C, 32, together(K, 2 * C + 1, HELD[1])


def class_sums(
    rows: torch.Tensor,
    w: torch.Tensor | None,
    origin: torch.Tensor,
    codes: torch.Tensor,
    K: int,
    cut: tuple[int, int, int] | None = None,
    depth: int = CLASS_DEPTH,
    per: int | None = None,
) -> tuple[Array, Array, Array]:
    """Weights (K, d), totals (K, d) and squares (K, d) about an origin (d,) of the rows of each class.

    All cells are known, or the result is not finite.
    """
    n, d = rows.shape
    C, P, KB = cut or class_cut(d, K)
    wide, tall = -(-d // (C * P)), -(-K // KB)
    BM = 64 if kernels().INTERPRETED else 32 // P
    least, most = CLASS_RUN
    per = per or min(max(n // (PROGRAMS * least), 1) * least, most)
    out = torch.empty((-(-n // per), wide, tall, KB, 2 * C + 1, P), dtype=torch.float32, device=rows.device)
    classes().class_rows[(len(out), wide, tall)](
        rows, origin, codes, w, out, n, rows.stride(0), per,
        d=d, C=C, P=P, KB=KB, BM=BM, DEPTH=depth, WEIGHTED=w is not None, num_warps=1,
    )  # fmt: skip
    found = out.sum(0, dtype=torch.float64).cpu().numpy().reshape(wide, tall * KB, 2 * C + 1, P)[:, :K]
    square, total = (part.transpose(1, 0, 2, 3).reshape(K, -1)[:, :d] for part in (found[:, :, :C], found[:, :, C:-1]))
    return np.repeat(found[0, :, -1, :1], d, axis=1), total, square


def class_products(
    rows: torch.Tensor, w: torch.Tensor | None, origin: torch.Tensor, codes: torch.Tensor, K: int,
    BM: int = 64, warps: int = 1, per: int = 8192,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """The same on the tensor cores, for any number of columns and classes."""
    n, d = rows.shape
    DP, KP = min(max(_power(d + 1), 16), 64), min(max(_power(K), 16), 64)
    wide, tall = -(-(d + 1) // DP), -(-K // KP)
    out = torch.empty((-(-n // per), 2, K, wide * DP), dtype=torch.float32, device=rows.device)
    kernels().class_rows[(len(out), wide, tall)](
        rows, origin, codes, w, out, n, rows.stride(0), per, K,
        d=d, DP=DP, KP=KP, BM=BM, WEIGHTED=w is not None, SPLIT=not kernels().INTERPRETED, num_warps=warps,
    )  # fmt: skip
    total, square = out.sum(0, dtype=torch.float64).cpu().numpy()
    return np.repeat(total[:, d : d + 1], d, axis=1), total[:, :d], square[:, :d]


@in_launches
def label_sums(
    rows: torch.Tensor, w: torch.Tensor | None, guess: Array, codes: torch.Tensor, full: bool
) -> tuple[Array, Array, Array]:
    """Weights (K, d), totals (K, d) and squares of the rows of each class about a guess (K, d) of its mean."""
    (n, d), K = rows.shape, len(guess)
    F = sums_of(d, full, True)
    per = run(n, K)
    out = torch.empty((-(-n // per), K, F), dtype=torch.float32, device=rows.device)
    passes().known_rows[(K, len(out))](
        rows, _there(guess, rows), codes, w, out, n, rows.stride(0), per,
        d=d, F=F, BM=steps()["BM"], FULL=full, WEIGHTED=w is not None, num_warps=1,
    )  # fmt: skip
    found = out.sum(0, dtype=torch.float64).cpu().numpy()
    if full:
        return np.repeat(found[:, -1:], d, axis=1), found[:, -d - 1 : -1], _symmetric(found, d)
    return found[:, 2::3], found[:, 1::3], found[:, ::3]


def nearest(rows: torch.Tensor, origin: Array, centre: Array, codes: torch.Tensor) -> torch.Tensor:
    """Write the nearest centre of each row to codes; give the squared distances (n,)."""
    (n, d), K = rows.shape, len(centre)
    off = centre - single(origin)
    points, half, at = (_there(part, rows) for part in (off, 0.5 * (off * off).sum(axis=1), origin))
    squares = torch.empty(n, dtype=torch.float32, device=rows.device)
    DP = max(_power(d), 16)
    KB = 128 if DP <= 32 else 32
    kernels().nearest_rows[(-(-n // 128),)](
        rows, at, points, half, codes, squares, n, rows.stride(0), K, -(-K // KB), d=d, DP=DP, KB=KB, BM=128
    )
    return squares


def cluster_totals(
    rows: torch.Tensor, w: torch.Tensor | None, centre: Array, codes: torch.Tensor
) -> tuple[Array, Array]:
    """Weights (K,) and totals (K, d) of the rows of each cluster about its centre."""
    d, K = rows.shape[1], len(centre)
    order = torch.sort(codes.to(torch.int16) if K < 2**15 else codes, stable=True).indices.to(torch.int32)
    begin = torch.zeros(K + 1, dtype=torch.int32, device=rows.device)
    begin[1:] = torch.cumsum(torch.bincount(codes, minlength=K), 0)
    DP, shares = max(_power(d + 1), 2), max(1, min(64, -(-2112 // K)))
    out = torch.empty((K, shares, DP), dtype=torch.float32, device=rows.device)
    kernels().cluster_rows[(K, shares)](
        rows, _there(centre, rows), order, begin, w, out, rows.stride(0), shares,
        d=d, DP=DP, BM=max(2048 // DP, 1), WEIGHTED=w is not None,
    )  # fmt: skip
    found = out.sum(1, dtype=torch.float64).cpu().numpy()
    return found[:, d], found[:, :d] + found[:, d, None] * (single(centre) - centre)


def gaussian_sums(
    queries: torch.Tensor,
    points: torch.Tensor,
    w: torch.Tensor | None,
    tile: tuple[int, int, int, int] | None = None,
) -> torch.Tensor:
    """Sums of w 2^(-|q - p|^2) at each query, (m,) float64; all in float32, centred, or all in float64."""
    (m, d), double = queries.shape, queries.dtype == torch.float64
    if d <= 4 or double:
        return pair_sums(queries, points, None if w is None else w[None])[0]
    n, per, out = _shares(queries, points, 1)
    DP = max(_power(d), 16)
    Q, P = (torch.nn.functional.pad(part, (0, DP - d)).contiguous() for part in (queries, points))
    BM, BN, warps, stages = tile or TILES.get(DP, (64, 32, 4, 1))
    double = 2.0 * Q
    parts = (*_two(double), *_two(P))
    kernels().gaussian_parts[(-(-m // BM), len(out))](
        *parts, Q.square().sum(1), P.square().sum(1), w, out, m, n, per,
        DP=DP, BM=BM, BN=BN, WEIGHTED=w is not None, num_warps=warps, num_stages=stages,
    )  # fmt: skip
    return out.sum(0, dtype=torch.float64)[0]


def pair_sums(queries: torch.Tensor, points: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
    """The same by differences, of several weights (C, n) at once: (C, m), or (1, m) where all weigh one."""
    (m, d), C = queries.shape, 1 if weights is None else len(weights)
    n, per, out = _shares(queries, points, C)
    Q, P = queries.T.contiguous(), points.T.contiguous()
    kernels().gaussian_pairs[(-(-m // 64), len(out))](
        Q, P, weights, out, m, n, per, d=d, BM=64, BN=64 if C == 1 else 32, C=C, WEIGHTED=weights is not None,
        TYPE=kernels().KINDS[queries.dtype == torch.float64],
    )  # fmt: skip
    return out.sum(0, dtype=torch.float64)


def _shares(queries: torch.Tensor, points: torch.Tensor, C: int) -> tuple[int, int, torch.Tensor]:
    """Points, those of each program, and room for its sums: enough programs, and few points added in float32."""
    m, n = len(queries), len(points)
    shares = max(min(-(-n // 4096), -(-4 * 132 * 64 // max(m, 1))), -(-n // 2**18))
    per = (n // shares // 128 + 1) * 128
    return n, per, torch.empty((-(-n // per), C, m), dtype=queries.dtype, device=queries.device)


def _two(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Numbers as sums of two with eleven digits and the rest."""
    high = ((x.view(torch.int32) + 4096) & -8192).view(torch.float32)
    return high, x - high


@cache
def _lower(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of a lower triangle."""
    return np.tril_indices(d)


def _symmetric(found: Array, d: int) -> Array:
    """Matrices from the products of cells i >= j, in order of rows."""
    lower = _lower(d)
    matrix = np.empty((len(found), d, d))
    matrix[:, lower[0], lower[1]] = matrix[:, lower[1], lower[0]] = found[:, : len(lower[0])]
    return matrix


def _all_there(rows: torch.Tensor, *values: Array) -> list[torch.Tensor]:
    """Several arrays on the device of the rows, sent at once; each begins where the kernels may read four numbers."""
    sizes = [-(-part.size // 4) * 4 for part in values]
    flat, begin = np.zeros(sum(sizes), dtype=np.float32), 0
    for part, size in zip(values, sizes, strict=True):
        flat[begin : begin + part.size] = part.ravel()
        begin += size
    return list(torch.from_numpy(flat).to(rows.device).split(sizes))


def _there(values: Array, rows: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32)).to(rows.device)


def _power(n: int) -> int:
    return 1 << max(n - 1, 0).bit_length()
