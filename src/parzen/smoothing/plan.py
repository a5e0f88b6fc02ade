"""Grids of cells for points: planning one at little cost, and filling it with the moments of the points."""

from dataclasses import dataclass

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.lattice import Lattice
from parzen.smoothing.cells import Cells
from parzen.smoothing.expansion import expansions
from parzen.smoothing.gaps import GaplessLine
from parzen.statistics.threads import for_each

#: Most numbers that a grid of cells may hold.
MOST_CELL_NUMBERS = 2**25
#: Bandwidths around the points that have cells, for queries that lie just outside.
PADDING = 4.0


@dataclass(frozen=True, eq=False)
class Plan:
    """A grid of cells for points, before their moments are summed.

    Attributes
    ----------
    lattice : the grid
    width : of a cell, in bandwidths
    lines : the columns, without their gaps
    """

    lattice: Lattice
    width: float
    lines: tuple[GaplessLine, ...]

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
            return None  # coordinates have too few digits in units of the bandwidth
        terms, width = _setting(d, float(((high - low) / units).max()), rtol)
        lines = tuple(GaplessLine.of(points[:, j], low[j], high[j], width * units[j], units[j]) for j in range(d))
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

    def filled(self, points: Array, weights: Array | None) -> Cells:
        """The cells, filled with the moments of their points."""
        x = points
        if any(len(line.starts) for line in self.lines):
            x = np.column_stack([line.along(points[:, j])[0] for j, line in enumerate(self.lines)])
        moments = summed_moments(self.lattice, np.ascontiguousarray(x), weights)
        mass = float(len(points)) if weights is None else float(weights.sum())
        return Cells(self.lattice, expansions(self.lattice.terms, self.width), moments, self.lines, mass)


def _setting(d: int, length: float, rtol: float) -> tuple[int, float]:
    """Number of polynomials and width of cells, whose relative error is below 4e-12 (8, 1/4) or 3e-11 (16, 2)."""
    if d == 1 and length < 2000.0:
        return (8, 0.25) if rtol >= 1e-7 else (8, 0.125)
    return 16, 2.0 if rtol >= 1e-7 else 1.5 if rtol >= 1e-8 else 1.0


def summed_moments(lattice: Lattice, x: Array, weights: Array | None) -> Array:
    """Moments of all points in the cells of a lattice, summed on all threads."""
    total = np.zeros(lattice.shape)
    rows = max(2**16, -(-len(x) // 8))

    def work(begin: int) -> Array:
        part = slice(begin, begin + rows)
        return lattice.moments(x[part], None if weights is None else weights[part])

    def add(part: Array) -> None:
        np.add(total, part, out=total)

    for_each(work, iter(range(0, len(x), rows)), add)
    return total
