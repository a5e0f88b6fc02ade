"""Pieces of a page: tables, numbers with intervals, and elements for charts. Text from data is always escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple


class Section(NamedTuple):
    """A section of a page: the anchor of its link, its title, and its markup."""

    key: str
    title: str
    markup: str


def chart(kind: str, caption: str, index: int | None = None) -> str:
    """The element in which page.js draws a chart; `index` is the position of its column, where there are several."""
    which = "" if index is None else f' data-index="{index}"'
    return f'<figure><div data-chart="{kind}"{which}></div><figcaption>{escape(caption)}</figcaption></figure>'


def pair(left: str, right: str) -> str:
    """Two pieces side by side."""
    return f"<div class='pair'><div>{left}</div><div>{right}</div></div>"


def paragraph(text: str, soft: bool = False) -> str:
    """A paragraph of text."""
    return f"<p{' class=soft' if soft else ''}>{escape(text)}</p>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], best: int | None = None) -> str:
    """A table of cells that are markup already; the best row is set in bold."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = (
        f"<tr{' class=best' if i == best else ''}>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
        for i, row in enumerate(rows)
    )
    inside = (f"<thead><tr>{top}</tr></thead>" if any(head) else "") + f"<tbody>{''.join(lines)}</tbody>"
    return f"<div class='scroll'><table>{inside}</table></div>"


def number(value: Any, digits: int = 3) -> str:
    """A number, or text."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return escape(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    plain = 1e-4 <= abs(value) < 1e7 or value == 0
    return f"{float(f'{value:.{max(digits, 4)}g}'):,.10g}" if plain else f"{value:.{digits}g}"


def percent(value: float | None) -> str:
    """A proportion as a percentage."""
    return "–" if value is None else f"{value:.1%}"


def interval(found: Mapping[str, Any], value: str = "value", as_percent: bool = False) -> str:
    """An estimate and its interval."""
    write = percent if as_percent else number
    if found["low"] is None:
        return write(found[value])
    return f"{write(found[value])}<span class='range'>{write(found['low'])} to {write(found['high'])}</span>"


def bar(value: float | None) -> str:
    """A bar as long as a proportion."""
    return f"<div class='bar'><i style='width:{100 * (value or 0):.1f}%'></i></div>"
