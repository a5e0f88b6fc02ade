"""What scikit-learn's two discriminant analyses share: solvers, class priors, shrinkage, covariance estimators."""

from contextlib import nullcontext
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.compute.memberships import Labels, Memberships
from parzen.densities.gaussian import GaussianDensity
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.classify.class_priors import normalised
from parzen.estimators.classify.generative import GenerativeClassifier
from parzen.families.covariance_floor import covariance_factors
from parzen.families.family import Family
from parzen.families.fit import Fit
from parzen.families.gaussian import Gaussian
from parzen.statistics.messages import without_floor_warnings
from parzen.statistics.moments import Moments
from parzen.statistics.pattern_moments import PatternMoments


class DiscriminantAnalysis(GenerativeClassifier):
    """What the two have in common: solvers by name, priors, shrinkage, and covariances found by another estimator."""

    solver: str
    shrinkage: Any
    priors: Any
    covariance_estimator: Any
    density_: GaussianDensity
    statistic_: Moments | PatternMoments

    def _given_class_prior(self) -> Any:
        return normalised(self.priors)

    def _check_solver(self, options: tuple[str, ...]) -> None:
        choose("solver", self.solver, options)
        if self.solver == "svd" and self.shrinkage is not None:
            raise NotImplementedError(f"shrinkage not supported with 'svd' solver; use solver={options[-1]!r}.")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError(f"covariance_estimator is not supported with solver='svd'; use solver={options[-1]!r}.")
        if self.covariance_estimator is not None and self.shrinkage not in (None, 0):
            raise ValueError(
                "covariance_estimator and shrinkage parameters are not None. Only one of the two can be set."
            )

    def _shrinkage(self) -> Any:
        return 0.0 if self.shrinkage is None or self.covariance_estimator is not None else self.shrinkage

    def _gaussians(self, **options: Any) -> Gaussian:
        """The family of the classes; where another estimator finds the covariances, it finds the means alone."""
        return Gaussian(**options) if self.covariance_estimator is None else Gaussian("diag")

    def _fit_family(self, family: Family, rows: Any, R: Memberships, **options: Any) -> Fit:
        with nullcontext() if self.covariance_estimator is None else without_floor_warnings():
            return super()._fit_family(family, rows, R, **options)

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        if self.covariance_estimator is None:
            return
        if rows is None or R is None:
            raise ValueError("covariance_estimator needs all rows at once; use fit.")
        if np.isnan(rows).any() or R.codes.min() < 0 or R.weights is not None:
            raise ValueError("covariance_estimator needs complete rows, all labels, and no sample_weight.")
        covariance = np.stack([self._estimated(rows[R.codes == k]) for k in range(R.groups)])
        factors = covariance_factors(self._pooled(covariance), self._moments(), 1e-12)
        self.density_ = GaussianDensity(self.density_.mean, factors)

    def _moments(self) -> Moments:
        """Moments of the classes; where cells were missing, as they are expected under the fitted densities."""
        if isinstance(self.statistic_, Moments):
            return self.statistic_
        found: Moments = self.family_.observe(self.statistic_, None, self.density_).statistic  # type: ignore[attr-defined]
        return found

    def _pooled(self, covariance: Array) -> Array:
        """Covariances of the classes, (K, d, d), as the model has them."""
        return covariance

    def merge(self, other: Any) -> Self:
        """A new classifier, as if it had been fitted to the rows of both; not with a `covariance_estimator`."""
        if self.covariance_estimator is not None:
            raise ValueError("covariance_estimator needs all rows at once; use fit.")
        return super().merge(other)

    def _estimated(self, rows: Array) -> Array:
        self.covariance_estimator.fit(rows)
        if not hasattr(self.covariance_estimator, "covariance_"):
            raise ValueError(f"{type(self.covariance_estimator).__name__} does not have a covariance_ attribute.")
        return np.atleast_2d(self.covariance_estimator.covariance_)

    @Fitted
    def means_(self) -> Array:
        """Means of the classes, (K, d)."""
        return self._shown(self.density_.mean)

    @property
    def priors_(self) -> Array:
        """Priors of the classes, (K,)."""
        return self.class_prior_

    @priors_.setter
    def priors_(self, priors: ArrayLike) -> None:
        self.class_prior_ = np.asarray(priors, dtype=np.float64)
