"""Gaussian sums by Chebyshev expansions between cells of a grid, with an error that is bounded for each cell.

See docs/decisions/sums-to-a-stated-error.md.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, special

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import Lattice, cell_spread
from parzen.statistics.threads import for_each

#: Most numbers that a grid of cells may hold.
MOST_CELL_NUMBERS = 2**25
#: Bandwidths around the points that have cells, for queries that lie just outside.
PADDING = 4.0


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
            return spread(self.moments, tables)
        across = np.ascontiguousarray(spread(self.moments.transpose(0, 1, 3, 2), tables).transpose(1, 0, 3, 2))
        return np.ascontiguousarray(spread(across, tables).transpose(1, 0, 2, 3))

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


def spread(moments: Array, tables: Array) -> Array:
    """Series of cells along the first axis of moments (B, ..., p): the last axis holds the column's polynomials."""
    rows = np.ascontiguousarray(moments).reshape(len(moments), -1, moments.shape[-1])
    by_moment = np.ascontiguousarray(tables.transpose(0, 2, 1))
    out = np.empty(rows.shape)
    step = max(1, -(-len(rows) // 8)) if rows.size > 2**16 else len(rows)

    def work(begin: int) -> None:
        cell_spread(rows, by_moment, begin, min(begin + step, len(rows)), out)

    for_each(work, iter(range(0, len(rows), step)))
    return out.reshape(moments.shape)


def _convolved(mass: Array, weights: Array, axis: int) -> Array:
    """Masses of cells around every cell along an axis, weighted by their distance."""
    return np.asarray(ndimage.convolve1d(mass, weights, axis=axis, mode="constant"))
