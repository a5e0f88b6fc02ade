"""Sums of kernels at many places, to a stated error: pair by pair, over cells of a grid, or by a tree.

``S(q) = sum_j w_j k(|q - x_j| / s_j)``, distances in units of the bandwidth. The promise is |S' - S| <= rtol S + atol.

- *Pairs* (`parzen.compute.kernel_sums`): tiles of points that can't matter are left out; exact with ``rtol=0``.
- *Cells* (Gaussian, one or two columns): Chebyshev expansions of the kernel between cells of a grid. The error is
  bounded for each cell from the masses around it; places whose sum is too small for that bound are summed by pairs.
- *Tree* (kernels that end, one column): exact, whatever the bandwidth.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import (
    CODES,
    GAUSSIAN_SCALE,
    RUNGS,
    Tiles,
    Tree,
    kd_order,
    lay_tiles,
    window_ladder,
    window_sums,
)
from parzen.smoothing.expansion import Cells, Plan, expansions, spread
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.statistics.threads import for_each

#: Pairs below which nothing is worth preparing.
FEW_PAIRS = 2_000_000
#: Queries that one call of a kernel takes.
QUERIES = 1024


@dataclass(frozen=True, eq=False)
class KernelSum:
    """The sum, ready to be evaluated.

    Attributes
    ----------
    kernel : the kernel
    points : array of shape (n, d), n > 0
    weights : array of shape (n,), or None where all are one
    scales : array of shape (n,), optional
        Bandwidths of the points, relative to the common one.
    units : array of shape (d,), optional
        Bandwidth of each column; without it the points are in units of the bandwidth.
    rtol, atol : what the result may be off by: relative to the sum, and in its units
    ends : pair of arrays of shape (d,), optional
        Least and largest of each column, where they are known.

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
    def _w(self) -> Array:
        return np.ones(len(self.points)) if self.weights is None else self.weights

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(len(self.points)) if self.weights is None else float(self.weights.sum())

    def _standard(self, X: Array) -> Array:
        """Places in units of the bandwidth, about one among the points."""
        off = X - self.points[0]
        if self.units is not None:
            off /= self.units
        return off

    def log(self, Q: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Logarithms of the sums at rows Q (m, d).

        Parameters
        ----------
        own : array of shape (m,), optional
            A point whose weight is `left` instead: what leaves it out.
        """
        Q = np.ascontiguousarray(Q, dtype=np.float64)
        n, d = self.points.shape
        if self.kernel.name not in CODES:
            return self._by_function(Q, own, left)
        pairs = n * len(Q)
        plain = self.scales is None and pairs > FEW_PAIRS
        if plain and d == 1 and self.kernel.compact:
            return self._checked(Q, own, left, self._by_tree(Q[:, 0]), np.zeros(len(Q)))
        if plain and self.kernel.name == "gaussian" and d <= 2 and self.rtol >= 1e-10 and self._cells_pay(len(Q)):
            return self._checked(Q, own, left, *self._by_cells(Q))
        if plain and self.kernel.name == "gaussian" and d > 2 and self.rtol >= 5e-6 and own is None:
            return self._in_single(Q)
        return self._by_pairs(Q, own, left)

    def _checked(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None, sums: Array, bound: Array) -> Array:
        """Logarithms of sums that may be off by a bound; where that is too much, by pairs."""
        if own is not None and left is not None:
            bound = bound + 2.0**-50 * sums
            sums = sums - (self._w[own] - left)
        with np.errstate(divide="ignore", invalid="ignore"):
            good = (bound <= self.rtol * (sums - bound) + self.atol) | (bound == 0)
            out = np.log(np.maximum(sums, 0.0))
        again = np.flatnonzero(~good)
        if len(again):
            part = (None, None) if own is None or left is None else (own[again], left[again])
            out[again] = self._again(Q[again], *part)
        return out

    def _again(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        """Sums by pairs at places in the tails, over the points that matter there, if these are found quickly."""
        if own is None and "_cells" in vars(self):
            lightest = 1.0 if self.weights is None else float(self.weights[self.weights > 0].min())
            near = self._cells.near(Q, self.points, np.log(self.total / lightest))
            if near is not None and len(near) < 0.5 * len(self.points):
                weights = None if self.weights is None else self.weights[near]
                few = KernelSum(self.kernel, self.points[near], weights, None, self.units, self.rtol, self.atol)
                return few._by_pairs(Q, None, None)
        return self._by_pairs(Q, own, left)

    @property
    def error_bound(self) -> float:
        """A sum S is off by at most ``error_bound * S + atol``: rtol, and a bound on rounding.

        Coordinates and squared distances round by a few units of 2^-53 for each column, of exponents that matter (up to
        100 below the largest); tiles are added one after another; and a coordinate is relative to the middle of its
        tile, as far away as all points spread at worst. Below the least normal number (1e-308) a density is
        known by its logarithm, which is right to a few units of 2^-53.
        """
        n, d = self.points.shape
        extent = float((np.ptp(self.points, axis=0) / (1.0 if self.units is None else self.units)).max())
        return self.rtol + 2.0**-53 * (100.0 * (2 * d + 8) + n / 64.0 + 64.0 + 30.0 * extent)

    # Pairs ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _tiles(self) -> Tiles:
        return self._laid(single=False)

    @cached_property
    def _single_tiles(self) -> Tiles:
        return self._laid(single=True)

    def _laid(self, single: bool) -> Tiles:
        n, d = self.points.shape
        size = 64 if n <= 5_000 else 128 if n <= 200_000 and d <= 3 else 256
        shrink = None if self.scales is None else self.scales**-2.0
        unit = GAUSSIAN_SCALE if self.kernel.name == "gaussian" else 1.0
        inverse = np.full(d, unit) if self.units is None else unit / self.units
        coefficients = self._w / self._largest if single else self._w
        return lay_tiles(self.points, coefficients, shrink, inverse, size, single, sort=d <= 16)

    @cached_property
    def _largest(self) -> float:
        """A power of two near the largest weight, by which single precision divides."""
        return float(2.0 ** np.round(np.log2(self._w.max())))

    def _in_single(self, Q: Array) -> Array:
        """Pairs in single precision; what rounding may have done is bounded, and too much of it is mended.

        With u = 2^-24: coordinates relative to a tile's centre (of radius at most rho) round by u |x - c| and
        u |q - c|, so that t = |q - x|^2 is off by u ((d / 2 + 6) t + 4 rho sqrt(t)), 2^-t relatively by log 2 times
        that, by 3e-8 for the polynomial and by 8 u for coefficients and sums. Means of t under the kernel are known,
        and bound means of sqrt(t).
        """
        out, mean = self._pairs(self._single_tiles, Q, None, None)
        assert mean is not None
        out += np.log(self._largest)
        d = Q.shape[1]
        tiles = self._single_tiles
        rho = 0.5 * float(np.sqrt((((tiles.high - tiles.low).T * tiles.inverse) ** 2).sum(axis=1).max()))
        relative = 0.7 * ((0.5 * d + 6) * mean + 4.0 * rho * np.sqrt(mean)) + 9.0
        again = np.flatnonzero(~(2.0**-24 * relative * 1.01 <= 0.9 * self.rtol))
        if len(again):
            out[again] = self._by_pairs(Q[again], None, None)
        return out

    def ladder(self, left: Array) -> Array:
        """Logarithms (n, RUNGS) of Gaussian sums at the points themselves, each with its weight `left` instead.

        For this bandwidth, this one divided by sqrt(2), by 2, ...: one exponential serves them all. What is too small
        to be a number is -inf.
        """
        tiles = self._tiles
        order = tiles.order[: len(self.points)]
        rows, rest = self.points[order], np.ascontiguousarray(left[order])
        out = np.empty((len(order), RUNGS))

        def work(begin: int) -> None:
            part = slice(begin, begin + 256)
            places = np.arange(begin, min(begin + 256, len(order)))
            sums = window_ladder(tiles, np.ascontiguousarray(rows[part]), places, rest[part])
            with np.errstate(divide="ignore"):
                out[order[part]] = np.where(sums > 1e-130 * tiles.total, np.log(sums), -np.inf)

        for_each(work, iter(range(0, len(order), 256)))
        return out

    def _by_pairs(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        return self._pairs(self._tiles, Q, own, left)[0]

    def _pairs(
        self, tiles: Tiles, Q: Array, own: NDArray[np.int64] | None, left: Array | None
    ) -> tuple[Array, Array | None]:
        many = len(Q) > tiles.size // 4
        order = kd_order(Q * tiles.inverse, tiles.size // 4) if many and Q.shape[1] <= 16 else np.arange(len(Q))
        rows = Q[order] if many else Q
        mine = None if own is None else tiles.places[own[order]]
        rest = None if left is None else np.ascontiguousarray(left[order])
        single = tiles.points.dtype == np.float32
        out, mean = np.empty(len(Q)), np.empty(len(Q)) if single else None
        width = int(min(QUERIES, max(tiles.size // 4, -(-len(Q) // 16 // 64) * 64)))

        def work(begin: int) -> None:
            part = slice(begin, begin + width)
            found, distances = window_sums(
                tiles,
                self.kernel.name,
                rows[part],
                0.1 * self.rtol if single else self.rtol,
                self.atol / self._largest if single else self.atol,
                None if mine is None else mine[part],
                None if rest is None else rest[part],
            )
            out[order[part]] = found
            if mean is not None:
                mean[order[part]] = distances

        for_each(work, iter(range(0, len(Q), width)))
        return out, mean

    def _by_function(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        """Any kernel, in NumPy."""
        out, Q = np.empty(len(Q)), self._standard(Q)
        points, width = self._standard(self.points), max(1, 2**18 // len(self.points))

        def work(begin: int) -> None:
            part = Q[begin : begin + width]
            square = np.zeros((len(part), len(points)))
            for j in range(part.shape[1]):
                square += (part[:, j, None] - points[:, j]) ** 2
            r = np.sqrt(square) / (1.0 if self.scales is None else self.scales)
            weights = np.broadcast_to(self._w, r.shape)
            if own is not None and left is not None:
                weights = weights.copy()
                weights[np.arange(len(part)), own[begin : begin + width]] = left[begin : begin + width]
            with np.errstate(divide="ignore"):
                out[begin : begin + width] = np.log((weights * self.kernel.at(r)).sum(axis=1))

        for_each(work, iter(range(0, len(Q), width)))
        return out

    # Tree -----------------------------------------------------------------------------------------------------------

    @cached_property
    def _tree(self) -> Tree:
        order = np.argsort(self.points[:, 0], kind="stable")
        x, w = (np.ascontiguousarray(part[order]) for part in (self.points[:, 0], self._w))
        return Tree.of(x, w, 1.0 if self.units is None else float(self.units[0]), self.kernel.name)

    def _by_tree(self, q: Array) -> Array:
        tree, out = self._tree, np.empty(len(q))
        q = np.ascontiguousarray(q)

        def work(begin: int) -> None:
            out[begin : begin + 8192] = tree.sums(q[begin : begin + 8192])

        for_each(work, iter(range(0, len(q), 8192)))
        return out

    def approximate(self, Q: Array, times: int = 1) -> tuple[Array, Array] | None:
        """Sums at rows by cells, and what they may be off by; None where pairs are cheaper or the only way.

        `times` such sums are asked for, of different weights: by pairs, they cost little more than one.
        """
        n, d = self.points.shape
        plain = self.scales is None and self.kernel.name == "gaussian" and d <= 2
        if not plain or n * len(Q) <= FEW_PAIRS or not self._cells_pay(len(Q), times):
            return None
        return self._by_cells(Q)

    # Cells ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _plan(self) -> "Plan | None":
        return Plan.of(self.points, self.units, self.rtol, ends=self.ends)

    @cached_property
    def _cells(self) -> "Cells":
        assert self._plan is not None
        return self._plan.carried_out(self.points, self.weights)

    def _cells_pay(self, m: int, times: int = 1) -> bool:
        """Whether cells are cheaper than pairs, of which about a third are near enough to count."""
        if self._plan is None:
            return False
        n, d = self.points.shape
        building = 0.0 if "_cells" in vars(self) else self._plan.size * (2e-7 if d == 1 else 1e-5) + 5e-8 * n
        return times * (building + 5e-8 * m) < 1.5e-10 * n * m

    def _by_cells(self, Q: Array) -> tuple[Array, Array]:
        return self._cells.sums(Q)


def counts_rows(weights: Array | None) -> bool:
    """Whether weights are whole numbers, which count rows; others say how much a row matters."""
    return weights is None or bool((weights == np.floor(weights)).all())


def effective_rows(weights: Array | None, n: int) -> float:
    """How many of n rows there are: the sum of weights that count rows, else Kish's effective number."""
    if weights is None:
        return float(n)
    return float(weights.sum() if counts_rows(weights) else weights.sum() ** 2 / (weights**2).sum())


def without_each(w: Array) -> tuple[Array, Array]:
    """What is left of each row's weight when it is left out, and of all rows' weights.

    A weight that counts rows loses one of them; any other is left out as a whole.
    """
    left = w - 1.0 if counts_rows(w) else np.zeros(len(w))
    return left, w.sum() - (w - left)


@dataclass(frozen=True, eq=False)
class LineSum:
    """Distribution function of kernels around points on a line, in units of the bandwidth; to 1e-10 of the whole.

    Attributes
    ----------
    x, share : arrays of shape (n,)
        Places in rising order, and their weights, which add to one.
    """

    kernel: KernelFunction
    x: Array
    share: Array

    @classmethod
    def of(cls, kernel: KernelFunction, x: Array, share: Array) -> "LineSum":
        """The distribution of points in any order."""
        order = np.argsort(x, kind="stable")
        return cls(kernel, x[order], share[order])

    @cached_property
    def _before(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.share)])

    @cached_property
    def _cells(self) -> Cells | None:
        plan = Plan.of(self.x[:, None], None, 1e-6, padding=10.0)
        return None if plan is None else plan.carried_out(self.x[:, None], self.share)

    def at(self, u: Array) -> Array:
        """The distribution function at places (m,)."""
        # Beyond, all or nothing lies below; of one's own kernel nothing is known.
        reach = 1.0 if self.kernel.compact else {"gaussian": 8.5, "exponential": 45.0}.get(self.kernel.name, np.inf)
        first, last = np.searchsorted(self.x, u - reach), np.searchsorted(self.x, u + reach)
        out = self._before[first]
        sizes = last - first
        if self.kernel.name == "gaussian" and sizes.sum() > FEW_PAIRS and self._cells is not None:
            return self._by_cells(u)
        most = 2**20
        begin = 0
        while begin < len(u):
            end = begin + max(1, int(np.searchsorted(np.cumsum(sizes[begin:]), most)))
            rows = np.repeat(np.arange(begin, min(end, len(u))), sizes[begin:end])
            starts = np.cumsum(sizes[begin:end]) - sizes[begin:end]
            places = np.arange(len(rows)) - np.repeat(starts - first[begin:end], sizes[begin:end])
            terms = self.share[places] * self.kernel.cdf(u[rows] - self.x[places])
            out[begin:end] += np.bincount(rows - begin, weights=terms, minlength=len(sizes[begin:end]))
            begin = end
        return out

    @cached_property
    def _series(self) -> Array:
        """Series of the distribution function in every cell."""
        assert self._cells is not None
        known = expansions(self._cells.lattice.terms, self._cells.expansions.width, integral=True)
        series = spread(self._cells.moments, known.tables)
        reach = len(known.tables) // 2
        before = np.cumsum(self._cells.moments[:, 0])
        series[reach + 1 :, 0] += before[: len(series) - reach - 1]
        return np.ascontiguousarray(series)

    def _by_cells(self, u: Array) -> Array:
        assert self._cells is not None
        line = self._cells.lines[0]
        places, lost = line.along(u)
        out, cells = self._cells.lattice.values(np.ascontiguousarray(places[:, None]), self._series)
        far = np.flatnonzero(lost | (cells < 0))
        out[far] = self._before[np.searchsorted(self.x, u[far])]
        return out
