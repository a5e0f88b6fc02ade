"""Distribution functions of kernel densities of one column, to full precision in both tails."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.cells import Cells
from parzen.smoothing.expansion import expansions, spread
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.plan import Plan
from parzen.smoothing.running_sums import CompactSums, ExponentialSums, running

#: Probability below which a sum is computed anew, over all points that matter for its relative error.
TAIL = 1e-4
#: Probability below which only logarithms are computed.
TINY = 1e-290
#: Points within reach of a query up to which they are summed one by one.
FEW = 64
#: Pairs of queries and points in one block.
BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class KernelDistribution:
    """Distribution function of a kernel density of one column.

    Probabilities are right to 1e-12; those below 1e-4, on either side, in relative terms.

    Attributes
    ----------
    x, share : arrays of shape (n,)
        Points in rising order, and their weights, which sum to one.
    unit : the bandwidth
    scales : array of shape (n,), optional
        Bandwidths of the points, relative to it.
    """

    kernel: KernelFunction
    x: Array
    share: Array
    unit: float = 1.0
    scales: Array | None = None

    @classmethod
    def of(
        cls, kernel: KernelFunction, x: Array, share: Array, unit: float = 1.0, scales: Array | None = None
    ) -> "KernelDistribution":
        """The distribution function of points in any order."""
        order = np.argsort(x, kind="stable")
        return cls(kernel, x[order], share[order], unit, None if scales is None else scales[order])

    @cached_property
    def mirrored(self) -> "KernelDistribution":
        """The distribution of -x: probabilities above a value are its probabilities below minus that value."""
        scales = None if self.scales is None else np.ascontiguousarray(self.scales[::-1])
        share = np.ascontiguousarray(self.share[::-1])
        return KernelDistribution(self.kernel, np.ascontiguousarray(-self.x[::-1]), share, self.unit, scales)

    def below(self, q: Array, rough: bool = False) -> Array:
        """Probability of values up to q (m,); if `rough`, small ones too are right to 1e-12 only."""
        if self.kernel.name == "own" or self.scales is not None:  # the reach of a user's own kernel is not known
            return self._over(q, np.zeros(len(q), dtype=np.int64), np.full(len(q), len(self.x)))
        if self.kernel.name == "exponential" and self._known is not None:
            return np.clip(self._known(q), 0.0, 1.0)
        # Points far below count as a whole; what an offset rounds off doesn't make a point far.
        reach = self.unit * (8.5 if self.kernel.name == "gaussian" else 1.0 + 1e-9)
        reach += 2.0**-50 * max(abs(float(self.x[0])), abs(float(self.x[-1])))
        first, last = np.searchsorted(self.x, q - reach), np.searchsorted(self.x, q + reach)
        many = np.flatnonzero(last - first > FEW)
        if not len(many) or self._known is None:
            out = self._over(q, first, last)
        else:
            out = self._over(q, first, np.where(last - first > FEW, first, last))
            out[many] = self._known(q[many])
        low = np.flatnonzero(out < TAIL)
        if len(low) and not rough:
            least = last[low] if self.kernel.compact else self._needed(q[low], out[low])
            out[low] = self._over(q[low], first[low], least)
        return np.clip(out, 0.0, 1.0)

    @cached_property
    def _known(self) -> Callable[[Array], Array] | None:
        """What sums over many points within reach without looking at each: running sums, or expansions over cells."""
        if self.kernel.name == "gaussian":
            return None if self._cells is None else self.by_cells
        if self.kernel.name == "exponential":
            return ExponentialSums.of(self.x, self.share, self.unit, self._before).below
        found = CompactSums.of(self.kernel, self.x, self.share, self.unit, self._before)
        return None if found is None else found.below

    def above(self, q: Array, rough: bool = False) -> Array:
        """Probability of values above q (m,)."""
        return self.mirrored.below(-q, rough)

    def log_below(self, q: Array) -> Array:
        """Logarithm of the probability of values up to q (m,), finite wherever it is."""
        found = self.below(q)
        with np.errstate(divide="ignore"):
            out = np.log(found)
        high = np.flatnonzero(found > 0.5)
        out[high] = np.log1p(-self.above(q[high]))
        tiny = np.flatnonzero(found < TINY)
        if len(tiny) and not self.kernel.compact:
            out[tiny] = self._logs(q[tiny])
        return out

    def log_above(self, q: Array) -> Array:
        """Logarithm of the probability of values above q (m,)."""
        return self.mirrored.log_below(-q)

    def mass(self, a: Array, width: Array, rough: bool = False) -> Array:
        """Probability of values between a and a + width (m,)."""
        b = a + width
        if rough:
            return np.maximum(self.below(b, True) - self.below(a, True), 0.0)
        under, over = self.below(b), self.above(a)
        out = np.where(under <= over, under - self.below(a), over - self.above(b))
        near = np.flatnonzero(out < 1e-3 * np.minimum(under, over))  # a small difference
        if len(near) and self.kernel.name != "own":
            reach = np.full(len(near), np.inf)
            if self.scales is None:
                plain = np.minimum(under, over)[near] > TAIL
                reach[plain] = self.unit * {"gaussian": 12.0, "exponential": 60.0}.get(self.kernel.name, 1.0 + 1e-9)
            first, last = np.searchsorted(self.x, a[near] - reach), np.searchsorted(self.x, b[near] + reach)
            for part, rows, points in _segments(first, last):
                at, h = near[part][rows], self._widths(points)
                terms = self.kernel.mass((a[at] - self.x[points]) / h, width[at] / h)
                out[near[part]] = np.bincount(rows, self.share[points] * terms, len(near[part]))
        return np.maximum(out, 0.0)

    def _widths(self, points: NDArray[np.int64]) -> Array | float:
        return self.unit if self.scales is None else self.unit * self.scales[points]

    @cached_property
    def _before(self) -> Array:
        return running(self.share)

    def _over(self, q: Array, first: NDArray[np.int64], last: NDArray[np.int64]) -> Array:
        """Points before `first` as a whole, and the kernels of points from `first` to before `last`."""
        out = self._before[first]
        for part, rows, points in _segments(first, last):
            terms = self.share[points] * self.kernel.cdf((q[part][rows] - self.x[points]) / self._widths(points))
            out[part] += np.bincount(rows, terms, len(out[part]))
        return out

    def _needed(self, q: Array, found: Array) -> NDArray[np.int64]:
        """Index beyond which all points together add less than rounding to probabilities of which `found` is known."""
        first = int(np.argmax(self.share > 0))
        with np.errstate(divide="ignore"):
            least = np.log(self.share[first]) + self.kernel.log_cdf((q - self.x[first]) / self.unit)
            least = 40.0 - np.maximum(np.log(found), least)
        reach = np.sqrt(2.0 * least) if self.kernel.name == "gaussian" else least
        return np.searchsorted(self.x, q + self.unit * np.maximum(reach, 1.0))

    def _logs(self, q: Array) -> Array:
        """Logarithms of probabilities that are too small to be numbers."""
        out = np.empty(len(q))
        none, every = np.zeros(len(q), dtype=np.int64), np.full(len(q), len(self.x))
        plain = self.scales is None and self.kernel.name != "own"
        with np.errstate(divide="ignore", invalid="ignore"):
            for part, rows, points in _segments(none, self._needed(q, np.zeros(len(q))) if plain else every):
                terms = np.log(self.share[points])
                terms += self.kernel.log_cdf((q[part][rows] - self.x[points]) / self._widths(points))
                starts = np.searchsorted(rows, np.arange(len(out[part])))
                top = np.maximum.reduceat(terms, starts)
                total = np.bincount(rows, np.exp(terms - np.where(top > -np.inf, top, 0.0)[rows]), len(top))
                out[part] = top + np.log(total)
        return np.where(np.isnan(out), -np.inf, out)

    @cached_property
    def _centre(self) -> float:
        return float(self.x[len(self.x) // 2])

    @cached_property
    def _cells(self) -> Cells | None:
        x = ((self.x - self._centre) / self.unit)[:, None]
        plan = Plan.of(x, None, 1e-9, padding=10.0)
        return None if plan is None else plan.filled(x, self.share)

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

    def by_cells(self, q: Array) -> Array:
        """The distribution function at queries (m,), by expansions over cells."""
        assert self._cells is not None
        line = self._cells.lines[0]
        moved, lost = line.along((q - self._centre) / self.unit)
        out, cells = self._cells.lattice.values(np.ascontiguousarray(moved[:, None]), self._series)
        far = np.flatnonzero(lost | (cells < 0))
        out[far] = self._before[np.searchsorted(self.x, q[far])]
        return np.maximum(out, 0.0)


def _segments(
    first: NDArray[np.int64], last: NDArray[np.int64]
) -> Iterator[tuple[slice, NDArray[np.int64], NDArray[np.int64]]]:
    """Blocks of queries: their slice, and pairs of a query (counted within the block) and a point first <= i < last."""
    sizes = last - first
    reach, begin = np.cumsum(sizes), 0
    while begin < len(sizes):
        before = reach[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(reach, before + BLOCK)))
        part = slice(begin, min(end, len(sizes)))
        rows = np.repeat(np.arange(len(sizes[part])), sizes[part])
        starts = np.cumsum(sizes[part]) - sizes[part]
        yield part, rows, np.arange(len(rows)) - np.repeat(starts - first[part], sizes[part])
        begin = end
