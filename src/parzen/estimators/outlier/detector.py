"""Outlier detection from scores: decisions, p-values, and flags at a false discovery rate."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.decisions.p_values import NullDistribution, benjamini_hochberg
from parzen.smoothing.row_weights import effective_rows
from parzen.storage.files import SaveMixin

#: The p-value below which a row is predicted to be an outlier, where contamination is "auto".
LEVEL = 0.01
#: Methods for p-values.
METHODS = ("tail", "ranks")


class BaseOutlierDetector(SaveMixin, OutlierMixin, BaseEstimator):
    """Decisions, p-values and flags of an outlier detector, from the scores of rows.

    As in scikit-learn outliers have low scores, decisions below zero and the prediction -1.
    """

    offset_: float
    null_: NullDistribution

    @abstractmethod
    def score_samples(self, X: Any) -> Array:
        """Score of each row, (n,); the lower, the more of an outlier."""

    @abstractmethod
    def _held_out_scores(self) -> Array:
        """Scores of the rows of the fit, each held out of the density that scores it."""

    def _comparable_scores(self, X: Any) -> Array:
        """Scores of new rows that compare with the held-out scores."""
        return self.score_samples(X)

    def decision_function(self, X: Any) -> Array:
        """Score of each row minus `offset_`, (n,): negative for outliers."""
        with np.errstate(over="ignore"):
            return bounded(self.score_samples(X)) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers, 1 for the others, (n,)."""
        scores = self.score_samples(X)
        return np.where(bounded(scores) < self.offset_, -1, 1)

    def p_values(self, X: Any = None, *, method: str = "tail") -> Array:
        """Probability that a row which is no outlier has a score as low, (n,); without X, of the rows of the fit.

        Parameters
        ----------
        method : "tail" or "ranks"
            "tail": from a generalised Pareto tail, fitted to the held-out scores of the rows of the fit so that
            outliers among them don't change it. "ranks": conformal p-values, the proportion of held-out scores that
            are as low. They assume only exchangeability, but are never below 1 / (n + 1), and find no outliers among
            the rows of the fit.
        """
        check_is_fitted(self, "null_")
        choose("method", method, METHODS)
        scores = self._held_out_scores() if X is None else self._comparable_scores(X)
        return self.null_.p_values(scores) if method == "tail" else self.null_.conformal_p_values(scores)

    def flagged(self, X: Any = None, *, fdr: float = 0.05, method: str = "tail") -> NDArray[np.bool_]:
        """Outliers at a false discovery rate (Benjamini and Hochberg), (n,); without X, among the rows of the fit.

        Parameters
        ----------
        fdr : expected proportion of the flagged rows that are no outliers
        method : see `p_values`
        """
        return benjamini_hochberg(self.p_values(X, method=method), fdr)


def threshold(
    contamination: Any, scores: Array, held_out: Array, w: Array | None = None
) -> tuple[NullDistribution, float]:
    """The null distribution of held-out scores, and the score below which a row is predicted to be an outlier.

    Parameters
    ----------
    contamination : "auto", or the proportion of outliers among the rows
    scores : scores of the rows of the fit
    held_out : the same, each row held out
    w : weights of the rows
    """
    w = None if w is None else w * (effective_rows(w, len(w)) / w.sum())
    null = NullDistribution.from_scores(held_out, w)
    if isinstance(contamination, str) and contamination == "auto":
        return null, max(null.quantile(LEVEL), null.empirical_quantile(LEVEL))
    number = isinstance(contamination, int | float | np.number) and not isinstance(contamination, bool)
    if not number or not 0 < contamination <= 0.5:
        raise ValueError(
            f"contamination must be 'auto', or a proportion above 0 and at most 0.5, got {contamination!r}."
        )
    return null, _percentile(bounded(scores), w, float(contamination))


def bounded(scores: Array) -> Array:
    """Scores that are finite: rows of density zero are equally unlikely."""
    return np.maximum(scores, np.finfo(np.float64).min)


def _percentile(scores: Array, w: Array | None, proportion: float) -> float:
    """NumPy's percentile of scores, of which each is repeated as often as it weighs."""
    if w is None:
        return float(np.percentile(scores, 100.0 * proportion))
    order = np.argsort(scores, kind="stable")
    below = np.cumsum(w[order])
    position = proportion * max(below[-1] - 1.0, 0.0)
    left, right = (
        scores[order[min(int(np.searchsorted(below, at, side="right")), len(order) - 1)]]
        for at in (np.floor(position), np.floor(position) + 1.0)
    )
    return float(left + (position - np.floor(position)) * (right - left))
