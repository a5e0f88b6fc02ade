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
    many = size // ADDED if size % ADDED == 0 else 1
    high = torch.zeros(many, K, (parts > 1) * 2 * d + 2 * d, dtype=torch.float32, device=rows.device)
    low = torch.zeros(many, K, 2 * d, dtype=torch.float32, device=rows.device)
    S = torch.empty(size, K, dtype=torch.float32, device=rows.device)
    origin_, scale_, constant_ = (
        torch.from_numpy(np.ascontiguousarray(part, dtype=np.float32)).to(rows.device)
        for part in (origin, scale, constant)
    )
    KP, DP = 1 << (K - 1).bit_length(), 1 << (d - 1).bit_length()
    with _tf32(way == "tf32"):
        for block, begin in enumerate(range(0, n, size)):
            count = min(size, n - begin)
            kernels().feature_rows[(-(-size // 32),)](
                rows[begin:], origin_, scale_, F, count, size, rows.stride(0),
                d=d, DP=DP, BM=32, PARTS=parts, HALF=half,
            )  # fmt: skip
            _product(F, W, S)
            kernels().share_rows[(-(-size // 16),)](
                S, constant_, None if w is None else w[begin:], shares, evidence[begin:], counts[block],
                count, size, K, back, float(2**SLOPE) if half else 1.0,
                KP=KP, BM=16, PARTS=parts, HALF=half, WEIGHTED=w is not None,
            )  # fmt: skip
            features, first = F.reshape(many, -1, parts * 2 * d), shares[0].reshape(many, -1, K).transpose(1, 2)
            _add_product(first, features[:, :, : high.shape[2]], high)
            if parts == 3:
                rest = shares[1].reshape(many, -1, K).transpose(1, 2)
                _add_product(rest, features[:, :, 2 * d : 4 * d], low)
    sums = high.sum(0, dtype=torch.float64)
    if parts == 3:
        sums = sums[:, 2 * d :] + (sums[:, : 2 * d] + low.sum(0, dtype=torch.float64))
    sums /= float(2**SLOPE) if half else 1.0
    score = evidence.sum(dtype=torch.float64) if w is None else evidence.double() @ w.double()
    found = torch.cat([sums, counts.sum((0, 1), dtype=torch.float64)[:, None]], 1).cpu().numpy()
    return found[:, -1], found[:, :d] / scale, found[:, d:-1] / scale**2, float(score)


def largest(rows: torch.Tensor, origin: Array) -> Array:
    """The largest distance of each column's cells from the origin."""
    low, high = (part.double().cpu().numpy() for part in (rows.amin(0), rows.amax(0)))
    return np.maximum(np.abs(low - origin), np.abs(high - origin))


def _parts(x: torch.Tensor, half: bool) -> tuple[torch.Tensor, torch.Tensor]:
    if half:
        high = x.half()
        return high, (x - high.float()).half()
    high = (x.view(torch.int32) & -8192).view(torch.float32)
    return high, x - high


def _product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Write a product in float32, of factors in float32, or on a GPU in float16."""
    if a.dtype == torch.float32:
        torch.mm(a, b, out=out)
    elif a.device.type == "cuda":
        by: Any = torch.mm
        by(a, b, out_dtype=torch.float32, out=out)
    else:
        torch.mm(a.float(), b.float(), out=out)


def _add_product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Add the products of some pairs of factors to what is there."""
    if a.dtype == torch.float32:
        out.baddbmm_(a, b)
    elif a.device.type == "cuda":
        by: Any = torch.baddbmm
        by(out, a, b, out_dtype=torch.float32, out=out)
    else:
        out.baddbmm_(a.float(), b.float())


class _tf32:
    """Whether products of float32 are rounded to TF32, for a while."""

    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.before = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = self.on

    def __exit__(self, *problem: Any) -> None:
        torch.backends.cuda.matmul.allow_tf32 = self.before
