"""Columns of a table: what each holds, its missing values, and its distribution."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.report.column_density import density
from parzen.report.column_finding import finding
from parzen.report.intervals import bounded_mean, mean_interval, observed, proportion, rounded
from parzen.tables.features import as_floats, as_labels
from parzen.tables.kinds import CATEGORICAL, NUMERIC, Column

#: Most columns whose densities are drawn, and most categories that are listed.
DENSITIES, CATEGORIES = 40, 15
#: Dates that are further apart than this many days are shown without their times.
DAYS = 10


def describe(frame: Any, columns: Mapping[str, Column], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Each column: its kind, its missing values, its distribution, and a sentence about it."""
    out = []
    drawn = 0
    for name, column in columns.items():
        one = _describe(name, frame[name], column)
        if "statistics" in one and drawn < DENSITIES:
            values = as_floats(frame[name])
            one["density"] = density(values[~np.isnan(values)], rng)
            drawn += 1
        one["finding"] = finding(one)
        out.append(one)
    return out


def _describe(name: str, values: Any, column: Column) -> dict[str, Any]:
    kind = column.role
    missing = int(values.isna().sum())
    one: dict[str, Any] = {
        "name": str(name),
        "kind": kind,
        "rows": len(values),
        "missing": missing,
        "missing_fraction": proportion(missing, len(values)),
        "distinct": column.distinct,
    }
    if kind in (*NUMERIC, "date"):
        numbers = as_floats(values)
        known = numbers[~np.isnan(numbers)]
        one["infinite"] = len(values) - missing - len(known)
        if len(known):
            one["statistics"] = _statistics(known)
            if kind == "date":
                one |= _dates(values, known)
            else:
                one["most_frequent"] = _most_frequent(known)
    elif kind in CATEGORICAL:
        one["frequencies"] = _frequencies(values)
    elif kind == "constant":
        one["value"] = str(values.dropna().iloc[0])[:80]
    return one


def _statistics(known: Array) -> dict[str, Any]:
    """Mean with its interval, standard deviation, and quantiles; whole numbers are not rounded."""
    low, *quartiles, high = np.quantile(known, [0, 0.25, 0.5, 0.75, 1])
    return {
        "mean": bounded_mean(known) if low >= 0 else mean_interval(known),
        "standard_deviation": rounded(known.std(ddof=1)) if len(known) > 1 else None,
        "minimum": observed(low, high - low),
        "quartiles": [observed(value, high - low) for value in quartiles],
        "maximum": observed(high, high - low),
    }


def _most_frequent(known: Array) -> dict[str, Any]:
    """The most frequent value, the lowest of several, its frequency, and how many values are as frequent."""
    values, counts = np.unique(known, return_counts=True)
    most = int(counts.max())
    return {
        "value": observed(values[counts.argmax()], np.ptp(known)),
        "frequency": proportion(most, len(known)),
        "as_frequent": int((counts == most).sum()),
    }


def _dates(values: Any, known: Array) -> dict[str, Any]:
    """Statistics of dates as dates; numbers of such a column are days after the first of them."""
    first = values.min()
    unit = "days" if np.ptp(known) > DAYS else "seconds"

    def written(days: float) -> str:
        import pandas as pd

        moment = first + pd.Timedelta(days=days)
        return str(moment.date()) if unit == "days" else str(moment.tz_localize(None).round("s"))

    low, *quartiles, high = np.quantile(known, [0, 0.25, 0.5, 0.75, 1])
    return {
        "first_date": first.tz_localize(None).isoformat(timespec="seconds"),
        "dates": {
            "mean": written(known.mean()),
            "minimum": written(low),
            "quartiles": [written(value) for value in quartiles],
            "maximum": written(high),
        },
    }


def _frequencies(values: Any) -> list[dict[str, Any]]:
    """Categories with their relative frequencies, the most frequent first; the rest together."""
    import pandas as pd

    counts = pd.Series(as_labels(values.dropna())).value_counts()
    total = int(counts.sum())
    listed = counts if len(counts) <= CATEGORIES + 1 else counts[:CATEGORIES]
    out = [
        {"category": str(name)[:80], "rows": int(n), "frequency": proportion(int(n), total)}
        for name, n in listed.items()
    ]
    if len(listed) < len(counts):
        rest = int(counts[CATEGORIES:].sum())
        others = f"{len(counts) - CATEGORIES} others"
        out.append({"category": others, "rows": rest, "frequency": proportion(rest, total), "rest": True})
    return out
