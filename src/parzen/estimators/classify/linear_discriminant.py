"""Linear discriminant analysis, as scikit-learn's."""

import warnings
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.special import logsumexp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.canonical import bounded_below, canonical_variates, with_signs, within_span
from parzen.densities.factors import solved
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.linear import Linear
from parzen.densities.polynomials import quadratic_form
from parzen.densities.posterior import compare
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.base.sources import takes_sources
from parzen.estimators.base.validation import check_fitted, finite
from parzen.estimators.classify.class_priors import normalised, read_class_prior
from parzen.estimators.classify.discriminant_analysis import DiscriminantAnalysis
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.statistics.accumulate import Evaluated
from parzen.statistics.messages import (
    Collapse,
    FloorWarning,
    caller_stacklevel,
    refusing_floors,
    without_floor_warnings,
)

SINGULAR = (
    "the covariance of the rows about the means of their classes is singular: too few rows, or columns that are "
    "constant or depend on each other"
)


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, DiscriminantAnalysis):
    """Gaussians that share one covariance: linear log-odds. A drop-in for scikit-learn's, with `transform`.

    Parameters
    ----------
    solver : "svd", "lsqr" or "eigen"
        One computation serves all. "svd" has the covariance of all rows about their class's mean; "lsqr" and "eigen"
        weigh the classes' covariances by the priors (the same, unless priors are given), and take `shrinkage` and
        `covariance_estimator`.
    shrinkage : "auto", float or None
        As of `parzen.Gaussian`: "auto" is Ledoit and Wolf's in units of each column's deviation, class by class.
    priors : sequence, dict or "uniform", optional
    n_components : int, optional
        How many columns `transform` gives, at most ``min(K - 1, d)``.
    store_covariance : bool
        Whether `covariance_` is there with "svd" as well.
    tol : float
        Directions whose differences are less than this share of the largest are left out of `scalings_`.
    covariance_estimator : estimator with `covariance_`, optional

    Attributes
    ----------
    classes_, class_count_, priors_ : arrays of shape (K,)
    means_ : array of shape (K, d)
    covariance_ : array of shape (d, d)
    coef_, intercept_ : arrays of shape (K, d) and (K,), or (1, d) and (1,) for two classes
    scalings_ : array of shape (d, r)
        Directions in which the classes differ most.
    xbar_ : array of shape (d,)
        Mean of the means, weighted by the priors.
    explained_variance_ratio_ : array

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearDiscriminantAnalysis().fit(X, y)
    >>> model.explained_variance_ratio_.round(4)
    array([0.9912, 0.0088])
    >>> model.transform(X).shape
    (150, 2)
    """

    _several_classes = False
    _fitted: tuple[str, int]
    _spanned: GaussianDensity | None = None

    def __init__(
        self,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        n_components: int | None = None,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def _family(self) -> Family:
        self._check_solver(("svd", "lsqr", "eigen"))
        shared: Any = True
        if self.solver != "svd":
            classes = getattr(self, "classes_", None)
            given = (
                None if self.priors is None or classes is None else read_class_prior(normalised(self.priors), classes)
            )
            shared = "average" if given is None else given
        return self._gaussians(shared=shared, shrinkage=self._shrinkage())

    def _pooled(self, covariance: Array) -> Array:
        """One covariance: that of the classes, weighted by their priors."""
        return np.tensordot(self.class_prior_, covariance, axes=1)[None]

    @takes_sources
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit Gaussians of one covariance to the classes.

        Parameters
        ----------
        X : table of shape (n, d), missing values allowed
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        if self.solver != "eigen":
            with without_floor_warnings():  # directions without spread are left out instead
                return super().fit(X, y, sample_weight)
        try:
            with refusing_floors():
                return super().fit(X, y, sample_weight)
        except Collapse:
            raise np.linalg.LinAlgError(
                f"{SINGULAR}; use shrinkage, or solver='svd', which leaves directions without spread out."
            ) from None

    def _check_rows(self, members: NDArray[np.int64], d: int) -> None:
        if members.sum() <= len(members):
            raise ValueError(
                f"The number of samples must be more than the number of classes: there are {members.sum()} rows of "
                f"{len(members)} classes, and no spread within these."
            )

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        super()._finish(rows, R)
        if self.covariance_estimator is not None and self.solver == "eigen":
            self._total_covariance = self._estimated(np.asarray(rows))
        K, d = self.density_.shape
        most = min(K - 1, d)
        if self.n_components is not None and not (
            isinstance(self.n_components, Integral) and 1 <= self.n_components <= most
        ):
            raise ValueError(
                f"n_components cannot be larger than min(n_features, n_classes - 1): {most}, got {self.n_components!r}."
            )
        self._fitted = self.solver, self.n_components or most
        self._spanned = self._within_span()
        if self.solver != "svd":
            self.covariance_ = self._shown(self.density_.covariance[0])
        elif self.store_covariance:
            seen = self._moments()
            classes = seen.scatter / seen.weight[:, None, None]
            self.covariance_ = self._shown(np.tensordot(self.class_prior_, classes, axes=1))
        if rows is not None:  # of batches, only what is asked for
            shown = ("xbar_", "coef_", "intercept_", "scalings_", "explained_variance_ratio_")
            for name in shown[: 3 if self.solver == "lsqr" else 5]:
                getattr(self, name)

    def _within_span(self) -> GaussianDensity | None:
        """What is compared instead of the densities where the covariance is singular, as scikit-learn's solvers do."""
        if self.solver == "eigen" or self.covariance_estimator is not None or self._shrinkage() != 0:
            return None
        factor, svd = self.density_.factor[0], self.solver == "svd"
        own, seen = (factor**2).sum(axis=1), self._moments()
        weight = seen.weight if svd else self.class_prior_
        apart = np.diagonal(seen.scatter, axis1=1, axis2=2) / np.maximum(seen.weight, 1e-300)[:, None]
        constant = weight @ apart < 0.5 * weight.sum() * own  # raised to the floor
        least = max(float(self.tol) ** 2, 1e-11) if svd else 1e-11
        if not constant.any() and bounded_below(factor / np.sqrt(own)[:, None], least):
            return None
        origin = self.class_prior_ @ self.density_.mean if svd else np.zeros(len(factor))
        found = within_span(self.density_, origin, constant, least, in_units=svd)
        if found is not None:
            warnings.warn(
                f"{SINGULAR}. Directions without spread are left out, as scikit-learn does; shrinkage with "
                "solver='lsqr' keeps them.",
                FloorWarning,
                stacklevel=caller_stacklevel(),
            )
        return found

    # What is worked out of the densities ------------------------------------------------------------------------------

    def _scores(self) -> Evaluated:
        if self._by_hand():
            coef, intercept = np.asarray(self.coef_, np.float64), np.asarray(self.intercept_, np.float64)
            K = len(self.classes_)
            if coef.ndim != 2 or intercept.shape != (len(coef),) or len(coef) not in (K, 1 if K == 2 else K):
                raise ValueError(
                    f"coef_ and intercept_ must have the shapes ({K}, d) and ({K},), one row for each class (one row "
                    f"alone for two classes), got {coef.shape} and {intercept.shape}."
                )
            if len(coef) < K:
                coef, intercept = np.concatenate([0 * coef, coef]), np.concatenate([0 * intercept, intercept])
            return Linear(coef, intercept)
        return self.density_ if self._spanned is None else self._spanned

    def _by_hand(self) -> bool:
        """Whether `coef_` or `intercept_` was set."""
        return not {"coef_", "intercept_"}.isdisjoint(vars(self).get("_given_by_hand", {}))

    def _adopt(self, name: str) -> None:
        if hasattr(self, "coef_"):
            self._read_numbers(np.shape(self.coef_)[-1])

    def _prior_in_scores(self) -> Array:
        return np.zeros(len(self.classes_)) if self._by_hand() else self._log_prior()

    def _replaced(self, log_prior: Array) -> Array:
        return log_prior - self._log_prior() if self._by_hand() else log_prior

    @property
    def _n_features_out(self) -> int:
        most = self._fitted[1]
        return most if self._fitted[0] == "lsqr" else min(most, self.scalings_.shape[1])

    @Fitted
    def xbar_(self) -> Array:
        """Mean of the means, weighted by the priors, (d,)."""
        return self._shown(self.class_prior_ @ self.density_.mean)

    @Fitted
    def coef_(self) -> Array:
        """Weights of the columns, (K, d), or of the second class against the first, (1, d)."""
        return self._shown(self._affine[0])

    @Fitted
    def intercept_(self) -> Array:
        """Intercepts, (K,), or of the second class against the first, (1,)."""
        return self._shown(self._affine[1])

    @cached_property
    def _affine(self) -> tuple[Array, Array]:
        compared = self.density_ if self._spanned is None else self._spanned
        mean, log_prior = compared.mean, self._log_prior()
        coef = quadratic_form(compared).b
        if len(mean) == 2:
            coef = coef[1:] - coef[:1]
            return coef, -coef @ mean.mean(axis=0) + log_prior[1] - log_prior[0]
        about = self.class_prior_ @ self.density_.mean if self._fitted[0] == "svd" else np.zeros(mean.shape[1])
        white = solved(compared.factor[0], mean.mean(axis=0) - about)
        coef = coef + solved(compared.factor[0], white, transposed=True)
        return coef, -0.5 * (coef * (mean - about)).sum(axis=1) - coef @ about + log_prior

    @Fitted
    def scalings_(self) -> Array:
        """Directions in which the classes differ most, (d, r), in which the covariance is the identity."""
        return self._shown(self._variates[0])

    @Fitted
    def explained_variance_ratio_(self) -> Array:
        """Share of each direction in the differences between the classes."""
        return self._shown(self._variates[1][: self._n_features_out])

    @cached_property
    def _variates(self) -> tuple[Array, Array]:
        if self._fitted[0] == "lsqr":
            raise AttributeError("solver='lsqr' has no scalings_; use solver='svd' or 'eigen'.")
        if self._fitted[0] == "svd":
            compared = self.density_ if self._spanned is None else self._spanned
            return canonical_variates(compared.mean, self.class_prior_, compared.factor[0], self.tol)
        within = self.density_.covariance[0]
        values, vectors = eigh(self._total() - within, within)
        return with_signs(vectors[:, ::-1]), np.sort(values / (values.sum() or 1.0))[::-1]

    def _total(self) -> Array:
        """Covariance of all rows, estimated as those of the classes are."""
        if self.covariance_estimator is not None:
            return self._total_covariance
        total = Gaussian(shrinkage=self._shrinkage()).maximise(self._moments().pooled())
        return total.covariance[0]  # type: ignore[union-attr]

    def transform(self, X: Any) -> Array:
        """Project rows on the directions in which the classes differ most; missing cells are replaced by expected ones.

        Returns
        -------
        array of shape (n, `n_components`)
        """
        check_fitted(self, "density_")
        if self._fitted[0] == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        rows = np.asarray(self._later(X))
        finite(rows)
        if rows.dtype.kind == "f" and np.isnan(rows).any():
            rows = self.density_.completed(rows, self.predict_proba(X))
        centred = rows - self.xbar_ if self._fitted[0] == "svd" else rows
        return np.asarray(centred @ self.scalings_[:, : self._n_features_out])

    def decision_function(self, X: Any, class_prior: Any = None) -> NDArray[np.float64]:
        """Log-odds of the second of two classes, (n,); else affine scores of each class, (n, K), up to a constant.

        The scores of a row with missing cells are its log-posteriors.
        """
        check_fitted(self, "classes_")
        rows = self._later(X)
        values: Array = self._compared_rows(compare, rows, class_prior)[0]
        if len(self.classes_) == 2:
            return values[:, 1] - values[:, 0]
        if self._by_hand():
            return values if len(self.classes_) > 1 else values[:, 0]
        coef, intercept = self._affine
        about = self.density_.mean[0]  # the first class's score from its weights, the others' by exact differences
        first = (rows - about) @ coef[0] + (intercept[0] + coef[0] @ about)
        if len(self.classes_) == 1:
            return np.asarray(first)
        scores = values + (first - values[:, 0])[:, None]
        missing = np.isnan(first)
        if missing.any():
            scores[missing] = values[missing] - logsumexp(values[missing], axis=1, keepdims=True)
        return scores
