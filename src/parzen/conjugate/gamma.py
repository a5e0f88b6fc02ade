"""Gamma priors of Poisson rates."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, gammaln, xlogy

from parzen.compute.arrays import Array
from parzen.compute.moments import sums
from parzen.conjugate.base import Conjugate
from parzen.conjugate.parameters import as_column, checked_parameters, level_tails, plain, squeezed, two_axes
from parzen.densities.negative_binomial import NegativeBinomialDensity
from parzen.statistics.sums import Sums

NEEDS_BASE = "the likelihood of counts needs the sum of log x!, which this statistic lacks; give the rows."


@dataclass(frozen=True, repr=False)
class Gamma(Conjugate):
    """Gamma(shape, rate) prior of a Poisson rate; the statistic is `Sums` (weight: rows, totals: counts).

    A rate of 0 is allowed in a prior: ``Gamma(0.5, 0)`` is Jeffreys'.

    Examples
    --------
    >>> posterior = Gamma(1, 1).posterior([3, 4, 2])
    >>> posterior.mean(), posterior.mode(), [round(end, 3) for end in posterior.interval(0.9)]
    (2.5, 2.25, [1.356, 3.926])
    """

    shape: Any
    rate: Any

    def __post_init__(self) -> None:
        checked_parameters(self, shape={"above": 0}, rate={"least": 0})

    def raised(self) -> "Gamma":
        return Gamma(self.shape + 1, self.rate)

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Sums:
        X, w = as_column(data, weights)
        if not ((X >= 0) & (np.floor(X) == X) | np.isnan(X)).all():
            raise ValueError("data must be counts 0, 1, 2, ... (NaN where missing).")
        counted = Sums(*sums(X, w))
        return squeezed(replace(counted, base=sums(-gammaln(X + 1), w)[1]))

    def update(self, statistic: Sums) -> "Gamma":
        return Gamma(self.shape + statistic.totals, self.rate + statistic.weight)

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        if observed.base is None:
            raise ValueError(NEEDS_BASE)
        if (self.rate == 0).any():
            raise ValueError(
                "the prior has rate 0 and is improper, so that the evidence does not exist; give a rate above 0."
            )
        return plain(self.update(observed)._log_normaliser() - self._log_normaliser() + observed.base)

    def log_density(self, theta: Any) -> Any:
        """Log-density of rates; minus infinity below zero."""
        self._proper()
        rate = np.asarray(theta, dtype=np.float64)
        known = np.maximum(rate, 0.0)
        with np.errstate(divide="ignore"):
            values = xlogy(self.shape - 1, known) - self.rate * known - self._log_normaliser()
        return plain(np.where(rate < 0, -np.inf, values))

    def log_likelihood(self, theta: Any, data: Any, weights: ArrayLike | None = None) -> Any:
        observed, rate = self._statistic_of(data, weights), np.asarray(theta, dtype=np.float64)
        if observed.base is None:
            raise ValueError(NEEDS_BASE)
        with np.errstate(divide="ignore"):
            return plain(xlogy(observed.totals, rate) - observed.weight * rate + observed.base)

    def _log_normaliser(self) -> Any:
        return gammaln(self.shape) - self.shape * np.log(self.rate)

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        return plain(observed.totals / observed.weight)

    def mode(self) -> Any:
        self._proper()
        return plain(np.maximum(self.shape - 1, 0) / self.rate)

    def mean(self) -> Any:
        self._proper()
        return plain(self.shape / self.rate)

    def interval(self, level: float = 0.95) -> Any:
        self._proper()
        low, high = level_tails(level)
        return plain(gammaincinv(self.shape, low) / self.rate), plain(gammaincinv(self.shape, high) / self.rate)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Array:
        self._proper()
        shape = (size, *np.broadcast(self.shape, self.rate).shape)
        return np.random.default_rng(rng).gamma(self.shape, 1 / self.rate, size=shape)

    def predictive(self) -> NegativeBinomialDensity:
        self._proper()
        shape, rate = (two_axes(part) for part in np.broadcast_arrays(self.shape, self.rate))
        return NegativeBinomialDensity(shape, rate)

    def _proper(self) -> None:
        if (self.rate == 0).any():
            raise ValueError("a Gamma of rate 0 is an improper prior; give a rate above 0, or take its posterior.")
