"""What a regression looks like: predicted against observed, residuals, columns alone, quantiles, the largest errors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.regress.conditional import ConditionalDensity
from parzen.estimators.regress.regression import KernelRegressor
from parzen.report.histogram import histogram
from parzen.report.intervals import rounded, rounded_within
from parzen.report.phrases import brief, counted, figure, fraction
from parzen.report.regression_design import Design
from parzen.report.regression_models import QUANTILES, Predicted
from parzen.report.regression_scores import r_squared
from parzen.report.regression_task import RegressionTask

#: Rows that are drawn as points, rows by which a column alone is judged, points of a strip, and rows that are listed.
POINTS, ALONE, GRID, LISTED = 700, 1_200, 61, 10
#: Rows of the density of a strip, and the levels that it shows.
STRIP, LEVELS = 1_500, (0.05, 0.25, 0.5, 0.75, 0.95)


def fit_of(best: Predicted, y: Array, rng: np.random.Generator) -> dict[str, Any]:
    """Observed values over predicted ones, and the means of the observed in tenths of the predicted."""
    spread = float(np.ptp(y)) or 1.0
    order = np.argsort(best.mean, kind="stable")
    tenths = [
        {
            "predicted": rounded_within(best.mean[part].mean(), spread),
            "observed": rounded_within(y[part].mean(), spread),
            "rows": len(part),
        }
        for part in np.array_split(order, 10)
        if len(part)
    ]
    return {"points": _points(best.mean, y, rng), "tenths": tenths, "range": _ends(best.mean, y)}


def residuals(best: Predicted, y: Array, rng: np.random.Generator) -> dict[str, Any]:
    """Residuals over predictions, their histogram, and what they show: spread that grows, skewness, bias."""
    from scipy.stats import spearmanr  # which is slow to import

    error = y - best.mean
    spread = float(error.std()) or 1e-300
    grows = spearmanr(best.mean, np.abs(error)) if np.ptp(best.mean) > 0 else None
    clear = grows is not None and bool(grows.pvalue < 0.001) and abs(grows.statistic) > 0.1
    skewness = float(((error - error.mean()) ** 3).mean() / spread**3)
    low, high = np.quantile(error, [0.001, 0.999])
    bins = histogram(error, low, high) if high > low else None
    trend = None if grows is None else rounded(grows.statistic, 3)
    out = {
        "points": _points(best.mean, error, rng),
        "mean": rounded_within(error.mean(), spread),
        "standard_deviation": rounded(error.std(ddof=1)),
        "quantiles": [rounded_within(one, spread) for one in np.quantile(error, LEVELS)],
        "skewness": rounded(skewness, 3),
        "spread_trend": trend,
        "spread_grows": clear,
        "histogram": None if bins is None else {
            "edges": [rounded_within(edge, high - low, 7) for edge in bins.edges],
            "heights": [rounded(one) for one in bins.heights],
        },
        "range": [_end(best.mean), _end(error)],
    }  # fmt: skip
    return out | {"finding": _residual_finding(out)}


def _residual_finding(out: Mapping[str, Any]) -> str:
    text = f"Half of the residuals lie between {figure(out['quantiles'][1])} and {figure(out['quantiles'][3])}."
    if out["spread_grows"]:
        way = "larger" if out["spread_trend"] > 0 else "smaller"
        text += (
            f" Errors are {way} where predictions are larger (rank correlation of absolute residuals with predictions: "
            f"{brief(out['spread_trend'])}): the variance is not constant."
        )
    if abs(out["skewness"]) > 1:
        text += f" They are skewed (skewness {brief(out['skewness'])})."
    return text


def predictors_alone(task: RegressionTask) -> list[dict[str, Any]]:
    """R squared of kernel regression on each column alone, fitted to one half of the rows and scored on the other."""
    n = min(len(task.y), ALONE)
    rows = np.random.default_rng(0).permutation(len(task.y))[:n]
    X, y = task.X.iloc[rows].reset_index(drop=True), task.y[rows]
    halves = np.arange(n // 2), np.arange(n // 2, n)
    out = []
    for name in (*task.numbers, *task.categories):
        own = ([name], []) if name in task.numbers else ([], [name])
        errors, reference = np.empty(n), np.empty(n)
        for train, test in (halves, halves[::-1]):
            design = Design.learn(X.iloc[train], *own)
            model = KernelRegressor(order=int(name in task.numbers))
            model.fit(design.table(X.iloc[train], [name]), y[train])
            errors[test] = (y[test] - model.predict(design.table(X.iloc[test], [name]))) ** 2
            reference[test] = (y[test] - y[train].mean()) ** 2
        out.append({"column": name, "r_squared": r_squared(errors, reference)})
    return sorted(out, key=lambda one: -one["r_squared"]["value"])


def strip(
    task: RegressionTask, information: Sequence[Mapping[str, Any]], rng: np.random.Generator
) -> dict[str, Any] | None:
    """Quantiles of the target over the numeric column that alone explains most; None where no such column does."""
    ranked = [one["column"] for one in information if one["column"] in task.numbers and one["r_squared"]["low"] > 0]
    if not ranked:
        return None
    name = ranked[0]
    x = task.X[name].to_numpy(dtype=np.float64)
    known = np.flatnonzero(~np.isnan(x))
    rows = np.sort(rng.choice(known, min(len(known), STRIP), replace=False))
    low, high = np.quantile(x[rows], [0.01, 0.99])
    if not high > low:
        return None
    grid = np.linspace(low, high, GRID)
    quantiles = ConditionalDensity().fit(x[rows, None], task.y[rows]).quantile(grid[:, None], LEVELS)
    wide = float(np.ptp(task.y))
    return {
        "column": name,
        "grid": [rounded_within(one, high - low) for one in grid],
        "levels": list(LEVELS),
        "quantiles": [[rounded_within(one, wide) for one in line] for line in quantiles.T],
        "points": _points(x[rows], task.y[rows], rng),
        "range": [[rounded_within(one, high - low) for one in (low, high)], _end(task.y)],
        "rows": len(rows),
    }


def largest_errors(best: Predicted, y: Array, rows: Sequence[int]) -> dict[str, Any]:
    """The rows that lie farthest outside of their 90% prediction intervals, in widths of these."""
    low, high = (best.quantiles[:, QUANTILES.index(end)] for end in (0.05, 0.95))
    width = np.maximum(high - low, 1e-300)
    beyond = np.maximum(low - y, y - high) / width
    spread = float(np.ptp(y)) or 1.0
    worst = [int(i) for i in np.argsort(-beyond, kind="stable")[:LISTED] if beyond[i] > 0]
    outside = int((beyond > 0).sum())
    found = [
        {
            "row": rows[i],
            "observed": rounded_within(y[i], spread),
            "predicted": rounded_within(best.mean[i], spread),
            "low": rounded_within(low[i], spread),
            "high": rounded_within(high[i], spread),
        }
        for i in worst
    ]
    are = "lies" if outside == 1 else "lie"
    return {
        "worst": found,
        "outside": outside,
        "rows": len(y),
        "finding": (
            f"{outside:,} of {counted(len(y), 'held-out row')} ({fraction(outside / len(y))}) {are} outside of their "
            "90% prediction intervals, where about 10% are expected."
        ),
    }


def _points(x: Array, y: Array, rng: np.random.Generator) -> list[list[float | None]]:
    """Some rows as points."""
    some = np.sort(rng.choice(len(x), min(len(x), POINTS), replace=False))
    wide, high = float(np.ptp(x)) or 1.0, float(np.ptp(y)) or 1.0
    return [[rounded_within(a, wide), rounded_within(b, high)] for a, b in zip(x[some], y[some], strict=True)]


def _end(values: Array) -> list[float | None]:
    """The range of an axis: of all values but a few distant ones."""
    low, high = np.quantile(values, [0.0, 1.0])
    inner = np.quantile(values, [0.01, 0.99])
    wide = float(inner[1] - inner[0])
    if wide > 0:
        low, high = max(low, inner[0] - 0.5 * wide), min(high, inner[1] + 0.5 * wide)
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return [rounded_within(low - room, high - low), rounded_within(high + room, high - low)]


def _ends(x: Array, y: Array) -> list[float | None]:
    """One range for both axes of predicted against observed."""
    both = [end for end in (*_end(x), *_end(y)) if end is not None]
    return [min(both), max(both)]
