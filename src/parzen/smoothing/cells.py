"""Gaussian sums over a grid of cells by Chebyshev expansions, with an error bound for each cell.

See docs/decisions/sums-to-a-stated-error.md.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from parzen.compute.arrays import Array
from parzen.compute.lattice import Lattice
from parzen.smoothing.expansion import Expansions, spread
from parzen.smoothing.gaps import GaplessLine
from parzen.smoothing.tails import line_near, plane_near
from parzen.statistics.threads import for_each


@dataclass(frozen=True, eq=False)
class Cells:
    """Gaussian sums by Chebyshev expansions between cells of a grid.

    For x in one cell and y in another, exp(-(x - y)^2 / 2) is interpolated at Chebyshev nodes of both; the table of its
    coefficients depends on the cells' distance alone. So moments of cells become series of cells by one small matrix
    for each distance, column after column.
    """

    lattice: Lattice
    expansions: Expansions
    moments: Array
    lines: tuple[GaplessLine, ...]
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
        """Bound on the error of the sum in every cell."""
        known = self.expansions
        mass = self.moments[..., 0] if len(self.lines) == 1 else self.moments[..., 0, 0]
        if len(self.lines) == 1:
            off = _convolved(mass, known.errors, 0)
            near = _convolved(mass, known.largest, 0)
        else:
            near_first, off_first = (_convolved(mass, part, 0) for part in (known.largest, known.errors))
            near = _convolved(near_first, known.largest, 1)
            off = _convolved(off_first, known.largest + known.errors, 1) + _convolved(near_first, known.errors, 1)
        # Rounding of the sums, and of the points' positions in cells numbered from one end.
        rounding = (2.0**-46 + 2.0**-51 * self.expansions.width * float(max(self.lattice.counts))) * near
        return np.ravel(off + rounding + self.total * known.beyond)

    def near(self, Q: Array, points: Array, log_ratio: float) -> NDArray[np.int64] | None:
        """Indices of the points that matter at queries in the tails: others are 1e-16 of the nearest; or None.

        None where gaps were cut out, or where finding the points would take too long.
        """
        if any(len(line.starts) for line in self.lines):
            return None
        u = (Q - self.lattice.low) * self.lattice.inverse
        extra, width = 2.0 * (log_ratio + 37.0), self.expansions.width
        flags: NDArray[np.uint8] | None
        if len(self.lines) == 1:
            flags = line_near(self.moments[:, 0], u[:, 0], width, extra)
        else:
            flags = plane_near(self.moments[..., 0, 0], u, width, extra)
        return None if flags is None else self.lattice.select(points, flags)

    def sums(self, Q: Array) -> tuple[Array, Array]:
        """Sums at queries (m, d), and bounds on their errors; an infinite bound outside all cells."""
        m = len(Q)
        series, bound = self.series, self.bound
        values, off = np.empty(m), np.empty(m)
        rows = 8192

        def work(begin: int) -> None:
            part = slice(begin, begin + rows)
            x, lost = Q[part], np.zeros(len(Q[part]), dtype=bool)
            if any(len(line.starts) for line in self.lines):
                moved = [line.along(x[:, j]) for j, line in enumerate(self.lines)]
                x = np.column_stack([point for point, _ in moved])
                lost = np.any([outside for _, outside in moved], axis=0)
            values[part], cells = self.lattice.values(np.ascontiguousarray(x), series)
            off[part] = np.where((cells < 0) | lost, np.inf, bound[cells])

        for_each(work, iter(range(0, m, rows)))
        return values, off


def _convolved(mass: Array, weights: Array, axis: int) -> Array:
    """Masses of cells around every cell along an axis, weighted by their distance."""
    return np.asarray(ndimage.convolve1d(mass, weights, axis=axis, mode="constant"))
