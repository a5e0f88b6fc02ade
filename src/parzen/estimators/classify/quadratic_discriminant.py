"""Quadratic discriminant analysis, as scikit-learn's."""

from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, on_host
from parzen.compute.memberships import Labels, Memberships
from parzen.densities.gaussian import GaussianDensity
from parzen.estimators.base.covariances import factors_of, means_of
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.base.validation import check_fitted
from parzen.estimators.classify.discriminant_analysis import DiscriminantAnalysis
from parzen.families.family import Family
from parzen.families.fit import Fit
from parzen.statistics.messages import Collapse, plain, refusing_floors


class QuadraticDiscriminantAnalysis(DiscriminantAnalysis):
    """A Gaussian with its own full covariance for each class: a drop-in for scikit-learn's.

    As scikit-learn's it refuses classes whose covariance is singular: fewer rows than columns, a constant column.
    `GaussianDiscriminant` takes these, with variances raised to a floor. What is singular is judged in the units of the
    columns, so that small numbers in all rows of a column are no reason.

    Parameters
    ----------
    solver : "svd" or "eigen"
        Both give the same answer; "eigen" takes `shrinkage` and `covariance_estimator`.
    shrinkage : "auto", float or None
        As of `parzen.Gaussian`: "auto" is Ledoit and Wolf's in units of each column's deviation.
    priors : sequence, dict or "uniform", optional
    reg_param : float
        Share of the identity in each covariance.
    store_covariance : bool
        Whether `covariance_` is there.
    tol : float
        Not used: scikit-learn refuses variances below it, whatever the unit of the column.
    covariance_estimator : estimator with `covariance_`, optional

    Attributes
    ----------
    classes_, class_count_, priors_ : arrays of shape (K,)
    means_ : array of shape (K, d)
    covariance_, rotations_ : lists of K arrays of shape (d, d)
        Covariances of the classes, and their principal axes.
    scalings_ : list of K arrays of shape (d,)
        Variances along the axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> int((QuadraticDiscriminantAnalysis().fit(X, y).predict(X) != y).sum())
    3
    """

    _made_of = ("means_", "rotations_", "scalings_")

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    def _family(self) -> Family:
        self._check_solver(("svd", "eigen"))
        if not isinstance(self.reg_param, Real) or not 0 <= self.reg_param <= 1:
            raise ValueError(f"reg_param must lie in [0, 1], got {self.reg_param!r}.")
        ridge = self.reg_param if self.solver == "svd" else 0.0
        return self._gaussians(shrinkage=self._shrinkage(), ridge=ridge)

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        super()._finish(rows, R)
        if self.store_covariance:
            self.covariance_ = list(self.density_.covariance)

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a Gaussian to the rows of each class; see `GaussianDiscriminant` where a class has too few for that.

        Parameters
        ----------
        X : table of shape (n, d), missing values allowed
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional

        Returns
        -------
        self
        """
        try:
            with refusing_floors():
                return super().fit(X, y, sample_weight)
        except Collapse as reason:
            raise np.linalg.LinAlgError(
                f"The covariance matrix is not full rank: {str(reason).partition(';')[0]}. Increase the value of "
                f"`{'reg_param' if self.solver == 'svd' else 'shrinkage'}`, leave such columns out, or use "
                "GaussianDiscriminant, which raises variances to a floor instead."
            ) from None

    def _fit_family(self, family: Family, rows: Any, R: Memberships, **options: Any) -> Fit:
        assert isinstance(R, Labels)
        if R.codes.min() >= 0:
            self._check_rows(np.bincount(on_host(R.codes), minlength=R.groups), rows.shape[1])
        return super()._fit_family(family, rows, R, **options)

    def _check_rows(self, count: NDArray[np.int64], d: int) -> None:
        """Raise where a class has too few rows, as scikit-learn does."""
        few = int(count.argmin())
        label, n = plain(self.classes_[few]), count[few]
        if n == 1:
            raise ValueError(
                f"y has only 1 sample in class {label!r}, covariance is ill defined; give more, or use "
                "GaussianDiscriminant(shared=True)."
            )
        if self.solver == "svd" and n < d:
            raise np.linalg.LinAlgError(
                f"The covariance matrix of class {label!r} is not full rank. When using `solver='svd'` a class needs "
                f"more rows than there are columns, but it has {n} for {d}; use solver='eigen' with shrinkage."
            )

    @Fitted
    def rotations_(self) -> list[Array]:
        """Principal axes of each class, the longest first."""
        return [self._shown(vectors[:, ::-1]) for _, vectors in self._axes]

    @Fitted
    def scalings_(self) -> list[Array]:
        """Variances along the axes of each class, the largest first."""
        return [self._shown(values[::-1]) for values, _ in self._axes]

    @cached_property
    def _axes(self) -> list[Any]:
        return [np.linalg.eigh(covariance) for covariance in self.density_.covariance]

    def _density_of(self, *parameters: Any) -> GaussianDensity:
        mean = means_of(parameters[0])
        axes, scales = (np.asarray(part, dtype=np.float64) for part in parameters[1:])
        covariance = np.einsum("kij,kj,klj->kil", axes, scales, axes)
        K, d = mean.shape
        return GaussianDensity(mean, factors_of(covariance, "full", K, d, "rotations_ and scalings_"))

    def decision_function(self, X: Any, class_prior: Any = None) -> Array:
        """Log-odds of the second of two classes, (n,); else logs of prior times density, (n, K), up to a constant."""
        check_fitted(self, "density_")
        if len(self.classes_) == 2:
            return self.log_odds(X, class_prior)
        return self.log_joint(X, class_prior) + 0.5 * self.n_features_in_ * np.log(2 * np.pi)
