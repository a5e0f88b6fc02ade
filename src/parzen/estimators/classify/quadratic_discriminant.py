"""Quadratic discriminant analysis, as scikit-learn's."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.estimators.classify.discriminant_analysis import DiscriminantAnalysis
from parzen.families.family import Family


class QuadraticDiscriminantAnalysis(DiscriminantAnalysis):
    """A Gaussian with its own full covariance for each class: a drop-in for scikit-learn's.

    A class whose covariance is singular (fewer rows than columns, a constant column) is floored with a warning, where
    scikit-learn raises.

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
        Not used: what is singular is floored.
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

    @property
    def rotations_(self) -> list[Array]:
        """Principal axes of each class, the longest first."""
        return [np.linalg.eigh(covariance)[1][:, ::-1] for covariance in self.density_.covariance]

    @property
    def scalings_(self) -> list[Array]:
        """Variances along the axes of each class, the largest first."""
        return [np.linalg.eigvalsh(covariance)[::-1] for covariance in self.density_.covariance]

    def decision_function(self, X: Any, class_prior: Any = None) -> Array:
        """Log-odds of the second of two classes, (n,); else logs of prior times density, (n, K), up to a constant."""
        check_is_fitted(self, "density_")
        if len(self.classes_) == 2:
            return self.log_odds(X, class_prior)
        return self.log_joint(X, class_prior) + 0.5 * self.n_features_in_ * np.log(2 * np.pi)
