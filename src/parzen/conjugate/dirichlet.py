"""Dirichlet priors of the probabilities of categories."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from parzen.compute.arrays import Array
from parzen.compute.codes import tally
from parzen.conjugate.base import Conjugate
from parzen.conjugate.beta import BORDER_MODE, Beta
from parzen.conjugate.parameters import as_column, checked_parameters, plain, two_axes
from parzen.densities.categorical import CategoricalDensity
from parzen.densities.special import dirichlet
from parzen.statistics.counts import Counts
from parzen.statistics.sums import Sums


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
                f"a Dirichlet is a prior of one column, but the counts have {len(statistic.sizes)}; update one by one."
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
        observed = self._statistic_of(data, weights)
        counts = np.squeeze(observed.counts if isinstance(observed, Counts) else observed.totals)
        return counts / counts.sum(axis=-1, keepdims=True)

    def mode(self) -> Any:
        low = self.concentration.min()
        if low <= 1:
            raise ValueError(BORDER_MODE.format(value=low))
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
