"""Beta priors of probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln, xlog1py, xlogy

from parzen.compute.arrays import Array
from parzen.compute.moments import sums
from parzen.conjugate.base import Conjugate
from parzen.conjugate.parameters import (
    as_column,
    checked_parameters,
    level_tails,
    parameter,
    plain,
    squeezed,
    two_axes,
)
from parzen.densities.bernoulli import BernoulliDensity
from parzen.statistics.counts import Counts
from parzen.statistics.sums import Sums

#: Error of concentrations at which the density is unbounded.
UNBOUNDED = (
    "there is no mode: a category has concentration {value:g}, and below 1 the density grows without bound at the "
    "border of the simplex; use a prior of at least 1 (Dirichlet(2), Beta(2, 2)), or estimate='bayes', or ask for "
    "estimate='ml'."
)
#: Error of concentrations that are all one.
LEVEL = (
    "the mode is not unique: all concentrations are 1, so that the density is the same everywhere on the simplex; give "
    "data, or a prior above 1 (Dirichlet(2), Beta(2, 2)), or use estimate='bayes'."
)


@dataclass(frozen=True, repr=False)
class Beta(Conjugate):
    """Beta(a, b) prior of the probability of a one; the statistic is `Sums` (weight: rows, totals: ones).

    Data are zeros and ones, so that ``posterior([1, 0])`` has seen two flips; counts are given by name, as ``heads=``
    and ``tails=``.

    Examples
    --------
    >>> posterior = Beta(2, 2).posterior([1, 1])           # two heads, no tail
    >>> Beta(2, 2).maximum_likelihood([1, 1]), posterior.mode(), round(posterior.mean(), 4)
    (1.0, 0.75, 0.6667)
    >>> Beta(2, 2).posterior(heads=55, tails=45)
    Beta(a=57.0, b=47.0)
    >>> posterior.density([0.25, 0.75]).round(4)           # 20 p^3 (1 - p)
    array([0.2344, 2.1094])
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
            raise ValueError(
                "data must be 0 or 1 (NaN where missing); give counts by name, as heads=3, tails=1, and anything else "
                "as X > threshold."
            )
        return squeezed(Sums(*sums(X, w)))

    def update(self, statistic: Sums | Counts) -> "Beta":
        ones, zeros = _ones_and_zeros(statistic)
        return Beta(self.a + ones, self.b + zeros)

    def posterior(
        self, data: Any = None, weights: ArrayLike | None = None, *, heads: Any = None, tails: Any = None
    ) -> "Beta":
        """Posterior given zeros and ones, a statistic of them, or counts: ``heads=3, tails=1``."""
        return self.update(self._seen(data, weights, heads, tails))

    def log_evidence(
        self, data: Any = None, weights: ArrayLike | None = None, *, heads: Any = None, tails: Any = None
    ) -> Any:
        after = self.update(self._seen(data, weights, heads, tails))
        return plain(betaln(after.a, after.b) - betaln(self.a, self.b))

    def maximum_likelihood(
        self, data: Any = None, weights: ArrayLike | None = None, *, heads: Any = None, tails: Any = None
    ) -> Any:
        ones, zeros = _ones_and_zeros(self._seen(data, weights, heads, tails))
        return plain(ones / (ones + zeros))

    def log_density(self, theta: Any) -> Any:
        """Log-density of probabilities of a one; minus infinity outside [0, 1]."""
        p = np.asarray(theta, dtype=np.float64)
        inside = (p >= 0) & (p <= 1)
        p = np.where(inside, p, 0.5)
        with np.errstate(divide="ignore"):
            values = xlogy(self.a - 1, p) + xlog1py(self.b - 1, -p) - betaln(self.a, self.b)
        return plain(np.where(inside, values, -np.inf))

    def log_likelihood(
        self, theta: Any, data: Any = None, weights: ArrayLike | None = None, *, heads: Any = None, tails: Any = None
    ) -> Any:
        ones, zeros = _ones_and_zeros(self._seen(data, weights, heads, tails))
        p = np.asarray(theta, dtype=np.float64)
        with np.errstate(divide="ignore"):
            return plain(xlogy(ones, p) + xlog1py(zeros, -p))

    def _seen(self, data: Any, weights: ArrayLike | None, heads: Any, tails: Any) -> Any:
        """The statistic of data, or of counts of ones and zeros."""
        if heads is None and tails is None:
            if data is None:
                raise TypeError("give data, zeros and ones, or counts by name: heads=3, tails=1.")
            return self._statistic_of(data, weights)
        if data is not None or weights is not None:
            raise TypeError("give either data or counts (heads=, tails=), not both.")
        ones, zeros = (counts_of(name, value) for name, value in (("heads", heads), ("tails", tails)))
        return Sums(ones + zeros, ones)

    def mode(self) -> Any:
        """Mode; at 0 or 1 where a concentration is 1, as of a uniform prior and flips that all agree."""
        check_mode(np.stack(np.broadcast_arrays(self.a, self.b), axis=-1))
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
        whole = np.log(both[:, :1] if (both == both[:, :1]).all() else both)  # often the same for all columns
        return BernoulliDensity(np.log(b) - whole, np.log(a) - whole)


def check_mode(concentration: Array) -> None:
    """Raise where a Dirichlet density has no mode, or more than one."""
    low = concentration.min()
    if low < 1:
        raise ValueError(UNBOUNDED.format(value=low))
    if concentration.shape[-1] > 1 and (concentration == 1).all(axis=-1).any():
        raise ValueError(LEVEL)


def counts_of(name: str, value: Any) -> Array:
    """Counts that are given by name, as an array; none are zero."""
    return parameter(name, 0.0 if value is None else value, least=0)


def _ones_and_zeros(statistic: Sums | Counts) -> tuple[Array, Array]:
    if isinstance(statistic, Counts):
        pairs = statistic.counts.reshape(len(statistic.counts), -1, 2)
        return pairs[:, :, 1], pairs[:, :, 0]
    return statistic.totals, statistic.weight - statistic.totals
