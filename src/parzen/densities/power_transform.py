"""Power transforms of columns: Yeo and Johnson's, about a location and in units of a scale."""

from dataclasses import dataclass

import numpy as np

from parzen.compute.arrays import Array

#: Largest exponent of exp: beyond, it overflows.
LARGEST = 700.0


@dataclass(frozen=True)
class PowerTransform:
    r"""Yeo and Johnson's (2000) transform of d columns, of :math:`z = (x - c) / s`.

    It is :math:`((1 + z)^\lambda - 1) / \lambda` for z at least 0, and
    :math:`-((1 - z)^{2 - \lambda} - 1) / (2 - \lambda)` below; the logarithm where an exponent is 0. With
    :math:`0 \le \lambda \le 2` it rises from minus to plus infinity, so that a density of transformed values is one of
    the values.

    Attributes
    ----------
    power, location, scale : arrays of shape (d,)
    """

    power: Array
    location: Array
    scale: Array

    def forward(self, X: Array) -> Array:
        """Transformed rows; a missing cell stays missing."""
        z = self._relative(X)
        exponent = np.where(z < 0, 2.0 - self.power, self.power)
        return np.copysign(_power(np.log1p(np.abs(z)), exponent), z)

    def inverse(self, Y: Array) -> Array:
        """Rows from transformed ones."""
        exponent = np.where(Y < 0, 2.0 - self.power, self.power)
        size = np.abs(Y)
        straight = exponent > 0
        logs = np.where(straight, np.log1p(exponent * size) / np.where(straight, exponent, 1.0), size)
        return self.location + self.scale * np.copysign(np.expm1(np.minimum(logs, LARGEST)), Y)

    def log_slope(self, X: Array) -> Array:
        """Logarithm of the transform's derivative at each cell, (n, d); 0 where it is missing."""
        z = self._relative(X)
        slopes = np.copysign((self.power - 1.0) * np.log1p(np.abs(z)), (self.power - 1.0) * z) - np.log(self.scale)
        return np.where(np.isnan(z), 0.0, slopes)

    def select(self, columns: list[int]) -> "PowerTransform":
        """The transform of some of the columns."""
        return PowerTransform(self.power[columns], self.location[columns], self.scale[columns])

    def _relative(self, X: Array) -> Array:
        return (np.asarray(X, dtype=np.float64) - self.location) / self.scale


def _power(logs: Array, exponent: Array) -> Array:
    """(e^(a u) - 1) / a of logarithms u at least 0, their limit u where a is 0."""
    straight = exponent > 0
    return np.where(straight, np.expm1(np.minimum(exponent * logs, LARGEST)) / np.where(straight, exponent, 1.0), logs)
