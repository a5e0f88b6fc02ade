"""Multinomial naive Bayes, as scikit-learn's."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.conjugate import Dirichlet
from parzen.densities.multinomial import MultinomialDensity
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.classify.discrete_nb import DiscreteNB, log_table
from parzen.families.family import Family
from parzen.families.multinomial import Multinomial
from parzen.statistics.sums import Sums


class CountsNB(DiscreteNB):
    """What naive Bayes over rows of counts has in common: a smoothed multinomial."""

    statistic_: Sums

    def _family(self) -> Family:
        alpha = self._smoothing()
        return Multinomial(Dirichlet(alpha), "mean") if np.any(alpha) else Multinomial(estimate="ml")

    @property
    def feature_count_(self) -> Array:
        """Weighted total of each column in each class, (K, d)."""
        return self.statistic_.totals


class MultinomialNB(CountsNB):
    """Naive Bayes over rows of counts, such as words: a drop-in for scikit-learn's `MultinomialNB`. Dense or CSR.

    A missing count leaves a multinomial of the others, given their total.

    Parameters
    ----------
    alpha : float, or one for each column
        Smoothing: as if alpha more of each column had been counted.
    force_alpha, fit_prior, class_prior : as of `BernoulliNB`

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, d)

    Examples
    --------
    >>> from parzen import MultinomialNB
    >>> words = [[2, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]]
    >>> model = MultinomialNB().fit(words, ["China", "China", "China", "Japan"])
    >>> model.predict_proba([[3, 0, 0, 0, 1, 1]]).round(4)        # Introduction to Information Retrieval, 13.1
    array([[0.6898, 0.3102]])
    """

    _made_of = ("feature_log_prob_",)
    density_: MultinomialDensity

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @Fitted
    def feature_log_prob_(self) -> Array:
        """Logs of the probabilities of the columns, (K, d)."""
        return self.density_.log_probability

    def _density_of(self, *parameters: Any) -> MultinomialDensity:
        logs = log_table("feature_log_prob_", parameters[0])
        return MultinomialDensity(logs, np.ones(len(logs)))
