"""Pieces of a page: tables, numbers with intervals, and elements for charts. Text from data is always escaped."""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from parzen.report.phrases import figure, fraction


class Section(NamedTuple):
    """A section of a page.

    Attributes
    ----------
    key : anchor of its link
    title : str
    markup : str
    finding : its main result, which is shown while it is folded
    is_open : whether it is unfolded at first
    advice : what to do next, by what was found
    """

    key: str
    title: str
    markup: str
    finding: str = ""
    is_open: bool = False
    advice: str = ""


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


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    best: int | None = None,
    text: Collection[int] = (),
    matrix: bool = False,
) -> str:
    """A table of cells that are markup already; the best row is set in bold.

    On a narrow screen each row of a table becomes a block with a line for each cell, and nothing is out of sight; a
    matrix, whose columns must stay beside each other, scrolls. Columns whose positions are in `text` are set left.
    """
    kind = " class=matrix" if matrix else " class=stack" if len(head) > 3 else ""
    left = [" class=left" if j in text else "" for j in range(len(head))]
    top = "".join(f"<th{own}>{escape(cell)}</th>" for own, cell in zip(left, head, strict=True))
    label = [f' data-label="{escape(cell)}"' if kind == " class=stack" else "" for cell in head]
    lines = (
        f"<tr{' class=best' if i == best else ''}>"
        + "".join(f"<td{own}{name}>{cell}</td>" for own, name, cell in zip(left, label, row, strict=True))
        + "</tr>"
        for i, row in enumerate(rows)
    )
    inside = (f"<thead><tr>{top}</tr></thead>" if any(head) else "") + f"<tbody>{''.join(lines)}</tbody>"
    return f"<div class='scroll'><table{kind}>{inside}</table></div>"


def number(value: Any) -> str:
    """A count with commas, another number as the summary holds it, or text."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return escape(str(value))
    return f"{value:,}" if isinstance(value, int) else figure(value)


def percent(value: float | None) -> str:
    """A proportion as a percentage."""
    return "–" if value is None else escape(fraction(value).replace("under ", "<").replace("over ", ">"))


def interval(found: Mapping[str, Any], value: str = "value", as_percent: bool = False) -> str:
    """An estimate and its interval."""
    write = percent if as_percent else number
    if found["low"] is None or found["high"] is None:
        return write(found[value])
    return f"{write(found[value])}<span class='range'>{write(found['low'])} to {write(found['high'])}</span>"


def bar(value: float | None) -> str:
    """A bar as long as a proportion."""
    return f"<div class='bar'><i style='width:{100 * (value or 0):.1f}%'></i></div>"
