"""Classifiers as mathematics: log-densities that are polynomials of a row, the boundary between two classes, softmax.

Everything is up to a term of the row alone, which no comparison of classes sees, and is kept about a centre among the
data, so that an offset costs no digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array, is_sparse
from parzen.densities.categorical import BernoulliDensity
from parzen.densities.counts import MultinomialDensity, PoissonDensity
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.linear import Linear
from parzen.densities.per_group import PerGroupDensity
from parzen.densities.posterior import decide, posterior
from parzen.densities.product import ProductDensity


@dataclass(frozen=True)
class Form:
    """K polynomials u'Au + b'u + c of u = x - centre.

    Attributes
    ----------
    A : array of shape (K, d, d), or None where all are zero
    b : array of shape (K, d)
    c : array of shape (K,)
    centre : array of shape (d,)
    threshold : float, optional
        Where given, x is 1 where a cell is above it and 0 elsewhere.
    """

    A: Array | None
    b: Array
    c: Array
    centre: Array
    threshold: float | None = None

    def boundary(self, log_prior: Array, first: int, second: int, names: Sequence[str] | None) -> "Boundary":
        """Difference of two of them, priors included."""
        with np.errstate(invalid="ignore"):
            b, c = (part[second] - part[first] for part in (self.b, self.c + log_prior))
        if not (np.isfinite(b).all() and np.isfinite(c)):
            raise ValueError("a class has probability zero somewhere, or prior zero: its log-odds are no polynomial.")
        A = None if self.A is None else self.A[second] - self.A[first]
        return Boundary(
            None if A is None or not A.any() else A, b, float(c), self.centre, _names(names), self.threshold
        )

    def softmax(self, log_prior: Array, classes: NDArray[Any], names: Sequence[str] | None = None) -> "Softmax":
        """All of them as a softmax, where no two differ in their squares."""
        if self.A is not None and not (self.A[0] == self.A).all():
            raise ValueError(
                "the log-odds of this model are quadratic; as_linear is for covariances that the classes share "
                "(shared=True), and for Bernoulli, multinomial and Poisson features. See decision_boundary."
            )
        if not (self.b < np.inf).all():  # NaN too; minus infinity forbids a count, which a softmax can say
            raise ValueError(
                "a class has probability zero or one somewhere (alpha=0, or maximum likelihood), which no finite "
                "weights say; smooth it."
            )
        return Softmax(classes, self.b, self.c + log_prior, self.centre, _names(names), self.threshold)


@dataclass(frozen=True)
class Boundary:
    """Where two classes are equally likely: f(x) = x'Ax + b'x + c = 0; above zero the second is likelier.

    Attributes
    ----------
    centred_A, centred_b, centred_c, centre
        The same polynomial of x - centre, which keeps its digits at any offset; `centred_A` is None where f is linear.
    names : tuple of str, or None where they have none
        What the columns are called; a table is compared with it.
    threshold : float, optional
        Where given, x is 1 where a cell is above it and 0 elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GaussianDiscriminant
    >>> X = np.array([[-1.0], [0.0], [1.0], [4.0], [6.0], [8.0]])
    >>> model = GaussianDiscriminant(covariance_type="diag").fit(X, [0, 0, 0, 1, 1, 1])
    >>> boundary = model.decision_boundary()
    >>> print(boundary)
    0.5625 x0^2 + 2.25 x0 - 7.44315 = 0
    >>> boundary.roots().round(4)
    array([-6.1512,  2.1512])
    """

    centred_A: Array | None
    centred_b: Array
    centred_c: float
    centre: Array
    names: tuple[str, ...] | None = None
    threshold: float | None = None

    @property
    def is_linear(self) -> bool:
        """Whether f has no squares: the classes share their covariance."""
        return self.centred_A is None

    @property
    def A(self) -> Array:
        """Symmetric matrix of the squares, (d, d); zero where f is linear."""
        return np.zeros((len(self.centre),) * 2) if self.centred_A is None else self.centred_A

    @property
    def b(self) -> Array:
        """Weights of the columns, (d,)."""
        return self.centred_b if self.centred_A is None else self.centred_b - 2 * self.centred_A @ self.centre

    @property
    def c(self) -> float:
        """Value at x = 0."""
        square = 0.0 if self.centred_A is None else self.centre @ self.centred_A @ self.centre
        return float(self.centred_c - self.centred_b @ self.centre + square)

    def __call__(self, X: Any) -> Array:
        """Log-odds of the second class against the first at each row, (n,)."""
        u = _above(_ordered(X, self.names), self.threshold) - self.centre
        square = 0.0 if self.centred_A is None else np.einsum("ni,ij,nj->n", u, self.centred_A, u)
        values: Array = square + u @ self.centred_b + self.centred_c
        return values

    def roots(self) -> Array:
        """Points of the boundary in one dimension, in order: none, one or two."""
        if len(self.centre) != 1:
            raise ValueError(f"a boundary in {len(self.centre)} columns is a surface; roots are for one column.")
        a, b, c = 0.0 if self.centred_A is None else self.centred_A[0, 0], self.centred_b[0], self.centred_c
        if a == 0:
            found = np.array([-c / b]) if b != 0 else np.empty(0)
        else:
            inside = b * b - 4 * a * c
            if inside < 0:
                return np.empty(0)
            # The sum whose terms have one sign, and the product of the roots for the other one.
            far = -0.5 * (b + np.copysign(np.sqrt(inside), b))
            found = np.array([far / a, c / far if far != 0 else 0.0])
        return np.unique(self.centre[0] + found)

    def __str__(self) -> str:
        A, d = self.A, len(self.centre)
        names = [f"x{j}" for j in range(d)] if self.names is None else [repr(name) for name in self.names]
        terms = [] if self.is_linear else [
            (A[i, j] * (1 if i == j else 2), f" {names[i]}^2" if i == j else f" {names[i]} {names[j]}")
            for i in range(d) for j in range(i, d)
        ]  # fmt: skip
        terms += [(weight, f" {name}") for weight, name in zip(self.b, names, strict=True)] + [(self.c, "")]
        text = " ".join(f"{'-' if value < 0 else '+'} {abs(value):.6g}{name}" for value, name in terms if value != 0)
        return f"{text.removeprefix('+ ') or '0'} = 0"


@dataclass(frozen=True)
class Softmax:
    """Posteriors proportional to the exponentials of affine functions: a logistic regression, however it was found.

    Attributes
    ----------
    classes : array of shape (K,)
    centred_coef, centred_intercept, centre
        Weights (K, d) and intercepts (K,) of x - centre.
    names : tuple of str, or None where they have none
        What the columns are called; a table is compared with it.
    threshold : float, optional
        Where given, x is 1 where a cell is above it and 0 elsewhere.
    """

    classes: NDArray[Any]
    centred_coef: Array
    centred_intercept: Array
    centre: Array
    names: tuple[str, ...] | None = None
    threshold: float | None = None

    @property
    def coef(self) -> Array:
        """Weights of the columns for each class, (K, d)."""
        return self.centred_coef

    @property
    def intercept(self) -> Array:
        """Intercepts, (K,), of weights of x itself."""
        return self.centred_intercept - self.centred_coef @ self.centre

    def predict_proba(self, X: Any) -> Array:
        """Posterior of each class, (n, K)."""
        return posterior(self._scores(X), self._offset(), self._rows(X), log=False)[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row."""
        return self.classes[decide(self._scores(X), self._offset(), self._rows(X))[0]]

    def _rows(self, X: Any) -> Any:
        if is_sparse(X):
            return X if self.threshold is None else self.threshold < X
        return _above(_ordered(X, self.names), self.threshold) - (self.centre if self.centre.any() else 0.0)

    def _scores(self, X: Any) -> Linear:
        zero = np.zeros(len(self.classes)) if not is_sparse(X) else -self.centred_coef @ self.centre
        return Linear(self.centred_coef, zero)

    def _offset(self) -> Array:
        return np.ascontiguousarray(self.centred_intercept)


def quadratic_form(density: Any) -> Form:
    """Log-densities (or affine scores) as polynomials of degree 2 at most, up to a term of the row alone."""
    if isinstance(density, Linear):
        return _affine(density.coef, density.intercept)
    if isinstance(density, GaussianDensity):
        return _gaussian(density)
    if isinstance(density, MultinomialDensity):
        return _affine(density.log_probability, 0.0 * density.length)
    if isinstance(density, PoissonDensity):
        with np.errstate(divide="ignore"):
            return _affine(np.log(density.rate), -density.rate.sum(axis=1))
    if isinstance(density, BernoulliDensity):
        with np.errstate(invalid="ignore"):
            odds = density.log_success - density.log_failure
        return _affine(odds, density.log_failure.sum(axis=1), density.threshold)
    if isinstance(density, ProductDensity):
        return _product(density)
    if isinstance(density, PerGroupDensity) and all(isinstance(part, GaussianDensity) for part in density.parts):
        parts: list[Any] = list(density.parts)
        factor = np.concatenate([_full(part.factor) for part in parts])
        return _gaussian(GaussianDensity(np.concatenate([part.mean for part in parts]), factor))
    raise ValueError(
        f"the log-odds of a {type(density).__name__} are no polynomial of the columns; Gaussian, Bernoulli, "
        "multinomial and Poisson densities have such ones (fitted by ML or MAP: a posterior predictive is none)."
    )


def _gaussian(density: GaussianDensity) -> Form:
    if density.affine is not None:
        centre, coef, intercept = density.affine
        return Form(None, coef, intercept, centre)
    K, d = density.shape
    centre = density.mean.mean(axis=0)
    off = density.mean - centre
    A, b, c = np.empty((K, d, d)), np.empty((K, d)), np.empty(K)
    for k, triangle in enumerate(_full(density.factor)):
        inverse = solve_triangular(triangle, np.eye(d), lower=True)
        A[k] = -0.5 * inverse.T @ inverse
        white = inverse @ off[k]
        b[k] = inverse.T @ white
        c[k] = -0.5 * white @ white - np.log(np.diagonal(triangle)).sum()
    return Form(A, b, c, centre)


def _names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _ordered(X: Any, names: tuple[str, ...] | None) -> Any:
    """X, or an error where it is a table whose columns are others."""
    if names is not None and hasattr(X, "columns") and tuple(X.columns) != names:
        raise ValueError(f"the columns must be {list(names)} in this order, got {list(X.columns)}.")
    return X


def _affine(b: Array, c: Array, threshold: float | None = None) -> Form:
    return Form(None, b, c, np.zeros(b.shape[1]), threshold)


def _above(X: Any, threshold: float | None) -> Array:
    """Rows as float64, or as zeros and ones."""
    rows = np.asarray(X)
    return (rows if threshold is None else rows > threshold).astype(np.float64)


def _full(factor: Array) -> Array:
    return np.einsum("ki,ij->kij", factor, np.eye(factor.shape[1])) if factor.ndim == 2 else factor


def _product(density: ProductDensity) -> Form:
    K, d = density.shape
    b, c, centre = np.zeros((K, d)), np.zeros(K), np.zeros(d)
    A: Array | None = None
    for part, columns in zip(density.parts, density.columns, strict=True):
        form, own = quadratic_form(part), list(columns)
        if form.threshold is not None:
            raise ValueError("columns with a threshold are a polynomial of the table's cells only all together.")
        b[:, own], centre[own] = form.b, form.centre
        c += form.c
        if form.A is not None:
            A = np.zeros((K, d, d)) if A is None else A
            A[np.ix_(range(K), own, own)] = form.A
    return Form(A, b, c, centre)


def canonical_variates(mean: Array, weights: Array, factor: Array, tol: float = 1e-4) -> tuple[Array, Array]:
    """Directions in which classes of one covariance differ most, and the share of each in their differences.

    Parameters
    ----------
    mean : array of shape (K, d)
    weights : array of shape (K,)
        Priors of the classes.
    factor : array of shape (d, d)
        Cholesky factor of the covariance that they share.
    tol : float
        Directions whose differences are less than this share of the largest are left out.

    Returns
    -------
    directions : array of shape (d, r)
        In which the covariance is the identity.
    shares : array of shape (min(K, d),)
    """
    between = np.sqrt(weights)[:, None] * (mean - weights @ mean)
    white = solve_triangular(factor, between.T, lower=True)
    axes, sizes, _ = np.linalg.svd(white, full_matrices=False)
    kept = int((sizes > tol * sizes[0]).sum())
    directions = solve_triangular(factor, axes[:, :kept], lower=True, trans="T")
    return with_signs(directions), sizes**2 / (sizes @ sizes or 1.0)


def with_signs(directions: Array) -> Array:
    """Columns of which each has its largest entry above zero: of two opposite directions, always the same one."""
    largest = np.abs(directions).argmax(axis=0)
    return directions * np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
