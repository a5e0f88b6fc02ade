"""Scores of held-out predicted probabilities: accuracy, log loss, Brier score, calibration, and cost of decisions."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.decisions.scores import brier_scores, score_probabilities
from parzen.report.intervals import bounded_mean, proportion, rounded


class Fold(NamedTuple):
    """Held-out rows, and a model that was fitted to the others."""

    test: NDArray[np.intp]
    model: Any


def cross_validated(
    model: Any,
    X: Any,
    codes: NDArray[np.intp],
    K: int,
    folds: int,
    progress: Callable[[str], None] | None = None,
    fits: list[Fold] | None = None,
) -> tuple[Array, float]:
    """Predicted probabilities of held-out rows, (n, K), by cross-validation, and the mean time of a fit in seconds.

    `progress` is called with a line about each fold; the fitted models are appended to `fits`.
    """
    P, seconds = np.zeros((len(codes), K)), 0.0
    splits = StratifiedKFold(folds, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes)
    for fold, (train, test) in enumerate(splits, start=1):
        if progress is not None:
            progress(f"fold {fold} of {folds}")
        fitted = clone(model)
        begun = time.perf_counter()
        fitted.fit(rows_of(X, train), codes[train])
        seconds += time.perf_counter() - begun
        P[np.ix_(test, fitted.classes_)] = fitted.predict_proba(rows_of(X, test))
        if fits is not None:
            fits.append(Fold(test, fitted))
    return P, seconds / folds


def rows_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a pandas table or of an array."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def scores(P: Array, codes: NDArray[np.intp], decision: Decision) -> dict[str, Any]:
    """Scores of predicted probabilities, each with its interval."""
    n, K = P.shape
    own = P[np.arange(n), codes]
    error = score_probabilities(codes, P, np.arange(K)).calibration_error()
    loss = decision.matrix(K)
    cost = loss[np.asarray(decision.risk(P).argmin(axis=1)), codes]
    return {
        "accuracy": proportion(int((P.argmax(axis=1) == codes).sum()), n),
        "log_loss": bounded_mean(-np.log(np.clip(own, 1e-300, 1.0)).round(12) + 0.0),
        "brier_score": bounded_mean(brier_scores(P, codes).round(12), 0.0, 1.0 if K == 2 else 2.0),
        "calibration_error": {
            "value": rounded(error.expected if error.expected > 1e-9 else 0.0),
            "low": rounded(error.low),
            "high": rounded(error.high),
        },
        "cost": bounded_mean(cost, float(loss.min()), float(loss.max())),
    }


def reliability(P: Array, codes: NDArray[np.intp], K: int) -> list[dict[str, Any]]:
    """Points of a reliability diagram: of the second of two classes, or of the likeliest class of more."""
    found = score_probabilities(codes, P, np.arange(K), n_bins=10).reliability(1 if K == 2 else None)
    return [
        {
            "predicted_probability": rounded(a),
            "observed_frequency": rounded(b),
            "low": rounded(c),
            "high": rounded(d),
            "rows": int(n),
        }
        for a, b, c, d, n in zip(
            found.predicted, found.observed, found.low, found.high, found.effective_size, strict=True
        )
    ]


def threshold_counts(
    P: Array, codes: NDArray[np.intp], decision: Decision, classes: Sequence[str]
) -> dict[str, Any] | None:
    """True and false positives at each threshold for the second of two classes; None for more classes."""
    if P.shape[1] != 2 or decision.matrix(2).shape != (2, 2):
        return None
    thresholds = np.linspace(0, 1, 101)
    above = P[:, 1][:, None] >= thresholds
    positive = codes == 1
    best = decision.threshold()
    return {
        "thresholds": [rounded(one) for one in thresholds],
        "true_positives": above[positive].sum(axis=0).tolist(),
        "false_positives": above[~positive].sum(axis=0).tolist(),
        "class_rows": [int((~positive).sum()), int(positive.sum())],
        "loss": decision.matrix(2).tolist(),
        "classes": list(classes),
        "best": rounded(best) if isinstance(best, float) and np.isfinite(best) else None,
    }


def confusion(P: Array, codes: NDArray[np.intp], decision: Decision) -> list[list[int]]:
    """Counts of rows by decision (of least expected loss) and true class."""
    K = P.shape[1]
    table = np.zeros((len(decision.matrix(K)), K), dtype=int)
    np.add.at(table, (decision.risk(P).argmin(axis=1), codes), 1)
    return table.tolist()
