"""Averages of values around queries on a device, by kernel weights; see `parzen.compute.local_sums`.

In float64. Gaussian weights of local constants are summed by the fused kernels; what is far from all points, and all
else, a block of queries and a block of points at a time. There weights are taken relative to the largest met so far, so
that they are numbers however far a query is from all points.
"""

from typing import Any

import numpy as np
import torch

from parzen.compute.arrays import Array
from parzen.compute.device.array import DeviceArray
from parzen.compute.device.kernel_sums import COLUMNS, LEAST, SCALE, log_of_squares
from parzen.compute.device.memory import pieces
from parzen.compute.device.sums import pair_sums, readable
from parzen.compute.local_sums import Averages

#: Values whose sums a program of the fused kernels keeps.
TOGETHER = 3
#: Points of a block.
POINTS = 2**13
#: Squared distance of the nearest point, in bandwidths, up to which weights keep eleven digits.
NEAR = 2.0**13


def local_averages(
    Q: DeviceArray, kernel: tuple[str, float | None], points: Array, values: Array, w: Array, units: Array, lines: bool
) -> Averages:
    """Averages of values (n, C) of weighted points (n, d) around each row of Q.

    Values are on the rows' device. With `lines`, all averages are the host's, where lines are fitted to them.
    """
    rows = Q.tensor
    P, V, weights, unit = (_there(part, rows) for part in (points, values, w, units))
    (m, d), C = rows.shape, values.shape[1]
    if kernel[0] == "gaussian" and not lines and readable(rows[:1].double(), torch.float64) and d <= COLUMNS:
        log_sum, out, far = _fused(rows.double(), P, V, weights, unit)
        if len(far):
            log_sum[far], out[far] = _in_blocks(rows[far], kernel, P, V, weights, unit, lines)
    else:
        log_sum, out = _in_blocks(rows, kernel, P, V, weights, unit, lines)
    if not lines:
        return Averages(log_sum.cpu().numpy(), DeviceArray(out))  # type: ignore[arg-type]
    whole = out.cpu().numpy()
    value, offset, square, product = np.split(whole, np.cumsum([C, d, d * d]), axis=1)
    return Averages(log_sum.cpu().numpy(), value, offset, square.reshape(m, d, d), product.reshape(m, d, C))


def _fused(
    q: torch.Tensor, P: torch.Tensor, V: torch.Tensor, w: torch.Tensor, unit: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Logarithms of the sums of Gaussian weights, averages, and the queries that are far from all points."""
    middle, level, most = P.mean(0), V.mean(0), w.max()
    share = w / most  # at most one: no sum overflows
    queries, points = ((part - middle) * (SCALE / unit) for part in (q, P))
    weighted = torch.cat([share[None], ((V - level) * share[:, None]).T])
    sums = torch.cat([pair_sums(queries, points, some.contiguous()) for some in weighted.split(TOGETHER)])
    far = torch.nonzero(~(sums[0] > LEAST * share.sum()))[:, 0]
    return torch.log(sums[0]) + torch.log(most), (sums[1:] / sums[0]).T + level, far


def _in_blocks(
    rows: torch.Tensor, kernel: tuple[str, float | None], P: torch.Tensor, V: torch.Tensor, w: torch.Tensor,
    unit: torch.Tensor, lines: bool,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Logarithms of the sums of weights, and averages, of any kernel at any queries."""
    (m, d), C, logs = rows.shape, V.shape[1], torch.log(w)
    log_sum = torch.empty(m, dtype=torch.float64, device=rows.device)
    out = torch.empty(m, C + (d + d * d + d * C if lines else 0), dtype=torch.float64, device=rows.device)
    width = 2 * (5 + 2 * d * lines) * min(POINTS, len(P))
    for part in pieces(rows, width):
        log_sum[part], out[part], least = _averages(rows[part].double(), P, V, logs, unit, kernel, lines)
        compact = torch.isneginf(log_sum[part])
        far = compact | (least > NEAR if kernel[0] == "gaussian" else torch.zeros_like(compact))
        for one in torch.nonzero(far)[:, 0].split(max((part.stop - part.start) * POINTS // max(8 * len(P), 1), 1)):
            at = one + part.start
            out[at] = _from_nearest(rows[at].double(), P, V, logs, unit, kernel[0] == "gaussian", lines)
    return log_sum, out


def _averages(
    q: torch.Tensor, P: torch.Tensor, V: torch.Tensor, logs: torch.Tensor, unit: torch.Tensor,
    kernel: tuple[str, float | None], lines: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """Logarithms of the sums of weights, averages, and squared distances of the nearest points."""
    log_kernel = log_of_squares(*kernel)
    most = torch.full((len(q), 1), -torch.inf, dtype=torch.float64, device=q.device)
    least = torch.full((len(q),), torch.inf, dtype=torch.float64, device=q.device)
    total: Any = 0.0
    sums: Any = 0.0
    for begin in range(0, len(P), POINTS):
        own = slice(begin, begin + POINTS)
        u = [(P[own, c] - q[:, c, None]) / unit[c] for c in range(q.shape[1])]
        squares = torch.zeros(len(q), len(P[own]), dtype=torch.float64, device=q.device)
        for one in u:
            squares += one * one
        least = torch.minimum(least, squares.min(1).values)
        found = log_kernel(squares) + logs[own]
        before, most = most, torch.maximum(most, found.max(1, keepdim=True).values)
        base = torch.where(torch.isneginf(most), 0.0, most)
        share = torch.exp(found - base)
        fade = torch.exp(before - base)
        total = fade * total + share.sum(1, keepdim=True)
        sums = fade * sums + _sums(share, V[own], u if lines else [])
    log_sum = (most + torch.log(total))[:, 0]
    return torch.where(total[:, 0] > 0, log_sum, -torch.inf), sums / total, least


def _sums(share: torch.Tensor, V: torch.Tensor, u: list[torch.Tensor]) -> torch.Tensor:
    """Sums of the values and, for lines, of u, of u u' and of u times the values, side by side."""
    if not u:
        return share @ V
    ku = [share * one for one in u]
    offset = [one.sum(1) for one in ku]
    square = [(one * other).sum(1) for one in ku for other in u]
    return torch.cat([share @ V, torch.stack([*offset, *square], dim=1), *(one @ V for one in ku)], dim=1)


def _from_nearest(
    q: torch.Tensor, P: torch.Tensor, V: torch.Tensor, logs: torch.Tensor, unit: torch.Tensor, gaussian: bool,
    lines: bool,
) -> torch.Tensor:  # fmt: skip
    """Averages where a compact kernel reaches no point (the nearest count) or squared distances lose digits."""
    u = [(P[:, c] - q[:, c, None]) / unit[c] for c in range(q.shape[1])]
    squares = torch.stack([one * one for one in u]).sum(0)
    if gaussian:
        nearest = (logs - 0.5 * squares).argmax(1)
        for _ in range(2):  # relative to the nearest point, whose distance all others have in common
            found = logs.expand(len(q), -1).clone()
            for c in range(q.shape[1]):
                apart = (P[:, c] - P[nearest, c, None]) / unit[c]
                found -= 0.5 * apart * (apart + 2.0 * ((P[nearest, c] - q[:, c]) / unit[c])[:, None])
            nearest = found.argmax(1)
        share = torch.exp(found - found.max(1, keepdim=True).values)
    else:
        away = torch.where(torch.isneginf(logs), torch.inf, squares.sqrt())
        least = away.min(1, keepdim=True).values
        share = torch.where(away <= least * (1.0 + 1e-12), logs.exp(), 0.0)
    return _sums(share, V, u if lines else []) / share.sum(1, keepdim=True)


def _there(values: Array, rows: torch.Tensor) -> torch.Tensor:
    return torch.tensor(np.ascontiguousarray(values), dtype=torch.float64, device=rows.device)
