"""Beta priors of probabilities."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, betaln

from parzen.compute.arrays import Array
from parzen.compute.moments import sums
from parzen.conjugate.base import Conjugate
from parzen.conjugate.parameters import as_column, checked_parameters, level_tails, plain, squeezed, two_axes
from parzen.densities.bernoulli import BernoulliDensity
from parzen.statistics.counts import Counts
from parzen.statistics.sums import Sums

#: Error of a mode that is not unique.
BORDER_MODE = (
    "the mode lies at the border of the simplex: a category has posterior concentration {value:g}, but MAP needs it "
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
        if isinstance(statistic, Counts):  # zeros and ones of each column
            pairs = statistic.counts.reshape(len(statistic.counts), -1, 2)
            return Beta(self.a + pairs[:, :, 1], self.b + pairs[:, :, 0])
        return Beta(self.a + statistic.totals, self.b + (statistic.weight - statistic.totals))

    def log_evidence(self, data: Any, weights: ArrayLike | None = None) -> Any:
        after = self.posterior(data, weights)
        return plain(betaln(after.a, after.b) - betaln(self.a, self.b))

    def maximum_likelihood(self, data: Any, weights: ArrayLike | None = None) -> Any:
        observed = self._statistic_of(data, weights)
        if isinstance(observed, Counts):
            pairs = observed.counts.reshape(len(observed.counts), -1, 2)
            return pairs[:, :, 1] / pairs.sum(axis=2)
        return plain(observed.totals / observed.weight)

    def mode(self) -> Any:
        low = np.minimum(self.a, self.b).min()
        if low <= 1:
            raise ValueError(BORDER_MODE.format(value=low))
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
