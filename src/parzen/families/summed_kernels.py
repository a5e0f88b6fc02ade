"""Kernel densities of rows that don't fit into memory: moments of cells instead of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.summed_kernels import SummedKernelDensity
from parzen.families.sampling import observed
from parzen.smoothing.summed_cells import TERMS, WIDTHS, cell_moments
from parzen.statistics.cell_moments import CellMoments
from parzen.statistics.messages import Collapse

#: How little of a bandwidth coordinates must round.
DIGITS = 1e-3


def check_summed(kernel: Any, d: int) -> None:
    """Raise where the kernels of a source are of a kind that moments of cells don't sum."""
    plain = kernel.kernel == "gaussian" and kernel.adaptive is False
    plain = plain and kernel.bounds is None and kernel.period is None
    if d > 2 or not plain or kernel.metric not in ("euclidean", "l2"):
        raise TypeError(
            f"{kernel!r} keeps the rows themselves, and a source may have more than memory holds; Gaussian kernels of "
            "one or two columns, of one bandwidth and without bounds or periods, are summed instead. Give these, or a "
            "table in memory."
        )


def summed(rows: NDArray[np.floating], R: Memberships, factor: Array, incomplete: str) -> CellMoments:
    """Moments of a block of rows, in units of the bandwidth."""
    d = rows.shape[1]
    sample = observed(rows, R, "a kernel", incomplete)
    if not sample.batches:
        return CellMoments(np.empty((0, 1 + d), np.int64), np.empty((0, TERMS**d)), sample.groups, d)
    ((points, codes, weights),) = sample.batches
    bandwidths = np.sqrt((factor**2).sum(axis=1))
    coarse = np.spacing(np.abs(points).max(axis=0)) > DIGITS * bandwidths
    if coarse.any():
        raise ValueError(
            f"numbers as large as {np.abs(points).max():.3g} have too few digits for the bandwidth "
            f"{bandwidths[coarse][0]:.3g}; subtract a number that is near them all, or give a wider bandwidth."
        )
    z = solve_triangular(factor, points.T, lower=True, check_finite=False).T
    return cell_moments(np.ascontiguousarray(z), codes, weights, sample.groups)


def summed_density(statistic: CellMoments, factor: Array, rtol: float, atol: float) -> SummedKernelDensity:
    """The densities of all groups; a group without rows has that of all rows."""
    empty = np.flatnonzero(~(statistic.weight > 0))
    if len(empty) == statistic.groups:
        raise Collapse("a kernel density needs at least one row with weight; none came.")
    for k in empty.tolist():
        everything = statistic.pooled()
        cells = everything.cells.copy()
        cells[:, 0] = k
        statistic = statistic + CellMoments(cells, everything.moments, statistic.groups, statistic.width)
    return SummedKernelDensity(statistic, factor, WIDTHS[statistic.width - 1], float(rtol), float(atol))
