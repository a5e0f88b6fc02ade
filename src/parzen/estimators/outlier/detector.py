"""Outlier detection from scores: decisions, p-values, and flags at a false discovery rate."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.decisions.p_values import NullDistribution, below_ranks, benjamini_hochberg
from parzen.estimators.base.tensors import TensorMixin
from parzen.estimators.outlier.number_tails import NumberTails, number_tails
from parzen.estimators.outlier.score_tail import ScoreTail, score_tail
from parzen.smoothing.row_weights import effective_rows
from parzen.storage.files import SaveMixin

#: The p-value below which a row is predicted to be an outlier, where contamination is "auto".
LEVEL = 0.01
#: Methods for p-values.
METHODS = ("auto", "ranks", "tail")


class BaseOutlierDetector(TensorMixin, SaveMixin, OutlierMixin, BaseEstimator):
    """Decisions, p-values and flags of an outlier detector, from the scores of rows.

    As in scikit-learn outliers have low scores, decisions below zero and the prediction -1.
    """

    offset_: float
    null_: NullDistribution
    tails_: NumberTails | ScoreTail | None
    tail_p_values_: Array | None

    @abstractmethod
    def score_samples(self, X: Any) -> Array:
        """Score of each row, (n,); the lower, the more of an outlier."""

    @abstractmethod
    def _held_out_scores(self) -> Array:
        """Scores of the rows of the fit, each held out of the density that scores it."""

    @abstractmethod
    def _compared(self, X: Any) -> tuple[Any, Array]:
        """The checked table of new rows, and their scores that compare with the held-out ones."""

    def decision_function(self, X: Any) -> Array:
        """Score of each row minus `offset_`, (n,): negative for outliers."""
        with np.errstate(over="ignore"):
            return bounded(self.score_samples(X)) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """-1 for outliers, 1 for the others, (n,)."""
        scores = self.score_samples(X)
        return np.where(bounded(scores) < self.offset_, -1, 1)

    def p_values(self, X: Any = None, *, method: str = "auto") -> Array:
        """Probability that a row which is no outlier is as unusual, (n,); without X, of the rows of the fit.

        Parameters
        ----------
        method : "auto", "ranks" or "tail"
            "ranks": conformal p-values, (1 + the number of held-out scores that are as low) / (n + 1). For new rows
            they are valid whatever the density and the distribution of the rows: they assume only that the new row and
            those of the fit are exchangeable. None is below 1 / (n + 1), and they find no outliers among the rows of
            the fit, whose ranks are 1, ..., n in any table.

            "auto": the same, except where a fitted tail is lower than any rank can be. By default it is that of the
            numbers of a row: columns with a long tail are transformed until they are nearly Gaussian, the outermost
            cells excepted, and log-densities there have a tail that is exponential or shorter, which is extrapolated.
            Their density is that of at most 16,384 rows, drawn at random; all rows are compared with it. Categories are
            judged by their ranks alone: a rare one is no outlier. Of a density that was given, it is the
            tail of its scores, transformed in the same way.

            "tail": a generalised Pareto tail of the lower half of the scores, of which the lowest tenth is censored,
            extrapolated as far as need be. It is too bold where the density has lighter tails than the rows: neither
            p-values nor rates of false discoveries are guaranteed.
        """
        check_is_fitted(self, "null_")
        choose("method", method, METHODS)
        X, scores = (None, self._held_out_scores()) if X is None else self._compared(X)
        beyond = self._tail_p_values(X, scores) if method == "auto" else None
        return self._p_values(scores, beyond, method)

    def _tail_p_values(self, X: Any, scores: Array) -> Array | None:
        """P-values by the fitted tail, of new rows or of those of the fit; None where there is none."""
        tails = getattr(self, "tails_", None)
        if tails is None or X is None:
            return getattr(self, "tail_p_values_", None)
        return np.asarray(tails.p_values(X, scores))

    def _p_values(self, scores: Array, beyond: Array | None, method: str = "auto") -> Array:
        if method == "tail" or (method == "auto" and not hasattr(self, "tails_")):
            return self.null_.p_values(scores)
        ranks = self.null_.conformal_p_values(scores)
        return ranks if beyond is None else below_ranks(ranks, beyond)

    def flagged(self, X: Any = None, *, fdr: float = 0.05, method: str = "auto") -> NDArray[np.bool_]:
        """Outliers at a false discovery rate (Benjamini and Hochberg), (n,); without X, among the rows of the fit.

        Parameters
        ----------
        fdr : expected proportion of the flagged rows that are no outliers; in a table without any, the probability that
            a row is flagged
        method : see `p_values`
        """
        return benjamini_hochberg(self.p_values(X, method=method), fdr)

    def _find_tails(self, X: Any, scores: Array, w: Array | None) -> None:
        """Fit the tails of the numbers of the rows of the fit, or, with X None, that of their scores."""
        worth = None if w is None else effective_weights(w)
        found = score_tail(scores, worth) if X is None else number_tails(X, worth)
        self.tails_, self.tail_p_values_ = (None, None) if found is None else found


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
    w = None if w is None else effective_weights(w)
    null = NullDistribution.from_scores(held_out, w)
    if isinstance(contamination, str) and contamination == "auto":
        return null, max(null.quantile(LEVEL), null.empirical_quantile(LEVEL))
    number = isinstance(contamination, int | float | np.number) and not isinstance(contamination, bool)
    if not number or not 0 < contamination <= 0.5:
        raise ValueError(
            f"contamination must be 'auto', or a proportion above 0 and at most 0.5, got {contamination!r}."
        )
    return null, _percentile(bounded(scores), w, float(contamination))


def effective_weights(w: Array) -> Array:
    """Weights whose sum is the number of rows that they are worth."""
    return np.asarray(w * (effective_rows(w, len(w)) / w.sum()))


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
