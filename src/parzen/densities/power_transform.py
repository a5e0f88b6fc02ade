"""Power transforms of columns: John and Draper's, about a location and in units of a scale."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array

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
        """Transformed rows; a missing cell stays missing, and an infinite one infinite."""
        z = self._relative(X)
        logs = np.log1p(np.abs(z))
        straight = self.power > 0
        exponent = np.where(straight, self.power, 1.0)
        powers = np.expm1(np.minimum(exponent * logs, LARGEST)) / exponent
        return np.copysign(np.where(straight & np.isfinite(logs), powers, logs), z)

    def inverse(self, Y: Array) -> Array:
        """Rows from transformed ones."""
        size = np.abs(Y)
        straight = self.power > 0
        logs = np.where(straight, np.log1p(self.power * size) / np.where(straight, self.power, 1.0), size)
        return self.location + self.scale * np.copysign(np.expm1(np.minimum(logs, LARGEST)), Y)

    def log_slope(self, X: NDArray[np.floating]) -> Array:
        """Logarithm of the transform's derivative at each cell, (n, d); 0 where it is missing."""
        z = self._relative(X)
        slopes = (self.power - 1.0) * np.log1p(np.abs(z)) - np.log(self.scale)
        return np.where(np.isnan(z), 0.0, slopes)

    def select(self, columns: list[int]) -> "PowerTransform":
        """The transform of some of the columns."""
        return PowerTransform(self.power[columns], self.location[columns], self.scale[columns])

    def _relative(self, X: NDArray[np.floating]) -> Array:
        with np.errstate(over="ignore"):
            z: Array = (np.asarray(X, dtype=np.float64) - self.location) / self.scale
        return np.where(np.isinf(z) & np.isfinite(X), np.copysign(1e300, z), z)
