"""Bernoulli columns, independent of each other."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_csr, is_sparse
from parzen.compute.codes import lookup
from parzen.densities.bits import as_bits, bits_in_csr
from parzen.densities.linear import Linear
from parzen.densities.parametric import IndependentColumns


@dataclass(frozen=True)
class BernoulliDensity(IndependentColumns):
    """K products of columns that are 0 or 1.

    Attributes
    ----------
    log_failure, log_success : arrays of shape (K, d)
        Both logs are kept: one minus the larger probability would lose the digits of the smaller.
    threshold : float, optional
        Cells above it are ones, others zeros; without it cells must be 0 or 1.
    """

    log_failure: Array
    log_success: Array
    threshold: float | None = None

    @property
    def probability(self) -> Array:
        """Probability of a one, (K, d)."""
        return np.exp(self.log_success)

    @cached_property
    def _table(self) -> Array:
        return np.ascontiguousarray(
            np.stack([self.log_failure, self.log_success], axis=2).reshape(len(self.log_success), -1).T
        )

    def log_density(self, X: Any) -> Array:
        if is_sparse(X):
            return self._log_density_csr(bits_in_csr(as_csr(X, self.shape[1]), self.threshold))
        return lookup(as_bits(X, self.shape[1], self.threshold), self._table, (2,) * X.shape[1], open_ended=False)

    def write(self, X: Any, out: Array) -> None:
        if is_sparse(X):
            out[...] = self.log_density(X)
        else:
            bits = as_bits(X, self.shape[1], self.threshold)
            lookup(bits, self._table, (2,) * X.shape[1], open_ended=False, out=out)

    @cached_property
    def _linear(self) -> tuple[Linear, Linear | None]:
        """Scores as affine functions of a row; and the number of ones in the columns where a zero is impossible.

        The log-odds of such columns are infinite, so that their zeros are counted instead. None without such columns.
        """
        sure = np.isneginf(self.log_failure)
        failure = np.where(sure, 0.0, self.log_failure)
        with np.errstate(invalid="ignore"):
            odds = np.where(sure, 0.0, self.log_success - failure)
        scores = Linear(odds, failure.sum(axis=1))
        return scores, Linear(sure.astype(np.float64), -sure.sum(axis=1).astype(np.float64)) if sure.any() else None

    def _log_density_csr(self, X: Any) -> Array:
        scores, ones = self._linear
        values = scores.log_density(X)
        return values if ones is None else np.where(ones.log_density(X) < 0, -np.inf, values)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        ones = rng.random((len(labels), self.shape[1])) < self.probability[labels]
        low, high = (0.0, 1.0) if self.threshold is None else (min(0.0, self.threshold), max(1.0, self.threshold + 1.0))
        return np.where(ones, high, low)
