"""Student t densities: predictive densities of Gaussians whose parameters are integrated out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from parzen.compute.arrays import Array, as_floats
from parzen.compute.gaussian import mahalanobis
from parzen.compute.student import student
from parzen.densities.columns import others, pick
from parzen.densities.factors import conditioned, correlated, marginal_factor
from parzen.densities.location_scale import LocationScale, standardised
from parzen.densities.special import log_rising


@dataclass(frozen=True)
class StudentDensity(LocationScale):
    """K Student t densities.

    Attributes
    ----------
    location : array of shape (K, d)
    factor : array of shape (K, d, d), (1, d, d) or (K, d)
        Cholesky factors of the scale matrices of joint t densities; or scales of independent columns.
    dof : array of shape (K,) or (1,) of joint t densities; (K, d) of independent columns
        Degrees of freedom.
    """

    location: Array
    factor: Array
    dof: Array

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        if self.factor.ndim == 3:
            squares, halves, observed = mahalanobis(X, self.location, self.factor)
            return _log_student(squares, halves, observed, self.dof)
        return student(X, *self._separate)

    @cached_property
    def _separate(self) -> tuple[Array, Array, Array, Array]:
        """Location, scale, degrees of freedom and log-density at the location of each column, (K, d)."""
        dof = np.broadcast_to(self.dof, self.location.shape)
        constant = _log_student(0.0, np.log(self.factor), 1.0, dof)
        location, scale, dof = (np.ascontiguousarray(part) for part in (self.location, self.factor, dof))
        return location, scale, dof, constant

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        dof = np.broadcast_to(self.dof, (len(self.location), *self.dof.shape[1:]))[labels]
        shrink = np.sqrt(rng.chisquare(dof) / dof)
        normal = rng.standard_normal((len(labels), self.shape[1])) / (shrink if shrink.ndim == 2 else shrink[:, None])
        return self.location[labels] + correlated(normal, self.factor, labels)

    def marginal(self, columns: Sequence[int]) -> "StudentDensity":
        dof = self.dof if self.factor.ndim == 3 else pick(self.dof, columns)
        return StudentDensity(pick(self.location, columns), marginal_factor(self.factor, columns), dof)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "StudentDensity":
        location, factor, squares = conditioned(self.location, self.factor, columns, values)
        if self.factor.ndim == 2:
            return StudentDensity(location, factor, pick(self.dof, others(self.shape[1], columns)))
        # Given p cells at squared distance q, the scale is multiplied by (dof + q) / (dof + p).
        grown = (self.dof + squares) / (self.dof + len(columns))
        return StudentDensity(location, factor * np.sqrt(grown)[:, None, None], self.dof + len(columns) + 0.0 * squares)

    def cdf(self, X: Any, upper: bool = False) -> Array:
        u = standardised(X, self.location, self.factor)
        return special.stdtr(self.dof.reshape(-1), -u if upper else u)

    def expectation(self) -> Array:
        return self.location


def _log_student(squares: Any, halves: Any, p: Any, dof: Any) -> Array:
    """Log of a p-dimensional t at squared distance `squares`, half log-determinant `halves`."""
    grown = dof + p
    constant = log_rising(0.5 * dof, 0.5 * p) - 0.5 * p * np.log(np.pi * dof)
    values: Array = constant - halves - 0.5 * grown * np.log1p(squares / dof)
    return values
