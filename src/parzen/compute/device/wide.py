"""A pass of EM over many components with independent columns: products of PyTorch, a few thousand rows at a time.

A score is a linear function of a row's cells and their squares, and the sums of a component are another: two products
of matrices. Each number is split in two of float16, scaled so that none is too large or too small, and three products
of the parts are nearly as exact as one in float32, at several times its speed.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.sums import kernels

#: Bytes of the scores of the rows that are worked on at a time.
SCORES = 32 * 2**20
#: Rows whose products are added by the tensor cores, which cut off digits.
ADDED = 2048
#: Powers of two up to which cells, and slopes and responsibilities, are scaled: squares must stay below 2^16.
CELL, SLOPE = 7, 14
#: Fewest columns, and fewest and most components, for which this pays.
COLUMNS, FEWEST, MOST = 16, 64, 4096


def wide_sums(
    rows: torch.Tensor, w: torch.Tensor | None, origin: Array, gaussians: tuple[Array, Array, Array], way: str = "half"
) -> tuple[Array, Array, Array, float]:
    """Weights (K,), totals (K, d) and squares (K, d) about an origin, by responsibilities, and the log-likelihood."""
    inverse, off, constant = gaussians
    (n, d), K = rows.shape, len(constant)
    parts, half = (1 if way == "single" else 3), way == "half"
    reach = np.maximum(largest(rows, origin), 1e-30)
    scale = np.exp2(CELL - np.ceil(np.log2(reach)))
    squares = inverse * inverse
    slope = np.concatenate([2.0 * squares * off / scale, -squares / scale**2], axis=1).T
    back = float(np.exp2(np.ceil(np.log2(np.abs(slope).max())) - SLOPE))
    constant = constant - (squares * off * off).sum(axis=1)
    W = torch.from_numpy(np.ascontiguousarray(slope / back, dtype=np.float32)).to(rows.device)
    if parts == 3:
        high, low = _parts(W, half)
        W = torch.cat([high, low, high])
    size = min(max(SCORES // (4 * K) // ADDED * ADDED, ADDED), -(-n // 128) * 128)
    F = torch.empty(size, parts * 2 * d, dtype=W.dtype, device=rows.device)
    shares = torch.empty(max(parts - 1, 1), size, K, dtype=W.dtype, device=rows.device)
    evidence = torch.empty(n, dtype=torch.float32, device=rows.device)
    counts = torch.empty(-(-n // size), -(-size // 16), K, dtype=torch.float32, device=rows.device)
    sums = torch.zeros(K, 2 * d, dtype=torch.float64, device=rows.device)
    origin_, scale_, constant_ = (
        torch.from_numpy(np.ascontiguousarray(part, dtype=np.float32)).to(rows.device)
        for part in (origin, scale, constant)
    )
    KP, DP = 1 << (K - 1).bit_length(), 1 << (d - 1).bit_length()
    with _tf32(way == "tf32"):
        for block, begin in enumerate(range(0, n, size)):
            many = min(size, n - begin)
            kernels().feature_rows[(-(-size // 32),)](
                rows[begin:], origin_, scale_, F, many, size, rows.stride(0),
                d=d, DP=DP, BM=32, PARTS=parts, HALF=half,
            )  # fmt: skip
            S = _product(F, W)
            kernels().share_rows[(-(-size // 16),)](
                S, constant_, None if w is None else w[begin:], shares, evidence[begin:], counts[block],
                many, size, K, back, float(2**SLOPE) if half else 1.0,
                KP=KP, BM=16, PARTS=parts, HALF=half, WEIGHTED=w is not None,
            )  # fmt: skip
            sums += _moments(F, shares, 2 * d)
    sums /= float(2**SLOPE) if half else 1.0
    score = evidence.sum(dtype=torch.float64) if w is None else evidence.double() @ w.double()
    found = torch.cat([sums, counts.sum((0, 1), dtype=torch.float64)[:, None]], 1).cpu().numpy()
    return found[:, -1], found[:, :d] / scale, found[:, d:-1] / scale**2, float(score)


def largest(rows: torch.Tensor, origin: Array) -> Array:
    """The largest distance of each column's cells from the origin."""
    low, high = torch.aminmax(rows, dim=0)
    low, high = low.double().cpu().numpy(), high.double().cpu().numpy()
    return np.maximum(np.abs(low - origin), np.abs(high - origin))


def _moments(F: torch.Tensor, shares: torch.Tensor, width: int) -> torch.Tensor:
    """Products of responsibilities and features, by stretches of rows that are then added in float64."""
    size, K = shares.shape[1:]
    many = size // ADDED if size % ADDED == 0 else 1
    features = F.reshape(many, size // many, -1)
    high = shares[0].reshape(many, size // many, K).transpose(1, 2)
    if len(shares) == 1:
        return _product(high, features).sum(0, dtype=torch.float64)
    low = shares[1].reshape(many, size // many, K).transpose(1, 2)
    both = _product(high, features[:, :, : 2 * width]).sum(0, dtype=torch.float64)
    small = _product(low, features[:, :, width : 2 * width]).sum(0, dtype=torch.float64)
    return both[:, width:] + (both[:, :width] + small)


def _parts(x: torch.Tensor, half: bool) -> tuple[torch.Tensor, torch.Tensor]:
    if half:
        high = x.half()
        return high, (x - high.float()).half()
    high = (x.view(torch.int32) & -8192).view(torch.float32)
    return high, x - high


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """A product in float32, of factors in float16 on a GPU."""
    if a.dtype == torch.float32:
        return a @ b
    if a.device.type != "cuda":
        return a.float() @ b.float()
    by: Any = torch.mm if a.ndim == 2 else torch.bmm
    return by(a, b, out_dtype=torch.float32)


class _tf32:
    """Whether products of float32 are rounded to TF32, for a while."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = self.on

    def __exit__(self, *problem: Any) -> None:
        torch.backends.cuda.matmul.allow_tf32 = self.before
