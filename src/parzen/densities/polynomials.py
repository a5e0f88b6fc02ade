"""Log-densities that are polynomials of a row: the boundary between two classes and softmax follow from them.

Everything is up to a term of the row alone, which cancels in a comparison of classes, and is about a centre among the
data, so that an offset costs no digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array
from parzen.densities.bernoulli import BernoulliDensity
from parzen.densities.boundary import Boundary
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.linear import Linear
from parzen.densities.multinomial import MultinomialDensity
from parzen.densities.per_group import PerGroupDensity
from parzen.densities.poisson import PoissonDensity
from parzen.densities.product import ProductDensity
from parzen.densities.softmax import Softmax


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
        If given, x is 1 where a cell is above it and 0 elsewhere.
    """

    A: Array | None
    b: Array
    c: Array
    centre: Array
    threshold: float | None = None

    def boundary(self, log_prior: Array, first: int, second: int, names: Sequence[str] | None) -> "Boundary":
        """Log-odds of the second class against the first, as a boundary."""
        with np.errstate(invalid="ignore"):
            b, c = (part[second] - part[first] for part in (self.b, self.c + log_prior))
        if not (np.isfinite(b).all() and np.isfinite(c)):
            raise ValueError(
                "a class has probability zero somewhere, or prior zero, so that its log-odds are not a polynomial; "
                "smooth it."
            )
        A = None if self.A is None else self.A[second] - self.A[first]
        columns = None if names is None else tuple(names)
        return Boundary(None if A is None or not A.any() else A, b, float(c), self.centre, columns, self.threshold)

    def softmax(self, log_prior: Array, classes: NDArray[Any], names: Sequence[str] | None = None) -> "Softmax":
        """All classes as a softmax, where their quadratic parts are equal."""
        if self.A is not None and not (self.A[0] == self.A).all():
            raise ValueError(
                "the log-odds of this model are quadratic; as_linear is for covariances that the classes share "
                "(shared=True), and for Bernoulli, multinomial and Poisson features. See decision_boundary."
            )
        if not (self.b < np.inf).all():  # NaN too; minus infinity is allowed: an impossible count
            raise ValueError(
                "a class has probability zero or one somewhere (alpha=0, or maximum likelihood), so that its "
                "coefficients are not finite; smooth it."
            )
        columns = None if names is None else tuple(names)
        return Softmax(classes, self.b, self.c + log_prior, self.centre, columns, self.threshold)


def quadratic_form(density: Any) -> Form:
    """Log-densities (or affine scores) as polynomials of degree at most 2, up to a term of the row alone."""
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
        f"the log-odds of a {type(density).__name__} are not a polynomial of the columns; use Gaussian, Bernoulli, "
        "multinomial or Poisson densities, fitted by ML or MAP (a posterior predictive density is none of these)."
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


def _affine(b: Array, c: Array, threshold: float | None = None) -> Form:
    return Form(None, b, c, np.zeros(b.shape[1]), threshold)


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
