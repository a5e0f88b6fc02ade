"""Normal-inverse-Gamma priors of a Gaussian's mean and variance."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, gammaln, stdtrit

from parzen.conjugate.base import Conjugate
from parzen.conjugate.normal import (
    LOG_TWO_PI,
    NormalParameters,
    column_moments,
    normal_log_likelihood,
    tied_parameter,
)
from parzen.conjugate.parameters import checked_parameters, level_tails, plain, two_axes
from parzen.densities.student import StudentDensity
from parzen.statistics.moments import Moments


@dataclass(frozen=True, repr=False)
class NormalInverseGamma(Conjugate):
    """Prior of the mean and variance of a Normal; the statistic is `Moments` of independent columns.

    The variance is inverse-Gamma(shape, scale); given it, the mean is Normal(location, variance / strength).

    Parameters
    ----------
    location, strength : prior mean of the mean, and the number of rows that it is worth
    shape, scale : of the inverse Gamma prior of the variance, whose mean is scale / (shape - 1)
    sharing : number of means that share each variance; 1 unless `tied`

    Examples
    --------
    >>> posterior = NormalInverseGamma(0, 1, 2, 2).posterior([1.0, 2.0, 3.0])
    >>> posterior.mean()
    NormalParameters(mean=1.5, variance=1.8)
    >>> posterior.predictive().dof
    array([[7.]])
    """

    location: Any
    strength: Any
    shape: Any
    scale: Any
    sharing: int = 1

    def __post_init__(self) -> None:
        checked_parameters(self, location={}, strength={"above": 0}, shape={"above": 0}, scale={"above": 0})

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Moments:
        return column_moments(data, weights)

    def update(self, statistic: Moments) -> "NormalInverseGamma":
        strength = self.strength + statistic.weight
        off = statistic.mean - self.location
        return NormalInverseGamma(
            location=self.location + statistic.weight / strength * off,
            strength=strength,
            shape=self.shape + 0.5 * statistic.weight,
            scale=self.scale + 0.5 * (statistic.scatter + self.strength * statistic.weight / strength * off**2),
        )

    def tied(self, prior: "NormalInverseGamma", axis: int) -> "NormalInverseGamma":
        """Posterior if all means along an axis share one variance with this prior."""
        sizes = np.broadcast_shapes(self.location.shape, self.shape.shape)
        return replace(
            self,
            shape=tied_parameter(self.shape, prior.shape, sizes, axis),
            scale=tied_parameter(self.scale, prior.scale, sizes, axis),
            sharing=self.sharing * sizes[axis],
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        after = self.update(observed)
        return plain(after._log_normaliser() - self._log_normaliser() - 0.5 * observed.weight * LOG_TWO_PI)

    def _log_normaliser(self) -> Any:
        return gammaln(self.shape) - self.shape * np.log(self.scale) - 0.5 * np.log(self.strength)

    def log_density(self, theta: NormalParameters) -> Any:
        """Log-density of means and variances, which are `NormalParameters`."""
        if self.sharing != 1:
            raise ValueError("this posterior is of several means that share a variance; ask for the density of one.")
        mean, variance = (np.asarray(part, dtype=np.float64) for part in (theta.mean, theta.variance))
        inside = variance > 0
        variance = np.where(inside, variance, 1.0)
        squares = self.scale + 0.5 * self.strength * (mean - self.location) ** 2
        values = -(self.shape + 1.5) * np.log(variance) - squares / variance - 0.5 * LOG_TWO_PI - self._log_normaliser()
        return plain(np.where(inside, values, -np.inf))

    def log_likelihood(self, theta: NormalParameters, data: Any, weights: ArrayLike | None = None) -> Any:
        variance = np.asarray(theta.variance, dtype=np.float64)
        return normal_log_likelihood(self._statistic_of(data, weights), theta.mean, variance)

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> NormalParameters:
        observed = self._statistic_of(data, weights)
        return NormalParameters(plain(observed.mean), plain(observed.scatter / observed.weight))

    def mode(self) -> NormalParameters:
        # Each mean that shares a variance adds half a power of it to the joint density.
        return NormalParameters(plain(self.location), plain(self.scale / (self.shape + 1 + 0.5 * self.sharing)))

    def mean(self) -> NormalParameters:
        variance = np.where(self.shape > 1, self.scale / np.where(self.shape > 1, self.shape - 1, 1.0), np.inf)
        return NormalParameters(plain(self.location), plain(variance))

    def interval(self, level: float = 0.95) -> tuple[NormalParameters, NormalParameters]:
        low, high = level_tails(level)
        width = np.sqrt(self.scale / (self.shape * self.strength))

        def end(tail: float) -> NormalParameters:
            variance = self.scale / gammaincinv(self.shape, 1 - tail)
            return NormalParameters(plain(self.location + width * stdtrit(2 * self.shape, tail)), plain(variance))

        return end(low), end(high)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> NormalParameters:
        rng = np.random.default_rng(rng)
        shape = (size, *np.broadcast(self.location, self.strength, self.shape, self.scale).shape)
        variance = self.scale / rng.gamma(self.shape, size=shape)
        return NormalParameters(rng.normal(self.location, np.sqrt(variance / self.strength)), variance)

    def predictive(self) -> StudentDensity:
        spread = np.sqrt(self.scale / self.shape * (1 + 1 / self.strength))
        location, factor, dof = (two_axes(part) for part in np.broadcast_arrays(self.location, spread, 2 * self.shape))
        return StudentDensity(np.ascontiguousarray(location), np.ascontiguousarray(factor), np.ascontiguousarray(dof))
