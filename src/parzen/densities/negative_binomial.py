"""Negative binomial columns: Poisson columns whose rates have Gamma distributions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.count_columns import CountColumns
from parzen.densities.special import HALF_LOG_TWO_PI, deviance, stirling_error


def negative_binomial(x: Array, concentration: Any, rate: Any) -> Array:
    """Log-probability of counts x whose Poisson rate is Gamma(concentration, rate)."""
    # r / (r + x) times a binomial probability of x among r + x trials, by deviances as in Loader's dbinom.
    positive = np.where(x > 0, x, 1.0)
    trials = positive + concentration
    error = stirling_error(trials) - stirling_error(positive) - stirling_error(concentration)
    spread = deviance(positive, trials / (1.0 + rate)) + deviance(concentration, trials * (rate / (1.0 + rate)))
    logs = 0.5 * (np.log(concentration) - np.log(positive) - np.log(trials))
    return np.where(x > 0, error - spread + logs - HALF_LOG_TWO_PI, -concentration * np.log1p(1.0 / rate))


@dataclass(frozen=True)
class NegativeBinomialDensity(CountColumns):
    """K products of Poisson columns whose rates have Gamma distributions.

    Attributes
    ----------
    concentration, rate : arrays of shape (K, d)
        Shape and rate of the Gamma.
    """

    concentration: Array
    rate: Array

    def log_probability(self, x: Array) -> Array:
        return negative_binomial(x, self.concentration, self.rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return rng.poisson(rng.gamma(self.concentration[labels], 1.0 / self.rate[labels])).astype(np.float64)
