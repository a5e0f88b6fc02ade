"""A pass of EM over many components with independent columns: products of PyTorch, some thousand rows at a time.

A score is a linear function of a row's cells and their squares, and the sums of a component are another: two products
of matrices. Each number is split in two of float16, scaled so that none is too large or too small, and three products
of the parts are nearly as exact as one in float32, at several times its speed.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.memory import pieces
from parzen.compute.device.sums import kernels, readable

#: Bytes of the scores of the rows that are worked on at a time.
SCORES = 40 * 2**20
#: Rows whose products are added by the tensor cores, which cut off digits; and rows of a program.
ADDED, ROWS = 2048, 16
#: Powers of two up to which cells, and slopes and responsibilities, are scaled: squares must stay below 2^16.
CELL, SLOPE = 7, 14
#: Fewest columns and most of them, fewest components and most, for which this pays.
COLUMNS, COMPONENTS = (16, 1024), (64, 8192)
#: Deviations from the origin within which cells must lie: an outlier leaves too few digits of float16 to the others.
FARTHEST = 200.0


def scales(rows: torch.Tensor, origin: Array, inverse: Array) -> Array | None:
    """Powers of two by which columns are scaled; None where this is not for such rows."""
    d, K = rows.shape[1], len(inverse)
    if not (readable(rows) and COLUMNS[0] <= d <= COLUMNS[1] and COMPONENTS[0] <= K <= COMPONENTS[1]):
        return None
    ends = torch.cat([torch.stack(torch.aminmax(rows[part], dim=0)) for part in pieces(rows, 4 * d)])
    reach = np.maximum(np.abs(ends.double().cpu().numpy() - origin).max(axis=0), 1e-30)
    if not (reach * inverse.max(axis=0) < FARTHEST).all():
        return None
    return np.exp2(CELL - np.ceil(np.log2(reach)))


def wide_sums(
    rows: torch.Tensor, w: torch.Tensor | None, origin: Array, gaussians: tuple[Array, Array, Array], scale: Array
) -> tuple[Array, Array, Array, float]:
    """Weights (K,), totals (K, d) and squares (K, d) about an origin, by responsibilities, and the log-likelihood."""
    inverse, off, constant = gaussians
    (n, d), K, here = rows.shape, len(constant), rows.device
    W, back, constant_ = _slopes(inverse, off, constant, scale, here)
    size = min(max(SCORES // (4 * K) // ADDED * ADDED, ADDED), -(-n // 128) * 128)
    many = max(size // ADDED, 1) if size % ADDED == 0 else 1
    F = torch.empty(size, 6 * d, dtype=torch.float16, device=here)
    S = torch.empty(size, K, dtype=torch.float32, device=here)
    shares = S.view(torch.float16).reshape(many, -1, 2 * K)
    high, low = shares[:, :, :K].transpose(1, 2), shares[:, :, K:].transpose(1, 2)
    features = F.reshape(many, -1, 6 * d)
    both, rest = features[:, :, : 4 * d], features[:, :, 2 * d : 4 * d]
    sums, small = (torch.zeros(many, K, width, dtype=torch.float32, device=here) for width in (4 * d, 2 * d))
    evidence = torch.empty(n, dtype=torch.float32, device=here)
    counts = torch.zeros(-(-size // ROWS), K, dtype=torch.float32, device=here)
    origin_, scale_ = (torch.from_numpy(part.astype(np.float32)).to(here) for part in (origin, scale))
    KP, DP = 1 << (K - 1).bit_length(), 1 << (d - 1).bit_length()
    for begin in range(0, n, size):
        count = min(size, n - begin)
        kernels().feature_rows[(-(-size // 32),)](
            rows[begin:], origin_, scale_, F, count, size, rows.stride(0), d=d, DP=DP, BM=32
        )
        _product(F, W, S)
        kernels().share_rows[(len(counts),)](
            S, constant_, None if w is None else w[begin:], shares, evidence[begin:], counts, count, size, K,
            back, float(2**SLOPE), KP=KP, BM=ROWS, WEIGHTED=w is not None,
        )  # fmt: skip
        _add_product(high, both, sums)
        _add_product(low, rest, small)
    del S, F, shares, high, low, features, both, rest  # what is left to do needs memory, too
    whole = sums.sum(0, dtype=torch.float64)
    found = whole[:, 2 * d :] + (whole[:, : 2 * d] + small.sum(0, dtype=torch.float64))
    score = evidence.sum(dtype=torch.float64) if w is None else evidence.double() @ w.double()
    total, square = np.split(found.cpu().numpy() / 2.0**SLOPE, 2, axis=1)
    weight = counts.sum(0, dtype=torch.float64).cpu().numpy()
    return weight, total / scale, square / scale**2, float(score)


def _slopes(
    inverse: Array, off: Array, constant: Array, scale: Array, here: Any
) -> tuple[torch.Tensor, float, torch.Tensor]:
    """Slopes of the scores by cells and squares, in parts, by what they were divided; and the scores' constants."""
    inverse_, off_, constant_, scale_ = (torch.from_numpy(part).to(here) for part in (inverse, off, constant, scale))
    squares = inverse_ * inverse_
    slope = torch.cat([2.0 * squares * off_ / scale_, -squares / scale_**2], dim=1).T
    back = float(np.exp2(np.ceil(np.log2(float(slope.abs().max()))) - SLOPE))
    W = (slope / back).contiguous()
    high = W.half()
    low = (W - high.double()).half()
    constants = (constant_ - (squares * off_ * off_).sum(1)).float()
    return torch.cat([high, low, high]), back, constants


def _product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Write a product in float32 of factors in float16."""
    if a.device.type == "cuda":
        torch.mm(a, b, out_dtype=torch.float32, out=out)
    else:
        torch.mm(a.float(), b.float(), out=out)


def _add_product(a: torch.Tensor, b: torch.Tensor, out: torch.Tensor) -> None:
    """Add the products of pairs of factors in float16 to what is there, in float32."""
    if a.device.type == "cuda":
        torch.baddbmm(out, a, b, out_dtype=torch.float32, out=out)
    else:
        out.baddbmm_(a.float(), b.float())
