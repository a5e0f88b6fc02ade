"""The main results of a summary, in a few sentences: the top of the page."""

from typing import Any

from parzen.report.phrases import brief, counted, listed, share

#: Kinds of columns that models do not learn from.
LEFT_OUT = ("empty", "extreme", "constant", "identifier", "text")


def verdict(summary: dict[str, Any]) -> list[str]:
    """The main results: how well the target is predicted and from what, then what the table holds."""
    predicts = ((summary.get("gain") or {}).get("low") or 0.0) > 0
    found = [summary.get("models_finding"), calibrated(summary) if predicts else None, informed(summary)]
    found += [
        (summary.get(part) or {}).get("finding") for part in ("class_outliers", "dependence", "mixture", "outliers")
    ]
    return [sentence for sentence in (*found, *_table(summary)) if sentence]


def informative(one: dict[str, Any]) -> bool:
    """Whether a column alone tells about the class: the interval of its information lies above 0."""
    return (one["information"]["low"] or 0.0) > 0


def informed(summary: dict[str, Any]) -> str | None:
    """Which columns tell about the class, where any does; how many would by chance, where there are many."""
    every = summary.get("information")
    if not every:
        return None
    found = [one for one in every if informative(one)]
    if not found:
        return "No column alone clearly tells about the class: no interval lies above 0."
    first = found[0]
    text = (
        f"“{first['column']}” is the column that alone tells most about the class "
        f"({brief(first['information']['value'])} nats), above all about “{first['most_about']}”."
    )
    if len(every) == 1:
        return text
    text += (
        f" {len(found)} of {len(every)} columns clearly tell about it." if len(found) > 1 else " No other clearly does."
    )
    chance = round(0.025 * len(every))
    return f"{text} About {chance} would seem to by chance alone." if chance else text


def calibrated(summary: dict[str, Any]) -> str | None:
    """Whether the best model's predicted probabilities are calibrated."""
    best = next((one for one in summary.get("models", []) if one["name"] == summary["best"]), None)
    if best is None:
        return None
    error = best["calibration_error"]
    if not (error["low"] or 0.0) > 0:
        rows = summary["target"]["rows"]
        return f"The predicted probabilities of “{best['name']}” are calibrated, as far as {rows:,} rows can tell."
    return (
        f"The predicted probabilities of “{best['name']}” are off by {brief(error['value'])} on average (expected "
        f"calibration error; 95% interval: {brief(error['low'])} to {brief(error['high'])})."
    )


def _table(summary: dict[str, Any]) -> list[str]:
    """Missing values, and columns that are left out."""
    columns = summary["columns"]
    missing = sum(one["missing"] for one in columns)
    out = []
    if missing:
        most = max(columns, key=lambda one: one["missing"])
        out.append(
            f"{share(missing, summary['rows'] * len(columns))} of the cells are missing; “{most['name']}” has the most "
            f"({share(most['missing'], summary['rows'])} of its values)."
        )
    used = (summary.get("target") or {}).get("text")
    left = [one["name"] for one in columns if one["kind"] in LEFT_OUT and one["name"] != used]
    if left:
        out.append(f"{counted(len(left), 'column is', 'columns are')} not learnt from: {listed(left)}.")
    return out
