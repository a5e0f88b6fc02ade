"""Dirichlet priors of the probabilities of categories."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from parzen.compute.arrays import Array
from parzen.compute.codes import tally
from parzen.conjugate.base import Conjugate
from parzen.conjugate.beta import Beta, check_mode, counts_of
from parzen.conjugate.parameters import as_column, checked_parameters, plain, two_axes
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.special import dirichlet
from parzen.statistics.counts import Counts
from parzen.statistics.sums import Sums


@dataclass(frozen=True, repr=False)
class Dirichlet(Conjugate):
    """Dirichlet prior of the probabilities of categories (the last axis); the statistic is `Counts` of one column.

    Data are codes of categories, so that ``posterior([2, 0, 1])`` has seen three; counts are given by name, as
    ``counts=``.

    Examples
    --------
    >>> posterior = Dirichlet([1, 1, 1]).posterior([0, 0, 2])     # codes of what was seen
    >>> posterior.mean()
    array([0.5       , 0.16666667, 0.33333333])
    >>> Dirichlet([1, 1, 1]).posterior(counts=[2, 0, 1])
    Dirichlet(concentration=[3.0, 1.0, 2.0])
    >>> posterior.mode()                                          # of a uniform prior: maximum likelihood
    array([0.66666667, 0.        , 0.33333333])
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
            raise ValueError(
                f"data must be one column of codes 0 to {size - 1}, one for each concentration; give counts by name, "
                f"as counts={[0] * size}."
            )
        return Counts(tally(X, w, (size,)), (size,))

    def update(self, statistic: Counts | Sums) -> "Dirichlet":
        if isinstance(statistic, Counts) and len(statistic.sizes) != 1:
            raise ValueError(
                f"a Dirichlet is a prior of one column, but the counts have {len(statistic.sizes)}; update one by one."
            )
        counts = statistic.counts if isinstance(statistic, Counts) else statistic.totals
        return Dirichlet(
            self.concentration + (counts[0] if len(counts) == 1 and self.concentration.ndim == 1 else counts)
        )

    def posterior(self, data: Any = None, weights: ArrayLike | None = None, *, counts: Any = None) -> "Dirichlet":
        """Posterior given codes of categories, a statistic of them, or the ``counts=`` of all categories."""
        return self.update(self._seen(data, weights, counts))

    def log_evidence(self, data: Any = None, weights: ArrayLike | None = None, *, counts: Any = None) -> Any:
        after = self.update(self._seen(data, weights, counts))
        return plain(after._log_normaliser() - self._log_normaliser())

    def _log_normaliser(self) -> Any:
        return gammaln(self.concentration).sum(axis=-1) - gammaln(self.concentration.sum(axis=-1))

    def maximum_likelihood(self, data: Any = None, weights: ArrayLike | None = None, *, counts: Any = None) -> Any:
        seen = _counted(self._seen(data, weights, counts))
        return seen / seen.sum(axis=-1, keepdims=True)

    def log_density(self, theta: Any) -> Any:
        """Log-density of probabilities of the categories (the last axis), with respect to all but the last of them."""
        p = np.asarray(theta, dtype=np.float64)
        size = self.concentration.shape[-1]
        if p.shape[-1:] != (size,):
            raise ValueError(f"theta must have {size} probabilities in its last axis, got shape {p.shape}.")
        outside = (p < 0).any(axis=-1) | (np.abs(p.sum(axis=-1) - 1) > 1e-8)
        with np.errstate(divide="ignore"):
            values = xlogy(self.concentration - 1, np.maximum(p, 0.0)).sum(axis=-1) - self._log_normaliser()
        return plain(np.where(outside, -np.inf, values))

    def log_likelihood(
        self, theta: Any, data: Any = None, weights: ArrayLike | None = None, *, counts: Any = None
    ) -> Any:
        seen = _counted(self._seen(data, weights, counts))
        with np.errstate(divide="ignore"):
            return plain(xlogy(seen, np.asarray(theta, dtype=np.float64)).sum(axis=-1))

    def _seen(self, data: Any, weights: ArrayLike | None, counts: Any) -> Any:
        """The statistic of data, or of counts of all categories."""
        if counts is None:
            if data is None:
                raise TypeError("give data, codes of categories, or counts by name: counts=[3, 0, 1].")
            return self._statistic_of(data, weights)
        if data is not None or weights is not None:
            raise TypeError("give either data or counts=, not both.")
        seen, size = counts_of("counts", counts), self.concentration.shape[-1]
        if seen.shape != (size,):
            raise ValueError(f"counts must be {size} numbers, one for each concentration, got shape {seen.shape}.")
        return Counts(seen[None], (size,))

    def mode(self) -> Any:
        """Mode; at the border of the simplex where a concentration is 1, as of a category that was not seen."""
        check_mode(self.concentration)
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


def _counted(statistic: Counts | Sums) -> Array:
    return np.squeeze(statistic.counts if isinstance(statistic, Counts) else statistic.totals)
