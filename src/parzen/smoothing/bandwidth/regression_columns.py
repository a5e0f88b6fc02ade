"""Bandwidths of a regression or of a conditional density: their range for each column, and as numbers without units."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.categories import Category

#: Powers of two that rules of thumb are multiplied by at the start of a search.
OCTAVES = np.arange(-4.0, 20.01, 0.5)


@dataclass(frozen=True, eq=False)
class RegressionColumns:
    """Spread of the columns of numbers, and kinds of the columns of categories.

    Attributes
    ----------
    deviation : array of shape (d,)
        Standard deviation of each column of numbers; 0 where it is constant.
    reach : array of shape (d,)
        Maximum minus minimum of each.
    kinds : tuple of e `Category`
    widen : float
        Ratio of the kernel function's bandwidths to a Gaussian's.
    """

    deviation: Array
    reach: Array
    kinds: tuple[Category, ...] = ()
    widen: float = 1.0

    @classmethod
    def of(
        cls, X: Array, kinds: tuple[Category, ...] = (), weights: Array | None = None, widen: float = 1.0
    ) -> "RegressionColumns":
        """The columns of rows."""
        if not X.shape[1]:
            return cls(np.zeros(0), np.zeros(0), kinds, widen)
        off = X - X[0]
        middle = np.average(off, axis=0, weights=weights)
        deviation = np.sqrt(np.average((off - middle) ** 2, axis=0, weights=weights))
        reach = np.ptp(X, axis=0)
        return cls(np.where(reach > 0, deviation, 0.0), reach, kinds, widen)

    def thumb(self, n: float) -> Array:
        """Bandwidths by a rule of thumb for n rows: the normal reference, and its rate for categories."""
        d = max(len(self.deviation), 1)
        h = np.where(self.deviation > 0, 1.06 * self.widen * self.deviation * n ** (-1.0 / (4 + d)), 1.0)
        return np.append(h, [kind.most * n ** (-2.0 / (4 + d)) for kind in self.kinds])

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which columns vary; the bandwidth of a constant one does not matter."""
        return np.append(self.deviation > 0, [kind.size > 1 for kind in self.kinds]).astype(bool)


class BandwidthScale:
    """Bandwidths as numbers without units: octaves above a rule of thumb, and fractions of the widest of categories."""

    def __init__(self, columns: RegressionColumns, thumb: Array) -> None:
        self.thumb, self.d = thumb, len(columns.deviation)
        self.free = columns.free
        self.most = np.array([kind.most for kind in columns.kinds])
        wide = np.where(columns.reach > 0, np.log2(np.maximum(20.0 * columns.reach / thumb[: self.d], 2.0**5)), 5.0)
        self.ends = (
            np.append(np.full(self.d, -8.0), np.zeros(len(self.most))),
            np.append(wide, np.ones(len(self.most))),
        )

    @property
    def octaves(self) -> Array:
        """Starting values of the columns of numbers."""
        if not self.d or not self.free[: self.d].any():
            return np.zeros(1)
        widest = float(self.ends[1][: self.d][self.free[: self.d]].max())
        return np.append(OCTAVES[widest > OCTAVES], widest)

    @property
    def fractions(self) -> tuple[float, ...]:
        """Starting values of the columns of categories."""
        return (0.02, 0.2, 0.7) if self.free[self.d :].any() else (0.2,)

    def start(self, octave: float, fraction: float) -> Array:
        """A start, the same for all columns."""
        return np.append(np.full(self.d, octave), np.full(len(self.most), fraction))

    def bandwidth(self, theta: Array) -> Array:
        """The bandwidths that numbers without units stand for."""
        inside = np.clip(theta, *self.ends)
        return np.append(self.thumb[: self.d] * 2.0 ** inside[: self.d], self.most * inside[self.d :])
