"""Columns of a table: what each holds, its missing values, and its distribution."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.report.column_density import density, modes
from parzen.report.intervals import mean_interval, proportion, rounded
from parzen.tables.features import as_floats, as_labels
from parzen.tables.kinds import CATEGORICAL, NUMERIC, Column

#: Most columns whose densities are drawn, and most categories that are listed.
DENSITIES, CATEGORIES = 40, 15


def describe(frame: Any, columns: Mapping[str, Column], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Each column: its kind, its missing values, its distribution, and a sentence about it."""
    out = []
    drawn = 0
    for name, column in columns.items():
        one = _describe(name, frame[name], column)
        if "statistics" in one and drawn < DENSITIES:
            values = as_floats(frame[name])
            known = values[~np.isnan(values)]
            if len(known):
                one["density"] = density(known, rng)
                drawn += 1
        one["finding"] = _finding(one)
        out.append(one)
    return out


def _describe(name: str, values: Any, column: Column) -> dict[str, Any]:
    kind = column.role
    missing = int(values.isna().sum())
    one: dict[str, Any] = {
        "name": str(name),
        "kind": kind,
        "missing": missing,
        "missing_fraction": proportion(missing, len(values)),
        "distinct": column.distinct,
    }
    if kind in (*NUMERIC, "date"):
        numbers = as_floats(values)
        one["statistics"] = _statistics(numbers[~np.isnan(numbers)])
        if kind == "date":
            one["first_date"] = str(values.min())[:10]  # numbers are days since then
    elif kind in CATEGORICAL:
        one["frequencies"] = _frequencies(values)
    elif kind == "constant":
        one["value"] = str(values.dropna().iloc[0])[:80]
    return one


def _statistics(known: Array) -> dict[str, Any]:
    """Mean with its interval, standard deviation, and quantiles."""
    low, *quartiles, high = np.quantile(known, [0, 0.25, 0.5, 0.75, 1])
    return {
        "mean": mean_interval(known),
        "standard_deviation": rounded(known.std(ddof=1)) if len(known) > 1 else None,
        "minimum": rounded(low),
        "quartiles": [rounded(value) for value in quartiles],
        "maximum": rounded(high),
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


def _finding(one: dict[str, Any]) -> str:
    """A sentence about a column."""
    gap = f" {one['missing_fraction']['value']:.1%} of its values are missing." if one["missing"] else ""
    left_out = {
        "empty": "It has no values and is left out.",
        "extreme": "It has values beyond 1e100 and is left out; rescale it.",
        "constant": "It has one value only and is left out.",
        "identifier": "Its values hardly repeat: it identifies rows, and is left out.",
        "text": "It holds sentences; name it as the text column to predict from its words.",
    }
    if one["kind"] in left_out:
        return left_out[one["kind"]] + ("" if one["kind"] == "empty" else gap)
    if "frequencies" in one:
        first = one["frequencies"][0]
        common = f"The most frequent of {one['distinct']} values is “{first['category']}”"
        return f"{common}, with {first['frequency']['value']:.0%} of the known values.{gap}"
    low, _, high = one["statistics"]["quartiles"]
    peaks = modes(one["density"]) if "density" in one else 1
    shape = f" The density has {peaks} modes." if peaks > 1 else ""
    unit = f" days after {one['first_date']}" if "first_date" in one else ""
    return f"Half of the values lie between {low:g} and {high:g}{unit}.{shape}{gap}"
