"""Rows of counts given their totals: what multinomial and Dirichlet-multinomial densities share."""

from abc import abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln

from parzen.compute.arrays import Array, as_csr, as_floats, canonical, is_sparse
from parzen.compute.gaussian import patterns
from parzen.densities.density import Density
from parzen.densities.parametric import ParametricDensity

#: Rows of counts with a larger total are evaluated by deviances: below, logs of factorials are exact to 1e-9.
LARGE = 1e6


class CountRows(ParametricDensity):
    """K densities of rows of counts, each row given its total."""

    def log_density(self, X: Any) -> Array:
        if is_sparse(X):
            X = canonical(as_csr(X, self.shape[1]))
        else:
            X = as_floats(X, self.shape[1])
            missing = np.isnan(X)
            if missing.any():
                return self._log_incomplete(X, missing)
            return self._log_dense(X.astype(np.float64, copy=False))
        return self._log_complete(X.astype(np.float64))

    def _log_dense(self, X: Array) -> Array:
        """Complete rows of an array: only cells that are not zero matter."""
        return self._log_complete(csr_array(X))

    def _log_incomplete(self, X: Any, missing: NDArray[np.bool_]) -> Array:
        """Rows with missing counts: the observed ones, given their own total, have a density of the same form."""
        out = np.empty((len(X), self.shape[0]))
        order, begin = patterns(missing)
        for first, last in pairwise(begin):
            rows = order[first:last]
            seen = np.flatnonzero(~missing[rows[0]])
            out[rows] = self._among(seen).log_density(np.ascontiguousarray(X[np.ix_(rows, seen)])) if len(seen) else 0.0
        return out

    @abstractmethod
    def _among(self, columns: NDArray[np.integer]) -> "CountRows":
        """Densities of the counts of some columns, given their total."""

    def _log_complete(self, X: Any) -> Array:
        n = X.shape[0]
        row = np.repeat(np.arange(n), np.diff(X.indptr))
        totals = by_row(row, X.data, n)
        impossible = by_row(row, ~((X.data >= 0) & np.isfinite(X.data)), n) > 0
        large = np.flatnonzero((totals > LARGE) & ~impossible)
        log_coefficient = gammaln(totals + 1.0) - by_row(row, gammaln(X.data + 1.0), n)
        values = log_coefficient[:, None] + self._log_orders(X, row, totals)
        values[impossible] = -np.inf
        if len(large):
            X, totals = X[large], totals[large]
            row = np.repeat(np.arange(len(large)), np.diff(X.indptr))
            values[large] = np.stack([self._log_large(k, X, row, totals) for k in range(self.shape[0])], axis=1)
        return values

    @abstractmethod
    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        """Log-probability of one ordered sequence with a row's counts, (n, K)."""

    @abstractmethod
    def _log_large(self, k: int, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        """Log-probability of rows with large totals under density k, (n,)."""

    def _draw(self, probability: Array, length: Array, rng: np.random.Generator) -> Array:
        return rng.multinomial(np.maximum(np.rint(length), 1).astype(np.int64), probability).astype(np.float64)

    def marginal(self, columns: Sequence[int]) -> Density:
        raise TypeError("counts of some categories are not multinomial without the rest; sum the rest into one column.")

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Density:
        raise TypeError("a multinomial row given some of its counts needs its total, which this density doesn't know.")


def by_row(row: NDArray[np.integer], values: Any, n: int) -> Array:
    """Sum of the values of the stored cells of each row, (n,)."""
    return np.bincount(row, weights=values, minlength=n).astype(np.float64)
