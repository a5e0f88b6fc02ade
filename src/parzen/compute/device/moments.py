"""Grouped sums and centred moments of rows on a device; see `parzen.compute.moments`.

Rows are centred about a first guess of each group's mean (of the first rows) and summed in float64, pieces at a time,
in a fixed order: the same result from run to run.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.memberships import Labels, Memberships, group_count

#: Cells of float64 that are worked on at a time.
CELLS = 2**26


def dense_memberships(R: Memberships, rows: slice, like: torch.Tensor) -> torch.Tensor | None:
    """Memberships of some rows as a matrix (n, K) of float64 on the device; None where all weigh one."""
    if R is None:
        return None
    if isinstance(R, Labels):
        codes = on(R.codes, like, rows).long()
        ones = torch.zeros(len(codes), R.groups + 1, dtype=torch.float64, device=like.device)
        weights = 1.0 if R.weights is None else on(R.weights, like, rows).double()[:, None]
        ones.scatter_(1, torch.where(codes < 0, R.groups, codes)[:, None], 1.0)
        return ones[:, : R.groups] * weights
    matrix = on(R, like, rows).double()
    return matrix if matrix.ndim == 2 else matrix[:, None]


def on(values: Any, like: torch.Tensor, rows: slice = slice(None)) -> torch.Tensor:
    """Some rows of values that are the user's or the library's, on the device of a tensor."""
    if isinstance(values, DeviceArray):
        return values.tensor[rows]
    part = values[rows]
    return torch.from_numpy(part if part.flags.writeable else part.copy()).to(like.device)


def pieces(X: torch.Tensor, cells: int) -> Any:
    """Slices of rows, of which each needs so many cells of scratch memory."""
    rows = max(CELLS // max(cells, 1), 1)
    for begin in range(0, len(X), rows):
        yield slice(begin, min(begin + rows, len(X)))


def moments(X: DeviceArray, R: Memberships = None, full: bool = True) -> tuple[Array, Array, Array, Array]:
    tensor, K = X.tensor, group_count(R)
    n, d = tensor.shape
    guess = _guess(tensor, R, K)
    weight = torch.zeros(K, d, dtype=torch.float64, device=tensor.device)
    total = torch.zeros(K, d, dtype=torch.float64, device=tensor.device)
    square = torch.zeros((K, d, d) if full else (K, d), dtype=torch.float64, device=tensor.device)
    for rows in pieces(tensor, K * d + 2 * d):
        members = dense_memberships(R, rows, tensor)
        for k in range(K):
            off = tensor[rows].double() - guess[k]
            own = None if members is None else members[:, k, None]
            if not full:
                seen = torch.isfinite(off) | torch.isinf(off)
                off = torch.where(seen, off, 0.0)
                weight[k] += seen.double().sum(0) if own is None else (seen * own).sum(0)
            else:
                weight[k] += float(len(off)) if own is None else own.sum()
            weighted = off if own is None else torch.where(own == 0, 0.0, off * own)
            total[k] += weighted.sum(0)
            if full:
                clean = off if own is None else torch.where(own == 0, 0.0, off)
                square[k] += weighted.T @ clean
            else:
                square[k] += (weighted * off).sum(0)
    return _centred(weight, guess, total, square, full)


def _guess(X: torch.Tensor, R: Memberships, K: int) -> torch.Tensor:
    """A first guess of the mean of each group: of its rows among the first; of all of these, where it has none."""
    first = slice(0, min(len(X), 4096))
    rows = X[first].double()
    known = torch.isfinite(rows)
    rows = torch.where(known, rows, 0.0)
    members = dense_memberships(R, first, X)
    share = torch.ones(len(rows), K, dtype=torch.float64, device=X.device) if members is None else members
    whole = rows.sum(0) / known.sum(0).clamp(min=1)
    weight = share.T @ known.double()
    return torch.where(weight > 0, (share.T @ rows) / weight.clamp(min=1e-300), whole)


def _centred(
    weight: torch.Tensor, guess: torch.Tensor, total: torch.Tensor, square: torch.Tensor, full: bool
) -> tuple[Array, Array, Array, Array]:
    """Moments about the means, from sums about a guess of them."""
    w, at, sums, squares = (part.cpu().numpy() for part in (weight, guess, total, square))
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = np.where(w > 0, sums / w, 0.0)
    mean = np.where(w > 0, at + shift, 0.0)
    carry = np.where(w > 0, (at - mean) + shift, 0.0)
    if not full:
        return w, mean, np.maximum(squares - w * shift * shift, 0.0), carry
    scatter = squares - np.einsum("k,ki,kj->kij", w[:, 0], shift, shift)
    return np.ascontiguousarray(w[:, 0]), mean, (scatter + scatter.transpose(0, 2, 1)) / 2, carry


def sums(X: DeviceArray, R: Memberships = None) -> tuple[Array, Array]:
    weight, mean, _, carry = moments(X, R, full=False)
    return weight, weight * mean + weight * carry
