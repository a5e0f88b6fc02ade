"""Logistic regression: the likelihood of labels given rows, its slope as a statistic, and its maximum.

The slope adds over blocks as every statistic does. It is followed by L-BFGS in coordinates in which the columns are
uncorrelated and of unit variance, so that neither units nor correlations make the way long.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import linprog, minimize

from parzen.compute.arrays import Array, as_csr, as_floats, is_sparse
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.softmax import softmax
from parzen.compute.sparse import csr_sums
from parzen.densities.linear import Linear
from parzen.densities.posterior import posterior
from parzen.families.gaussian import Gaussian
from parzen.statistics.accumulate import EVALUATED, accumulate
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.moments import Moments
from parzen.statistics.sums import Sums

#: More columns than this are scaled one by one, not made uncorrelated: their covariance would cost more than it saves.
WHITENED = 400


@dataclass(frozen=True)
class Terms:
    """The terms that a model is linear in: the columns less a centre and, for degree 2, all their products.

    Attributes
    ----------
    degree : 1 or 2
    centre : array of shape (d,), or None where rows are taken as they are
    """

    degree: int = 1
    centre: Array | None = None

    def expand(self, X: Any) -> Any:
        """Terms of each row: x_1 ... x_d, then x_1 x_1, x_1 x_2, ... x_d x_d."""
        if is_sparse(X):
            X = as_csr(X)
            return X if X.dtype.kind == "f" else X.astype(np.float64)
        X = as_floats(X)
        if self.centre is not None:
            X = X - self.centre
        if self.degree == 1:
            return X
        X = X.astype(np.float64)  # products of float32 would lose digits
        i, j = np.triu_indices(X.shape[1])
        return np.concatenate([X, X[:, i] * X[:, j]], axis=1)

    def width(self, d: int) -> int:
        """How many terms d columns have."""
        return d if self.degree == 1 else d + d * (d + 1) // 2

    def names(self, columns: list[str]) -> list[str]:
        """What the terms are called."""
        if self.degree == 1:
            return list(columns)
        i, j = np.triu_indices(len(columns))
        products = [f"{columns[a]}^2" if a == b else f"{columns[a]} {columns[b]}" for a, b in zip(i, j, strict=True)]
        return [*columns, *products]


@dataclass(frozen=True)
class Scores:
    """Affine functions of terms: what a fitted logistic regression compares classes by.

    Attributes
    ----------
    terms : Terms
    linear : Linear
    columns : int
        Columns of the rows, before they are expanded.
    """

    terms: Terms
    linear: Linear
    columns: int

    rows_at_once: ClassVar[int] = EVALUATED

    @property
    def shape(self) -> tuple[int, int]:
        """K, and how many columns the rows have."""
        return len(self.linear.coef), self.columns

    def write(self, X: Any, out: Array) -> None:
        """Write the scores of a block of rows."""
        self.linear.write(self.terms.expand(X), out)

    compare = write


@dataclass(frozen=True)
class Likelihood:
    """Observes the log-likelihood of labels under affine scores of terms, and its slope.

    Its statistic is an `ExpectedStatistic` of `Sums`: the weight of the rows, and minus the derivatives of the log-likelihood by
    the weights of each class and by its intercept, (K, p + 1).
    """

    terms: Terms

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        """Slope at the scores `at`, a `Linear`."""
        assert isinstance(R, Labels)
        table, offset = np.ascontiguousarray(at.coef.T), np.ascontiguousarray(at.intercept)
        weight, likelihood, gradient, slope = softmax(self.terms.expand(X), R, table, offset)
        K = len(offset)
        whole, part = np.zeros(K), np.zeros(K)
        whole[0], part[0] = weight, likelihood
        return ExpectedStatistic(
            Sums(whole[:, None], np.concatenate([gradient.T, slope[:, None]], axis=1)), whole, part
        )


@dataclass(frozen=True)
class Optimum:
    """Where an optimisation ended.

    Attributes
    ----------
    coef, intercept : arrays of shape (K, p) and (K,); (1, p) and (1,) for two classes
    objective : float
        Minus the weighted log-likelihood plus the penalty.
    n_iter : int
    converged : bool
    """

    coef: Array
    intercept: Array
    objective: float
    n_iter: int
    converged: bool


def maximise_likelihood(
    X: Any,
    labels: Labels,
    *,
    degree: int,
    penalty: float,
    intercept: bool,
    tol: float,
    max_iter: int,
    start: tuple[Array, Array] | None = None,
    callback: Callable[[int, float], None] | None = None,
) -> Optimum:
    """Find the weights that make labels likeliest, less ``penalty / 2`` times the sum of their squares.

    Parameters
    ----------
    X : rows, dense or CSR
    labels : labels of the rows among K classes, with their weights
    degree : 1 or 2
    penalty : of the weights of the terms, not of intercepts; 0 for none
    intercept : whether there is one
    tol : stop when no derivative of the mean objective, by a weight of a term of unit variance, is above this
    max_iter : most steps
    start : weights and intercepts to begin from
    callback : called with the step and the objective
    """
    space = _Space.of(X, labels, degree, penalty, intercept)
    if start is None:
        start = np.zeros((space.free, space.width)), np.zeros(space.free)
    spent = {"steps": 0, "value": np.inf}

    def objective(point: Array) -> tuple[float, Array]:
        value, slope = space.objective(point)
        spent["value"] = value
        return value, slope

    def after(point: Array) -> None:
        spent["steps"] += 1
        if callback is not None:
            callback(int(spent["steps"]), float(spent["value"]) * space.whole)

    # The change of the objective is no reason to stop: only its slope is.
    options = {"maxiter": max_iter, "maxfun": 20 * max_iter, "gtol": tol, "ftol": 1e-300, "maxcor": 20, "maxls": 50}
    with np.errstate(over="ignore"):
        found = minimize(objective, space.enter(*start), jac=True, method="L-BFGS-B", options=options, callback=after)
    coef, offsets = space.leave(found.x)
    # A line search that can't improve a value any more has found the optimum to rounding.
    settled = bool(found.status == 0 or (found.status == 2 and np.abs(found.jac).max() <= max(tol, 1e-6)))
    return Optimum(coef, offsets, float(found.fun) * space.whole, int(found.nit), settled)


def separation(scores: Scores, X: Any, labels: Labels) -> str:
    """Whether the likelihood has no maximum: "none", "complete", "partial" or, where that is dear to find, "possible".

    Rows are separated where some weights are on the right side of all of them, and beyond the border for one at least
    (Albert and Anderson 1984): a linear programme, asked where fitted probabilities come near 0 or 1.
    """
    proba, _ = posterior(scores, np.zeros(scores.shape[0]), X, log=False)
    own = proba[np.arange(len(labels)), labels.codes]
    if (proba.argmax(axis=1) == labels.codes).all():
        return "complete"
    if own.max() < 0.999:
        return "none"
    K, n = labels.groups, X.shape[0]
    if is_sparse(X) or n * (K - 1) * K * (scores.linear.shape[1] + 1) > 5e5:
        return "possible" if own.max() > 1 - 1e-10 else "none"
    terms = np.column_stack([scores.terms.expand(X), np.ones(n)])
    terms /= np.abs(terms).max(axis=0)
    margins = np.zeros((n, K, K, terms.shape[1]))  # of a row's own class over each other class, by weights
    for k in range(K):
        margins[np.arange(n), k, labels.codes] += terms
        margins[:, k, k] -= terms
    rival = np.ones((n, K), dtype=bool)
    rival[np.arange(n), labels.codes] = False
    table = margins[rival].reshape(n * (K - 1), -1)
    found = linprog(-table.sum(axis=0), A_ub=-table, b_ub=np.zeros(len(table)), bounds=(-1, 1))
    return "partial" if found.status == 0 and -found.fun > 1e-7 * len(table) else "none"


@dataclass(frozen=True)
class _Space:
    """Coordinates in which terms are uncorrelated and of unit variance, and the mean objective in them."""

    X: Any
    labels: Labels
    terms: Terms
    penalty: float
    intercept: bool
    middle: Array
    factor: Array  # (p, p) lower triangle, or (p,)
    whole: float

    @classmethod
    def of(cls, X: Any, labels: Labels, degree: int, penalty: float, intercept: bool) -> "_Space":
        weights = labels.weights
        whole = float(len(labels) if weights is None else weights.sum())
        terms = Terms(degree)
        added = penalty / whole * labels.groups  # a class's curvature is about 1 / K
        if is_sparse(X):
            X = terms.expand(X)
            squares = type(X)((X.data**2, X.indices, X.indptr), shape=X.shape)
            scale = csr_sums(squares, weights)[1][0] / whole + added
            return cls(X, labels, terms, penalty, intercept, np.zeros(len(scale)), _roots(scale), whole)
        middle, spread = _moments(terms, X, weights)
        if degree == 1 and intercept and _far(middle, spread):
            terms, middle = Terms(degree, middle), np.zeros(len(middle))
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
        value = -seen.log_likelihood.sum() + 0.5 * self.penalty * (coef**2).sum()
        by_weight = slope[:, :-1] - np.outer(slope[:, -1], self.middle) + self.penalty * coef
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
    seen = accumulate(_Expanded(Gaussian(kind), terms), X, weights)
    weight = seen.weight.reshape(-1)[:1]
    return seen.mean[0], seen.scatter[0] / weight[0]


@dataclass(frozen=True)
class _Expanded:
    """A family that observes the terms of rows."""

    family: Gaussian
    terms: Terms

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Moments:
        seen = self.family.observe(self.terms.expand(X), R, at)
        assert isinstance(seen, Moments)
        return seen


def _triangle(spread: Array, added: float) -> Array:
    """Lower triangular factor of a covariance plus a ridge, or deviations where columns stand alone."""
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
