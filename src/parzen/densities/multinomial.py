"""Multinomial rows of counts."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from parzen.compute.arrays import Array, as_floats, is_sparse, room
from parzen.compute.device import is_device, routine
from parzen.densities.count_rows import LARGE, CountRows, by_row
from parzen.densities.linear import Linear
from parzen.densities.poisson import poisson


@dataclass(frozen=True)
class MultinomialDensity(CountRows):
    """K multinomials over rows of counts, each row given its total.

    Attributes
    ----------
    log_probability : array of shape (K, d)
    length : array of shape (K,)
        Total of each sampled row.
    """

    log_probability: Array
    length: Array

    def _among(self, columns: NDArray[np.integer]) -> "MultinomialDensity":
        logs = self.log_probability[:, columns]
        with np.errstate(invalid="ignore"):
            logs = logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)
        return MultinomialDensity(np.where(np.isnan(logs), -np.inf, logs), self.length)

    @cached_property
    def _linear(self) -> Linear:
        return Linear(self.log_probability, np.zeros(len(self.log_probability)))

    def log_density(self, X: Any) -> Array:
        if not is_device(X):
            return super().log_density(X)
        out = room(X, (len(X), self.shape[0]))
        self.compare(X, out)
        return out.plus(routine("log_coefficient")(X).tensor)

    def compare(self, X: Any, out: Array) -> None:
        if is_device(X):
            if X.missing():
                raise ValueError("Input X contains NaN: on a device counts must be complete; give X.cpu().")
            self._linear.write(X, out)
            return
        # The coefficient is the same for all classes; with a missing count, the others are multinomial too.
        missing = np.zeros((1, 1), dtype=bool) if is_sparse(X) else np.isnan(as_floats(X))
        if not missing.any():
            self._linear.write(X, out)
            return
        counts = np.where(missing, 0.0, X)
        self._linear.write(counts, out)
        share = (~missing).astype(np.float64) @ np.exp(self.log_probability.T)
        out -= counts.sum(axis=1, keepdims=True) * np.log(np.where(share > 0, share, 1.0))

    def _log_dense(self, X: Array) -> Array:
        totals = X.sum(axis=1)
        if not (X.min(initial=0.0) >= 0 and totals.max(initial=0.0) <= LARGE):
            return super()._log_dense(X)
        row, column = np.nonzero(X)
        log_coefficient = gammaln(totals + 1.0) - by_row(row, gammaln(X[row, column] + 1.0), len(X))
        return log_coefficient[:, None] + self._linear.log_density(X)

    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        return self._linear.log_density(X)

    def _log_large(self, k: int, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        # Independent Poissons of means N p, given their sum N: both near their modes, where nothing cancels.
        probability = np.exp(self.log_probability[k])
        cells = poisson(X.data, totals[row] * probability[X.indices])
        absent = totals * ((X.toarray() == 0) @ probability)
        return by_row(row, cells, len(totals)) - absent - poisson(totals, totals * probability.sum())

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        probability = np.exp(self.log_probability)
        return self._draw((probability / probability.sum(axis=1, keepdims=True))[labels], self.length[labels], rng)
