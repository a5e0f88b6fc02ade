"""Uniform densities in boxes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.densities.parametric import IndependentColumns


@dataclass(frozen=True)
class UniformDensity(IndependentColumns):
    """K products of uniform columns: a constant density in a box.

    Attributes
    ----------
    low, high : arrays of shape (K, d)
    """

    low: Array
    high: Array

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        out = np.empty((len(X), len(self.low)))
        for k, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            cells = np.where((low > X) | (high < X), -np.inf, -np.log(high - low))
            out[:, k] = np.where(np.isnan(X), 0.0, cells).sum(axis=1)
        return out

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.low[labels] + (self.high - self.low)[labels] * rng.random((len(labels), self.shape[1]))

    def expectation(self) -> Array:
        return 0.5 * (self.low + self.high)
