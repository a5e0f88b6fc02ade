"""Gaussians, and the Student t that they become when their parameters are integrated out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array, as_floats
from parzen.compute.gaussian import gaussian_log_density, log_normaliser, mahalanobis, patterns
from parzen.compute.softmax import linear
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density
from parzen.densities.special import log_rising


@dataclass(frozen=True)
class GaussianDensity(Density):
    """K Gaussians.

    Attributes
    ----------
    mean : array of shape (K, d)
    factor : array of shape (K, d, d), or (1, d, d), or (K, d)
        Lower Cholesky factors of the covariances; one that all share; or deviations of columns that stand alone.

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
    def shape(self) -> tuple[int, int]:
        K, d = self.mean.shape
        return K, d

    @property
    def covariance(self) -> Array:
        """Covariances, (K, d, d)."""
        return _covariance(self.factor, len(self.mean))

    @property
    def independent_columns(self) -> bool:
        return self.factor.ndim == 2

    def log_density(self, X: Any) -> Array:
        out = np.empty((len(X), len(self.mean)))
        self.write(X, out)
        return out

    def write(self, X: Any, out: Array) -> None:
        gaussian_log_density(as_floats(X, self.shape[1]), self.mean, self.factor, self._normaliser, out)

    @cached_property
    def _normaliser(self) -> Array:
        return log_normaliser(self.mean, self.factor)

    @cached_property
    def affine(self) -> tuple[Array, Array, Array] | None:
        """Where all share one covariance: a centre, and weights (K, d) and intercepts (K,) of x - centre.

        Their log-densities differ by these affine functions, in which a far row costs no digits.
        """
        diagonal = self.factor.ndim == 2
        if len(self.factor) > 1 and not (diagonal and (self.factor == self.factor[0]).all()):
            return None
        centre = self.mean.mean(axis=0)
        off = self.mean - centre
        if diagonal:
            coef = off / self.factor[0] ** 2
            return centre, coef, -0.5 * (off * coef).sum(axis=1)
        white = solve_triangular(self.factor[0], off.T, lower=True)
        coef = solve_triangular(self.factor[0], white, lower=True, trans="T").T
        return centre, np.ascontiguousarray(coef), -0.5 * (white**2).sum(axis=0)

    @cached_property
    def _table(self) -> Array:
        assert self.affine is not None
        return np.ascontiguousarray(self.affine[1].T)

    def compare(self, X: Any, out: Array) -> None:
        if self.affine is None:
            self.write(X, out)
            return
        centre, _, intercept = self.affine
        linear(as_floats(X, self.shape[1]), self._table, intercept, out, centre)
        incomplete = np.flatnonzero(np.isnan(out[:, 0]))
        if len(incomplete):
            out[incomplete] = self.log_density(X[incomplete])

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.mean[labels] + _stretch(rng.standard_normal((len(labels), self.shape[1])), self.factor, labels)

    def marginal(self, columns: Sequence[int]) -> "GaussianDensity":
        return GaussianDensity(_pick(self.mean, columns), _marginal_factor(self.factor, columns))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "GaussianDensity":
        mean, factor, _ = _condition(self.mean, self.factor, columns, values)
        return GaussianDensity(mean, factor)

    def cdf(self, X: Any) -> Array:
        return special.ndtr(_on_line(X, self.mean, self.factor))

    def expectation(self) -> Array:
        return self.mean

    def completed(self, X: Any, R: Array) -> Array:
        """Rows in which missing cells are replaced by what is expected, given the others and memberships (n, K)."""
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


@dataclass(frozen=True)
class StudentDensity(Density):
    """K Student t densities.

    Attributes
    ----------
    location : array of shape (K, d)
    factor : array of shape (K, d, d), (1, d, d) or (K, d)
        Cholesky factors of the scale matrices of joint t's; or scales of columns that stand alone, each with its own t.
    dof : array of shape (K,) or (1,) of joint t's; (K, d) of columns that stand alone
    """

    location: Array
    factor: Array
    dof: Array

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.location.shape
        return K, d

    @property
    def independent_columns(self) -> bool:
        return self.factor.ndim == 2

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        if self.factor.ndim == 3:
            squares, halves, observed = mahalanobis(X, self.location, self.factor)
            return _log_student(squares, halves, observed, self.dof)
        out = np.empty((len(X), len(self.location)))
        for k in range(len(self.location)):
            scaled = (X - self.location[k]) / self.factor[k]
            near = np.minimum(np.abs(scaled), 1e100)  # beyond, the square overflows, and the tail is a power law
            beyond = (self.dof[k] + 1.0) * np.log(np.maximum(np.abs(scaled), 1e100) / 1e100)
            cells = _log_student(near**2, np.log(self.factor[k]), 1.0, self.dof[k]) - beyond
            out[:, k] = np.where(np.isnan(scaled), 0.0, cells).sum(axis=1)
        return out

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        dof = np.broadcast_to(self.dof, (len(self.location), *self.dof.shape[1:]))[labels]
        shrink = np.sqrt(rng.chisquare(dof) / dof)
        normal = rng.standard_normal((len(labels), self.shape[1])) / (shrink if shrink.ndim == 2 else shrink[:, None])
        return self.location[labels] + _stretch(normal, self.factor, labels)

    def marginal(self, columns: Sequence[int]) -> "StudentDensity":
        dof = self.dof if self.factor.ndim == 3 else _pick(self.dof, columns)
        return StudentDensity(_pick(self.location, columns), _marginal_factor(self.factor, columns), dof)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "StudentDensity":
        location, factor, squares = _condition(self.location, self.factor, columns, values)
        if self.factor.ndim == 2:
            return StudentDensity(location, factor, _pick(self.dof, others(self.shape[1], columns)))
        # Given p cells at distance q, the scale grows by (dof + q) / (dof + p): surprising rows spread the rest.
        grown = (self.dof + squares) / (self.dof + len(columns))
        return StudentDensity(location, factor * np.sqrt(grown)[:, None, None], self.dof + len(columns) + 0.0 * squares)

    def cdf(self, X: Any) -> Array:
        return special.stdtr(self.dof.reshape(-1), _on_line(X, self.location, self.factor))

    def expectation(self) -> Array:
        return self.location


def _on_line(X: Any, location: Array, factor: Array) -> Array:
    """Places of the only column in units of each density, (n, K)."""
    if location.shape[1] > 1:
        raise TypeError("cdf is offered for one column; take a marginal first.")
    return np.asarray((as_floats(X, 1) - location[:, 0]) / factor.reshape(-1))


def _log_student(squares: Any, halves: Any, p: Any, dof: Any) -> Array:
    """Log of a p-dimensional t at squared distance `squares`, half log-determinant `halves`."""
    grown = dof + p
    constant = log_rising(0.5 * dof, 0.5 * p) - 0.5 * p * np.log(np.pi * dof)
    values: Array = constant - halves - 0.5 * grown * np.log1p(squares / dof)
    return values


def lower_triangle(rows: Array) -> Array:
    """Lower triangular T with T T' = rows rows', positive diagonal; `rows` has shape (K, p, q), p <= q."""
    upper = np.linalg.qr(np.swapaxes(rows, 1, 2), mode="r")
    sign = np.where(np.diagonal(upper, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.ascontiguousarray(np.swapaxes(upper * sign[:, :, None], 1, 2))


def _pick(parameter: Array, columns: Sequence[int]) -> Array:
    return np.ascontiguousarray(parameter[:, chosen(parameter.shape[1], columns)])


def _covariance(factor: Array, K: int) -> Array:
    if factor.ndim == 2:
        return np.einsum("ki,ij->kij", factor**2, np.eye(factor.shape[1]))
    return np.repeat(factor @ np.swapaxes(factor, 1, 2), K // len(factor), axis=0)


def _stretch(normal: Array, factor: Array, labels: NDArray[np.integer]) -> Array:
    if factor.ndim == 2:
        return factor[labels] * normal
    out = np.empty_like(normal)
    for k in np.unique(labels):
        rows = labels == k
        out[rows] = normal[rows] @ factor[k % len(factor)].T
    return out


def _marginal_factor(factor: Array, columns: Sequence[int]) -> Array:
    return _pick(factor, columns) if factor.ndim == 2 else lower_triangle(factor[:, chosen(factor.shape[1], columns)])


def _condition(mean: Array, factor: Array, columns: Sequence[int], values: ArrayLike) -> tuple[Array, Array, Array]:
    """Mean and factor of the other columns given these, and the squared distance of the values."""
    d = mean.shape[1]
    given, rest = chosen(d, columns), others(d, columns)
    known = np.asarray(values, dtype=np.float64)
    if known.shape != (len(given),) or not np.isfinite(known).all():
        raise ValueError(f"values must be {len(given)} finite numbers, one for each given column, got {values!r}.")
    differences = known - mean[:, given]
    if factor.ndim == 2:
        return _pick(mean, rest), _pick(factor, rest), ((differences / factor[:, given]) ** 2).sum(axis=1)
    p = len(given)
    triangle = lower_triangle(factor[:, given + rest])
    white = np.linalg.solve(triangle[:, :p, :p], differences[:, :, None])
    moved = mean[:, rest] + (triangle[:, p:, :p] @ white)[:, :, 0]
    return np.ascontiguousarray(moved), np.ascontiguousarray(triangle[:, p:, p:]), (white[:, :, 0] ** 2).sum(axis=1)
