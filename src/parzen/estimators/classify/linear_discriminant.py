"""Linear discriminant analysis, as scikit-learn's."""

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, solve_triangular
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.canonical import canonical_variates, with_signs
from parzen.densities.polynomials import quadratic_form
from parzen.estimators.base.validation import finite
from parzen.estimators.classify.class_priors import normalised, read_class_prior
from parzen.estimators.classify.discriminant_analysis import DiscriminantAnalysis
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian


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

    _fitted: tuple[str, int]

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
        if self.solver != "svd":
            self.covariance_ = self.density_.covariance[0]
        elif self.store_covariance:
            seen = self._moments()
            classes = seen.scatter / seen.weight[:, None, None]
            self.covariance_ = np.tensordot(self.class_prior_, classes, axes=1)

    @property
    def _n_features_out(self) -> int:
        return min(self._fitted[1], self.scalings_.shape[1])

    @property
    def xbar_(self) -> Array:
        """Mean of the means, weighted by the priors, (d,)."""
        return self.class_prior_ @ self.density_.mean

    @property
    def coef_(self) -> Array:
        """Weights of the columns, (K, d), or of the second class against the first, (1, d)."""
        coef = quadratic_form(self.density_).b
        if len(coef) == 2:
            return coef[1:] - coef[:1]
        factor = self.density_.factor[0]
        origin = self.density_.mean.mean(axis=0) - (self.xbar_ if self._fitted[0] == "svd" else 0.0)
        return coef + _solved(factor, origin)

    @property
    def intercept_(self) -> Array:
        """Intercepts, (K,), or of the second class against the first, (1,)."""
        mean = self.density_.mean
        if len(mean) == 2:
            middle = mean.mean(axis=0)
            return -self.coef_ @ middle + self._log_prior()[1] - self._log_prior()[0]
        about = self.xbar_ if self._fitted[0] == "svd" else np.zeros(mean.shape[1])
        coef = self.coef_
        return -0.5 * (coef * (mean - about)).sum(axis=1) - coef @ about + self._log_prior()

    @property
    def scalings_(self) -> Array:
        """Directions in which the classes differ most, (d, r), in which the covariance is the identity."""
        return self._variates()[0]

    @property
    def explained_variance_ratio_(self) -> Array:
        """Share of each direction in the differences between the classes."""
        return self._variates()[1][: self._n_features_out]

    def _variates(self) -> tuple[Array, Array]:
        factor = self.density_.factor[0]
        if self._fitted[0] != "eigen":
            return canonical_variates(self.density_.mean, self.class_prior_, factor, self.tol)
        within = self.density_.covariance[0]
        values, vectors = eigh(self._total() - within, within)
        return with_signs(vectors[:, ::-1]), np.sort(values / values.sum())[::-1]

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
        check_is_fitted(self, "density_")
        rows = np.asarray(self._later(X), dtype=np.float64)
        finite(rows)
        if np.isnan(rows).any():
            rows = self.density_.completed(rows, self.predict_proba(X))
        centre = self.xbar_ if self._fitted[0] == "svd" else 0.0
        return (rows - centre) @ self.scalings_[:, : self._n_features_out]

    def decision_function(self, X: Any, class_prior: Any = None) -> NDArray[np.float64]:
        """Log-odds of the second of two classes, (n,); else affine scores of each class, (n, K), up to a constant.

        The scores of a row with missing cells are its log-posteriors.
        """
        check_is_fitted(self, "density_")
        logs = self.log_odds(X, class_prior) if len(self.classes_) == 2 else self.predict_log_proba(X, class_prior)
        if len(self.classes_) == 2:
            return logs
        rows = np.asarray(self._later(X), dtype=np.float64)
        about = self.density_.mean[0]  # the first class's score from its weights, the others' by exact differences
        first = (rows - about) @ self.coef_[0] + self.intercept_[0] + self.coef_[0] @ about
        return np.where(np.isnan(first)[:, None], logs, logs - logs[:, :1] + first[:, None])


def _solved(factor: Array, vector: Array) -> Array:
    """The covariance's inverse times a vector."""
    white = solve_triangular(factor, vector, lower=True)
    return solve_triangular(factor, white, lower=True, trans="T")
