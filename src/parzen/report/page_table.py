"""Sections of a page about the table as a whole: columns, dependence, mixture, outliers."""

from collections.abc import Sequence
from html import escape
from typing import Any

from parzen.report.markup import Section, bar, chart, interval, number, pair, paragraph, percent, table
from parzen.report.phrases import counted, figure

#: Most columns in the table of columns.
COLUMNS = 200


def _columns(summary: dict[str, Any]) -> Section:
    columns = summary["columns"]
    cards = []
    for index, one in enumerate(columns[:COLUMNS]):
        inner = _distribution(one, index)
        if inner:
            cards.append(f"<div class='card'><h3>{escape(one['name'])}</h3>{inner}</div>")
    rows = [
        [
            escape(one["name"]),
            escape(one["kind"]),
            number(one["distinct"]),
            number(one["missing"]),
            percent(one["missing_fraction"]["value"]),
            _note(one),
        ]
        for one in columns[:COLUMNS]
    ]
    head = ["column", "kind", "distinct values", "missing values", "fraction missing", "note"]
    more = (
        paragraph(f"The first {COLUMNS} of {len(columns):,} columns are listed.", True)
        if len(columns) > COLUMNS
        else ""
    )
    undrawn = sum("statistics" in one and "density" not in one for one in columns)
    if undrawn:
        more += paragraph(f"Densities of {counted(undrawn, 'more column')} are not drawn.", soft=True)
    kinds: dict[str, int] = {}
    for one in columns:
        kinds[one["kind"]] = kinds.get(one["kind"], 0) + 1
    text = ", ".join(f"{n:,} {kind}" for kind, n in sorted(kinds.items(), key=lambda item: -item[1]))
    markup = f"{table(head, rows, text=(1, 5))}{more}<div class='cards'>{''.join(cards)}</div>"
    return Section("columns", "Columns", markup, f"{counted(len(columns), 'column')}: {text}.")


def _note(one: dict[str, Any]) -> str:
    """How a column was read, and what its card would say where it has none."""
    read = one.get("read_as")
    parts = [str(read)] if read else []
    if "density" not in one and "frequencies" not in one:
        parts.append(one["finding"])
    return f"<span class='any'>{escape(' '.join(parts))}</span>" if parts else ""


def _distribution(one: dict[str, Any], index: int) -> str:
    """The density of a column with its statistics, or the frequencies of its categories."""
    if "density" in one:
        facts = _facts(one)
        outside = one["density"].get("outside")
        text = (
            f"{one['finding']} {counted(outside, 'row lies', 'rows lie')} outside of the picture."
            if outside
            else one["finding"]
        )
        return chart("density", text, index) + table(["", ""], [list(fact) for fact in facts.items()])
    if "frequencies" in one:
        lines = [
            [escape(f["category"]), bar(f["frequency"]["value"]), interval(f["frequency"], as_percent=True)]
            for f in one["frequencies"]
        ]
        inner = table(["category", "", "frequency"], lines)
        return f"<figure>{inner}<figcaption>{escape(one['finding'])}</figcaption></figure>"
    return ""


def _facts(one: dict[str, Any]) -> dict[str, str]:
    """Statistics of a column of numbers or of dates."""
    found, dates = one["statistics"], one.get("dates")
    deviation = number(found["standard_deviation"])
    if dates:
        facts = {name: escape(dates[name]) for name in ("mean", "minimum", "maximum")}
        return {
            "mean": facts["mean"],
            "standard deviation": f"{deviation} days",
            "minimum": facts["minimum"],
            "median": escape(dates["quartiles"][1]),
            "maximum": facts["maximum"],
        }
    return {
        "mean": interval(found["mean"]),
        "standard deviation": deviation,
        "minimum": number(found["minimum"]),
        "median": number(found["quartiles"][1]),
        "maximum": number(found["maximum"]),
    }


def _dependence(summary: dict[str, Any]) -> Section | None:
    found = summary.get("dependence")
    if not found:
        return None
    rows = [
        [escape(one["columns"][0]), escape(one["columns"][1]), escape(one["measure"]), interval(one)]
        for one in found["pairs"]
    ]
    note = (
        "Absolute rank correlation (Spearman) of two numeric columns, Cramér's V of two categorical columns, "
        f"correlation ratio of ranks for one of each: from 0 (no dependence) to 1. {_used(found)}"
    )
    both = pair(
        chart("dependence", found["finding"]), table(["column", "column", "measure", "strength"], rows, text=(1, 2))
    )
    return Section(
        "dependence", "Dependence between columns", paragraph(note, soft=True) + both + _tree(found), found["finding"]
    )


def _tree(found: dict[str, Any]) -> str:
    """The tree of columns, where there is one."""
    if not found.get("tree"):
        return ""
    note = (
        "A Bayes net: the tree of columns with the highest mutual information (Chow and Liu), numbers cut into bins of "
        "equal counts, without edges that BIC does not pay for. Given its neighbours, a column tells nothing more "
        "about the others. An edge has no direction by itself: all lead away from the target, if there is one."
    )
    return chart(
        "tree", "Tree of dependence; a node shows its table of probabilities given the node above."
    ) + paragraph(note, soft=True)


def _used(found: dict[str, Any]) -> str:
    """Of how many rows and columns a part is."""
    used, every = found["columns"]
    of = f"the first {used:,} of {every:,} columns" if used < every else counted(used, "column")
    return f"Of {counted(found['rows'], 'row')} and {of}."


def _mixture(summary: dict[str, Any]) -> Section | None:
    found = summary.get("mixture")
    if not found:
        return None
    right = _criterion(found["criterion"])
    left = chart("bic", f"{found['finding']} A ring marks the mixture that is chosen.")
    if found["projection"]:
        several = len(found["components"]) > 1
        which = "the two columns that separate the components best" if several else "two of the columns"
        left += chart("mixture", f"Ellipses at one and two standard deviations, over {which}.")
    note = paragraph(
        f"{_used(found)} Components describe the density: a skewed column takes several, so that they need not be "
        "clusters.",
        soft=True,
    )
    means = paragraph("Means of the components, ± standard deviations:") + _means(found)
    return Section(
        "mixture", "Gaussian mixture of the numeric columns", note + pair(left, right) + means, found["finding"]
    )


def _criterion(rows: Sequence[dict[str, Any]]) -> str:
    """BIC of each number of components and form of their covariance matrices."""
    shapes = list(dict.fromkeys(one["covariance_type"] for one in rows))
    sizes = sorted({one["n_components"] for one in rows})
    values = {(one["n_components"], one["covariance_type"]): one["bic"] for one in rows}
    lines = [[str(size), *(figure(values.get((size, shape))) for shape in shapes)] for size in sizes]
    known = {key: value for key, value in values.items() if value is not None}
    best = sizes.index(min(known, key=lambda key: known[key])[0]) if known else None
    names = {"diag": "diagonal covariances", "full": "full covariances"}
    return table(["components", *(f"BIC, {names.get(shape, shape)}" for shape in shapes)], lines, best)


def _means(found: dict[str, Any]) -> str:
    """Means and standard deviations, a row for each column of the table."""
    components = found["components"]
    rows = [
        [
            escape(name),
            *(
                f"{number(one['means'][j])}<span class='range'>± {number(one['standard_deviations'][j])}</span>"
                for one in components
            ),
        ]
        for j, name in enumerate(found["names"])
    ]
    head = ["column", *(f"component {k + 1} ({percent(one['weight'])})" for k, one in enumerate(components))]
    return table(head, rows)


def reasons(one: dict[str, Any]) -> str:
    """The cells that make a row unlikely, those that contribute most first."""
    cells = one["cells"]
    found = [f"{reason['column']} = {_cell(cells[reason['column']])}" for reason in one["contributions"]]
    return f"<span class='any'>{escape(', '.join(found) or 'no single cell')}</span>"


def _cell(value: Any) -> str:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return str(value)
    return figure(value if value == int(value) else float(f"{value:.6g}"))


def _outliers(summary: dict[str, Any]) -> Section | None:
    found = summary.get("outliers")
    if not found:
        return None
    rows = [
        [escape(str(one["row"])), number(one["p_value"]), "yes" if one["flagged"] else "no", reasons(one)]
        for one in found["worst"]
    ]
    more = found["flagged"] - sum(one["flagged"] for one in found["worst"])
    text = f"{found['finding']} {_used(found)} Rows are numbered from 0."
    text += f" {more:,} more are not listed." if more else ""
    head = ["row", "p-value", "outlier", "cells that make it unlikely"]
    return Section("outliers", "Outliers", paragraph(text) + table(head, rows, text=(3,)), found["finding"])


SECTIONS = (_columns, _dependence, _mixture, _outliers)
