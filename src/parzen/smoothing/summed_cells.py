"""Gaussian sums over moments of cells alone, without the rows: to a bound that is known at every query.

Cells lie on a grid that is anchored at zero, so that those of shards add (`parzen.statistics.cell_moments`). Near the
rows the sums are those of `parzen.smoothing.cells`. In the tails, where that bound is large next to the sum, each cell
is summed by interpolation of the kernel at its Chebyshev nodes, whose error Bernstein's ellipse bounds: for f analytic
there, |f - its interpolant of degree n| <= 4 max |f| rho^-n / (rho - 1) (Trefethen 2013, theorem 8.2).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from parzen.compute.arrays import Array
from parzen.compute.lattice import Lattice
from parzen.smoothing.cells import Cells
from parzen.smoothing.expansion import expansions
from parzen.smoothing.gaps import GaplessLine
from parzen.statistics.cell_moments import MOST_NUMBERS, CellMoments

Numbers = NDArray[np.int64]

#: Polynomials of a cell and column, and its width in bandwidths, of one column and of two.
TERMS, WIDTHS = 16, (0.25, 1.0)
#: Rows whose cells are found together.
ROWS = (2**19, 2**15)
#: Axes of Bernstein's ellipses that are tried.
ELLIPSES = np.geomspace(1.5, 200.0, 40)
#: Numbers that are worked on together in the tails.
TOGETHER = 2**22


def cell_moments(z: Array, codes: NDArray[np.int32] | None, weights: Array | None, groups: int) -> CellMoments:
    """Moments of rows (n, d) in units of the bandwidth, d 1 or 2.

    Parameters
    ----------
    codes : groups of the rows; None where all are of the first
    weights : of the rows; None where all weigh one
    """
    n, d = z.shape
    total = CellMoments(np.empty((0, 1 + d), np.int64), np.empty((0, TERMS**d)), groups, d)
    for begin in range(0, n, ROWS[d - 1]):
        own = slice(begin, begin + ROWS[d - 1])
        u = z[own] / WIDTHS[d - 1]
        place = np.floor(u)
        cells = np.zeros((len(u), 1 + d), dtype=np.int64)
        cells[:, 1:] = place
        if codes is not None:
            cells[:, 0] = codes[own]
        unique, rank = _ranked(cells)
        at = u - place
        at[:, 0] = np.minimum(at[:, 0] + rank, np.nextafter(rank + 1.0, 0.0))
        if d == 2:
            np.minimum(at[:, 1], np.nextafter(1.0, 0.0), out=at[:, 1])
        counts = np.ones(d, dtype=np.int64)
        counts[0] = len(unique)
        w = None if weights is None else np.ascontiguousarray(weights[own])
        found = Lattice(np.zeros(d), np.ones(d), counts, TERMS).moments(np.ascontiguousarray(at), w)
        total = total + CellMoments(unique, np.ascontiguousarray(found.reshape(len(unique), -1)), groups, d)
    return total


def _ranked(cells: Numbers) -> tuple[Numbers, Numbers]:
    """The different rows, in order, and for each row which of them it is."""
    low = cells.min(axis=0)
    spans = cells.max(axis=0) - low + 1
    size = float(np.prod(spans.astype(np.float64)))
    if size > 2.0**62:
        unique, rank = np.unique(cells, axis=0, return_inverse=True)
        return unique, rank.reshape(-1)
    code = np.zeros(len(cells), dtype=np.int64)
    for j, span in enumerate(spans.tolist()):
        code = code * span + (cells[:, j] - low[j])
    if size <= 8 * len(cells):
        there = np.flatnonzero(np.bincount(code, minlength=int(size)))
        places = np.zeros(int(size), dtype=np.int64)
        places[there] = np.arange(len(there))
        rank = places[code]
    else:
        there, rank = np.unique(code, return_inverse=True)
    unique = np.empty((len(there), cells.shape[1]), dtype=np.int64)
    for j in range(cells.shape[1] - 1, -1, -1):
        there, unique[:, j] = np.divmod(there, spans[j])
    return unique + low, rank


@dataclass(frozen=True, eq=False)
class SummedCells:
    """The sum of Gaussian kernels around rows of which moments of cells are known, in units of the bandwidth.

    Attributes
    ----------
    places : array of shape (M, d)
        Cells of the grid that hold rows, in order.
    moments : array of shape (M, 16 ** d)
    width : of a cell, in bandwidths
    """

    places: Numbers
    moments: Array
    width: float

    def log(self, Q: Array, enough: float = 1e-9) -> tuple[Array, Array]:
        """Logarithms of the sums at queries (m, d) in units of the bandwidth, and bounds on their relative errors.

        What is known to `enough` near the rows is not looked at cell by cell.
        """
        values, off = self._near(Q)
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(values > off, off / np.maximum(values - off, 1e-300), np.inf)
            logs = np.log(np.maximum(values, 0.0))
        far = np.flatnonzero(~(relative <= enough))
        if len(far):
            logs[far], relative[far] = self._far(Q[far])
        return logs, relative

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.moments[:, 0].sum())

    @cached_property
    def rounding(self) -> float:
        """Rounding of places on the grid, in bandwidths."""
        return float(2.0**-51 * self.width * (np.abs(self.places).max(initial=0) + len(self.places)))

    # Near the rows --------------------------------------------------------------------------------------------------

    def _near(self, Q: Array) -> tuple[Array, Array]:
        """Sums and bounds on their errors, by expansions between cells; infinite bounds where there are none."""
        lines = [_Line.of(self.places[:, j], self._reach) for j in range(self.places.shape[1])]
        grid = self._grid
        if grid is None:
            return np.zeros(len(Q)), np.full(len(Q), np.inf)
        u = Q / self.width
        moved = [line.along(u[:, j]) for j, line in enumerate(lines)]
        values, off = grid.sums(np.ascontiguousarray(np.column_stack([at for at, _ in moved]) * self.width))
        lost = np.any([outside for _, outside in moved], axis=0)
        return values, np.where(lost, np.inf, off + self.rounding * grid.total)

    @property
    def _reach(self) -> int:
        return len(expansions(TERMS, self.width).errors) // 2

    @cached_property
    def _grid(self) -> Cells | None:
        """All cells between the first and the last, gaps cut out; None where there would be too many."""
        d = self.places.shape[1]
        lines = [_Line.of(self.places[:, j], self._reach) for j in range(d)]
        counts = np.array([line.count for line in lines], dtype=np.int64)
        if float(np.prod(counts.astype(np.float64))) * TERMS**d > MOST_NUMBERS:
            return None
        moments = np.zeros((*counts.tolist(), *(TERMS,) * d))
        at = tuple(line.moved(self.places[:, j]) for j, line in enumerate(lines))
        moments[at] = self.moments.reshape(-1, *(TERMS,) * d)
        lattice = Lattice(np.zeros(d), np.full(d, 1.0 / self.width), counts, TERMS)
        none = np.empty(0)
        straight = tuple(GaplessLine(0.0, float(count), none, none, np.zeros(1)) for count in counts)
        return Cells(lattice, expansions(TERMS, self.width), moments, straight, self.total)

    # In the tails ---------------------------------------------------------------------------------------------------

    def _far(self, Q: Array) -> tuple[Array, Array]:
        """Logarithms of sums and bounds on their relative errors, cell by cell."""
        logs, relative = np.empty(len(Q)), np.empty(len(Q))
        step = max(1, TOGETHER // max(len(self.places), 1))
        for begin in range(0, len(Q), step):
            own = slice(begin, begin + step)
            logs[own], relative[own] = self._cell_by_cell(Q[own])
        return logs, relative

    def _cell_by_cell(self, Q: Array) -> tuple[Array, Array]:
        middle = (self.places + 0.5) * self.width
        apart = np.abs(Q[:, None, :] - middle)
        half = 0.5 * self.width
        least = 0.5 * (np.maximum(apart - half, 0.0) ** 2).sum(axis=2)
        most = 0.5 * ((apart + half) ** 2).sum(axis=2)
        log_mass = np.log(np.maximum(self.moments[:, 0], 1e-300))
        lowest = (log_mass - most).max(axis=1)  # of the sum's logarithm
        query, cell = np.nonzero(log_mass - least > (lowest - 45.0)[:, None] - np.log(len(self.places)))
        log_most, log_least = log_mass[cell] - least[query, cell], log_mass[cell] - most[query, cell]
        shift = np.full(len(Q), -np.inf)
        np.maximum.at(shift, query, log_most)
        high, low = np.exp(log_most - shift[query]), np.exp(log_least - shift[query])
        values, off = self._interpolated(Q[query] - middle[cell], cell, shift[query])
        self._by_means(Q[query], cell, shift[query], high, values, off)
        off = off + 2.0**-44 * high + self.rounding * (np.abs(Q[query] - middle[cell]).sum(axis=1) + 1.0) * high
        values = np.clip(values, low, high)
        off = np.fmin(off, np.maximum(high - values, values - low))
        sums, bound = (np.bincount(query, part, len(Q)) for part in (values, off))
        bound += np.exp(np.minimum(lowest - 45.0 - shift, 0.0))  # of the cells that are left out
        with np.errstate(divide="ignore"):
            relative = np.where(sums > bound, bound / np.maximum(sums - bound, 1e-300), np.inf)
            logs = np.log(sums) + shift
        lost = np.flatnonzero(~(sums > 1e-3 * bound))
        if len(lost):
            logs[lost] = self._at_least(Q[lost])
        return logs, relative

    def _at_least(self, Q: Array) -> Array:
        """Lower bounds on logarithms of sums, finite however far: the exponential of a mean is below the mean of
        exponentials (Jensen), so that a cell's rows are worth their weight at their root mean square distance.
        """
        means, variances, weight = self.means
        squares = ((Q[:, None, :] - means) ** 2 + variances).sum(axis=2)
        return np.asarray(logsumexp(np.log(np.maximum(weight, 1e-300)) - 0.5 * squares, axis=1))

    def _interpolated(self, apart: Array, cell: NDArray[np.intp], shift: Array) -> tuple[Array, Array]:
        """Sums of cells at queries so far from their middles, over exp(shift), and bounds on their errors."""
        d = apart.shape[1]
        values, off = np.empty(len(cell)), np.empty(len(cell))
        step = max(1, TOGETHER // TERMS**d)
        for begin in range(0, len(cell), step):
            own = slice(begin, begin + step)
            weights = self._node_weights(cell[own]).reshape(-1, *(TERMS,) * d)
            nodes = 0.5 * self.width * NODES
            exponents = -0.5 * (apart[own, :, None] - nodes) ** 2
            least = 0.5 * np.maximum(np.abs(apart[own]) - 0.5 * self.width, 0.0) ** 2
            peak = np.exp(-least.sum(axis=1) - shift[own])
            kernels = np.exp(exponents + least[:, :, None])
            values[own] = (
                np.einsum("qi,qi->q", weights, kernels[:, 0])
                if d == 1
                else np.einsum("qij,qi,qj->q", weights, kernels[:, 0], kernels[:, 1])
            ) * peak
            errors = ellipse_error(apart[own], 0.5 * self.width, least)
            with np.errstate(over="ignore", invalid="ignore"):  # a bound of no use, where a better one is taken
                each = errors[:, 0] if d == 1 else errors[:, 0] + (1.0 + errors[:, 0]) * errors[:, 1]
                off[own] = self.moments[cell[own], 0] * each * peak
        return values, off

    def _by_means(self, Q: Array, cell: NDArray[np.intp], shift: Array, high: Array, values: Array, off: Array) -> None:
        """Take the kernel at the mean of a cell's rows where that is better: where a single row is in it, say.

        The error is at most half the second derivative of the kernel times the rows' variance.
        """
        means, variances, weight = self.means
        spread = np.sqrt(variances[cell]).sum(axis=1)
        apart = Q - means[cell]
        reach = (np.abs(apart) + self.width).sum(axis=1)
        error = 0.5 * spread**2 * (reach**2 + 1.0) * high
        better = ~(error >= off)
        kernel = np.exp(-0.5 * (apart**2).sum(axis=1) - shift) * weight[cell]
        values[better], off[better] = kernel[better], error[better]

    @cached_property
    def means(self) -> tuple[Array, Array, Array]:
        """Means and variances of the rows in each cell, in bandwidths (raised by their rounding), and their weights."""
        d, weight, half = self.places.shape[1], self.moments[:, 0], 0.5 * self.width
        strides = [TERMS ** (d - 1 - j) for j in range(d)]  # of the polynomials of a column alone
        powers = [[self.moments[:, i * stride] for stride in strides] for i in (1, 2)]
        first, second = (np.column_stack(part) / weight[:, None] for part in powers)
        variances = np.maximum(0.5 * (second + 1.0) - first**2, 0.0) + 2.0**-48  # T_2 is 2 x^2 - 1
        return (self.places + 0.5) * self.width + half * first, variances * half**2, weight

    def _node_weights(self, cell: NDArray[np.intp]) -> Array:
        """Weights of Chebyshev nodes that stand for the rows of cells."""
        d, moments = self.places.shape[1], self.moments[cell]
        if d == 1:
            return moments @ TRANSFORM
        return np.asarray(TRANSFORM.T @ moments.reshape(-1, TERMS, TERMS) @ TRANSFORM)


_ANGLES = np.pi * (np.arange(TERMS) + 0.5) / TERMS
#: Chebyshev nodes, and the coefficients that values at them have.
NODES = np.cos(_ANGLES)
TRANSFORM = np.where(np.arange(TERMS) == 0, 1.0, 2.0)[:, None] / TERMS * np.cos(np.outer(np.arange(TERMS), _ANGLES))


def ellipse_error(apart: Array, half: float, least: Array) -> Array:
    """Bounds on the error of interpolating a Gaussian in a cell, next to its height exp(-least) there.

    Parameters
    ----------
    apart : distances of queries from the middle of the cell
    half : half the width of the cell
    """
    found = np.full(apart.shape, np.inf)
    for rho in ELLIPSES:
        along, across = 0.5 * (rho + 1.0 / rho) * half, 0.5 * (rho - 1.0 / rho) * half
        top = -0.5 * np.maximum(np.abs(apart) - along, 0.0) ** 2 + 0.5 * across**2 + least
        bound = np.log(4.0) - (TERMS - 1) * np.log(rho) - np.log(rho - 1.0) + top
        np.minimum(found, np.exp(np.minimum(bound, 700.0)), out=found)
    return found


@dataclass(frozen=True, eq=False)
class _Line:
    """Cells along a column, long gaps between them cut down to what no kernel reaches across.

    Attributes
    ----------
    first, last : first and last cell of each run
    begin : where each run begins without the gaps
    room : empty cells before, between and after runs, at least
    """

    first: Numbers
    last: Numbers
    begin: Numbers
    room: int

    @classmethod
    def of(cls, places: Numbers, room: int) -> "_Line":
        used = np.unique(places)
        cuts = np.flatnonzero(np.diff(used) > 2 * room + 2)
        first, last = used[np.append(0, cuts + 1)], used[np.append(cuts, len(used) - 1)]
        lengths = last - first + 1 + 2 * room
        return cls(first, last, np.cumsum(lengths) - lengths + room, room)

    @property
    def count(self) -> int:
        """Cells without the gaps."""
        return int(self.begin[-1] + self.last[-1] - self.first[-1] + 1 + self.room)

    def moved(self, places: Numbers) -> Numbers:
        """Cells that are in use, without the gaps."""
        run = np.searchsorted(self.last, places)
        return places - self.first[run] + self.begin[run]

    def along(self, u: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Places in units of cells without the gaps, and which of them lie in none of the cells."""
        cell = np.floor(u)
        run = np.minimum(np.searchsorted(self.last + self.room, cell), len(self.last) - 1)
        outside = (cell < self.first[run] - self.room) | (cell > self.last[run] + self.room)
        return np.where(outside, 0.0, (u - self.first[run]) + self.begin[run]), outside
