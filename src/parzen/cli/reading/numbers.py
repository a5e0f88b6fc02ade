"""Numbers in text: decimal points and commas, thousands separators, currencies and percentages.

A style is a pair of separators. A column has the style that reads most of its cells; where two styles read the same
cells as different numbers (1,234), the other columns of the table decide, and else a rule.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import isfinite, nan

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array

#: Signs of units before or after a number: the number is kept as it is written, the sign is left out.
UNITS = r"[$€£¥₹₩₽₺₪฿%]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL)\b"
#: Characters that mean the same: spaces between thousands, apostrophes, minus signs.
SAME = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'", "−": "-"})
#: A whole number with leading zeros is a code; so is one of more digits than a number keeps.
CODE, LONG = re.compile(r"0[0-9]+"), re.compile(r"[+-]?[0-9]{19,}")
#: What could be thousands as well as decimals: every group after a point or a comma has three digits.
GROUPS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[.,][0-9]{3})*")


@dataclass(frozen=True)
class Style:
    """Separators of numbers: the decimal one, and that of thousands ("" for none)."""

    decimal: str
    thousands: str = ""


POINT, COMMA = Style("."), Style(",")
#: All styles; of those that read a column's cells alike, the first is taken.
STYLES = (
    POINT, Style(".", ","), COMMA, Style(",", "."), Style(".", " "), Style(",", " "), Style(".", "'"), Style(",", "'"),
)  # fmt: skip


@cache
def _pattern(style: Style) -> re.Pattern[str]:
    point, mark = re.escape(style.decimal), re.escape(style.thousands)
    middle = f"(?:{mark}[0-9]{{2,3}})*" if style.thousands == "," else f"(?:{mark}[0-9]{{3}})*"  # 12,34,567 in India
    grouped = f"[1-9][0-9]{{0,2}}{middle}{mark}[0-9]{{3}}|" if style.thousands else ""
    body = f"(?:(?:{grouped}[0-9]+)(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
    signs = "-" if style.thousands == " " else "+-"  # +49 123 456 is a telephone
    return re.compile(
        rf"(?P<open>\()?(?P<minus>[{signs}]? ?)(?P<before>(?:{UNITS})? ?)(?P<sign>[{signs}]?)(?P<body>{body})"
        rf"(?P<after> ?(?:{UNITS})?)(?(open)\))"  # bookkeepers' negative numbers are in parentheses
    )


def like_a_number(cell: str) -> bool:
    """Whether a cell is a number in any style, without a unit."""
    return any((found := _pattern(style).fullmatch(cell.strip())) and not _unit(found) for style in STYLES[:4])


def styles_for(decimal: str | None, thousands: str | None) -> tuple[Style, ...]:
    """The styles that a table may have, where one or both separators are given."""
    if decimal is not None and thousands is not None:
        return (Style(decimal, thousands),)
    if thousands is not None:
        decimal = "," if thousands == "." else "."
        return (Style(decimal, thousands),)
    return STYLES if decimal is None else tuple(one for one in STYLES if one.decimal == decimal) or (Style(decimal),)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Different cells read as numbers in a style: NaN where a cell is none; the units that were left out."""

    style: Style
    values: Array
    units: tuple[str, ...]

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which cells are numbers."""
        return ~np.isnan(self.values)


def in_style(cells: Sequence[str], style: Style) -> Numbers:
    """Cells as numbers in a style."""
    values, units = np.full(len(cells), np.nan), set()
    match = _pattern(style).fullmatch
    for i, cell in enumerate(cells):
        found = match(cell)
        if found:
            values[i] = _value(found, style)
            unit = _unit(found)
            if unit:
                units.add(unit)
    return Numbers(style, values, tuple(sorted(units)))


def _value(found: re.Match[str], style: Style) -> float:
    body = found["body"]
    if style.thousands:
        body = body.replace(style.thousands, "")
    number = float(body.replace(style.decimal, "."))
    if not isfinite(number):
        return nan  # beyond the largest number
    return -number if found["open"] or "-" in found["minus"] + found["sign"] else number


def _unit(found: re.Match[str]) -> str:
    return (found["before"] + found["after"]).strip()


def may_be_thousands(cells: Sequence[str]) -> bool:
    """Whether every point and comma could stand between thousands: three digits follow, and one to three precede."""
    return all(map(GROUPS.fullmatch, cells))
