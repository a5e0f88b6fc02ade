"""Densities that are level in a box."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density


@dataclass(frozen=True)
class UniformDensity(Density):
    """K boxes of independent columns, in which the density is level.

    Attributes
    ----------
    low, high : arrays of shape (K, d)
    """

    low: Array
    high: Array

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.low.shape
        return K, d

    @property
    def independent_columns(self) -> bool:
        return True

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        out = np.empty((len(X), len(self.low)))
        for k, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            cells = np.where((low > X) | (high < X), -np.inf, -np.log(high - low))
            out[:, k] = np.where(np.isnan(X), 0.0, cells).sum(axis=1)
        return out

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.low[labels] + (self.high - self.low)[labels] * rng.random((len(labels), self.shape[1]))

    def marginal(self, columns: Sequence[int]) -> "UniformDensity":
        kept = chosen(self.shape[1], columns)
        return UniformDensity(np.ascontiguousarray(self.low[:, kept]), np.ascontiguousarray(self.high[:, kept]))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "UniformDensity":
        return self.marginal(others(self.shape[1], columns, values))

    def expectation(self) -> Array:
        return 0.5 * (self.low + self.high)
