"""Bernoulli naive Bayes, as scikit-learn's."""

from numbers import Real
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.conjugate import Beta
from parzen.densities.bernoulli import BernoulliDensity
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.classify.discrete_nb import DiscreteNB, log_table
from parzen.families.bernoulli import Bernoulli
from parzen.families.family import Family
from parzen.statistics.counts import Counts


class BernoulliNB(DiscreteNB):
    """Naive Bayes over columns of zeros and ones: a drop-in for scikit-learn's `BernoulliNB`. Dense or CSR.

    Parameters
    ----------
    alpha : float, or one for each column
        Smoothing: as if each column had been 0 in alpha more rows, and 1 in alpha more.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as it is.
    binarize : float or None
        Cells above it are ones. None: cells are 0 and 1.
    fit_prior : bool
        Whether priors are learnt; else they are equal.
    class_prior : sequence, dict or "uniform", optional

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, d)
        Weight of ones, and logs of their probabilities.

    Examples
    --------
    >>> from parzen import BernoulliNB
    >>> model = BernoulliNB().fit([[1, 0], [1, 1], [0, 1], [0, 1]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1, float("nan")]])        # the second column is not known
    array([[0.75, 0.25]])
    """

    _made_of = ("feature_log_prob_",)
    density_: BernoulliDensity
    statistic_: Counts

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, binarize: float | None = 0.0, fit_prior: bool = True,
        class_prior: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def _family(self) -> Family:
        alpha = self._smoothing()
        if self.binarize is not None and not (isinstance(self.binarize, Real) and np.isfinite(self.binarize)):
            raise ValueError(f"binarize must be a number, or None, got {self.binarize!r}.")
        if not np.any(alpha):
            return Bernoulli(estimate="ml", threshold=self.binarize)
        return Bernoulli(Beta(alpha, alpha), threshold=self.binarize)

    @property
    def feature_count_(self) -> Array:
        """Weight of the ones, (K, d)."""
        return self.statistic_.counts[:, 1::2]

    @Fitted
    def feature_log_prob_(self) -> Array:
        """Logs of the probabilities of ones, (K, d)."""
        return self.density_.log_success

    def _density_of(self, *parameters: Any) -> BernoulliDensity:
        logs = log_table("feature_log_prob_", parameters[0])
        if (logs > 0).any():
            raise ValueError("feature_log_prob_ must hold logs of probabilities, at most 0.")
        with np.errstate(divide="ignore"):
            return BernoulliDensity(np.log(-np.expm1(logs)), logs, self.binarize)
