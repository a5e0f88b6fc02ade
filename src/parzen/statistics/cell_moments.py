"""Chebyshev moments of rows in the cells of a grid that is anchored at zero: those of shards add."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, refuse

#: Most numbers that cells may hold.
MOST_NUMBERS = 2**25


@dataclass(frozen=True)
class CellMoments(Statistic):
    """Moments of the rows of K groups in the cells of a grid: what a kernel density needs of rows that don't fit.

    Adding puts cells together. The size grows with the cells that hold a row, never with the rows.

    Attributes
    ----------
    cells : array of shape (M, 1 + d), int64
        Group and place of each cell in use, in order.
    moments : array of shape (M, p ** d)
        Weighted sums of the products of Chebyshev polynomials of the place within the cell; the first is the weight.
    groups, width : int
        K and d.
    """

    cells: NDArray[np.int64] = field(metadata={"plain": True})
    moments: Array
    groups: int = field(metadata={"plain": True})
    width: int = field(metadata={"plain": True})

    def __add__(self, other: Self) -> Self:
        if (self.groups, self.width) != (other.groups, other.width):
            refuse((self.groups, self.width), (other.groups, other.width))
        if not len(other.cells):
            return self
        if not len(self.cells):
            return other
        cells = np.concatenate([self.cells, other.cells])
        moments = np.concatenate([self.moments, other.moments])
        cells, moments = _merged(cells, moments)
        return replace(self, cells=cells, moments=moments)

    def __rmul__(self, scale: float) -> Self:
        kept = slice(None) if scale else slice(0)
        return replace(self, cells=self.cells[kept], moments=scale * self.moments[kept])

    def pooled(self) -> Self:
        cells = self.cells.copy()
        cells[:, 0] = 0
        cells, moments = _merged(cells, self.moments)
        return replace(self, cells=cells, moments=moments, groups=1)

    def of_group(self, k: int) -> tuple[NDArray[np.int64], Array]:
        """Places (M, d) and moments of one group's cells."""
        begin, end = np.searchsorted(self.cells[:, 0], [k, k + 1])
        return self.cells[begin:end, 1:], self.moments[begin:end]

    def canonical(self) -> Self:
        cells, moments = _merged(self.cells, self.moments)
        return replace(self, cells=cells, moments=moments)

    @cached_property
    def weight(self) -> Array:
        """Weight of the rows of each group, (K,)."""
        return np.bincount(self.cells[:, 0], self.moments[:, 0], self.groups).astype(np.float64)

    def is_possible(self) -> bool:
        return self.is_finite() and bool((self.moments[:, :1] >= 0).all())


def _merged(cells: NDArray[np.int64], moments: Array) -> tuple[NDArray[np.int64], Array]:
    """Cells in order, each once, and the sums of their moments."""
    if not len(cells):
        return cells, moments
    order = np.lexsort(cells.T[::-1])
    cells = cells[order]
    begin = np.flatnonzero(np.append(True, (cells[1:] != cells[:-1]).any(axis=1)))
    if len(begin) * moments.shape[1] > MOST_NUMBERS:
        raise ValueError(
            f"rows lie in {len(begin):,} cells, whose moments would take {8e-9 * len(begin) * moments.shape[1]:,.1f} "
            "GB of memory: they reach over too many bandwidths. Give a wider bandwidth, or leave out far rows."
        )
    return np.ascontiguousarray(cells[begin]), np.add.reduceat(moments[order], begin, axis=0)
