"""Learning curves: error and log loss of a generative and a discriminative model over the number of training rows."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from parzen.estimators.classify.comparison import compare_learning
from parzen.report.held_out import BUDGET, fit_seconds
from parzen.report.intervals import rounded
from parzen.report.models import TABLE_MODELS, find_model

#: Most rows; most and fewest repetitions with other training rows.
ROWS, REPEATS, FEWEST = 3_000, 5, 2


def learning_curves(
    X: Any, y: Any, numbers: Sequence[str], categories: Sequence[str], budget: float | None = None
) -> dict[str, Any] | str:
    """Curves of naive Bayes and of logistic regression; why there are none, where there can't be.

    The curves take at most twice the `budget` of a fit: there are fewer repetitions where a fit is slow.
    """
    kept, counts = np.unique(y, return_counts=True)
    enough = np.isin(y, kept[counts >= 3])
    X, y = X[enough], y[enough]
    most, K = int(0.7 * len(y)), len(np.unique(y))
    if K < 2 or most < max(4 * K, 20):
        return f"{len(y):,} rows are too few."
    sizes = np.unique(np.geomspace(max(4 * K, 20), most, 6).astype(int)).tolist()
    pair = [find_model(name, TABLE_MODELS) for name in ("naive Bayes", "logistic, linear")]
    models = [one.make(numbers, categories) for one in pair if one is not None]
    limit = 2 * (BUDGET if budget is None else budget)
    try:
        seconds = sum(fit_seconds(partial(clone(model).fit, X, y)) for model in models) * sum(sizes) / len(y)
        repeats = int(np.clip(limit / max(seconds, 1e-9), 0, REPEATS))
        if repeats < FEWEST:
            return f"they would take about {FEWEST * seconds:,.0f} s for this table."
        found = compare_learning(
            models[0], models[1], X, y, sizes=sizes, repeats=repeats, names=("naive Bayes", "logistic, linear"),
            random_state=0,
        )  # fmt: skip
    except (ValueError, TypeError, np.linalg.LinAlgError) as error:
        return str(error).splitlines()[0][:160]
    return {
        "sizes": found.sizes.tolist(),
        "names": list(found.names),
        "repeats": repeats,
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
