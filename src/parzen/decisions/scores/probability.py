"""Scores of predicted probabilities: log loss, Brier score, reliability diagram, calibration error."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships
from parzen.decisions.probabilities import class_probabilities
from parzen.decisions.scores.additive import AdditiveScores
from parzen.decisions.scores.brier import BrierScore, decompose, share_of_squares, squared_errors
from parzen.decisions.scores.inputs import check_weights, codes_of
from parzen.decisions.scores.reliability import (
    CalibrationError,
    Reliability,
    calibration_error,
    reliability_of_bins,
)
from parzen.statistics.accumulate import accumulate
from parzen.statistics.messages import plain
from parzen.tables.sources.pieces import column_at
from parzen.tables.sources.source import Source


@dataclass(frozen=True)
class ProbabilityScores(AdditiveScores):
    """Predicted probabilities against labels, as sums over all rows and over bins of each class's probability.

    Attributes
    ----------
    weight, log_loss, squared_error : arrays of shape (1,)
        Sums over all rows; a row's squared errors are summed over the classes.
    bin_weight, predicted, observed, squared_weight : arrays of shape (K + 1, B)
        Weight of the rows in each bin of a class's predicted probability, the sums there of predicted probabilities
        and of rows of the class, and of squared weights. The last row is of the most probable class.
    classes : tuple
    """

    weight: Array
    log_loss: Array
    squared_error: Array
    bin_weight: Array
    predicted: Array
    observed: Array
    squared_weight: Array
    classes: tuple[Any, ...] = field(metadata={"plain": True})

    @property
    def mean_log_loss(self) -> float:
        """Mean of minus the log of the predicted probability of the label."""
        return float(self.log_loss[0] / self.weight[0])

    def brier(self) -> BrierScore:
        """The Brier score: of two classes that of the second, of more the sum over them, as in scikit-learn."""
        K = len(self.classes)
        rows = slice(1, 2) if K == 2 else slice(0, K)
        score = float(self.squared_error[0] / self.weight[0]) * share_of_squares(K)
        return decompose(score, self.bin_weight[rows], self.predicted[rows], self.observed[rows], float(self.weight[0]))

    def reliability(self, pos_label: Any = None) -> Reliability:
        """The reliability diagram of a class; by default of the second of two, or of the most probable one."""
        k = self._row(pos_label)
        return reliability_of_bins(self.bin_weight[k], self.predicted[k], self.observed[k], self.squared_weight[k])

    def calibration_error(self, pos_label: Any = None, level: float = 0.95) -> CalibrationError:
        """Expected and maximum calibration error of a class, chosen as in `reliability`."""
        return calibration_error(self.reliability(pos_label), level)

    def _row(self, pos_label: Any) -> int:
        if pos_label is None:
            return 1 if len(self.classes) == 2 else len(self.classes)
        if pos_label not in self.classes:
            raise ValueError(f"pos_label must be one of the classes {plain(self.classes)}, got {plain(pos_label)!r}.")
        return self.classes.index(pos_label)


def score_probabilities(
    y: Any,
    posterior: Any,
    classes: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_bins: int = 15,
) -> ProbabilityScores:
    """Score predicted probabilities against labels.

    Parameters
    ----------
    y : array of shape (n,), labels; or a source whose target they are: ``source.with_roles(target="y", weight="w")``
    posterior : array of shape (n, K), or (n,) of the second of two classes; or batches of them, as
        ``model.predict_proba(source)`` gives them
    classes : array of shape (K,)
        Labels in the order of the columns; by default those of y, sorted.
    sample_weight : array of shape (n,), optional
    n_bins : int
        Number of bins of equal width of the predicted probabilities.

    Examples
    --------
    >>> found = score_probabilities([0, 1, 1, 0], [0.2, 0.7, 0.9, 0.4])
    >>> round(found.mean_log_loss, 4), round(found.brier().score, 4)
    (0.299, 0.075)
    """
    if isinstance(y, Source):
        return _score_source(y, posterior, classes, sample_weight, n_bins)
    labels, P = np.asarray(y), class_probabilities(posterior)
    names = np.unique(labels) if classes is None else np.asarray(classes)
    n, K = P.shape
    if len(names) != K:
        raise ValueError(
            f"posterior has {K} columns, but there are {len(names)} classes {names.tolist()}; give classes."
        )
    if labels.shape != (n,):
        raise ValueError(f"y must be {n} labels, one for each row of probabilities, got shape {labels.shape}.")
    codes = codes_of(labels, names, "y", "classes")
    if not n:
        raise ValueError("there are no rows to score; give at least one.")
    if not isinstance(n_bins, int | np.integer) or n_bins < 1:
        raise ValueError(f"n_bins must be a whole number, at least 1, got {n_bins!r}.")
    w = check_weights(sample_weight, n)
    found = accumulate(_Scorer(tuple(names.tolist()), int(n_bins)), P, Labels(codes, w, K))
    assert isinstance(found, ProbabilityScores)
    return found


def _score_source(y: Source, posterior: Any, classes: Any, sample_weight: Any, n_bins: int) -> ProbabilityScores:
    """Scores of batches of probabilities against the target of a source: they add."""
    if y.target is None or classes is None or sample_weight is not None:
        raise TypeError(
            "labels of a source are its target, and weights one of its columns: give source.with_roles(target='y', "
            "weight='w'), and classes=model.classes_."
        )
    total: ProbabilityScores | None = None
    for labels, w, P in _aligned(y, posterior):
        if w is not None and not w.any():
            continue
        found = score_probabilities(labels, P, classes, w, n_bins)
        total = found if total is None else total + found
    if total is None:
        raise ValueError("there are no rows to score; give at least one.")
    return total


def _aligned(y: Source, posterior: Iterable[Any]) -> Iterator[tuple[Any, Array | None, Any]]:
    """Labels, weights and probabilities of the same rows, batch by batch; rows of weight zero among them."""
    plain_rows = replace(y, weight=None) if y.weight is None else replace(y, columns=(y.weight,), weight=None)
    batches = plain_rows.roles() if y.weight is None else plain_rows.batches()
    for batch, P in zip(batches, posterior, strict=True):
        w = None if y.weight is None else np.asarray(column_at(batch.piece, 0), dtype=np.float64)
        if len(batch.target) != len(P):
            raise ValueError("the probabilities are of other batches than the labels; scan both from the same source.")
        yield batch.target, w, P


@dataclass(frozen=True)
class _Scorer:
    """Observes blocks of predicted probabilities, whose memberships are the labels."""

    classes: tuple[Any, ...]
    n_bins: int

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Array, R: Memberships = None, at: Any = None) -> ProbabilityScores:
        assert isinstance(R, Labels)
        K, rows, codes, w = X.shape[1], np.arange(len(X)), R.codes, R.weights
        most_probable = X.argmax(axis=1)
        forecasts = [*X.T, X[rows, most_probable]]
        outcomes = [*(codes == k for k in range(K)), most_probable == codes]
        sums = np.zeros((4, K + 1, self.n_bins))
        for k, (p, outcome) in enumerate(zip(forecasts, outcomes, strict=True)):
            bins = np.minimum((p * self.n_bins).astype(np.intp), self.n_bins - 1)
            for part, weight in zip(sums, (w, w * p, w * outcome, w * w), strict=True):
                part[k] = np.bincount(bins, weight, minlength=self.n_bins)
        with np.errstate(divide="ignore"):
            log_losses = np.where(w == 0, 0.0, -np.log(X[rows, codes]))
        totals = [np.array([float(w @ part)]) for part in (np.ones(len(w)), log_losses, squared_errors(X, codes))]
        return ProbabilityScores(totals[0], totals[1], totals[2], sums[0], sums[1], sums[2], sums[3], self.classes)
