"""Power transforms of columns: John and Draper's, about a location and in units of a scale."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.power import power_forward

#: Largest exponent of exp: the squares of its values don't overflow.
LARGEST = 300.0


@dataclass(frozen=True)
class PowerTransform:
    r"""John and Draper's (1980) modulus transform of d columns, of :math:`z = (x - c) / s`.

    It is :math:`\pm ((1 + |z|)^\lambda - 1) / \lambda` with the sign of z, and the logarithm :math:`\pm \log(1 + |z|)`
    where :math:`\lambda = 0`: near c a line, far from it a power, to both sides. It rises from minus to plus infinity,
    so that a density of transformed values is one of the values, and a value beyond those seen before is not far off.

    Attributes
    ----------
    power, location, scale : arrays of shape (d,)
    """

    power: Array
    location: Array
    scale: Array

    def forward(self, X: NDArray[np.floating]) -> Array:
        """Transformed rows, or one row; a missing cell stays missing, and an infinite one infinite."""
        rows: Array = np.asarray(X, dtype=np.float64)
        if rows.ndim == 1:
            return self.forward(rows[None])[0]
        if rows.shape[1] == 1:
            return power_forward(rows[:, 0], *self._parameters(0))[:, None]
        out = np.empty(rows.shape)
        for j in range(rows.shape[1]):
            out[:, j] = power_forward(rows[:, j], *self._parameters(j))
        return out

    def inverse(self, Y: Array) -> Array:
        """Rows from transformed ones."""
        size = np.abs(Y)
        straight = self.power > 0
        logs = np.where(straight, np.log1p(self.power * size) / np.where(straight, self.power, 1.0), size)
        return self.location + self.scale * np.copysign(np.expm1(np.minimum(logs, LARGEST)), Y)

    def log_slope(self, X: NDArray[np.floating]) -> Array:
        """Logarithm of the transform's derivative at each cell, (n, d); 0 where it is missing."""
        rows: Array = np.asarray(X, dtype=np.float64)
        out = np.empty(rows.shape[::-1])
        for j, slopes in enumerate(out):
            power_forward(rows[:, j], *self._parameters(j), slopes)
        return out.T

    def select(self, columns: list[int]) -> "PowerTransform":
        """The transform of some of the columns."""
        return PowerTransform(self.power[columns], self.location[columns], self.scale[columns])

    def _parameters(self, j: int) -> tuple[float, float, float, float]:
        return float(self.power[j]), float(self.location[j]), float(self.scale[j]), LARGEST
