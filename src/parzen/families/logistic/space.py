"""Coordinates in which the optimisation is well conditioned."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.sparse import csr_sums
from parzen.densities.linear import Linear
from parzen.families.gaussian import Gaussian
from parzen.families.logistic.likelihood import Likelihood
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.terms import Terms
from parzen.statistics.accumulate import accumulate
from parzen.statistics.moments import Moments

#: More columns than this are scaled one by one, not made uncorrelated: their covariance would cost more than it saves.
WHITENED = 400
#: A design matrix of at most so many cells is made once, not anew in every step.
KEPT = 2**25


@dataclass(frozen=True)
class Space:
    """Coordinates in which terms are uncorrelated and of unit variance, and the mean objective in them."""

    X: Any
    labels: Labels
    terms: Terms
    penalty: Penalty
    intercept: bool
    middle: Array
    factor: Array  # (p, p) lower triangle, or (p,)
    whole: float

    @classmethod
    def of(cls, X: Any, labels: Labels, terms: Terms, penalty: Penalty, intercept: bool) -> "Space":
        weights = labels.weights
        whole = float(len(labels) if weights is None else weights.sum())
        added = penalty.l2 / whole * labels.groups  # a class's curvature is about 1 / K
        small = terms.design is not None and X.shape[0] * terms.width(X.shape[1]) <= KEPT
        if small or terms.sparse or is_sparse(X):
            X, terms = terms.expand(X), Terms()
        if is_sparse(X):
            squares = type(X)((X.data**2, X.indices, X.indptr), shape=X.shape)
            scale = csr_sums(squares, weights)[1][0] / whole + added
            return cls(X, labels, terms, penalty, intercept, np.zeros(len(scale)), _roots(scale), whole)
        middle, spread = _moments(terms, X, weights)
        if terms.degree == 1 and intercept and _far(middle, spread):
            terms, middle = replace(terms, centre=middle), np.zeros(len(middle))
        if not intercept:
            spread = spread + (np.outer(middle, middle) if spread.ndim == 2 else middle**2)
            middle = np.zeros(len(middle))
        return cls(X, labels, terms, penalty, intercept, middle, _triangle(spread, added), whole)

    @property
    def free(self) -> int:
        """Rows of weights that are free: one for two classes, whose other row is zero."""
        return 1 if self.labels.groups == 2 else self.labels.groups

    @property
    def width(self) -> int:
        return len(self.middle)

    def lightest(self) -> float:
        """Weight of the lightest row, in units of the mean weight."""
        weights = self.labels.weights
        return 1.0 if weights is None else float(weights.min()) * len(self.labels) / self.whole

    def enter(self, coef: Array, offsets: Array) -> Array:
        """Coordinates of weights and intercepts."""
        inside = coef * self.factor if self.factor.ndim == 1 else coef @ self.factor
        shifted = offsets + coef @ (self.middle + self._origin())
        return np.concatenate([inside, shifted[:, None]], axis=1).ravel()

    def leave(self, point: Array) -> tuple[Array, Array]:
        """Weights and intercepts at a point."""
        coef, shifted = self._weights(point)
        return coef, shifted - coef @ (self.middle + self._origin()) if self.intercept else np.zeros(self.free)

    def _origin(self) -> Any:
        return 0.0 if self.terms.centre is None else self.terms.centre

    def _weights(self, point: Array) -> tuple[Array, Array]:
        inside = point.reshape(self.free, -1)
        return self._divided(inside[:, :-1]), inside[:, -1]

    def _divided(self, inside: Array) -> Array:
        if self.factor.ndim == 1:
            return inside / self.factor
        return solve_triangular(self.factor, inside.T, lower=True, trans="T").T

    def objective(self, point: Array) -> tuple[float, Array]:
        """Mean objective and its slope at a point."""
        coef, shifted = self._weights(point)
        offsets = (shifted if self.intercept else 0.0) - coef @ self.middle
        full, all_offsets = (coef, offsets) if self.free > 1 else (np.vstack([0 * coef, coef]), np.append(0.0, offsets))
        seen = accumulate(Likelihood(self.terms), self.X, self.labels, at=Linear(full, all_offsets))
        slope = seen.statistic.totals[-self.free :]
        value = -seen.log_likelihood.sum() + 0.5 * self.penalty.l2 * (coef**2).sum()
        by_weight = slope[:, :-1] - np.outer(slope[:, -1], self.middle) + self.penalty.l2 * coef
        if self.factor.ndim == 1:
            inside = by_weight / self.factor
        else:
            inside = solve_triangular(self.factor, by_weight.T, lower=True).T
        by_offset = slope[:, -1:] if self.intercept else np.zeros((self.free, 1))
        return value / self.whole, np.concatenate([inside, by_offset], axis=1).ravel() / self.whole


def _far(middle: Array, spread: Array) -> bool:
    """Whether rows lie so far from zero that differences of scores would lose digits."""
    variance = np.diagonal(spread) if spread.ndim == 2 else spread
    return bool(((middle**2 > 1e8 * variance) & (variance > 0)).any())


def _moments(terms: Terms, X: Any, weights: Array | None) -> tuple[Array, Array]:
    """Mean and covariance (or variances, where they are many) of the terms."""
    kind = "full" if terms.width(X.shape[1]) <= WHITENED else "diag"
    seen = accumulate(ExpandedMoments(Gaussian(kind), terms), X, weights)
    weight = seen.weight.reshape(-1)[:1]
    return seen.mean[0], seen.scatter[0] / weight[0]


@dataclass(frozen=True)
class ExpandedMoments:
    """A family that observes the terms of rows."""

    family: Gaussian
    terms: Terms

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Moments:
        seen = self.family.observe(self.terms.expand(X), R, at)
        assert isinstance(seen, Moments)
        return seen


def _triangle(spread: Array, added: float) -> Array:
    """Lower triangular factor of a covariance plus a ridge, or deviations where columns are independent."""
    if spread.ndim == 1:
        return _roots(spread + added)
    variance = np.diagonal(spread)
    scale = _roots(variance + added)
    relative = (spread + added * np.eye(len(spread))) / np.outer(scale, scale)
    # A floor: columns that depend on each other need no direction of their own.
    return scale[:, None] * np.linalg.cholesky(relative + 1e-8 * np.eye(len(spread)))


def _roots(variance: Array) -> Array:
    """Deviations; one for columns that are constant."""
    return np.sqrt(np.where(variance > 0, variance, 1.0))
