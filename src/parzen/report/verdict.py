"""The answer of a report, in a few sentences, each under what it is about: the top of the page."""

from typing import Any

from parzen.report.advice import decide
from parzen.report.phrases import brief, counted, fraction, listed, share
from parzen.report.regression_advice import regression_answer

#: Kinds of columns that models do not learn from, and what they are called.
LEFT_OUT = {
    "identifier": "identifiers",
    "text": "free text",
    "constant": "constants",
    "empty": "empty columns",
    "extreme": "values beyond 1e100",
}


def answer(summary: dict[str, Any]) -> list[dict[str, str]]:
    """The answer first: the best model, how good, how sure, what to decide; then what the table holds."""
    found = regression_answer(summary) if "regression" in summary else _of_classes(summary)
    parts = {"dependence": "Dependence", "mixture": "Clusters", "outliers": "Outliers"}
    found += [(about, (summary.get(part) or {}).get("finding")) for part, about in parts.items()]
    found += [
        ("Missing values", _missing(summary)),
        ("Columns", _left_out(summary)),
        ("Dates", _dates(summary)),
        ("Reading", _read(summary)),
    ]
    return [{"about": about, "text": text} for about, text in found if text]


def verdict(summary: dict[str, Any]) -> list[str]:
    """The sentences of the answer."""
    return [one["text"] for one in answer(summary)]


def _of_classes(summary: dict[str, Any]) -> list[tuple[str, str | None]]:
    """How well the class is predicted, how far its probabilities can be relied on, what to decide, and from what."""
    predicts = ((summary.get("gain") or {}).get("low") or 0.0) > 0
    return [
        ("Best model", summary.get("models_finding")),
        ("How good", _good(summary) if predicts else None),
        ("How sure", calibrated(summary) if predicts else None),
        ("What to decide", decide(summary) if predicts else None),
        ("What predicts", informed(summary)),
        ("Rows to check", (summary.get("class_outliers") or {}).get("finding")),
    ]


def _good(summary: dict[str, Any]) -> str | None:
    """Accuracy and Brier score of the best model, beside those of the class prior alone."""
    named = {one["name"]: one for one in summary.get("models", [])}
    best = named.get(summary.get("best", ""))
    reference = next((one for one in named.values() if one["kind"] == "reference"), None)
    if best is None or reference is None:
        return None
    accuracy, brier = best["accuracy"], best["brier_score"]
    return (
        f"Accuracy on held-out rows: {fraction(accuracy['value'])} (95% interval: {fraction(accuracy['low'])} to "
        f"{fraction(accuracy['high'])}), against {fraction(reference['accuracy']['value'])} for always deciding for "
        f"the most frequent class. Brier score: {brief(brier['value'])}, against "
        f"{brief(reference['brier_score']['value'])} of the class prior (0 is perfect)."
    )


def informative(one: dict[str, Any]) -> bool:
    """Whether a column alone tells about the class: the interval of its information lies above 0."""
    return (one["information"]["low"] or 0.0) > 0


def informed(summary: dict[str, Any]) -> str | None:
    """Which columns are informative about the class; how many would be by chance, where there are many."""
    every = summary.get("information")
    if not every:
        return None
    found = [one for one in every if informative(one)]
    if not found:
        return "No column alone is clearly informative about the class: no interval lies above 0."
    first = found[0]
    text = (
        f"“{first['column']}” is the most informative column alone: it lowers the held-out log loss by "
        f"{brief(first['information']['value'])} nats below the class prior's (an estimate of its mutual information "
        f"with the class), most of all for class “{first['most_about']}”."
    )
    if len(every) == 1:
        return text
    text += (
        f" {len(found)} of {len(every)} columns are clearly informative." if len(found) > 1 else " No other clearly is."
    )
    chance = round(0.025 * len(every))
    return f"{text} About {chance} would seem so by chance alone." if chance else text


def calibrated(summary: dict[str, Any]) -> str | None:
    """Whether the best model's predicted probabilities are calibrated."""
    best = next((one for one in summary.get("models", []) if one["name"] == summary["best"]), None)
    if best is None:
        return None
    error = best["calibration_error"]
    if not (error["low"] or 0.0) > 0:
        rows = summary["target"]["rows"]
        return (
            f"The predicted probabilities of “{best['name']}” are calibrated, as far as {rows:,} rows can tell "
            f"(expected calibration error {brief(error['value'])}; 95% interval: {brief(error['low'])} to "
            f"{brief(error['high'])})."
        )
    return (
        f"The predicted probabilities of “{best['name']}” are not calibrated: they differ from observed frequencies by "
        f"{brief(error['value'])} on average (expected calibration error; 95% interval: {brief(error['low'])} to "
        f"{brief(error['high'])})."
    )


def _missing(summary: dict[str, Any]) -> str | None:
    columns = summary["columns"]
    missing = sum(one["missing"] for one in columns)
    if not missing:
        return None
    most = max(columns, key=lambda one: one["missing"])
    return (
        f"{share(missing, summary['rows'] * len(columns))} of the cells are missing; “{most['name']}” has the most "
        f"({share(most['missing'], summary['rows'])} of its values)."
    )


def _left_out(summary: dict[str, Any]) -> str | None:
    """Columns that models do not learn from, and why."""
    used = (summary.get("target") or {}).get("text")
    names: dict[str, list[str]] = {}
    for one in summary["columns"]:
        if one["kind"] in LEFT_OUT and one["name"] != used:
            names.setdefault(one["kind"], []).append(one["name"])
    if not names:
        return None
    total = sum(map(len, names.values()))
    why = "; ".join(f"{called} ({listed(names[kind])})" for kind, called in LEFT_OUT.items() if kind in names)
    text = f"{counted(total, 'column is', 'columns are')} left out of the models: {why}."
    if "text" in names and not (summary.get("target") or {}).get("text"):
        text += f" Classes can be predicted from the words of “{names['text'][0]}” (--text)."
    return text


def _read(summary: dict[str, Any]) -> str | None:
    """Which numbers were written in a way that can be read otherwise, and how they were read."""
    found = [one for one in summary["columns"] if str(one.get("read_as", "")).startswith("numbers with")]
    if not found:
        return None
    more = f", and so on in {counted(len(found) - 3, 'more column')}" if len(found) > 3 else ""
    said = "; ".join(f"“{one['name']}”: {str(one['read_as']).split('; ')[0]}" for one in found[:3])
    return f"Check how numbers were read: {said}{more}."


def _dates(summary: dict[str, Any]) -> str | None:
    """Which columns hold dates, and how models use them."""
    names = [one["name"] for one in summary["columns"] if one["kind"] == "date" and "statistics" in one]
    if not names:
        return None
    text = f"{listed(names)} {'holds' if len(names) == 1 else 'hold'} dates"
    if not summary.get("target"):
        return f"{text}: dependence is that of their order; the mixture and the outliers leave them out."
    return (
        f"{text}, which models use as numbers of days. Held-out rows are drawn at random, so that they lie among "
        "training rows in time: for forecasts, score models on rows that are later than those they are fitted to."
    )
