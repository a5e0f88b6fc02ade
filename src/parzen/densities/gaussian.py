"""Gaussian densities."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from parzen.compute.arrays import Array, as_floats, is_sparse
from parzen.compute.gaussian import gaussian_log_density, log_normaliser, patterns
from parzen.compute.softmax import linear
from parzen.compute.sparse import csr_squares
from parzen.densities.columns import pick
from parzen.densities.factors import conditioned, correlated, covariances, marginal_factor, solved
from parzen.densities.location_scale import LocationScale, standardised


@dataclass(frozen=True)
class GaussianDensity(LocationScale):
    """K Gaussians.

    Attributes
    ----------
    mean : array of shape (K, d)
    factor : array of shape (K, d, d), or (1, d, d), or (K, d)
        Lower Cholesky factors of the covariances; one that all share; or standard deviations of independent columns.

    Examples
    --------
    >>> import numpy as np
    >>> two = GaussianDensity(mean=np.array([[0.0], [3.0]]), factor=np.ones((2, 1)))
    >>> two.log_density(np.array([[0.0], [np.nan]])).round(3) + 0.0
    array([[-0.919, -5.419],
           [ 0.   ,  0.   ]])
    """

    mean: Array
    factor: Array

    @property
    def covariance(self) -> Array:
        """Covariances, (K, d, d)."""
        return covariances(self.factor, len(self.mean))

    def log_density(self, X: Any) -> Array:
        out = np.empty((X.shape[0], len(self.mean)))
        self.write(X, out)
        return out

    def write(self, X: Any, out: Array) -> None:
        if is_sparse(X):
            if self.factor.ndim == 3:
                raise TypeError(
                    "Gaussians with full covariances take dense rows, got a sparse matrix; use X.toarray()."
                )
            csr_squares(X, self.mean, self.factor, out)
            out *= -0.5
            out += self._normaliser
            return
        gaussian_log_density(as_floats(X, self.shape[1]), self.mean, self.factor, self._normaliser, out)

    @cached_property
    def _normaliser(self) -> Array:
        return log_normaliser(self.mean, self.factor)

    @cached_property
    def affine(self) -> tuple[Array, Array, Array] | None:
        """Where all share one covariance: a centre, and coefficients (K, d) and intercepts (K,) of x - centre.

        The log-densities differ by these affine functions, which keep their digits for far rows. None otherwise.
        """
        diagonal = self.factor.ndim == 2
        if len(self.factor) > 1 and not (diagonal and (self.factor == self.factor[0]).all()):
            return None
        centre = self.mean.mean(axis=0)
        off = self.mean - centre
        if diagonal:
            coef = off / self.factor[0] ** 2
            return centre, coef, -0.5 * (off * coef).sum(axis=1)
        white = solved(self.factor[0], off.T)
        coef = solved(self.factor[0], white, transposed=True).T
        return centre, np.ascontiguousarray(coef), -0.5 * (white**2).sum(axis=0)

    @cached_property
    def _table(self) -> Array:
        assert self.affine is not None
        return np.ascontiguousarray(self.affine[1].T)

    def compare(self, X: Any, out: Array) -> None:
        if self.affine is None or is_sparse(X):
            self.write(X, out)
            return
        centre, _, intercept = self.affine
        linear(as_floats(X, self.shape[1]), self._table, intercept, out, centre)
        incomplete = np.flatnonzero(np.isnan(out[:, 0]))
        if len(incomplete):
            out[incomplete] = self.log_density(X[incomplete])

    def mahalanobis(self, X: Any) -> Array:
        """Mahalanobis distance of each row from each mean, (n, K); NaN where a cell is missing.

        Examples
        --------
        >>> import numpy as np
        >>> GaussianDensity(np.zeros((1, 2)), np.array([[2.0, 1.0]])).mahalanobis(np.array([[2.0, 0.0], [2.0, 2.0]]))
        array([[1.        ],
               [2.23606798]])
        """
        rows = as_floats(X, self.shape[1])
        out = np.empty((len(rows), len(self.mean)))
        gaussian_log_density(rows, self.mean, self.factor, np.zeros(len(self.mean)), out)
        out[np.isnan(rows).any(axis=1)] = np.nan
        return np.sqrt(np.maximum(-2.0 * out, 0.0))

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.mean[labels] + correlated(rng.standard_normal((len(labels), self.shape[1])), self.factor, labels)

    def marginal(self, columns: Sequence[int]) -> "GaussianDensity":
        return GaussianDensity(pick(self.mean, columns), marginal_factor(self.factor, columns))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "GaussianDensity":
        mean, factor, _ = conditioned(self.mean, self.factor, columns, values)
        return GaussianDensity(mean, factor)

    def cdf(self, X: Any, upper: bool = False) -> Array:
        u = standardised(X, self.mean, self.factor)
        return special.ndtr(-u if upper else u)

    def expectation(self) -> Array:
        return self.mean

    def completed(self, X: Any, R: Array) -> Array:
        """Rows with missing cells replaced by their expectations given the observed ones; R are responsibilities."""
        X = np.array(as_floats(X, self.shape[1]), dtype=np.float64)
        order, begin = patterns(np.isnan(X))
        for first, last in pairwise(begin):
            rows = order[first:last]
            gone, seen = (np.flatnonzero(np.isnan(X[rows[0]]) == side) for side in (True, False))
            if not len(gone):
                continue
            total = np.zeros((len(rows), len(gone)))
            for k, covariance in enumerate(self.covariance):
                slope = np.linalg.solve(covariance[np.ix_(seen, seen)], covariance[np.ix_(seen, gone)])
                total += R[rows, k, None] * (self.mean[k, gone] + (X[np.ix_(rows, seen)] - self.mean[k, seen]) @ slope)
            X[np.ix_(rows, gone)] = total
        return X
