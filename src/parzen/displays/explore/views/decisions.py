"""Decisions: held-out probabilities, a loss that is typed in, a threshold, abstaining, and calibration."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.decisions.calibration import METHODS
from parzen.decisions.decision import Decision
from parzen.decisions.scores import expected_cost, risk_coverage, score_probabilities
from parzen.decisions.scores.costs import confusion_matrix
from parzen.displays.cost_curve import costs_over_thresholds
from parzen.displays.explore.data import Data, lines, shuffled
from parzen.displays.explore.request import Request, RequestError
from parzen.estimators.classify.decision import DecisionClassifier
from parzen.estimators.classify.gaussian_nb import GaussianNB
from parzen.estimators.classify.linear_discriminant import LinearDiscriminantAnalysis
from parzen.estimators.classify.logistic import LogisticRegression
from parzen.estimators.classify.quadratic_discriminant import QuadraticDiscriminantAnalysis

MODELS: dict[str, Any] = {
    "naive Bayes": GaussianNB,
    "linear discriminant": LinearDiscriminantAnalysis,
    "quadratic discriminant": QuadraticDiscriminantAnalysis,
    "logistic regression": LogisticRegression,
}
#: Rows that are used, columns that are learnt from, bins of a reliability diagram, points of a curve at most.
ROWS, COLUMNS, BINS, POINTS = 20_000, 60, 10, 400


def answer(data: Data, request: Request) -> dict[str, Any]:
    """Costs over the threshold, the confusion at one, reliability before and after calibration, abstaining."""
    target = request.classes("target", data)
    kind = request.choice("model", tuple(MODELS), "naive Bayes")
    method = request.choice("calibration", ("none", *METHODS), "isotonic")
    names = tuple(name for name in data.numbers if name != target)[:COLUMNS]
    rows, labels = data.remember(("shuffled", names, target), _shuffled, data, names, target)
    classes = np.unique(labels)
    if len(classes) < 2 or min(np.unique(labels, return_counts=True)[1]) < 10:
        raise RequestError("Decisions need columns of numbers, and ten rows of each class without missing cells.")
    K = len(classes)
    loss = request.matrix("loss", K, K, -1e9, 1e9) or (1.0 - np.eye(K)).tolist()
    abstain, threshold = request.maybe("abstain", 0, 1e9), request.maybe("threshold", 0, 1)
    request.finish()
    half = len(rows) // 2
    probabilities = data.remember(("held out", target, kind), _held_out, kind, "none", rows, labels, half)
    calibrated = data.remember(("held out", target, kind, method), _held_out, kind, method, rows, labels, half)
    held, decision = labels[half:], Decision(loss, classes=classes.tolist())
    abstaining = Decision(loss, classes=classes.tolist(), abstain=abstain)
    taken = abstaining.act(calibrated)
    return {
        "target": target,
        "classes": classes,
        "columns": len(names),
        "used": len(rows),
        "rows": len(held),
        "loss": loss,
        "actions": [str(one) for one in abstaining.action_names(K)],
        "bayes": {
            "cost": expected_cost(held, taken, abstaining),
            "confusion": confusion_matrix(held, taken, abstaining),
            "thresholds": np.atleast_1d(abstaining.threshold()) if K == 2 else None,
        },
        "curve": _curve(held, calibrated, decision, threshold) if K == 2 else None,
        "coverage": _coverage(held, calibrated, decision),
        "reliability": {
            "before": _reliability(held, probabilities, classes),
            "after": _reliability(held, calibrated, classes),
        },
        "python": _python(data, kind, method, names, target, len(rows), loss, abstain),
    }  # fmt: skip


def _shuffled(data: Data, names: tuple[str, ...], target: str) -> tuple[Array, Any]:
    """Rows in a random order, so that a first half is like the second."""
    if not names:
        return np.empty((0, 0)), np.empty(0)
    rows, labels = data.labelled(names, target, 2**62)
    order = shuffled(len(rows), ROWS)
    return rows[order], labels[order]


def _held_out(kind: str, method: str, rows: Array, labels: Any, half: int) -> Array:
    """Probabilities of the second half of the rows, by a classifier that has learnt from the first."""
    model = DecisionClassifier(MODELS[kind](), calibration=None if method == "none" else method)
    return np.asarray(model.fit(rows[:half], labels[:half]).predict_proba(rows[half:]))


def _curve(labels: Any, posterior: Array, decision: Decision, threshold: float | None) -> dict[str, Any]:
    """Average losses over the threshold, and what the one that was chosen leads to."""
    thresholds, cost = costs_over_thresholds(labels, posterior, decision)
    bayes = float(np.atleast_1d(decision.threshold())[0])
    at = bayes if threshold is None or not np.isfinite(threshold) else threshold
    classes = decision.class_names(2)
    taken = classes[(posterior[:, 1] > at).astype(int)]
    some = np.unique(np.linspace(0, len(thresholds) - 1, POINTS).astype(int))
    least = int(np.argmin(cost))
    return {
        "thresholds": thresholds[some],
        "cost": cost[some],
        "bayes": bayes,
        "threshold": at,
        "at": expected_cost(labels, taken, decision),
        "least": {"threshold": thresholds[least], "cost": cost[least]},
        "confusion": confusion_matrix(labels, taken, decision),
    }


def _coverage(labels: Any, posterior: Array, decision: Decision) -> dict[str, Any]:
    found = risk_coverage(labels, posterior, decision, n_bins=400)
    return {"coverage": found.coverage, "risk": found.risk}


def _reliability(labels: Any, posterior: Array, classes: Any) -> dict[str, Any]:
    scores = score_probabilities(labels, posterior, classes, n_bins=BINS)
    found, error = scores.reliability(), scores.calibration_error()
    return {
        "predicted": found.predicted, "observed": found.observed, "low": found.low, "high": found.high,
        "weight": found.weight, "error": error.expected,
        "log_loss": scores.mean_log_loss, "brier": scores.brier().score,
    }  # fmt: skip


def _python(
    data: Data, kind: str, method: str, names: tuple[str, ...], target: str, used: int, loss: Any, abstain: float | None
) -> str:
    calibration = None if method == "none" else method
    return (
        f"rows = {lines(data, list(names), used, 2**62, target)}\n"
        f"X, y = rows.drop(columns={target!r}), rows[{target!r}].astype(str)\n"
        f"model = DecisionClassifier({MODELS[kind].__name__}(), loss={loss!r}, abstain={abstain!r}, "
        f"calibration={calibration!r}).fit(X[:{used // 2}], y[:{used // 2}])\n"
        f"model.predict(X[{used // 2}:])"
    )
