"""Distribution functions on a line of Gaussians around fixed points, for many sets of weights at once.

The points are put into cells. Around the middle of a cell, a Gaussian's distribution function is the series
``Phi(u - t) = Phi(u) - phi(u) sum_k t^k He_{k-1}(u) / k!``, t the distance of the point from the middle, so that of a
set of weights only the moments in each cell are needed: once, whatever the number of values that are asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array

#: Width of a cell in units of the bandwidth, and terms of the series: their rest is below 2e-15 (Cramér's inequality).
WIDTH, TERMS = 0.5, 14
#: Distance in bandwidths beyond which a Gaussian's distribution function is 0 or 1, to 1e-17; and cells within it.
REACH = 8.5
WITHIN = int(2 * (REACH + WIDTH) / WIDTH) + 1
#: Points in a cell, on average, from which on cells are worth while.
LEAST = 4


@dataclass(frozen=True, eq=False)
class LineCells:
    """Points of a line in cells.

    Attributes
    ----------
    order : array of shape (n,)
        Positions of the points, in rising order.
    h : the bandwidth
    middle : array of shape (C,)
        Middles of the cells that have points.
    begin : array of shape (C + 1,)
        Where the points of each cell begin, in that order.
    powers : array of shape (n, TERMS)
        Powers 0, 1, ... of the points' distances from their cells' middles, in bandwidths.
    """

    order: NDArray[np.int64]
    h: float
    middle: Array
    begin: NDArray[np.int64]
    powers: Array

    @classmethod
    def of(cls, y: Array, h: float) -> "LineCells | None":
        """Points y (n,) in cells; None where these would hold few points each."""
        order = np.argsort(y, kind="stable")
        ordered = y[order]
        centre = ordered[len(y) // 2]
        number = np.floor((ordered - centre) / (WIDTH * h) + 0.5)
        if not np.isfinite(number).all():
            return None
        begin = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
        if LEAST * len(begin) > len(y):
            return None
        middle = centre + WIDTH * h * number[begin]
        off = (ordered - np.repeat(middle, np.diff(np.append(begin, len(y))))) / h
        powers = np.cumprod(np.column_stack([np.ones(len(y)), *[off] * (TERMS - 1)]), axis=1)
        return cls(order, h, middle, np.append(begin, len(y)), powers)

    def weighted(self, shares: Array) -> "WeightedLine":
        """The distributions of sets of weights (m, n), which sum to one each."""
        ordered = shares[:, self.order]
        moments = np.empty((len(shares), len(self.middle), TERMS))
        for c, (first, last) in enumerate(zip(self.begin[:-1], self.begin[1:], strict=True)):
            np.matmul(ordered[:, first:last], self.powers[first:last], out=moments[:, c])
        return WeightedLine(self, moments)


@dataclass(frozen=True, eq=False)
class WeightedLine:
    """Distributions of sets of weights.

    Attributes
    ----------
    cells : LineCells
    moments : array of shape (m, C, TERMS)
        Moments of the points of each cell about its middle.
    """

    cells: LineCells
    moments: Array

    @cached_property
    def _before(self) -> Array:
        """Weight of all cells before each one, (m, C + 1)."""
        sums = np.cumsum(self.moments[:, :, 0], axis=1)
        return np.concatenate([np.zeros((len(sums), 1)), sums], axis=1)

    def at(self, rows: NDArray[np.int64], x: Array) -> tuple[Array, Array]:
        """Probabilities up to values x (m,) under the sets of weights `rows` (m,), and densities there."""
        cells, C = self.cells, len(self.cells.middle)
        first = np.searchsorted(cells.middle, x - REACH * cells.h - 0.5 * WIDTH * cells.h)
        where = first[:, None] + np.arange(min(WITHIN, C))
        known = where < C
        where = np.minimum(where, C - 1)
        u = (x[:, None] - cells.middle[where]) / cells.h
        known &= u > -REACH - WIDTH
        M = np.where(known[:, :, None], self.moments[rows[:, None], where], 0.0)
        bell = np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
        below, slope = M[:, :, 0] * special.ndtr(u), M[:, :, 0] * bell
        earlier, now = np.zeros_like(u), bell  # phi He_{k-1} / k!, by the recurrence of the Hermite polynomials
        for k in range(1, TERMS):
            now = now / k
            below -= M[:, :, k] * now
            earlier, now = now, u * now - earlier * ((k - 1) / k)
            slope += M[:, :, k] * now
        return self._before[rows, first] + below.sum(axis=1), slope.sum(axis=1) / cells.h

    def quantiles(self, levels: Array) -> Array:
        """Quantiles of each set of weights at levels between 0 and 1, (m, L)."""
        m, L = len(self.moments), len(levels)
        rows, q = np.repeat(np.arange(m), L), np.tile(levels, m)
        # Cells before which there is less than the level: their middles are the start.
        start = np.minimum((self._before[rows, 1:] < q[:, None]).sum(axis=1), len(self.cells.middle) - 1)
        around = self.cells.h * (special.ndtri(q) + np.array([[-WIDTH], [WIDTH]]))
        low, high = self.cells.middle[0] + around[0], self.cells.middle[-1] + around[1]
        x = np.clip(self.cells.middle[start], low, high)
        return safe_newton(lambda at, some: self.at(rows[some], at), q, x, low, high, self.cells.h).reshape(m, L)


def safe_newton(
    function: Callable[[Array, NDArray[np.int64]], tuple[Array, Array]],
    levels: Array,
    x: Array,
    low: Array,
    high: Array,
    unit: float,
) -> Array:
    """Where rising functions reach levels: by Newton's method, within brackets that shrink; by halves elsewhere.

    Parameters
    ----------
    function : of values and of positions among the levels, that gives values and slopes
    unit : the scale of x
    """
    found, some = np.array(x), np.arange(len(levels))
    for _ in range(100):
        value, slope = function(x, some)
        off = value - levels[some]
        low, high = np.where(off < 0, x, low), np.where(off < 0, high, x)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = x - off / slope
        new = np.where((step >= low) & (step <= high), step, low + 0.5 * (high - low))
        moved = np.abs(new - x) > 1e-14 * (unit + np.abs(new))
        found[some] = new
        some, (x, low, high) = some[moved], (part[moved] for part in (new, low, high))
        if not len(some):
            break
    return found
