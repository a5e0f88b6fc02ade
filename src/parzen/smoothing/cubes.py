"""Gaussian sums in three columns over the cells of a grid, "cubes", that are in use, with an error bound for each.

The expansions are those of `parzen.smoothing.cells`. Here cells hold thousands of numbers and most of a grid is empty:
only cubes around queries are filled, some planes of the grid at a time, and only where that is quicker than pairs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.cubes import Cubes, cube_bounds, cube_sweep
from parzen.smoothing.expansion import expansions
from parzen.statistics.threads import for_each

Numbers = NDArray[np.int64]

#: Most cubes along a column.
MOST = 2**19
#: Least queries in a cube that are worth a series.
FEW_QUERIES = 4
#: Cubes whose series are computed together.
TOGETHER = (128, 1024)
#: Multiplications of sweeps that take as long as a query and a point of the cubes around it, summed by pairs. Measured;
#: pairs leave out most of these points, and sweeps share much of their work.
WORTH = 13.0


@dataclass(frozen=True)
class Setting:
    """Polynomials of a cube and column, its width in bandwidths, and how many cubes away points are expanded."""

    terms: int
    width: float
    reach: int

    @classmethod
    def of(cls, rtol: float) -> "Setting":
        """What costs least for a tolerance: the error is well below it, relative to the mass around."""
        if rtol >= 1e-5:
            return cls(12, 2.0, 3)
        return cls(16, 2.5, 3) if rtol >= 1e-7 else cls(16, 2.0, 4)

    @cached_property
    def tables(self) -> Array:
        """Expansions (2 reach + 1, p, p) by distance, moment and term."""
        found = expansions(self.terms, self.width).tables
        middle = len(found) // 2
        near = found[middle - self.reach : middle + self.reach + 1]
        return np.ascontiguousarray(near.transpose(0, 2, 1))

    @cached_property
    def limits(self) -> tuple[Array, Array, float]:
        """The kernel between cubes 0, 1, ... apart, the error of its expansion, and the kernel beyond all these."""
        known = expansions(self.terms, self.width)
        middle = len(known.errors) // 2
        largest, errors = known.largest[middle:].copy(), known.errors[middle:].copy()
        errors[self.reach + 1 :] = largest[self.reach + 1 :]  # what is not expanded is left out
        return largest, errors, known.beyond

    @property
    def sweeps(self) -> float:
        """Multiplications for the series of a cube, and for those on its way that other cubes share."""
        return 4.0 * (2 * self.reach + 1) * self.terms**4


@dataclass(frozen=True, eq=False)
class Sorted:
    """Rows in the order of their cubes.

    Attributes
    ----------
    order : array of shape (n,)
        The rows in this order.
    cubes : the rows, sorted, and where those of each cube are
    numbers : array of shape (cubes,), rising
    """

    order: Numbers
    cubes: Cubes
    numbers: Numbers

    @property
    def counts(self) -> Numbers:
        """Rows in each cube."""
        return np.diff(self.cubes.ends)


@dataclass(frozen=True, eq=False)
class CubeSum:
    """Sums of Gaussians of three columns at queries, by expansions where these are quicker than pairs.

    Attributes
    ----------
    points : array of shape (n, 3)
    weights : array of shape (n,), or None where all are one
    setting : of the expansions
    columns : array of shape (3,)
        The columns, the longest first: planes of the grid are cut across it.
    low, inverse : arrays of shape (3,), in this order
        Lower edge of the grid, which leaves room around the points, and cubes per unit of length.
    counts : array of shape (3,), in this order
    """

    points: Array
    weights: Array | None
    setting: Setting
    columns: NDArray[np.intp]
    low: Array
    inverse: Array
    counts: Numbers

    @classmethod
    def of(
        cls,
        points: Array,
        weights: Array | None,
        units: Array | None,
        rtol: float,
        ends: tuple[Array, Array] | None = None,
    ) -> "CubeSum | None":
        """The sum, or None where coordinates have too few digits in units of the bandwidth or reach too far."""
        units = np.ones(3) if units is None else units
        low, high = ends or (points.min(axis=0), points.max(axis=0))
        setting = Setting.of(rtol)
        lengths = (high - low) / (setting.width * units)
        coarse = np.spacing(np.maximum(np.abs(low), np.abs(high))) > 1e-3 * units
        if coarse.any() or not (lengths < MOST).all():
            return None
        columns = np.argsort(-lengths, kind="stable")
        room = 2 * len(setting.limits[0]) - 1
        low = low - room * setting.width * units
        counts = lengths.astype(np.int64) + 1 + 2 * room
        return cls(
            points, weights, setting, columns, low[columns], 1.0 / (setting.width * units[columns]), counts[columns]
        )

    def sums(self, Q: Array) -> tuple[Array, Array]:
        """Sums at queries (m, 3), and bounds on their errors; an infinite bound where pairs are quicker."""
        values, off = np.zeros(len(Q)), np.full(len(Q), np.inf)
        queries = self._sorted(Q)
        bounds, chosen = self._chosen(queries)
        if not len(chosen):
            return values, off
        sorted_values, sorted_off = np.zeros(len(queries.order)), np.full(len(queries.numbers), np.inf)
        sorted_off[chosen] = bounds
        filled = _Filled(self)
        for batch in _batches(queries.cubes.corners[chosen, 0]):
            filled.add(queries, chosen[batch], sorted_values)
        values[queries.order] = sorted_values
        off[queries.order] = np.repeat(sorted_off, queries.counts)
        return values, off

    def number(self, corners: Numbers) -> Numbers:
        """Number of cubes from those along the columns (..., 3)."""
        return (corners[..., 0] * self.counts[1] + corners[..., 1]) * self.counts[2] + corners[..., 2]

    def _sorted(self, X: Array) -> Sorted:
        """Rows in the order of their cubes, without those that lie outside the grid."""
        number = np.empty(len(X), dtype=np.int64)
        farthest = len(self.setting.limits[0]) - 1

        def work(begin: int) -> None:
            part = slice(begin, begin + 2**16)
            u = (X[part][:, self.columns] - self.low) * self.inverse
            inside = np.asarray(((u >= farthest) & (u < self.counts - farthest)).all(axis=1))
            number[part] = self.number(np.where(inside[:, None], u, 0.0).astype(np.int64))
            number[part][~inside] = -1

        for_each(work, iter(range(0, len(X), 2**16)))
        order = np.argsort(number, kind="stable")
        order = order[np.searchsorted(number[order], 0) :]
        number = number[order]
        starts = np.flatnonzero(np.append(True, number[1:] != number[:-1])) if len(number) else np.empty(0, np.int64)
        ends, unique = np.append(starts, len(number)), number[starts]
        plane, third = np.divmod(unique, self.counts[2])
        corners = np.column_stack([*np.divmod(plane, self.counts[1]), third])
        rows = np.ascontiguousarray(X[order][:, self.columns])
        return Sorted(order, Cubes(rows, self.low, self.inverse, np.ascontiguousarray(corners), ends), unique)

    @cached_property
    def sources(self) -> Sorted:
        """The points in the order of their cubes."""
        return self._sorted(self.points)

    @cached_property
    def sorted_weights(self) -> Array | None:
        """Their weights."""
        return None if self.weights is None else np.ascontiguousarray(self.weights[self.sources.order])

    @cached_property
    def _mass(self) -> tuple[Array, Array, float]:
        """Weight and number of the points in each cube, and the weight of all."""
        counts = self.sources.counts.astype(np.float64)
        mass = counts
        if self.sorted_weights is not None:
            mass = np.add.reduceat(self.sorted_weights, self.sources.cubes.ends[:-1])
        return mass, counts, float(mass.sum())

    def _chosen(self, queries: Sorted) -> tuple[Array, Numbers]:
        """Bounds on the errors of the cubes of queries for which expansions are quicker, and these cubes."""
        many = np.flatnonzero(queries.counts >= FEW_QUERIES)
        mass, counts, total = self._mass
        largest, errors, beyond = self.setting.limits
        near = int(np.ceil(5.0 / self.setting.width))
        found = np.empty((len(many), 4))
        room = int(self.counts[1]), int(self.counts[2])

        def work(begin: int) -> None:
            targets = queries.numbers[many[begin : begin + 1024]]
            found[begin : begin + 1024] = cube_bounds(
                targets, self.sources.numbers, mass, counts, room, near, largest, errors
            )

        for_each(work, iter(range(0, len(many), 1024)))
        quick = WORTH * queries.counts[many] * found[:, 3] > self.setting.sweeps
        off, close, inside, _ = found[quick].T
        # Rounding of the sums, and of the points' positions in cubes numbered from one end.
        rounding = (2.0**-44 + 2.0**-47 * self.setting.width * float(self.counts.max())) * close
        return off + rounding + np.maximum(total - inside, 0.0) * beyond + 2.0**-50 * total * beyond, many[quick]


class _Filled:
    """Moments of the cubes of points around those queries that are summed now; records are used again."""

    def __init__(self, sums: CubeSum) -> None:
        self.sums, p = sums, sums.setting.terms
        self.records = np.empty((0, p, p, p))
        self.slots = np.full(len(sums.sources.numbers), -1, dtype=np.int64)
        self.free: list[int] = []

    def add(self, queries: Sorted, chosen: Numbers, out: Array) -> None:
        """Write the sums at the queries of chosen cubes into out."""
        sums, p = self.sums, self.sums.setting.terms
        steps = (int(sums.counts[1] * sums.counts[2]), int(sums.counts[2]), 1)
        offsets = np.arange(-sums.setting.reach, sums.setting.reach + 1)
        # Cubes on the way to the chosen ones: of the queries in all but the last column, in the first column alone.
        third = queries.numbers[chosen]
        second = np.unique(third[:, None] - offsets)
        first = np.unique(second[:, None] - offsets * steps[1])
        links, first = _linked(sums.sources.numbers, first, offsets * steps[0])
        records = self._moments(links, int(queries.cubes.corners[chosen[0], 0]))
        links = np.where(links >= 0, self.slots[links], -1)
        swept = _swept(records, links, sums.setting.tables, np.empty((len(first), p, p, p)))
        links, second = _linked(first, second, offsets * steps[1])
        swept = _swept(swept, links, sums.setting.tables, np.empty((len(second), p, p, p)))
        links, _ = _linked(second, third, offsets, every=True)
        series = _swept(swept, links, sums.setting.tables, np.empty((len(third), p, p, p)))

        def work(begin: int) -> None:
            queries.cubes.values(chosen[begin : begin + 16], series[begin : begin + 16], out)

        for_each(work, iter(range(0, len(chosen), 16)))

    def _moments(self, links: Numbers, plane: int) -> Array:
        """Records of moments, those of the linked cubes among them; cubes far behind the plane are forgotten."""
        sums = self.sums
        cubes = sums.sources.cubes
        needed = np.unique(links[links >= 0])
        behind = np.flatnonzero((self.slots >= 0) & (cubes.corners[:, 0] < plane - sums.setting.reach))
        self.free += self.slots[behind].tolist()
        self.slots[behind] = -1
        new = needed[self.slots[needed] < 0]
        if len(new) > len(self.free):
            size = len(self.records)
            larger = np.empty((size + max(len(new) - len(self.free), size // 4), *self.records.shape[1:]))
            larger[:size] = self.records
            self.free += range(size, len(larger))
            self.records = larger
        self.slots[new] = [self.free.pop() for _ in new]

        def work(begin: int) -> None:
            part = new[begin : begin + 16]
            cubes.moments(sums.sorted_weights, part, self.slots[part], self.records)

        for_each(work, iter(range(0, len(new), 16)))
        return self.records


def _linked(sources: Numbers, targets: Numbers, steps: Numbers, every: bool = False) -> tuple[Numbers, Numbers]:
    """Index of the source that is each step before a target (targets, steps), -1 for none; targets with any, or all."""
    wanted = targets[:, None] - steps
    at = np.minimum(np.searchsorted(sources, wanted), len(sources) - 1)
    links = np.where(sources[at] == wanted, at, -1)
    some = slice(None) if every else (links >= 0).any(axis=1)
    return np.ascontiguousarray(links[some]), targets[some]


def _swept(records: Array, links: Numbers, tables: Array, out: Array) -> Array:
    """Records of the linked ones after one sweep, on all threads."""

    def work(begin: int) -> None:
        cube_sweep(records, links[begin : begin + 16], tables, out[begin : begin + 16])

    for_each(work, iter(range(0, len(links), 16)))
    return out


def _batches(planes: Numbers) -> Iterator[slice]:
    """Runs of cubes, given their planes in rising order: whole planes until there are some, parts of large ones."""
    least, most = TOGETHER
    ends = np.append(np.flatnonzero(planes[1:] != planes[:-1]) + 1, len(planes))
    begin = 0
    for end in ends.tolist():
        if end - begin >= least or end == len(planes):
            for start in range(begin, end, most):
                yield slice(start, min(start + most, end))
            begin = end
