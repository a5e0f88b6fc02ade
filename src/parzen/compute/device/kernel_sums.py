"""Log-densities of kernels at queries on a device.

The points of a kernel density are its statistic and stay on the host; they are copied to the device of the queries.
Sums of Gaussians in float32 are used where their rounding stays within what may be lost; far from all points, and where
more digits are asked for, they are computed in float64 as logarithms. Sums of other kernels are in float64.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.memory import pieces
from parzen.compute.device.sums import gaussian_sums, readable

#: exp(-r^2 / 2) = 2^-(SCALE r)^2.
SCALE = float(np.sqrt(0.5 / np.log(2.0)))
#: A sum is trusted where it is above this, relative to the total weight: then terms 2^-s beyond s = 60 add nothing.
LEAST, FARTHEST = 1e-12, 60.0
#: Most columns of rows that the fused kernels read.
COLUMNS = 64
#: Unit of rounding of float32.
UNIT = 2.0**-24


def log_kernel_sums(
    X: DeviceArray, kernel: tuple[str, float | None], points: Array, w: Array | None, factor: Array, rtol: float,
    own: NDArray[np.int64] | None = None, left: Array | None = None,
) -> DeviceArray:  # fmt: skip
    """Logarithm of the sum of ``w k(|F^-1 (x - p)|)`` over all points, at each row of X, (n,) float64.

    Parameters
    ----------
    kernel : its name, and the exponent of (1 - r^2) where it has that form
    own, left : arrays of shape (n,), optional
        A point of each row, and what is left of its weight.
    """
    if X.missing():
        raise ValueError("Input X contains NaN: on a device kernel densities need complete rows; give X.cpu().")
    if kernel[0] == "gaussian":
        return _log_gaussian_sums(X, points, w, factor, rtol, own, left)
    rows = X.tensor.double()
    P, F = (torch.from_numpy(np.ascontiguousarray(part)).to(rows.device) for part in (points, factor))
    diagonal = torch.diagonal(F)
    if bool((torch.diag(diagonal) != F).any()):
        centre = P.mean(0)
        rows, P = ((part - centre) @ torch.linalg.inv(F).T for part in (rows, P))
        diagonal = torch.ones_like(diagonal)
    return DeviceArray(_logs(rows, P, _weights(w, rows), log_of_squares(*kernel), 1.0 / diagonal, own, left))


def log_of_squares(name: str, power: float | None) -> Callable[[torch.Tensor], torch.Tensor]:
    """The logarithm of a kernel function, of squared distances."""

    def log(squares: torch.Tensor) -> torch.Tensor:
        if name == "gaussian":
            return -0.5 * squares
        if name == "exponential":
            return -squares.sqrt()
        if name == "triangular":
            return torch.log((1.0 - squares.sqrt()).clamp(min=0.0))
        if name == "cosine":
            return torch.log(torch.where(squares < 1.0, torch.cos(0.5 * np.pi * squares.sqrt()).clamp(min=0.0), 0.0))
        inside = torch.log((1.0 - squares).clamp(min=0.0))
        return torch.where(squares < 1.0, (power or 0.0) * inside, -torch.inf)

    return log


def _weights(w: Array | None, like: torch.Tensor) -> torch.Tensor | None:
    return None if w is None else torch.from_numpy(np.ascontiguousarray(w)).to(like.device)


def _log_gaussian_sums(
    X: DeviceArray, points: Array, w: Array | None, factor: Array, rtol: float,
    own: NDArray[np.int64] | None, left: Array | None,
) -> DeviceArray:  # fmt: skip
    rows = X.tensor
    here = rows.device
    middle = torch.from_numpy(points.mean(axis=0)).to(here)
    inverse = SCALE * torch.linalg.inv(torch.from_numpy(factor).to(here)).T
    Q, P = (rows.double() - middle) @ inverse, (torch.from_numpy(points).to(here) - middle) @ inverse
    weights = _weights(w, rows)
    total = float(len(points)) if w is None else float(w.sum())
    scale = 1.0 if w is None else float(w.max())
    share = None if weights is None else weights / scale  # at most one: no sum overflows
    less = None
    if own is not None and left is not None:
        gone = (np.ones(len(own)) if w is None else w[own]) - left
        less, rtol = torch.from_numpy(gone).to(here), rtol / 4.0
    if rtol >= _rounding(Q, P):
        Q_, P_, share = Q.float(), P.float(), None if share is None else share.float()
    else:
        Q_, P_ = Q, P
    if readable(Q_, Q_.dtype) and Q.shape[1] <= COLUMNS:
        sums = scale * gaussian_sums(Q_, P_, share)
        near = sums > LEAST * total
        if less is not None:
            near &= less < 0.75 * sums  # else the difference would keep too few digits
            sums = sums - less
        logs = torch.log(sums)
        far = torch.nonzero(~near)[:, 0]
    else:
        logs, far = torch.empty(len(Q), dtype=torch.float64, device=here), torch.arange(len(Q), device=here)
    if len(far):
        place = far.cpu().numpy()
        some = (None, None) if own is None or left is None else (own[place], left[place])
        unit = torch.full((Q.shape[1],), 1.0 / SCALE, dtype=torch.float64, device=here)
        logs[far] = _logs(Q[far], P, weights, log_of_squares("gaussian", None), unit, *some)
    return DeviceArray(logs)


def _rounding(Q: torch.Tensor, P: torch.Tensor) -> float:
    """A bound on the relative rounding of sums in float32 of points in these coordinates.

    A term 2^-s is off by ln 2 times what s is off by. By differences (up to four columns) that is twice the distance
    times the rounding of both coordinates, and three units of s itself. By products it is twice a product of vectors,
    whose numbers are split in two: four units for the product of the smaller parts that is left out, two for each
    factor, and two for each step of the tensor cores, which cut off digits; three steps for eight columns.
    """
    d = P.shape[1]
    parts = [part for part in (Q, P) if len(part)]
    if d <= 4:
        reach = max((float(part.abs().max()) for part in parts), default=0.0)
        off = 4.0 * np.sqrt(FARTHEST * d) * min(reach, 1e30) + (3.0 + d) * FARTHEST
    else:
        square = max((float(part.square().sum(1).max()) for part in parts), default=0.0)
        off = 2.0 * (8.0 + 0.75 * max(1 << (d - 1).bit_length(), 16)) * min(square, 1e30) + 4.0 * FARTHEST
    return float(np.log(2.0) * UNIT * (off + 4.0))


def _logs(
    Q: torch.Tensor, P: torch.Tensor, w: torch.Tensor | None, log: Callable[[torch.Tensor], torch.Tensor],
    unit: torch.Tensor, own: NDArray[np.int64] | None, left: Array | None,
) -> torch.Tensor:  # fmt: skip
    """Logarithms of sums in float64, finite however far the points are where the kernel does not end."""
    out = torch.empty(len(Q), dtype=torch.float64, device=Q.device)
    step = max(min(len(P), 2**16), 1)
    logs = None if w is None else torch.log(w)
    for part in pieces(Q, 3 * step):
        found = torch.full((part.stop - part.start,), -torch.inf, dtype=torch.float64, device=Q.device)
        for begin in range(0, len(P), step):
            points = P[begin : begin + step]
            squares = torch.zeros(len(found), len(points), dtype=torch.float64, device=Q.device)
            for c in range(Q.shape[1]):
                squares += ((Q[part, c, None] - points[None, :, c]) * unit[c]) ** 2
            values = log(squares)
            if logs is not None:
                values += logs[begin : begin + step]
            if own is not None and left is not None:
                mine = np.flatnonzero((own[part] >= begin) & (own[part] < begin + len(points)))
                at = (torch.from_numpy(index).to(Q.device) for index in (mine, own[part][mine] - begin))
                rest = torch.from_numpy(np.ascontiguousarray(left[part][mine])).to(Q.device)
                values[tuple(at)] = torch.log(rest)  # a kernel function is 1 at distance 0
            found = torch.logaddexp(found, torch.logsumexp(values, dim=1))
        out[part] = found
    return out
