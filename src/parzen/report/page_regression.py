"""Sections of a page about a numeric target: models, intervals, predictions, residuals, and what columns explain."""

from html import escape
from typing import Any

from parzen.report.markup import Section, chart, interval, number, pair, paragraph, percent, table
from parzen.report.phrases import listed
from parzen.report.regression_advice import explained, interval_finding
from parzen.report.regression_design import CHOSEN

#: Most columns that are listed with what they explain.
COLUMNS = 20


def _models(summary: dict[str, Any]) -> Section | None:
    found = summary.get("regression")
    if not found:
        return None
    note = (
        f"Scores of held-out rows (five-fold cross-validation over {summary['target']['rows']:,} rows); errors and "
        "widths are in units of the target. RMSE: root mean squared error. MAE: mean absolute error. R²: fraction of "
        "the variance that is explained. Log loss: mean negative logarithm of the predicted density, in nats. "
        "Coverage: fraction of rows within their 90% prediction intervals; of two models that cover as much, the one "
        f"with the narrower intervals is better. Kernel models use at most {CHOSEN} columns, those that explain "
        "most of the training rows."
    )
    head = ["model", "kind", "RMSE", "MAE", "R²", "log loss (nats)", "coverage of 90% intervals",
            "mean width of 90% intervals", "fit time (s)"]  # fmt: skip
    rows = [
        [
            escape(one["name"]),
            escape(one["kind"]),
            *(interval(one[score]) for score in ("rmse", "mae", "r_squared", "log_loss")),
            interval(one["coverage_90"], as_percent=True),
            number(one["width_90"]["value"]),
            number(one["fit_seconds"]),
        ]
        for one in found["models"]
    ]
    best = next(i for i, one in enumerate(found["models"]) if one["name"] == found["best"])
    legend = "Blue: kernels and mixtures. Orange: linear. Grey: the mean alone. Lines are 95% intervals."
    markup = paragraph(found["finding"]) + pair(chart("regressionModels", legend), _target(summary["target"]))
    markup += paragraph(note, soft=True) + table(head, rows, best, text=(1,))
    title = "Comparison of models"
    return Section("models", title, markup, found["finding"], is_open=True)


def _target(target: dict[str, Any]) -> str:
    """The target's mean, spread and quantiles, to compare errors with."""
    low, middle, high = target["quartiles"]
    facts = {"mean": target["mean"], "standard deviation": target["standard_deviation"], "minimum": target["minimum"],
             "first quartile": low, "median": middle, "third quartile": high, "maximum": target["maximum"]}  # fmt: skip
    return table([f"target: {target['name']}", ""], [[name, number(value)] for name, value in facts.items()])


def _intervals(summary: dict[str, Any]) -> Section | None:
    found = (summary.get("regression") or {}).get("coverage")
    if not found:
        return None
    rows = [
        [
            escape(one["model"]),
            percent(one["nominal"]),
            interval(one["coverage"], as_percent=True),
            number(one["width"]["value"]),
            f"{number(one['narrowest'])} to {number(one['widest'])}",
        ]
        for one in found
    ]
    head = ["model", "nominal coverage", "held-out coverage", "mean width", "widths (middle 90%)"]
    caption = "On the dashed line intervals hold as many held-out rows as they should; below it they are too narrow."
    finding = interval_finding(summary)
    markup = paragraph(finding) + pair(chart("coverage", caption), table(head, rows))
    return Section("intervals", "Prediction intervals", markup, finding)


def _fit(summary: dict[str, Any]) -> Section | None:
    found = (summary.get("regression") or {}).get("predicted_observed")
    if not found:
        return None
    rows = [[number(one["predicted"]), number(one["observed"]), number(one["rows"])] for one in found["tenths"]]
    caption = (
        f"Held-out rows by “{summary['regression']['best']}”. On the dashed line predictions are right; orange points "
        "are the means of ten groups of equally many rows."
    )
    right = table(["mean prediction", "mean observed", "rows"], rows)
    return Section("fit", "Predicted against observed", pair(chart("fit", caption), right))


def _residuals(summary: dict[str, Any]) -> Section | None:
    found = (summary.get("regression") or {}).get("residuals")
    if not found:
        return None
    facts = [
        ["mean", number(found["mean"])],
        ["standard deviation", number(found["standard_deviation"])],
        ["5% quantile", number(found["quantiles"][0])],
        ["median", number(found["quantiles"][2])],
        ["95% quantile", number(found["quantiles"][4])],
        ["skewness", number(found["skewness"])],
    ]
    caption = "Residuals (observed minus predicted) of held-out rows over their predictions, and their histogram."
    markup = paragraph(found["finding"]) + pair(chart("residuals", caption), table(["", ""], facts))
    return Section("residuals", "Residuals", markup, found["finding"])


def _information(summary: dict[str, Any]) -> Section | None:
    every = (summary.get("regression") or {}).get("information")
    if not every:
        return None
    found, finding = [one for one in every if one["r_squared"]["low"] > 0], explained(summary) or ""
    rest = [one["column"] for one in every if one["r_squared"]["low"] <= 0]
    note = "R² of a kernel regression on one column alone, fitted to one half of the rows and scored on the other."
    others = paragraph(f"No clear relation: {listed(rest, 12)}.", soft=True) if rest else ""
    if not found:
        return Section("information", "What each column explains", paragraph(finding) + others, finding)
    rows = [[escape(one["column"]), interval(one["r_squared"])] for one in found[:COLUMNS]]
    both = pair(chart("explained", finding), table(["column", "R²"], rows))
    markup = paragraph(note, soft=True) + both + others
    title = "What each column explains"
    return Section("information", title, markup, finding)


def _strip(summary: dict[str, Any]) -> Section | None:
    found = (summary.get("regression") or {}).get("strip")
    if not found:
        return None
    target = summary["target"]["name"]
    finding = f"The distribution of “{target}” given “{found['column']}”, the numeric column that alone explains most."
    levels = [f"{level:.0%}" for level in found["levels"]]
    step = max(len(found["grid"]) // 8, 1)
    rows = [
        [number(x), *(number(line[i]) for line in found["quantiles"])]
        for i, x in enumerate(found["grid"])
        if i % step == 0
    ]
    caption = (
        f"Quantiles of the conditional density by kernels, of {found['rows']:,} rows: the line is the median, the "
        "bands hold 50% and 90% of the probability."
    )
    markup = paragraph(finding) + pair(chart("strip", caption), table([found["column"], *levels], rows))
    return Section("strip", "Quantile strips", markup, finding)


def _largest_errors(summary: dict[str, Any]) -> Section | None:
    found = (summary.get("regression") or {}).get("largest_errors")
    if not found or not found["worst"]:
        return None
    rows = [
        [escape(str(one["row"])), number(one["observed"]), number(one["predicted"]),
         f"{number(one['low'])} to {number(one['high'])}"]
        for one in found["worst"]
    ]  # fmt: skip
    text = f"{found['finding']} The farthest, in widths of their intervals; rows are numbered from 0:"
    markup = paragraph(text) + table(["row", "observed", "predicted", "90% prediction interval"], rows)
    return Section("errors", "Largest errors", markup, found["finding"])


SECTIONS = (_models, _intervals, _fit, _residuals, _information, _strip, _largest_errors)
