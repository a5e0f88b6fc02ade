"""Grouped sums and centred moments of rows on a device; see `parzen.compute.moments`.

Rows are centred about a first guess of their group's mean (of the first rows), and summed in float64, or in float32 a
few thousand rows at a time; always in the same order: the same result from run to run.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces
from parzen.compute.device.sums import (
    MOST_SUMS,
    class_cut,
    class_products,
    class_sums,
    label_sums,
    readable,
    single,
    sums_of,
)
from parzen.compute.memberships import Labels, Memberships, group_count

#: A guess is good enough for float32 where it is off by no more deviations.
NEAR = 8.0


def on(values: Any, like: torch.Tensor, rows: slice = slice(None)) -> torch.Tensor:
    """Some rows of values, which lie on a device or on the host, on the device of a tensor."""
    if isinstance(values, DeviceArray):
        return values.tensor[rows]
    part = values[rows]
    return torch.from_numpy(part if part.flags.writeable else part.copy()).to(like.device)


def moments(X: DeviceArray, R: Memberships = None, full: bool = True) -> tuple[Array, Array, Array, Array]:
    """Weight, mean, scatter and carry of each group."""
    rows = X.tensor
    d, K = rows.shape[1], group_count(R)
    if isinstance(R, Labels) and not full and readable(rows):
        at_once = _at_once(rows, R, K)
        if at_once is not None:
            return at_once
    guess = _guess(rows, R, K)
    if not isinstance(R, np.ndarray | DeviceArray) and readable(rows) and sums_of(d, full, True) <= MOST_SUMS:
        codes = torch.zeros(len(rows), dtype=torch.int32, device=rows.device) if R is None else on(R.codes, rows)
        own = None if R is None or R.weights is None else on(R.weights, rows).float()
        for _ in range(2):  # once more, where the first guess was far off
            found = _centred(*label_sums(rows, own, guess, codes, full), single(guess), full)
            spread = np.sqrt(np.maximum(_variances(found, full), 0.0))
            far = np.abs(found[1] - guess) > NEAR * spread
            if not far.any() or not np.isfinite(found[1]).all():
                return found
            guess = found[1]
        return found
    return _centred(*_sums(rows, R, guess, full), guess, full)


def _at_once(rows: torch.Tensor, R: Labels, K: int) -> tuple[Array, Array, Array, Array] | None:
    """Moments of classes in one reading of complete rows, about one origin; None where that is not exact enough."""
    d = rows.shape[1]
    about = rows[:256].double().mean(0).float()
    codes, own = on(R.codes, rows), None if R.weights is None else on(R.weights, rows).float()
    C, P, together = class_cut(d, K)
    by = class_sums if together == K and (C > 1 or P == 1) else class_products
    weight, total, square = by(rows, own, about, codes, K)
    origin = about.double().cpu().numpy()
    found = _centred(weight, total, square, np.broadcast_to(origin, (K, d)), False)
    if not np.isfinite(found[1]).all():
        return None
    far = np.abs(found[1] - origin) > NEAR * np.sqrt(_variances(found, False))
    return None if (far & (found[0] > 0)).any() else found


def _variances(found: tuple[Array, Array, Array, Array], full: bool) -> Array:
    weight, _, scatter, _ = found
    with np.errstate(invalid="ignore", divide="ignore"):
        if full:
            return np.diagonal(scatter, axis1=1, axis2=2) / weight[:, None]
        return scatter / weight


def _sums(rows: torch.Tensor, R: Memberships, guess: Array, full: bool) -> tuple[Array, Array, Array]:
    """Weights, totals and squares of each group about a guess of its mean, in float64."""
    K, d = guess.shape
    centre = torch.from_numpy(guess).to(rows.device)
    weight, total = (torch.zeros(K, d, dtype=torch.float64, device=rows.device) for _ in range(2))
    square = torch.zeros((K, d, d) if full else (K, d), dtype=torch.float64, device=rows.device)
    for part in pieces(rows, 5 * d + K):
        members = memberships_of(R, part, rows)
        x = rows[part].double()
        for k in range(K):
            own = x.new_ones(len(x), 1) if members is None else members[:, k, None]
            off = torch.where(own == 0, 0.0, x - centre[k])
            if not full:
                known = ~torch.isnan(off)
                own, off = torch.where(known, own, 0.0), torch.where(known, off, 0.0)
            weighted = own * off
            weight[k] += own.expand(len(x), d).sum(0)
            total[k] += weighted.sum(0)
            square[k] += weighted.T @ off if full else (weighted * off).sum(0)
    return weight.cpu().numpy(), total.cpu().numpy(), square.cpu().numpy()


def memberships_of(R: Memberships, rows: slice, like: torch.Tensor) -> torch.Tensor | None:
    """Memberships of some rows as a matrix (n, K) of float64; None where all weigh one."""
    if R is None:
        return None
    if isinstance(R, Labels):
        codes = on(R.codes, like, rows).long()
        weights = torch.ones(1, dtype=torch.float64, device=like.device)
        weights = weights if R.weights is None else on(R.weights, like, rows).double()
        same = codes[:, None] == torch.arange(R.groups, device=like.device)
        return torch.where(same, weights.reshape(-1, 1), 0.0)
    matrix = on(R, like, rows).double()
    return matrix if matrix.ndim == 2 else matrix[:, None]


def _guess(rows: torch.Tensor, R: Memberships, K: int) -> Array:
    """A first guess of the mean of each group: of its rows among the first; of all of these, where it has none."""
    first = slice(0, min(len(rows), 4096))
    x = rows[first].double()
    known = torch.isfinite(x)
    x = torch.where(known, x, 0.0)
    members = memberships_of(R, first, rows)
    members = torch.ones(len(x), K, dtype=torch.float64, device=rows.device) if members is None else members
    weight, total = members.T @ known.double(), members.T @ x
    every, whole = known.sum(0).clamp(min=1), x.sum(0)
    return torch.where(weight > 0, total / torch.where(weight > 0, weight, 1.0), whole / every).cpu().numpy()


def _centred(weight: Array, total: Array, square: Array, guess: Array, full: bool) -> tuple[Array, Array, Array, Array]:
    """Moments about the means, from sums about a guess of them."""
    shift = np.divide(total, weight, out=np.zeros_like(total), where=weight != 0)
    mean = np.where(weight > 0, guess + shift, 0.0)
    carry = np.where(weight > 0, (guess - mean) + shift, 0.0)
    if not full:
        return weight, mean, np.maximum(square - weight * shift * shift, 0.0), carry
    scatter = square - np.einsum("k,ki,kj->kij", weight[:, 0], shift, shift)
    return np.ascontiguousarray(weight[:, 0]), mean, (scatter + scatter.transpose(0, 2, 1)) / 2, carry


def sums(X: DeviceArray, R: Memberships = None) -> tuple[Array, Array]:
    """Weight and total of each column in each group."""
    weight, mean, _, carry = moments(X, R, full=False)
    return weight, weight * mean + weight * carry
