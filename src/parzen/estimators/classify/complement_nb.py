"""Complement naive Bayes, as scikit-learn's."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.linear import Linear
from parzen.estimators.classify.fitted import Fitted
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
        self.feature_log_prob_ = complement_weights(self.statistic_.totals, self._smoothing(), self.norm)

        self._linear  # noqa: B018 - made once for all predictions

    @Fitted
    def _linear(self) -> Linear:
        return Linear(self.feature_log_prob_, np.zeros(len(self.feature_log_prob_)), skips_missing=True)

    def _scores(self) -> Evaluated:
        if self._linear.coef is not self.feature_log_prob_:  # which was set
            return Linear(self.feature_log_prob_, np.zeros(len(self.classes_)), skips_missing=True)
        return self._linear

    def _prior_in_scores(self) -> Array:
        return np.zeros(len(self.classes_))

    @property
    def feature_all_(self) -> Array:
        """Weighted total of each column, (d,)."""
        return self.statistic_.totals.sum(axis=0)
