"""Scores of held-out predictions of a number: errors, R squared, log-densities, and what intervals hold."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.report.intervals import Z, bounded_mean, mean_interval, proportion, rounded, rounded_within
from parzen.report.phrases import brief, fraction, listed
from parzen.report.regression_models import QUANTILES, REFERENCE, Predicted

#: The least log-density that is scored: one row of density 0 must not decide everything, and is counted.
LEAST = -50.0
#: Nominal coverages of intervals, by their ends among the quantiles.
INTERVALS = {0.5: (0.25, 0.75), 0.8: (0.1, 0.9), 0.9: (0.05, 0.95), 0.95: (0.025, 0.975)}


def compared(found: Mapping[str, Predicted], y: Array, kind: Mapping[str, str], target: str) -> dict[str, Any]:
    """Scores of each model, the best ones by squared error and by log-density, and a sentence about them."""
    reference = (y - found[REFERENCE.name].mean) ** 2
    models = [{"name": name, "kind": kind[name], **_scores(one, y, reference)} for name, one in found.items()]
    ranked = sorted((one for one in models if one["name"] != REFERENCE.name), key=lambda one: one["rmse"]["value"])
    best = ranked[0]["name"]
    density = min(ranked, key=lambda one: one["log_loss"]["value"])["name"]
    own = (y - found[best].mean) ** 2
    more = {one["name"]: mean_interval((y - found[one["name"]].mean) ** 2 - own) for one in ranked[1:]}
    as_good = [name for name, one in more.items() if not (one["low"] or 0.0) > 0]
    out = {
        "models": [*ranked, next(one for one in models if one["name"] == REFERENCE.name)],
        "best": best,
        "best_density": density,
        "as_good": as_good,
        "density_gain": mean_interval(_log_losses(found[REFERENCE.name]) - _log_losses(found[density])),
        "linear_excess": more.get("linear regression"),
    }
    return out | {"finding": _finding(out, target)}


def _log_losses(one: Predicted) -> Array:
    return -np.maximum(one.log_density, LEAST)


def _scores(one: Predicted, y: Array, reference: Array) -> dict[str, Any]:
    error = y - one.mean
    low, high = (one.quantiles[:, QUANTILES.index(end)] for end in INTERVALS[0.9])
    inside = int(((y >= low) & (y <= high)).sum())
    return {
        "rmse": _root(bounded_mean(error**2)),
        "mae": bounded_mean(np.abs(error)),
        "r_squared": r_squared(error**2, reference),
        "log_loss": mean_interval(_log_losses(one)),
        "far": int((one.log_density < LEAST).sum()),
        "coverage_90": proportion(inside, len(y)),
        "width_90": _width(high - low),
    }


def _width(widths: Array) -> dict[str, Any]:
    """The mean width of intervals."""
    return {end: None if value is None else rounded(value, 4) for end, value in mean_interval(widths).items()}


def _root(found: dict[str, Any]) -> dict[str, Any]:
    """The interval of a root mean square from that of the mean square."""
    return {end: None if value is None else rounded(np.sqrt(value), 4) for end, value in found.items()}


def r_squared(errors: Array, reference: Array) -> dict[str, Any]:
    """1 minus the ratio of squared errors to those of the mean, with an interval by the delta method.

    The interval is of the ratio's logarithm, so that R squared does not reach above 1.
    """
    total = float(reference.mean())
    ratio = float(errors.mean()) / total
    if ratio <= 0:
        return {"value": 1.0, "low": 1.0, "high": 1.0}
    influence = (errors - ratio * reference) / total
    half = Z * float(influence.std(ddof=1)) / np.sqrt(len(errors)) / ratio
    ends = {"value": ratio, "low": ratio * np.exp(half), "high": ratio * np.exp(-half)}
    return {name: rounded_within(1.0 - one, min(ratio, 1.0), 4) for name, one in ends.items()}


def coverage(found: Mapping[str, Predicted], y: Array) -> list[dict[str, Any]]:
    """The fraction of held-out rows in the prediction intervals of each nominal coverage, and the intervals' widths."""
    out = []
    for name, one in found.items():
        for nominal, ends in INTERVALS.items():
            low, high = (one.quantiles[:, QUANTILES.index(end)] for end in ends)
            inside = int(((y >= low) & (y <= high)).sum())
            out.append({
                "model": name, "nominal": nominal, "coverage": proportion(inside, len(y)),
                "width": _width(high - low), "narrowest": rounded(np.quantile(high - low, 0.05)),
                "widest": rounded(np.quantile(high - low, 0.95)),
            })  # fmt: skip
    return out


def r2(value: float) -> str:
    """R squared in a sentence, as 1 only where it is 1.

    >>> r2(0.99997), r2(0.4567), r2(-0.012), r2(-0.0)
    ('over 0.999', '0.457', '-0.012', '0')
    """
    if abs(value) < 5e-4:
        return "0"
    return "over 0.999" if 0.999 < value < 1 else brief(value)


def _finding(out: Mapping[str, Any], target: str) -> str:
    """Which model predicts best, where one predicts better than the mean."""
    best = next(one for one in out["models"] if one["name"] == out["best"])
    error, explained = best["rmse"], best["r_squared"]
    text = (
        f"“{out['best']}” has the lowest root mean squared error (RMSE) on held-out rows: {brief(error['value'])} (95% "
        f"interval: {brief(error['low'])} to {brief(error['high'])}, in units of “{target}”); R² is "
        f"{r2(explained['value'])}."
    )
    if not explained["low"] > 0:
        return f"No model is clearly better than predicting the mean of “{target}”. {text}"
    if out["as_good"]:
        are = "is" if len(out["as_good"]) == 1 else "are"
        text += f" {listed(out['as_good'])} {are} not clearly worse."
    elif out["linear_excess"]:
        linear = next(one for one in out["models"] if one["name"] == "linear regression")
        text += f" That is {fraction(1 - error['value'] / linear['rmse']['value'])} below linear regression's."
    return text
