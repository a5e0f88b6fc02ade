"""What to do next, by what a section of a report found: one line each, or none."""

from collections.abc import Mapping
from typing import Any

from parzen.report.phrases import brief, fraction, listed

#: The log loss still falls where the last step of a learning curve lowers it by more than this part.
FALLING = 0.03
#: A dependence that makes two columns nearly one.
STRONG = 0.9


def decide(summary: Mapping[str, Any]) -> str | None:
    """Which decision costs least: by the threshold of two classes, or for the most probable of several."""
    target = summary.get("target")
    if not target or "lowest_cost" not in summary:
        return None
    cheapest = next(one for one in summary["models"] if one["name"] == summary["lowest_cost"])
    threshold = summary.get("threshold") or {}
    if threshold.get("best") is not None:
        least = fraction(threshold["best"])
        rule = f"Decide for “{threshold['classes'][1]}” where its posterior probability is {least} or more"
    elif not target["loss_given"]:
        rule = "Decide for the class of the highest posterior probability"
    else:
        rule = "Take the decision of least expected cost"
    cost = cheapest["cost"]
    costs = "by the given costs" if target["loss_given"] else "where every error costs 1"
    text = (
        f"{rule} ({costs}): with “{cheapest['name']}” the mean cost per row is {brief(cost['value'])} (95% interval: "
        f"{brief(cost['low'])} to {brief(cost['high'])})."
    )
    return text if target["loss_given"] else f"{text} If errors cost differently, give their costs (--loss)."


def next_step(summary: Mapping[str, Any], section: str) -> str:
    """What to do next after a section; empty where nothing follows."""
    return _STEPS[section](summary) if section in _STEPS else ""


def _models(summary: Mapping[str, Any]) -> str:
    if not ((summary.get("gain") or {}).get("low") or 0.0) > 0:
        return "Do not predict this target from these columns; look for other columns, or for more rows."
    best, as_good = summary["best"], summary.get("as_good") or []
    text = f"Fit “{best}” to all rows (parzen fit --model best)"
    return f"{text}, or one that is not clearly worse: {listed(as_good)}." if as_good else f"{text}."


def _calibration(summary: Mapping[str, Any]) -> str:
    best = next(one for one in summary["models"] if one["name"] == summary["best"])
    if (best["calibration_error"]["low"] or 0.0) > 0:
        return (
            "Calibrate the probabilities before you use them in decisions "
            "(DecisionClassifier(model, calibration='isotonic'))."
        )
    return "The probabilities can be used in decisions as they are."


def _learning(summary: Mapping[str, Any]) -> str:
    found = summary["learning_curves"]
    losses = [[one["value"] for one in line] for line in found["log_loss"]]
    least = min(losses, key=lambda line: line[-1])
    before, last = least[-2], least[-1]
    if last < (1 - FALLING) * before:
        fallen, size, rows = fraction(1 - last / before), found["sizes"][-1], summary["target"]["rows"]
        text = f"The log loss still fell by {fallen} in the last step of the curve, which ends at {size:,} rows"
        if rows > 2 * size:
            return f"{text}; the models above are fitted to more of them."
        return f"Collect more rows if you can. {text}."
    return "More rows of the same kind would lower the log loss little; other columns may."


def _dependence(summary: Mapping[str, Any]) -> str:
    strong = [one for one in summary["dependence"]["pairs"] if one["value"] >= STRONG]
    if not strong:
        return ""
    first, second = strong[0]["columns"]
    return (
        f"“{first}” and “{second}” hold nearly the same: consider leaving one out (--drop), and do not trust the "
        "probabilities of naive Bayes, which takes columns as conditionally independent given the class."
    )


def _mixture(summary: Mapping[str, Any]) -> str:
    if len(summary["mixture"]["components"]) < 2:
        return ""
    return "Compare the means of the components before you call them clusters: a skewed column takes several."


def _outliers(summary: Mapping[str, Any]) -> str:
    if not summary["outliers"]["flagged"]:
        return ""
    return "Check the cells named beside these rows; correct errors in the data before you fit models."


_STEPS = {
    "models": _models,
    "confusion": lambda summary: (
        ""
        if summary["target"]["loss_given"]
        else "If one kind of error costs more than another, give the costs (--loss), and decide by expected cost."
    ),
    "threshold": lambda summary: (
        "Enter what each kind of error costs. Of calibrated probabilities the threshold to use is the cost of a false "
        "positive, divided by the sum of both costs; the lowest point of the curve is chosen by these rows, and varies."
    ),
    "calibration": _calibration,
    "information": lambda summary: (
        "A column that is not informative alone may be beside others; leave columns out by --drop and compare."
    ),
    "words": lambda summary: "Check that these words will also be known for new rows.",
    "learning": _learning,
    "class-outliers": lambda summary: (
        "Do not rely on predictions for such rows; check their cells first."
        if summary["class_outliers"]["flagged"]
        else ""
    ),
    "dependence": _dependence,
    "mixture": _mixture,
    "outliers": _outliers,
}
