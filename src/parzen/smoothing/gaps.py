"""A column of points with its long gaps cut out, so that a grid of cells has no long empty stretches."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.expansion import REACH


@dataclass(frozen=True)
class GaplessLine:
    """A column of points in which gaps longer than the kernel's reach are cut out.

    Attributes
    ----------
    low, length : the least point, and the length of the column without the cuts
    starts : array of shape (cuts,)
        Point from which on each cut applies.
    ends : array of shape (cuts,)
        Point up to which queries lie before each cut; queries between `ends` and `starts` are lost.
    shifts : array of shape (cuts + 1,)
        Length that is subtracted after each cut.
    """

    low: float
    length: float
    starts: Array
    ends: Array
    shifts: Array

    @classmethod
    def of(cls, x: Array, low: float, high: float, width: float, unit: float) -> "GaplessLine":
        """The line of points x (n,) from low to high, cut where it would need very many cells."""
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
        """Points on the line without its cuts, and which of them lie in a cut."""
        if not len(self.starts):
            return x, np.zeros(len(x), dtype=bool)
        part = np.searchsorted(self.starts, x, side="right")
        after = np.minimum(part, len(self.ends) - 1)
        lost = (part < len(self.ends)) & (x > self.ends[after])
        return x - self.shifts[part], lost
