"""What naive Bayes classifiers share: an explanation of each decision, column by column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.decisions.explanation import Explanation
from parzen.estimators.base.validation import check_fitted, finite
from parzen.estimators.classify.generative import GenerativeClassifier


class NaiveClassifier(GenerativeClassifier):
    """A generative classifier whose columns are conditionally independent given the class."""

    def explain(self, X: Any, label: Any = None, against: Any = None, names: Any = None) -> Explanation:
        """What each column adds to the log-odds of one class against another.

        Parameters
        ----------
        X : table of shape (n, d)
        label, against : classes, optional
            By default the most probable class of each row, and the most probable of the others.
        names : sequence of str, optional
            What the columns are called, where the table doesn't say: the words of a bag of words.

        Returns
        -------
        Explanation
            `print` it for the first row, ``.table()`` for all, ``.plot(row)`` for a picture. Its text says which
            density a column has, and why, where `parzen.AutoColumns` has chosen one.
        """
        from parzen.decisions.contributions import block_scores  # knows every kind of density, which a fit need not

        check_fitted(self, "density_")
        X = self._later_table(X)
        rows = self._encoded(X, grow=False)
        rows = rows.toarray() if is_sparse(rows) else rows
        names = self.schema_.labels if names is None else list(names)
        if len(names) != rows.shape[1]:
            raise ValueError(f"names must be {rows.shape[1]}, one for each column, got {len(names)}.")
        compared: Any = self._scores()
        scores = block_scores(compared, rows)
        if not np.isfinite(scores.total).all():
            finite(rows)
        first, second = self._compared_classes(scores.total, label, against)
        log_prior = self._prior_in_scores()
        with np.errstate(invalid="ignore"):
            prior = log_prior[first] - log_prior[second]
        odds = scores.log_odds(first, second)
        labels, against = self.classes_[first], self.classes_[second]
        return Explanation(labels, against, prior, odds, scores.blocks, names, X, self._reasons())

    def _reasons(self) -> tuple[tuple[int, str], ...]:
        """Why columns have their densities, by position, where these were chosen."""
        from parzen.families.chosen import Chosen
        from parzen.families.product import Product

        if not isinstance(self.family_, Product):
            return ()
        blocks = self.family_.blocks.items()
        return tuple((key[0], family.reason()) for key, family in blocks if isinstance(family, Chosen))

    def _compared_classes(self, total: Array, label: Any, against: Any) -> tuple[Any, Any]:
        """Codes of the two classes that are compared for each row: those named, or the most probable ones."""
        if label is not None and label == against:
            raise ValueError(f"label and against are both {label!r}; compare two different classes.")
        first, second = (None if one is None else np.full(len(total), self._code(one)) for one in (label, against))
        first = most_probable(total, self._prior_in_scores(), second) if first is None else first
        return first, most_probable(total, self._prior_in_scores(), first) if second is None else second


def most_probable(scores: Array, log_prior: Array, other_than: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Code of the most probable class of each row, other than one that is given for each.

    Classes that no row has come from yet (all others have prior zero) are compared by their scores; rows that no class
    explains, by the priors.
    """
    with np.errstate(invalid="ignore"):
        joint, fallback = scores + log_prior, np.tile(log_prior, (len(scores), 1))
    if other_than is not None:
        rows = np.arange(len(scores))
        for k in np.unique(other_than):
            if np.isneginf(np.delete(log_prior, k)).all():
                joint[other_than == k], fallback[other_than == k] = scores[other_than == k], 0.0
        joint[rows, other_than] = fallback[rows, other_than] = -np.inf
    unexplained = ~(joint > -np.inf).any(axis=1)
    return np.where(unexplained, fallback.argmax(axis=1), np.nan_to_num(joint, nan=-np.inf).argmax(axis=1))
