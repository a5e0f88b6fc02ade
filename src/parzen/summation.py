"""Sums of kernels at many places, to a stated error: pair by pair, over cells of a grid, or by a tree.

``S(q) = sum_j w_j k(|q - x_j| / s_j)``, distances in units of the bandwidth. The promise is |S' - S| <= rtol S + atol.

- *Pairs* (`parzen.kernels.windows`): tiles of points that can't matter are left out; exact with ``rtol=0``.
- *Cells* (Gaussian, one or two columns): Chebyshev expansions of the kernel between cells of a grid. The error is
  bounded for each cell from the masses around it; places whose sum is too small for that bound are summed by pairs.
- *Tree* (kernels that end, one column): exact, whatever the bandwidth.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy import ndimage, special

from parzen.accumulate import for_each
from parzen.kernels.arrays import Array
from parzen.kernels.windows import (
    CODES,
    GAUSSIAN_SCALE,
    RUNGS,
    Lattice,
    Tiles,
    Tree,
    kd_order,
    lay_tiles,
    window_ladder,
    window_sums,
)
from parzen.profiles import Profile

#: Pairs below which nothing is worth preparing, and most numbers that a grid of cells may hold.
FEW_PAIRS, MOST_CELL_NUMBERS = 2_000_000, 2**25
#: Queries that one call of a kernel takes.
QUERIES = 1024
#: Bandwidths around the points that have cells, for queries that lie just outside.
PADDING = 4.0


@dataclass(frozen=True, eq=False)
class WindowSum:
    """The sum, ready to be evaluated.

    Attributes
    ----------
    profile : the kernel
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
    >>> from parzen.profiles import profile
    >>> sums = WindowSum(profile("gaussian"), np.array([[0.0], [2.0]]))
    >>> np.exp(sums.log(np.array([[0.0], [1.0]]))).round(4)
    array([1.1353, 1.2131])
    """

    profile: Profile
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
        if self.profile.name not in CODES:
            return self._by_function(Q, own, left)
        pairs = n * len(Q)
        plain = self.scales is None and pairs > FEW_PAIRS
        if plain and d == 1 and self.profile.compact:
            return self._checked(Q, own, left, self._by_tree(Q[:, 0]), np.zeros(len(Q)))
        if plain and self.profile.name == "gaussian" and d <= 2 and self.rtol >= 1e-10 and self._cells_pay(len(Q)):
            return self._checked(Q, own, left, *self._by_cells(Q))
        if plain and self.profile.name == "gaussian" and d > 2 and self.rtol >= 5e-6 and own is None:
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
                few = WindowSum(self.profile, self.points[near], weights, None, self.units, self.rtol, self.atol)
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
        unit = GAUSSIAN_SCALE if self.profile.name == "gaussian" else 1.0
        inverse = np.full(d, unit) if self.units is None else unit / self.units
        coefficients = self._w / self._largest if single else self._w
        return lay_tiles(self.points, coefficients, shrink, inverse, size, single, sort=d <= 16)

    @cached_property
    def _largest(self) -> float:
        """A power of two near the largest weight, by which single precision divides."""
        return float(2.0 ** np.round(np.log2(self._w.max())))

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        places = np.empty(len(self.points), dtype=np.int64)
        places[self._tiles.order] = np.arange(len(self.points))
        return places

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
        order = tiles.order
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
        mine = None if own is None else self._places[own[order]]
        rest = None if left is None else np.ascontiguousarray(left[order])
        single = tiles.points.dtype == np.float32
        out, mean = np.empty(len(Q)), np.empty(len(Q)) if single else None
        width = int(min(QUERIES, max(tiles.size // 4, -(-len(Q) // 16 // 64) * 64)))

        def work(begin: int) -> None:
            part = slice(begin, begin + width)
            found, distances = window_sums(
                tiles,
                self.profile.name,
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
                out[begin : begin + width] = np.log((weights * self.profile.at(r)).sum(axis=1))

        for_each(work, iter(range(0, len(Q), width)))
        return out

    # Tree -----------------------------------------------------------------------------------------------------------

    @cached_property
    def _tree(self) -> Tree:
        order = np.argsort(self.points[:, 0], kind="stable")
        x, w = (np.ascontiguousarray(part[order]) for part in (self.points[:, 0], self._w))
        return Tree.of(x, w, 1.0 if self.units is None else float(self.units[0]), self.profile.name)

    def _by_tree(self, q: Array) -> Array:
        tree, out = self._tree, np.empty(len(q))
        q = np.ascontiguousarray(q)

        def work(begin: int) -> None:
            out[begin : begin + 8192] = tree.sums(q[begin : begin + 8192])

        for_each(work, iter(range(0, len(q), 8192)))
        return out

    # Cells ----------------------------------------------------------------------------------------------------------

    @cached_property
    def _plan(self) -> "Plan | None":
        return Plan.of(self.points, self.units, self.rtol, ends=self.ends)

    @cached_property
    def _cells(self) -> "Cells":
        assert self._plan is not None
        return self._plan.carried_out(self.points, self.weights)

    def _cells_pay(self, m: int) -> bool:
        """Whether cells are cheaper than pairs, of which about a third are near enough to count."""
        if self._plan is None:
            return False
        n, d = self.points.shape
        building = 0.0 if "_cells" in vars(self) else self._plan.size * (2e-7 if d == 1 else 1e-5) + 5e-8 * n
        return building + 5e-8 * m < 1.5e-10 * n * m

    def _by_cells(self, Q: Array) -> tuple[Array, Array]:
        return self._cells.sums(Q)


@dataclass(frozen=True, eq=False)
class Plan:
    """A grid of cells for points, before they are gathered.

    Attributes
    ----------
    lattice : the grid
    width : of a cell, in bandwidths
    lines : the columns, without what is cut out of them
    """

    lattice: Lattice
    width: float
    lines: tuple["Line", ...]

    @classmethod
    def of(
        cls,
        points: Array,
        units: Array | None,
        rtol: float,
        padding: float = PADDING,
        ends: tuple[Array, Array] | None = None,
    ) -> "Plan | None":
        """A plan, with some empty cells around the points, or None where there would be too many.

        Parameters
        ----------
        units : bandwidth of each column, by default 1
        padding : bandwidths around the points that have cells
        """
        d = points.shape[1]
        units = np.ones(d) if units is None else units
        low, high = ends or (points.min(axis=0), points.max(axis=0))
        if (np.spacing(np.maximum(np.abs(low), np.abs(high))) > 1e-3 * units).any():
            return None  # places are hardly known in units of the bandwidth
        terms, width = _setting(d, float(((high - low) / units).max()), rtol)
        lines = tuple(Line.of(points[:, j], low[j], high[j], width * units[j], units[j]) for j in range(d))
        empty = int(np.ceil(padding / width))
        lengths = np.array([line.length for line in lines]) / (width * units)
        if float(np.prod(lengths + 1 + 2 * empty)) * terms**d > MOST_CELL_NUMBERS:
            return None
        counts = lengths.astype(np.int64) + 1 + 2 * empty
        return cls(Lattice(low - empty * width * units, 1.0 / (width * units), counts, terms), width, lines)

    @property
    def size(self) -> int:
        """Number of cells."""
        return int(np.prod(self.lattice.counts))

    def carried_out(self, points: Array, weights: Array | None) -> "Cells":
        """The cells, with the moments of their points."""
        x = points
        if any(len(line.starts) for line in self.lines):
            x = np.column_stack([line.along(points[:, j])[0] for j, line in enumerate(self.lines)])
        moments = gathered(self.lattice, np.ascontiguousarray(x), weights)
        mass = float(len(points)) if weights is None else float(weights.sum())
        return Cells(self.lattice, expansions(self.lattice.terms, self.width), moments, self.lines, mass)


@dataclass(frozen=True, eq=False)
class Cells:
    """Gaussian sums by Chebyshev expansions between cells of a grid.

    For x in one cell and y in another, exp(-(x - y)^2 / 2) is interpolated at Chebyshev nodes of both; the table of its
    coefficients depends on the cells' distance alone. So moments of cells become series of cells by one small matrix
    for each distance, column after column.
    """

    lattice: Lattice
    expansions: "Expansions"
    moments: Array
    lines: tuple["Line", ...]
    total: float

    @cached_property
    def series(self) -> Array:
        """Coefficients of the sum in every cell."""
        tables = self.expansions.tables
        if self.moments.ndim == 2:
            return _spread(self.moments, tables)
        across = np.ascontiguousarray(_spread_first(self.moments.transpose(0, 1, 3, 2), tables).transpose(1, 0, 3, 2))
        return np.ascontiguousarray(_spread_first(across, tables).transpose(1, 0, 2, 3))

    @cached_property
    def bound(self) -> Array:
        """What the sum may be off by in every cell."""
        known = self.expansions
        mass = self.moments[..., 0] if len(self.lines) == 1 else self.moments[..., 0, 0]
        if len(self.lines) == 1:
            off = _convolved(mass, known.errors, 0)
            near = _convolved(mass, known.largest, 0)
        else:
            near_first, off_first = (_convolved(mass, part, 0) for part in (known.largest, known.errors))
            near = _convolved(near_first, known.largest, 1)
            off = _convolved(off_first, known.largest + known.errors, 1) + _convolved(near_first, known.errors, 1)
        # Of sums, and of places in cells that are numbered from one end.
        rounding = (2.0**-46 + 2.0**-51 * self.expansions.width * float(max(self.lattice.counts))) * near
        return np.ravel(off + rounding + self.total * known.beyond)

    def near(self, Q: Array, points: Array, log_ratio: float) -> NDArray[np.int64] | None:
        """Points that matter at places in the tails: the others are 1e-16 of the nearest one; None if hard to say."""
        if any(len(line.starts) for line in self.lines):
            return None
        u = (Q - self.lattice.low) * self.lattice.inverse
        extra = 2.0 * (log_ratio + 37.0)
        flags = self._line_near(u[:, 0], extra) if len(self.lines) == 1 else self._plane_near(u, extra)
        return None if flags is None else self.lattice.select(points, flags)

    def _line_near(self, u: Array, extra: float) -> NDArray[np.uint8]:
        """Cells of a line within reach of places: as far as the nearest point can be, and a little more."""
        width, occupied = self.expansions.width, np.flatnonzero(self.moments[:, 0] > 0)
        after = np.searchsorted(occupied, u)
        ends = (occupied[np.clip(after + step, 0, len(occupied) - 1)] for step in (-1, 0))
        nearest = np.minimum(*(np.abs(u - (end + 0.5)) + 0.5 for end in ends))
        reach = np.sqrt((width * nearest) ** 2 + extra) / width
        marks = np.zeros(len(self.moments) + 1, dtype=np.int64)
        np.add.at(marks, np.clip(u - reach, 0, len(marks) - 1).astype(np.int64), 1)
        np.add.at(marks, np.clip(u + reach + 1, 0, len(marks) - 1).astype(np.int64), -1)
        return (np.cumsum(marks[:-1]) > 0).astype(np.uint8)

    def _plane_near(self, u: Array, extra: float) -> NDArray[np.uint8] | None:
        mass, width = self.moments[..., 0, 0], self.expansions.width
        occupied = np.argwhere(mass > 0)
        if len(u) * len(occupied) > MOST_NEAR:
            return None
        nearest, farthest = (np.zeros((len(u), len(occupied))) for _ in range(2))
        for j in range(2):
            off = np.abs(u[:, j, None] - (occupied[:, j] + 0.5))
            nearest += (width * np.maximum(off - 0.5, 0.0)) ** 2
            farthest += (width * (off + 0.5)) ** 2
        reach = farthest.min(axis=1) + extra
        chosen = (nearest <= reach[:, None]).any(axis=0)
        flags = np.zeros(mass.shape, dtype=np.uint8)
        flags[tuple(occupied[chosen].T)] = 1
        return flags.ravel()

    def sums(self, Q: Array) -> tuple[Array, Array]:
        """Sums at rows, and what they may be off by."""
        m = len(Q)
        series, bound = self.series, self.bound
        values, off = np.empty(m), np.empty(m)
        rows = 8192

        def work(begin: int) -> None:
            part = slice(begin, begin + rows)
            x, lost = Q[part], np.zeros(len(Q[part]), dtype=bool)
            if any(len(line.starts) for line in self.lines):
                moved = [line.along(x[:, j]) for j, line in enumerate(self.lines)]
                x = np.column_stack([place for place, _ in moved])
                lost = np.any([outside for _, outside in moved], axis=0)
            values[part], cells = self.lattice.values(np.ascontiguousarray(x), series)
            off[part] = np.where((cells < 0) | lost, np.inf, bound[cells])

        for_each(work, iter(range(0, m, rows)))
        return values, off


def _setting(d: int, length: float, rtol: float) -> tuple[int, float]:
    """Polynomials and width of cells: they err by 4e-12 (8, 1/4) or 3e-11 (16, 2) of the mass around, or less."""
    if d == 1 and length < 2000.0:
        return (8, 0.25) if rtol >= 1e-7 else (8, 0.125)
    return 16, 2.0 if rtol >= 1e-7 else 1.5 if rtol >= 1e-8 else 1.0


def gathered(lattice: Lattice, x: Array, weights: Array | None) -> Array:
    """Moments of all points in the cells of a lattice, on all threads."""
    total = np.zeros(lattice.shape)
    rows = max(2**16, -(-len(x) // 8))

    def work(begin: int) -> Array:
        part = slice(begin, begin + rows)
        return lattice.moments(x[part], None if weights is None else weights[part])

    def add(part: Array) -> None:
        np.add(total, part, out=total)

    for_each(work, iter(range(0, len(x), rows)), add)
    return total


@dataclass(frozen=True)
class Line:
    """A column of points in which long empty stretches are cut out: what lies beyond them is too far to matter.

    Attributes
    ----------
    low, length : where the points begin, and how long they are without the cuts
    starts : array of shape (cuts,)
        From where on a cut applies.
    ends : array of shape (cuts,)
        Up to where places before a cut count as before it; what lies between is nowhere.
    shifts : array of shape (cuts + 1,)
        What is taken off from places after each cut.
    """

    low: float
    length: float
    starts: Array
    ends: Array
    shifts: Array

    @classmethod
    def of(cls, x: Array, low: float, high: float, width: float, unit: float) -> "Line":
        """The line of points x (n,) from low to high, cut where it would have very many cells."""
        none = np.empty(0)
        if high - low <= 2048 * unit:
            return cls(low, high - low, none, none, np.zeros(1))
        half = REACH * unit + 2 * width
        ordered = np.sort(x)
        gaps = np.diff(ordered)
        at = np.flatnonzero(gaps > 2 * half + width)
        cut = gaps[at] - 2 * half
        shifts = np.concatenate([[0.0], np.cumsum(cut)])
        return cls(low, high - low - shifts[-1], ordered[at + 1] - half, ordered[at] + half, shifts)

    def along(self, x: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Places on the line without its cuts, and which of them lie in a cut."""
        if not len(self.starts):
            return x, np.zeros(len(x), dtype=bool)
        part = np.searchsorted(self.starts, x, side="right")
        after = np.minimum(part, len(self.ends) - 1)
        lost = (part < len(self.ends)) & (x > self.ends[after])
        return x - self.shifts[part], lost


#: Most pairs of places and cells that are looked at to find the points of the tails.
MOST_NEAR = 20_000_000
#: Distance beyond which a Gaussian is 4e-19 of its height.
REACH = 9.2


@dataclass(frozen=True)
class Expansions:
    """Tables between cells at every distance that matters, from -R to R cells, and their proven errors.

    Attributes
    ----------
    width : cells in bandwidths
    tables : array of shape (2 R + 1, p, p)
        Chebyshev coefficients of the kernel in both places.
    errors : array of shape (2 R + 1,)
        The remainder of interpolation in x, and in y times Lebesgue's constant.
    largest : array of shape (2 R + 1,)
        The kernel at the least distance of two such cells.
    beyond : float
        The kernel at the least distance that is left out.
    """

    width: float
    tables: Array
    errors: Array
    largest: Array
    beyond: float


@cache
def expansions(p: int, width: float, integral: bool = False) -> Expansions:
    """Tables of p polynomials, cells `width` wide, of the Gaussian (1 at 0) or of its distribution function."""
    farthest = int(np.ceil(REACH / width))
    offsets = np.arange(-farthest, farthest + 1)
    angles = np.pi * (np.arange(p) + 0.5) / p
    nodes = np.cos(angles)
    transform = 2.0 / p * np.cos(np.outer(np.arange(p), angles))
    transform[0] /= 2.0
    u = width * (offsets[:, None, None] + 0.5 * (nodes[:, None] - nodes))
    tables = transform @ (special.ndtr(u) if integral else np.exp(-0.5 * u**2)) @ transform.T
    # |f - its interpolant| <= max |f^(p)| (width / 2)^p / (2^(p - 1) p!), f^(p) = He_p(u) exp(-u^2 / 2) up to sign. The
    # largest value on a fine grid is raised by half a step times the largest slope, which Cramer's inequality bounds.
    step = 1e-3
    lebesgue = 2.0 / np.pi * np.log(p) + 0.9625
    slope = 1.0865 * np.sqrt(special.gamma(p + 2.0))
    errors = np.empty(len(offsets))
    for k, offset in enumerate(offsets):
        places = np.arange(width * (offset - 1), width * (offset + 1) + step, step)
        top = np.abs(special.eval_hermitenorm(p, places) * np.exp(-0.5 * places**2)).max()
        near = max(abs(int(offset)) - 1, 0) * width
        top += 0.5 * step * slope * np.exp(-0.25 * near**2)
        errors[k] = (1 + lebesgue) * top * (0.5 * width) ** p / (2.0 ** (p - 1) * special.gamma(p + 1.0))
    least = np.maximum(np.abs(offsets) - 1, 0) * width
    return Expansions(width, tables, errors, np.exp(-0.5 * least**2), float(np.exp(-0.5 * (farthest * width) ** 2)))


def _spread(moments: Array, tables: Array) -> Array:
    """Series (B, p) of cells in a row from their moments."""
    B, p = moments.shape
    reach = len(tables) // 2
    if B > 4096:
        return _spread_first(moments[:, None, None, :], tables)[:, 0, 0, :]
    # One product: row t holds the moments of all cells around t, one after another.
    padded = np.zeros((B + 2 * reach, p))
    padded[reach : reach + B] = moments
    around = sliding_window_view(padded.ravel(), len(tables) * p)[::p]
    return np.ascontiguousarray(around @ tables[::-1].transpose(0, 2, 1).reshape(-1, p))


def _spread_first(moments: Array, tables: Array) -> Array:
    """The same along the first axis of (B, other cells, p, p): the last axis holds the column's polynomials."""
    B, p = len(moments), moments.shape[-1]
    out = np.zeros(moments.shape)
    reach = len(tables) // 2
    rows = np.ascontiguousarray(moments).reshape(B, -1, p)
    into = out.reshape(B, -1, p)
    for offset in range(-reach, reach + 1):
        # A target lies `offset` cells after its source.
        source = slice(max(0, -offset), min(B, B - offset))
        target = slice(max(0, offset), min(B, B + offset))
        if source.start < source.stop:
            table = np.ascontiguousarray(tables[offset + reach].T)
            part = rows[source]
            into[target] += (part.reshape(-1, p) @ table).reshape(part.shape)
    return out


def _convolved(mass: Array, weights: Array, axis: int) -> Array:
    """Masses of cells around every cell along an axis, weighted by their distance."""
    return np.asarray(ndimage.convolve1d(mass, weights, axis=axis, mode="constant"))


@dataclass(frozen=True, eq=False)
class LineSum:
    """Distribution function of kernels around points on a line, in units of the bandwidth; to 1e-10 of the whole.

    Attributes
    ----------
    x, share : arrays of shape (n,)
        Places in rising order, and their weights, which add to one.
    """

    profile: Profile
    x: Array
    share: Array

    @classmethod
    def of(cls, profile: Profile, x: Array, share: Array) -> "LineSum":
        """The distribution of points in any order."""
        order = np.argsort(x, kind="stable")
        return cls(profile, x[order], share[order])

    @cached_property
    def _before(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.share)])

    @cached_property
    def _cells(self) -> Cells | None:
        plan = Plan.of(self.x[:, None], None, 1e-6, padding=10.0)
        return None if plan is None else plan.carried_out(self.x[:, None], self.share)

    def at(self, u: Array) -> Array:
        """The distribution function at places (m,)."""
        reach = 1.0 if self.profile.compact else 8.5 if self.profile.name == "gaussian" else 45.0
        first, last = np.searchsorted(self.x, u - reach), np.searchsorted(self.x, u + reach)
        out = self._before[first]
        sizes = last - first
        if self.profile.name == "gaussian" and sizes.sum() > FEW_PAIRS and self._cells is not None:
            return self._by_cells(u)
        most = 2**20
        begin = 0
        while begin < len(u):
            end = begin + max(1, int(np.searchsorted(np.cumsum(sizes[begin:]), most)))
            rows = np.repeat(np.arange(begin, min(end, len(u))), sizes[begin:end])
            starts = np.cumsum(sizes[begin:end]) - sizes[begin:end]
            places = np.arange(len(rows)) - np.repeat(starts - first[begin:end], sizes[begin:end])
            terms = self.share[places] * self.profile.cdf(u[rows] - self.x[places])
            out[begin:end] += np.bincount(rows - begin, weights=terms, minlength=len(sizes[begin:end]))
            begin = end
        return out

    @cached_property
    def _series(self) -> Array:
        """Series of the distribution function in every cell."""
        assert self._cells is not None
        known = expansions(self._cells.lattice.terms, self._cells.expansions.width, integral=True)
        series = _spread(self._cells.moments, known.tables)
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
