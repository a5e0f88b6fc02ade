"""Likelihood of rows and labels together, and criteria that compare models by it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _num_samples

from parzen.compute.arrays import Array
from parzen.densities.density import Density
from parzen.estimators.base.validation import check_fitted, drop_zero_weight, weights
from parzen.estimators.classify.labels import codes_among
from parzen.families.family import Family


class JointCriteria:
    """Criteria of a classifier that has a density of rows and labels."""

    classes_: NDArray[Any]
    density_: Density
    family_: Family
    unlabelled: Any

    def log_joint(self, X: Any, class_prior: Any = None) -> Array:
        """Log of prior times density of each class at each row, (n, K)."""
        raise NotImplementedError

    def _given_class_prior(self) -> Any:
        raise NotImplementedError

    @property
    def n_parameters_(self) -> int:
        """Free parameters: of the K densities, and K - 1 of the class priors where they are learnt."""
        check_fitted(self, "density_")
        priors = len(self.classes_) - 1 if self._given_class_prior() is None else 0
        return self.family_.n_parameters(self.density_) + priors

    def log_likelihood(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Log-likelihood of rows and their labels together, the sum of log p(x, y); of rows alone without a label."""
        joint = self.log_joint(X)
        codes = codes_among(y, len(joint), self.classes_, self.unlabelled)
        own = joint[np.arange(len(joint)), codes]
        values = np.where(codes >= 0, own, np.logaddexp.reduce(joint, axis=1))
        values, w = drop_zero_weight(values, weights(sample_weight, values))
        return float(values.sum() if w is None else values @ w)

    def bic(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Bayesian information criterion of rows and labels: low is good.

        Free parameters times log n less twice `log_likelihood`: say, whether classes may share a covariance. Models of
        the same rows compare by it; a discriminative model, which has no p(x), does not.
        """
        n = _num_samples(X) if sample_weight is None else float(np.sum(sample_weight))
        return self.n_parameters_ * float(np.log(n)) - 2.0 * self.log_likelihood(X, y, sample_weight)

    def aic(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Akaike's information criterion of rows and labels: twice the parameters less twice `log_likelihood`."""
        return 2.0 * self.n_parameters_ - 2.0 * self.log_likelihood(X, y, sample_weight)
