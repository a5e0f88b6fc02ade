"""Distribution functions of kernel densities of one column."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.cells import Cells
from parzen.smoothing.expansion import expansions, spread
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.plan import Plan
from parzen.smoothing.sums import FEW_PAIRS


@dataclass(frozen=True, eq=False)
class KernelDistribution:
    """Distribution function of a kernel density of one column, in units of the bandwidth; to 1e-10.

    Attributes
    ----------
    x, share : arrays of shape (n,)
        Points in rising order, and their weights, which sum to one.
    """

    kernel: KernelFunction
    x: Array
    share: Array

    @classmethod
    def of(cls, kernel: KernelFunction, x: Array, share: Array) -> "KernelDistribution":
        """The distribution function of points in any order."""
        order = np.argsort(x, kind="stable")
        return cls(kernel, x[order], share[order])

    @cached_property
    def _before(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.share)])

    @cached_property
    def _cells(self) -> Cells | None:
        plan = Plan.of(self.x[:, None], None, 1e-6, padding=10.0)
        return None if plan is None else plan.filled(self.x[:, None], self.share)

    def at(self, u: Array) -> Array:
        """The distribution function at queries (m,)."""
        # Farther points lie below or above as a whole; the reach of a user's own kernel is not known.
        reach = 1.0 if self.kernel.compact else {"gaussian": 8.5, "exponential": 45.0}.get(self.kernel.name, np.inf)
        first, last = np.searchsorted(self.x, u - reach), np.searchsorted(self.x, u + reach)
        out = self._before[first]
        sizes = last - first
        if self.kernel.name == "gaussian" and sizes.sum() > FEW_PAIRS and self._cells is not None:
            return self.by_cells(u)
        most = 2**20
        begin = 0
        while begin < len(u):
            end = begin + max(1, int(np.searchsorted(np.cumsum(sizes[begin:]), most)))
            rows = np.repeat(np.arange(begin, min(end, len(u))), sizes[begin:end])
            starts = np.cumsum(sizes[begin:end]) - sizes[begin:end]
            near = np.arange(len(rows)) - np.repeat(starts - first[begin:end], sizes[begin:end])
            terms = self.share[near] * self.kernel.cdf(u[rows] - self.x[near])
            out[begin:end] += np.bincount(rows - begin, weights=terms, minlength=len(sizes[begin:end]))
            begin = end
        return out

    @cached_property
    def _series(self) -> Array:
        """Chebyshev series of the distribution function in every cell."""
        assert self._cells is not None
        known = expansions(self._cells.lattice.terms, self._cells.expansions.width, integral=True)
        series = spread(self._cells.moments, known.tables)
        reach = len(known.tables) // 2
        before = np.cumsum(self._cells.moments[:, 0])
        series[reach + 1 :, 0] += before[: len(series) - reach - 1]
        return np.ascontiguousarray(series)

    def by_cells(self, u: Array) -> Array:
        """The distribution function at queries (m,), by expansions over cells."""
        assert self._cells is not None
        line = self._cells.lines[0]
        moved, lost = line.along(u)
        out, cells = self._cells.lattice.values(np.ascontiguousarray(moved[:, None]), self._series)
        far = np.flatnonzero(lost | (cells < 0))
        out[far] = self._before[np.searchsorted(self.x, u[far])]
        return out
