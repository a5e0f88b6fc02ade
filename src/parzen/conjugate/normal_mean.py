"""Normal priors of a Gaussian's mean."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from parzen.compute.arrays import Array
from parzen.conjugate.base import Conjugate
from parzen.conjugate.normal import LOG_TWO_PI, column_moments, normal_log_likelihood
from parzen.conjugate.parameters import checked_parameters, level_tails, plain, two_axes
from parzen.densities.gaussian import GaussianDensity
from parzen.statistics.moments import Moments


@dataclass(frozen=True, repr=False)
class NormalMean(Conjugate):
    """Normal prior of the mean of a Normal of known standard deviation; the statistic is `Moments`.

    Parameters
    ----------
    location, deviation : mean and standard deviation of the prior
    noise : the known standard deviation of a row about the mean

    Examples
    --------
    >>> posterior = NormalMean(location=20, deviation=5, noise=3).posterior([24.0])
    >>> round(posterior.mean(), 3), round(float(posterior.deviation), 3)
    (22.941, 2.572)
    >>> posterior.predictive().covariance.round(3)              # wider than noise alone: 3² + 2.572²
    array([[[15.618]]])
    """

    location: Any
    deviation: Any
    noise: Any

    def __post_init__(self) -> None:
        checked_parameters(self, location={}, deviation={"above": 0}, noise={"above": 0})

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Moments:
        return column_moments(data, weights)

    def update(self, statistic: Moments) -> "NormalMean":
        precision = self.deviation**-2 + statistic.weight * self.noise**-2
        share = statistic.weight * self.noise**-2 / precision
        return replace(
            self, location=self.location + share * (statistic.mean - self.location), deviation=precision**-0.5
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        n, variance = observed.weight, self.noise**2
        about = variance + n * self.deviation**2
        squares = observed.scatter / variance + n * (observed.mean - self.location) ** 2 / about
        return plain(-0.5 * (n * (LOG_TWO_PI + np.log(variance)) + np.log(about / variance) + squares))

    def log_density(self, theta: Any) -> Any:
        """Log-density of means."""
        u = (np.asarray(theta, dtype=np.float64) - self.location) / self.deviation
        return plain(-0.5 * (u**2 + LOG_TWO_PI) - np.log(self.deviation))

    def log_likelihood(self, theta: Any, data: Any, weights: ArrayLike | None = None) -> Any:
        return normal_log_likelihood(self._statistic_of(data, weights), theta, self.noise**2)

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        return plain(self._statistic_of(data, weights).mean)

    def mode(self) -> Any:
        return plain(self.location)

    def mean(self) -> Any:
        return plain(self.location)

    def interval(self, level: float = 0.95) -> Any:
        low, high = (self.location + self.deviation * ndtri(tail) for tail in level_tails(level))
        return plain(low), plain(high)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Array:
        shape = (size, *np.broadcast(self.location, self.deviation).shape)
        return np.random.default_rng(rng).normal(self.location, self.deviation, size=shape)

    def predictive(self) -> GaussianDensity:
        spread = np.hypot(self.deviation, self.noise)
        location, deviation = (two_axes(part) for part in np.broadcast_arrays(self.location, spread))
        return GaussianDensity(np.ascontiguousarray(location), np.ascontiguousarray(deviation))
