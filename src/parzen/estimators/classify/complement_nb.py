"""Complement naive Bayes, as scikit-learn's."""

from functools import cached_property
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.linear import Linear
from parzen.estimators.base.fitted import Fitted
from parzen.estimators.classify.discrete_nb import log_table
from parzen.estimators.classify.multinomial_nb import CountsNB
from parzen.families.multinomial import complement_weights
from parzen.statistics.accumulate import Evaluated


class ComplementNB(CountsNB):
    """Naive Bayes by the words of the other classes (Rennie et al. 2003): scikit-learn's `ComplementNB`. Dense or CSR.

    It scores a class by how badly the others explain a row, and ignores priors unless they are given at prediction.
    That is no density: `log_joint`, `score_samples` and `sample` are those of the multinomial of the same counts.

    Parameters
    ----------
    alpha, force_alpha, fit_prior, class_prior : as of `MultinomialNB`
    norm : bool
        Whether the weights of each class are divided by their sum.

    Attributes
    ----------
    classes_, class_count_, class_prior_, class_log_prior_ : arrays of shape (K,)
    feature_count_, feature_log_prob_ : arrays of shape (K, d)
        Counts, and the weights of the columns.
    feature_all_ : array of shape (d,)

    Examples
    --------
    >>> from parzen import ComplementNB
    >>> words = [[2, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0], [1, 0, 0, 0, 1, 1]]
    >>> ComplementNB().fit(words, ["China", "China", "China", "Japan"]).predict([[3, 0, 0, 0, 1, 1]])
    array(['Japan'], dtype='<U5')
    """

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        norm: bool = False,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm

    def _finish(self, rows: Any = None, R: Labels | None = None) -> None:
        self._linear  # noqa: B018 - made once for all predictions

    @Fitted
    def feature_log_prob_(self) -> Array:
        """Weights of the columns, (K, d)."""
        return self._linear.coef

    @cached_property
    def _linear(self) -> Linear:
        given = vars(self).get("_given_by_hand", {})
        if "feature_log_prob_" in given:
            weights = log_table("feature_log_prob_", given["feature_log_prob_"])
        else:
            weights = complement_weights(self.statistic_.totals, self._smoothing(), self.norm)
        return Linear(weights, np.zeros(len(weights)), skips_missing=True)

    def _adopt(self, name: str) -> None:
        self.__dict__.pop("_linear", None)
        self._read_numbers(self._linear.shape[1])

    def _scores(self) -> Evaluated:
        return self._linear

    def _prior_in_scores(self) -> Array:
        return np.zeros(len(self.classes_))

    @property
    def feature_all_(self) -> Array:
        """Weighted total of each column, (d,)."""
        return self.statistic_.totals.sum(axis=0)
