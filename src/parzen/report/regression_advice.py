"""What follows from a regression, in sentences: the answer of a report, and what to do next."""

from collections.abc import Mapping
from typing import Any

from parzen.report.advice import next_step
from parzen.report.phrases import brief, fraction, listed
from parzen.report.regression_scores import r2

#: From this R squared on, a predictor may be computed from the target.
NEAR_ONE = 0.995


def regression_answer(summary: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    """The answer: the best model, how good it is, how sure its predictions are, what to do, what predicts."""
    found, target = summary["regression"], summary["target"]
    best = _of(summary, found["best"])
    if not best["r_squared"]["low"] > 0:
        return [("Best model", found["finding"]), ("What to do", _models(summary))]
    spread = target["standard_deviation"]
    good = (
        f"Predictions of held-out rows are off by {brief(best['mae']['value'])} on average (mean absolute error, 95% "
        f"interval: {brief(best['mae']['low'])} to {brief(best['mae']['high'])}); “{target['name']}” itself has a "
        f"standard deviation of {brief(spread)}. R² is {r2(best['r_squared']['value'])} (95% interval: "
        f"{r2(best['r_squared']['low'])} to {r2(best['r_squared']['high'])})."
    )
    return [
        ("Best model", found["finding"]),
        ("How good", good),
        ("How sure", interval_finding(summary)),
        ("What to do", _models(summary)),
        ("What predicts", explained(summary)),
        ("Residuals", found["residuals"]["finding"] if found["residuals"]["spread_grows"] else None),
    ]


def _of(summary: Mapping[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in summary["regression"]["models"] if one["name"] == name)


def interval_finding(summary: Mapping[str, Any]) -> str:
    """How many held-out rows the 90% intervals hold, and how wide they are."""
    found = summary["regression"]
    one = next(one for one in found["coverage"] if one["model"] == found["best_density"] and one["nominal"] == 0.9)
    held = one["coverage"]
    fits = held["low"] <= 0.9 <= held["high"]
    verdict = "as many as they should" if fits else "too few" if held["value"] < 0.9 else "more than they should"
    text = (
        f"The 90% prediction intervals of “{found['best_density']}”, the model with the lowest log loss, hold "
        f"{fraction(held['value'])} of held-out rows (95% interval: {fraction(held['low'])} to "
        f"{fraction(held['high'])}): {verdict}; their mean width is {brief(one['width']['value'])}."
    )
    if one["widest"] > 1.5 * one["narrowest"]:
        text += f" Most widths lie between {brief(one['narrowest'])} and {brief(one['widest'])}, by row."
    return text


def explained(summary: Mapping[str, Any]) -> str | None:
    """Which columns alone explain the target."""
    every = summary["regression"]["information"]
    found = [one for one in every if one["r_squared"]["low"] > 0]
    if not found:
        return "No column alone clearly explains the target: no interval of R² lies above 0."
    first = found[0]
    text = (
        f"“{first['column']}” alone explains {fraction(max(first['r_squared']['value'], 0.0))} of the variance (R²)"
        f"{', the most of all columns' if len(every) > 1 else ''}."
    )
    return f"{text} Then {listed([one['column'] for one in found[1:]], 3)}." if len(found) > 1 else text


def regression_step(summary: Mapping[str, Any], section: str) -> str:
    """What to do next after a section; empty where nothing follows."""
    return _STEPS[section](summary) if section in _STEPS else next_step(summary, section)


def _models(summary: Mapping[str, Any]) -> str:
    found, best = summary["regression"], _of(summary, summary["regression"]["best"])
    if not best["r_squared"]["low"] > 0:
        return "Do not predict this target from these columns; look for other columns, or for more rows."
    if best["r_squared"]["value"] > NEAR_ONE:
        return (
            f"R² is {r2(best['r_squared']['value'])}: check whether a column is computed from the target or known only "
            "after it, and leave such columns out (--drop)."
        )
    if best["name"] != "linear regression" and "linear regression" in found["as_good"]:
        return (
            "Use linear regression: it is not clearly worse than the best model, and simpler to explain; give its "
            "predictions with their intervals."
        )
    return f"Use “{best['name']}”, and give its predictions with their intervals."


def _intervals(summary: Mapping[str, Any]) -> str:
    found = summary["regression"]
    one = next(one for one in found["coverage"] if one["model"] == found["best_density"] and one["nominal"] == 0.9)
    if one["coverage"]["high"] < 0.9:
        return "Use wider intervals, or those of another model in the comparison whose coverage is nearer to 90%."
    if one["coverage"]["low"] > 0.9:
        return "The intervals are wider than they need be; compare the widths of the models above."
    return f"Give the intervals of “{found['best_density']}” with its predictions."


def _residuals(summary: Mapping[str, Any]) -> str:
    found, target = summary["regression"]["residuals"], summary["target"]
    parts = []
    if found["spread_grows"]:
        parts.append("Use intervals whose width changes with the row (a conditional density)")
    if found["spread_grows"] and found["spread_trend"] > 0 and target["minimum"] > 0:
        parts.append("or predict the logarithm of the target")
    return ", ".join(parts) + "." if parts else ""


def _information(summary: Mapping[str, Any]) -> str:
    if len(summary["regression"]["information"]) < 2:
        return ""
    return "A column that explains little alone may matter beside others; leave columns out by --drop and compare."


def _errors(summary: Mapping[str, Any]) -> str:
    return "Look at these rows first: errors in the data, or cases that the columns do not describe."


_STEPS = {
    "models": _models,
    "intervals": _intervals,
    "residuals": _residuals,
    "information": _information,
    "errors": _errors,
}
