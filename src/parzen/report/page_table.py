"""Sections of a page about the table as a whole: columns, dependence, mixture, outliers."""

from html import escape
from typing import Any

from parzen.report.markup import Section, bar, chart, interval, number, pair, paragraph, percent, table

#: Most columns in the table of columns, and in the table of a mixture's means.
COLUMNS, MEANS = 200, 6


def _columns(summary: dict[str, Any]) -> Section:
    rows = [
        [
            escape(one["name"]),
            escape(one["kind"]),
            number(one["distinct"]),
            number(one["missing"]),
            interval(one["missing_fraction"], as_percent=True),
        ]
        for one in summary["columns"][:COLUMNS]
    ]
    cards = []
    for index, one in enumerate(summary["columns"]):
        inner = _distribution(one, index)
        if inner:
            cards.append(f"<div class='card'><h3>{escape(one['name'])}</h3>{inner}</div>")
    kinds = table(["column", "kind", "distinct values", "missing values", "fraction missing"], rows)
    return Section("columns", "Columns", f"{kinds}<p></p><div class='cards'>{''.join(cards)}</div>")


def _distribution(one: dict[str, Any], index: int) -> str:
    """The density of a column with its statistics, or the frequencies of its categories."""
    if "density" in one:
        found = one["statistics"]
        facts = {
            "mean": interval(found["mean"]),
            "standard deviation": number(found["standard_deviation"]),
            "minimum": number(found["minimum"]),
            "median": number(found["quartiles"][1]),
            "maximum": number(found["maximum"]),
        }
        return chart("density", one["finding"], index) + table(["", ""], [list(fact) for fact in facts.items()])
    if "frequencies" in one:
        lines = [
            [escape(f["category"]), bar(f["frequency"]["value"]), interval(f["frequency"], as_percent=True)]
            for f in one["frequencies"]
        ]
        inner = table(["category", "", "frequency"], lines)
        return f"<figure>{inner}<figcaption>{escape(one['finding'])}</figcaption></figure>"
    return ""


def _dependence(summary: dict[str, Any]) -> Section | None:
    found = summary.get("dependence")
    if not found:
        return None
    rows = [[escape(one["columns"][0]), escape(one["columns"][1]), interval(one)] for one in found["pairs"]]
    note = (
        "Absolute rank correlation of two numeric columns, Cramér's V of two categorical columns, correlation ratio of "
        "ranks for one of each: from 0 (no dependence) to 1."
    )
    both = pair(chart("dependence", found["finding"]), table(["column", "column", "strength"], rows))
    return Section("dependence", "Dependence between columns", paragraph(note, soft=True) + both)


def _mixture(summary: dict[str, Any]) -> Section | None:
    found = summary.get("mixture")
    if not found:
        return None
    rows = [
        [
            str(k),
            percent(one["weight"]),
            *(
                f"{number(mean)}<span class='range'>± {number(deviation)}</span>"
                for mean, deviation in zip(one["means"][:MEANS], one["standard_deviations"][:MEANS], strict=True)
            ),
        ]
        for k, one in enumerate(found["components"])
    ]
    left = chart("bic", found["finding"])
    if found["projection"]:
        left += chart(
            "mixture",
            "Ellipses at one and two standard deviations, over the two columns that separate the components best.",
        )
    right = table(["component", "weight", *found["names"][:MEANS]], rows)
    note = paragraph("Means and standard deviations of the components.", soft=True)
    return Section("mixture", "Gaussian mixture of the numeric columns", pair(left, right + note))


def _outliers(summary: dict[str, Any]) -> Section | None:
    found = summary.get("outliers")
    if not found:
        return None
    rows = []
    for one in found["worst"]:
        names = [reason["column"] for reason in one["contributions"]]
        cells = ", ".join(f"{name} = {one['cells'].get(name, '…')}" for name in names)
        rows.append([number(one["row"]), number(one["p_value"]), "yes" if one["flagged"] else "", escape(cells)])
    text = f"{found['finding']} Rows are numbered from 0."
    head = ["row", "p-value", "outlier", "cells that make it unlikely"]
    return Section("outliers", "Outliers", paragraph(text) + table(head, rows))


SECTIONS = (_columns, _dependence, _mixture, _outliers)
