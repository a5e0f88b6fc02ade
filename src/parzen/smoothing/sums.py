"""Sums of kernel functions at many query points, to a stated error: pair by pair, over cells of a grid, by a tree.

``S(q) = sum_j w_j k(|q - x_j| / s_j)``, distances in units of the bandwidth. The promise is |S' - S| <= rtol S + atol.

- *Pairs* (`parzen.smoothing.pairs`): tiles of points that can't matter are left out; exact with ``rtol=0``.
- *Cells* (`parzen.smoothing.cells`; Gaussian, one or two columns): Chebyshev expansions of the kernel between cells of
  a grid. The error is bounded for each cell from the masses around it; queries whose sum is too small for that are
  summed by pairs.
- *Cubes* (`parzen.smoothing.cubes`; Gaussian, three columns): the same between those cells that are in use.
- *Tree* (`parzen.compute.tree`; compact kernels, one column): exact, whatever the bandwidth.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import CODES
from parzen.compute.tree import Tree
from parzen.smoothing.cells import Cells
from parzen.smoothing.cubes import CubeSum
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.pairs import PairSum, log_sums_by_function
from parzen.smoothing.plan import Plan
from parzen.smoothing.row_weights import WeightedPoints
from parzen.statistics.threads import for_each

#: Pairs below which nothing is worth preparing.
FEW_PAIRS = 2_000_000
#: Queries below which sorting the points of three columns takes longer than pairs.
FEW_QUERIES = 1000


@dataclass(frozen=True, eq=False)
class KernelSum(WeightedPoints):
    """The sum, ready to be evaluated.

    Attributes
    ----------
    kernel : the kernel function
    points : array of shape (n, d), n > 0
    weights : array of shape (n,), or None where all are one
    scales : array of shape (n,), optional
        Bandwidths of the points, relative to the common one.
    units : array of shape (d,), optional
        Bandwidth of each column; without it the points are in units of the bandwidth.
    rtol, atol : bounds on the error, relative to the sum and absolute
    ends : pair of arrays of shape (d,), optional
        Minimum and maximum of each column, where they are known.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> sums = KernelSum(kernel_function("gaussian"), np.array([[0.0], [2.0]]))
    >>> np.exp(sums.log(np.array([[0.0], [1.0]]))).round(4)
    array([1.1353, 1.2131])
    """

    kernel: KernelFunction
    points: Array
    weights: Array | None = None
    scales: Array | None = None
    units: Array | None = None
    rtol: float = 0.0
    atol: float = 0.0
    ends: tuple[Array, Array] | None = None

    @cached_property
    def pairs(self) -> PairSum:
        """The sum pair by pair."""
        return PairSum(self.kernel, self.points, self.w, self.scales, self.units, self.rtol, self.atol)

    def log(self, Q: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Logarithms of the sums at queries Q (m, d).

        Parameters
        ----------
        own, left : arrays of shape (m,), optional
            A point of each query whose weight is `left` instead of its own: leave-one-out.
        """
        Q = np.ascontiguousarray(Q, dtype=np.float64)
        n, d = self.points.shape
        if self.kernel.name not in CODES:
            return log_sums_by_function(self.pairs, Q, own, left)
        plain = self.scales is None and n * len(Q) > FEW_PAIRS
        if plain and d == 1 and self.kernel.compact:
            return self.checked(Q, own, left, self._by_tree(Q[:, 0]), np.zeros(len(Q)))
        found = self.approximate(Q)
        if found is not None:
            return self.checked(Q, own, left, *found)
        return self._by_pairs(Q, own, left)

    def _by_pairs(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        """Sums pair by pair, in single precision where that is precise enough."""
        n, d = self.points.shape
        plain = self.scales is None and n * len(Q) > FEW_PAIRS
        if plain and self.kernel.name == "gaussian" and d > 2 and self.rtol >= 5e-6 and own is None:
            return self.pairs.in_single(Q)
        return self.pairs.log(Q, own, left)

    def checked(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None, sums: Array, bound: Array) -> Array:
        """Logarithms of sums whose errors are bounded; where a bound is too large, by pairs."""
        if own is not None and left is not None:
            bound = bound + 2.0**-50 * sums
            sums = sums - (self.w[own] - left)
        with np.errstate(divide="ignore", invalid="ignore"):
            good = (bound <= self.rtol * (sums - bound) + self.atol) | (bound == 0)
            out = np.log(np.maximum(sums, 0.0))
        again = np.flatnonzero(~good)
        if len(again):
            part = (None, None) if own is None or left is None else (own[again], left[again])
            out[again] = self._again(Q[again], *part)
        return out

    def _again(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        """Sums by pairs at queries in the tails, over the points that matter there, if these are found quickly."""
        if own is None and "cells" in vars(self):
            lightest = 1.0 if self.weights is None else float(self.weights[self.weights > 0].min())
            near = self.cells.near(Q, self.points, np.log(self.total / lightest))
            if near is not None and len(near) < 0.5 * len(self.points):
                weights = None if self.weights is None else self.weights[near]
                few = KernelSum(self.kernel, self.points[near], weights, None, self.units, self.rtol, self.atol)
                return few.pairs.log(Q)
        return self._by_pairs(Q, own, left)

    @property
    def error_bound(self) -> float:
        """A bound on the relative error: a sum S is off by at most ``error_bound * S + atol``.

        It is rtol and a bound on rounding. Coordinates and squared distances round by a few units of 2^-53 for each
        column, of exponents that matter (up to 100 below the largest); tiles are added one after another; and a
        coordinate is relative to the middle of its tile, as far away as all points spread at worst. Below the least
        normal number (1e-308) a density is known by its logarithm, which is right to a few units of 2^-53.

        Which points lie within a compact kernel's window is decided by one comparison (`parzen.compute.window_border`).
        Just within the border its value is a small difference: there S stands for the sum with all kernels that reach
        the query at their highest value.
        """
        n, d = self.points.shape
        extent = float((np.ptp(self.points, axis=0) / (1.0 if self.units is None else self.units)).max())
        return self.rtol + 2.0**-53 * (100.0 * (2 * d + 8) + n / 64.0 + 64.0 + 30.0 * extent)

    @cached_property
    def _tree(self) -> Tree:
        order = np.argsort(self.points[:, 0], kind="stable")
        x, w = (np.ascontiguousarray(part[order]) for part in (self.points[:, 0], self.w))
        return Tree.of(x, w, 1.0 if self.units is None else float(self.units[0]), self.kernel.name)

    def _by_tree(self, q: Array) -> Array:
        tree, out = self._tree, np.empty(len(q))
        q = np.ascontiguousarray(q)

        def work(begin: int) -> None:
            out[begin : begin + 8192] = tree.sums(q[begin : begin + 8192])

        for_each(work, iter(range(0, len(q), 8192)))
        return out

    @cached_property
    def cubes(self) -> CubeSum | None:
        """The sum over cubes, of three columns whose digits allow it; else None."""
        if self.points.shape[1] != 3:
            return None
        return CubeSum.of(self.points, self.weights, self.units, self.rtol, self.ends)

    @cached_property
    def _plan(self) -> Plan | None:
        return Plan.of(self.points, self.units, self.rtol, ends=self.ends)

    @cached_property
    def cells(self) -> Cells:
        """The grid of cells, where there is one."""
        assert self._plan is not None
        return self._plan.filled(self.points, self.weights)

    def _cells_pay(self, m: int, times: int = 1) -> bool:
        """Whether cells are cheaper than pairs, of which about a third are near enough to count."""
        if self._plan is None:
            return False
        n, d = self.points.shape
        building = 0.0 if "cells" in vars(self) else self._plan.size * (2e-7 if d == 1 else 1e-5) + 5e-8 * n
        return times * (building + 5e-8 * m) < 1.5e-10 * n * m

    def approximate(self, Q: Array, times: int = 1) -> tuple[Array, Array] | None:
        """Sums at queries by cells, and bounds on their errors; None where pairs are cheaper or the only way.

        `times` such sums will be computed, of different weights: by pairs, they cost little more than one. A bound is
        infinite where a single query is cheaper by pairs.
        """
        n, d = self.points.shape
        plain = self.scales is None and self.kernel.name == "gaussian" and self.rtol >= 1e-10
        if not plain or d > 3 or n * len(Q) <= FEW_PAIRS:
            return None
        pays = self.cubes is not None and len(Q) >= FEW_QUERIES if d == 3 else self._cells_pay(len(Q), times)
        return self.expanded(Q) if pays else None

    def expanded(self, Q: Array) -> tuple[Array, Array]:
        """Sums at queries by cells, and bounds on their errors, where `approximate` found that they pay."""
        return self.cells.sums(Q) if self.cubes is None else self.cubes.sums(Q)
