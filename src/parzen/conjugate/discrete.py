"""Priors of probabilities and rates: Beta, Dirichlet, Gamma."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, gammaincinv, gammaln

from parzen.compute.arrays import Array
from parzen.compute.codes import tally
from parzen.compute.moments import sums
from parzen.conjugate.base import Conjugate, as_column, checked_parameters, level_tails, plain, squeezed, two_axes
from parzen.densities.bernoulli import BernoulliDensity
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.negative_binomial import NegativeBinomialDensity
from parzen.densities.special import dirichlet
from parzen.statistics.counts import Counts
from parzen.statistics.sums import Sums

BORDER = (
    "the mode lies at the border of the simplex: a category has posterior concentration {value:g}, and MAP needs it "
    "above 1; use a prior above 1 (Dirichlet(2), Beta(2, 2)), or estimate='bayes', or ask for estimate='ml'."
)


@dataclass(frozen=True, repr=False)
class Beta(Conjugate):
    """Beta(a, b) prior of the probability of a one; the statistic is `Sums` (weight: rows, totals: ones).

    Examples
    --------
    >>> posterior = Beta(2, 2).posterior([1, 1])           # two heads, no tail
    >>> Beta(2, 2).maximum_likelihood([1, 1]), posterior.mode(), round(posterior.mean(), 4)
    (1.0, 0.75, 0.6667)
    """

    a: Any
    b: Any

    def __post_init__(self) -> None:
        checked_parameters(self, a={"above": 0}, b={"above": 0})

    def raised(self) -> "Beta":
        return Beta(self.a + 1, self.b + 1)

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Sums:
        X, w = as_column(data, weights)
        if not ((X == 0) | (X == 1) | np.isnan(X)).all():
            raise ValueError("data must be 0 or 1 (NaN where missing); give anything else as X > threshold.")
        return squeezed(Sums(*sums(X, w)))

    def update(self, statistic: Sums | Counts) -> "Beta":
        if isinstance(statistic, Counts):  # zeros and ones counted apart, column by column
            pairs = statistic.counts.reshape(len(statistic.counts), -1, 2)
            return Beta(self.a + pairs[:, :, 1], self.b + pairs[:, :, 0])
        return Beta(self.a + statistic.totals, self.b + (statistic.weight - statistic.totals))

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        after = self.posterior(data, weights)
        return plain(betaln(after.a, after.b) - betaln(self.a, self.b))

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        told = self._told(data, weights)
        if isinstance(told, Counts):
            pairs = told.counts.reshape(len(told.counts), -1, 2)
            return pairs[:, :, 1] / pairs.sum(axis=2)
        return plain(told.totals / told.weight)

    def mode(self) -> Any:
        low = np.minimum(self.a, self.b).min()
        if low <= 1:
            raise ValueError(BORDER.format(value=low))
        return plain((self.a - 1) / (self.a + self.b - 2))

    def mean(self) -> Any:
        return plain(self.a / (self.a + self.b))

    def interval(self, level: float = 0.95) -> Any:
        low, high = level_tails(level)
        return plain(betaincinv(self.a, self.b, low)), plain(betaincinv(self.a, self.b, high))

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Array:
        return np.random.default_rng(rng).beta(self.a, self.b, size=(size, *np.broadcast(self.a, self.b).shape))

    def predictive(self) -> BernoulliDensity:
        a, b = (two_axes(part) for part in np.broadcast_arrays(self.a, self.b))
        both = a + b
        whole = np.log(both[:, :1] if (both == both[:, :1]).all() else both)  # mostly one for all columns
        return BernoulliDensity(np.log(b) - whole, np.log(a) - whole)


@dataclass(frozen=True, repr=False)
class Dirichlet(Conjugate):
    """Dirichlet prior of the probabilities of categories (the last axis); the statistic is `Counts` of one column.

    Examples
    --------
    >>> posterior = Dirichlet([1, 1, 1]).posterior([0, 0, 2])     # codes of what was seen
    >>> posterior.mean()
    array([0.5       , 0.16666667, 0.33333333])
    """

    concentration: Any

    def __post_init__(self) -> None:
        checked_parameters(self, concentration={"above": 0})
        if self.concentration.ndim == 0:
            object.__setattr__(self, "concentration", self.concentration.reshape(1))

    def raised(self) -> "Dirichlet":
        return Dirichlet(self.concentration + 1)

    def statistic(self, data: ArrayLike, weights: ArrayLike | None = None) -> Counts:
        X, w = as_column(data, weights)
        size = self.concentration.shape[-1]
        if X.shape[1] != 1 or not ((X >= 0) & (size > X) & (np.floor(X) == X) | np.isnan(X)).all():
            raise ValueError(f"data must be one column of codes 0 to {size - 1}, one for each concentration.")
        return Counts(tally(X, w, (size,)), (size,))

    def update(self, statistic: Counts | Sums) -> "Dirichlet":
        if isinstance(statistic, Counts) and len(statistic.sizes) != 1:
            raise ValueError(
                f"a Dirichlet speaks of one column, but the counts have {len(statistic.sizes)}; take them one by one."
            )
        counts = statistic.counts if isinstance(statistic, Counts) else statistic.totals
        return Dirichlet(
            self.concentration + (counts[0] if len(counts) == 1 and self.concentration.ndim == 1 else counts)
        )

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        return plain(self.posterior(data, weights)._log_normaliser() - self._log_normaliser())

    def _log_normaliser(self) -> Any:
        return gammaln(self.concentration).sum(axis=-1) - gammaln(self.concentration.sum(axis=-1))

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        told = self._told(data, weights)
        counts = np.squeeze(told.counts if isinstance(told, Counts) else told.totals)
        return counts / counts.sum(axis=-1, keepdims=True)

    def mode(self) -> Any:
        low = self.concentration.min()
        if low <= 1:
            raise ValueError(BORDER.format(value=low))
        return (self.concentration - 1) / (self.concentration - 1).sum(axis=-1, keepdims=True)

    def mean(self) -> Any:
        return self.concentration / self.concentration.sum(axis=-1, keepdims=True)

    def interval(self, level: float = 0.95) -> Any:
        rest = self.concentration.sum(axis=-1, keepdims=True) - self.concentration
        return Beta(self.concentration, rest).interval(level)

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> Array:
        rows = np.broadcast_to(self.concentration, (size, *self.concentration.shape))
        return dirichlet(rows, np.random.default_rng(rng))

    def predictive(self) -> CategoricalDensity:
        concentration = two_axes(self.concentration)
        logs = np.log(concentration) - np.log(concentration.sum(axis=1, keepdims=True))
        return CategoricalDensity(logs, (concentration.shape[1],), open_ended=False)


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
        told = self._told(data, weights)
        if told.base is None:
            raise ValueError(
                "the evidence of counts needs the sum of log x!, which this statistic lacks; give the rows."
            )
        if (self.rate == 0).any():
            raise ValueError(
                "the prior has rate 0 and integrates to infinity, so no evidence exists; give a rate above 0."
            )
        return plain(self.update(told)._log_normaliser() - self._log_normaliser() + told.base)

    def _log_normaliser(self) -> Any:
        return gammaln(self.shape) - self.shape * np.log(self.rate)

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        told = self._told(data, weights)
        return plain(told.totals / told.weight)

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
            raise ValueError("a Gamma of rate 0 is no distribution before it has met data; give a rate above 0.")
