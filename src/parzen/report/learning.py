"""Learning curves: error and log loss of a generative and a discriminative model over the number of training rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen.estimators.classify.comparison import compare_learning
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.naive_bayes import NaiveBayes
from parzen.report.intervals import rounded
from parzen.report.models import one_hot

#: Most rows, and repetitions with other training rows.
ROWS, REPEATS = 3_000, 5


def learning_curves(X: Any, y: Any, numbers: Sequence[str], categories: Sequence[str]) -> dict[str, Any] | None:
    """Curves of naive Bayes and of logistic regression; None where a class has too few rows."""
    kept, counts = np.unique(y, return_counts=True)
    enough = np.isin(y, kept[counts >= 3])
    X, y = X[enough], y[enough]
    most, K = int(0.7 * len(y)), len(np.unique(y))
    if K < 2 or most < max(4 * K, 20):
        return None
    sizes = np.unique(np.geomspace(max(4 * K, 20), most, 6).astype(int)).tolist()
    try:
        found = compare_learning(
            NaiveBayes(), one_hot(LogisticRegression(), numbers, categories), X, y, sizes=sizes, repeats=REPEATS,
            names=("naive Bayes", "logistic, linear"), random_state=0,
        )  # fmt: skip
    except ValueError:
        return None  # too few rows of some class
    return {
        "sizes": found.sizes.tolist(),
        "names": list(found.names),
        "repeats": REPEATS,
        "error": _bands(found.error),
        "log_loss": _bands(found.log_loss),
        "finding": _finding(found),
    }


def _bands(values: Any) -> list[list[dict[str, Any]]]:
    """Means over repetitions, and the range of the middle 80% of them."""
    middle, (low, high) = values.mean(axis=2), np.quantile(values, [0.1, 0.9], axis=2)
    return [
        [{"value": rounded(m), "low": rounded(a), "high": rounded(b)} for m, a, b in zip(*rows, strict=True)]
        for rows in zip(middle, low, high, strict=True)
    ]


def _finding(found: Any) -> str:
    winner, at = found.winner(), found.crossing()
    if winner is None:
        return "Neither model has a clearly lower log loss at the largest training size."
    since = f", from {at} training rows on" if at is not None and at > found.sizes[0] else ""
    return f"{winner.capitalize()} has the lower log loss at the largest training size{since}."
