"""Poisson columns, evaluated by deviances (Loader 2000), so that counts of 1e15 keep their digits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.count_columns import CountColumns
from parzen.densities.special import HALF_LOG_TWO_PI, deviance, stirling_error


def poisson(x: Array, rate: Any) -> Array:
    """Log-probability of counts x at a rate."""
    positive = np.where(x > 0, x, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = -deviance(positive, rate) - stirling_error(positive) - 0.5 * np.log(positive) - HALF_LOG_TWO_PI
    return np.where(x > 0, np.where(rate == 0, -np.inf, values), -rate)


@dataclass(frozen=True)
class PoissonDensity(CountColumns):
    """K products of Poisson columns.

    Attributes
    ----------
    rate : array of shape (K, d)
    """

    rate: Array

    def log_probability(self, x: Array) -> Array:
        return poisson(x, self.rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return rng.poisson(self.rate[labels]).astype(np.float64)

    def expectation(self) -> Array:
        return self.rate
