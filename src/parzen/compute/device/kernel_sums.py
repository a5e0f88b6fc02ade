"""Log-densities of Gaussian kernels at queries on a device.

The points of a kernel density are its statistic and stay on the host; a copy is kept on the device of the queries.
Sums in float32 are used where their rounding stays within what may be lost; far from all points, and where more digits
are asked for, they are computed in float64 as logarithms.
"""

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.moments import pieces
from parzen.compute.device.sums import gaussian_sums, readable

#: exp(-r^2 / 2) = 2^-(SCALE r)^2.
SCALE = float(np.sqrt(0.5 / np.log(2.0)))
#: A sum is trusted where it is above this, relative to the total weight: then terms 2^-s beyond s = 60 add nothing.
LEAST, FARTHEST = 1e-12, 60.0
#: Most columns of rows that the fused kernels read.
COLUMNS = 64
#: Unit of rounding of float32.
UNIT = 2.0**-24


def log_gaussian_sums(X: DeviceArray, points: Array, w: Array | None, factor: Array, rtol: float) -> DeviceArray:
    """Logarithm of the sum of ``w exp(-|F^-1 (x - p)|^2 / 2)`` over all points, at each row of X, (n,) float64."""
    rows = X.tensor
    here = rows.device
    middle = torch.from_numpy(points.mean(axis=0)).to(here)
    inverse = SCALE * torch.linalg.inv(torch.from_numpy(factor).to(here)).T
    Q, P = (rows.double() - middle) @ inverse, (torch.from_numpy(points).to(here) - middle) @ inverse
    weights = None if w is None else torch.from_numpy(np.ascontiguousarray(w)).to(here)
    total = float(len(points)) if w is None else float(w.sum())
    scale = 1.0 if w is None else float(w.max())
    own = None if weights is None else weights / scale  # at most one: no sum overflows
    if rtol >= _rounding(Q, P):
        Q_, P_, own = Q.float(), P.float(), None if own is None else own.float()
    else:
        Q_, P_ = Q, P
    if readable(Q_, Q_.dtype) and Q.shape[1] <= COLUMNS:
        sums = scale * gaussian_sums(Q_, P_, own)
        logs = torch.log(sums)
        far = torch.nonzero(~(sums > LEAST * total))[:, 0]
    else:
        logs, far = torch.empty(len(Q), dtype=torch.float64, device=here), torch.arange(len(Q), device=here)
    if len(far):
        logs[far] = _logs(Q[far], P, weights)
    return DeviceArray(logs)


def _rounding(Q: torch.Tensor, P: torch.Tensor) -> float:
    """A bound on the relative rounding of sums in float32 of points in these coordinates.

    A term 2^-s is off by ln 2 times what s is off by. By differences (up to four columns) that is twice the distance
    times the rounding of both coordinates, and three units of s itself; by products, a few units of the squares.
    """
    d = P.shape[1]
    reach = max(float(part.abs().max()) if len(part) else 0.0 for part in (Q, P))
    if d <= 4:
        off = 4.0 * np.sqrt(FARTHEST * d) * min(reach, 1e30) + (3.0 + d) * FARTHEST
    else:
        off = 4.0 * d * min(reach, 1e15) ** 2 + 3.0 * FARTHEST
    return float(np.log(2.0) * UNIT * (off + 4.0))


def _logs(Q: torch.Tensor, P: torch.Tensor, w: torch.Tensor | None) -> torch.Tensor:
    """Logarithms of sums in float64, finite however far the points are."""
    out = torch.empty(len(Q), dtype=torch.float64, device=Q.device)
    step = max(2**22 // max(Q.shape[1], 1), 1)
    logs = None if w is None else torch.log2(w)
    for part in pieces(Q, min(len(P), step)):
        found = torch.full((part.stop - part.start,), -torch.inf, dtype=torch.float64, device=Q.device)
        for begin in range(0, len(P), step):
            points = P[begin : begin + step]
            squares = torch.zeros(len(found), len(points), dtype=torch.float64, device=Q.device)
            for c in range(Q.shape[1]):
                squares -= (Q[part, c, None] - points[None, :, c]) ** 2
            if logs is not None:
                squares += logs[begin : begin + step]
            found = torch.logaddexp(found, torch.logsumexp(squares * float(np.log(2.0)), dim=1))
        out[part] = found
    return out
