"""Dates in text: year, month and day in any order, with marks or names of months, with or without times."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
TIME = (
    r"(?:(?:T| +)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r" ?(?P<half>[AaPp][Mm])?)? ?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
YEAR = r"(?P<year>\d{4}|\d{2})"
#: Shapes of dates. In the second, "one" and "two" are day and month in an order that is found in all of the cells.
SHAPES = {
    "year first": r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
    "year last": rf"(?P<one>\d{{1,2}})(?P<mark>[-/.])(?P<two>\d{{1,2}})(?P=mark){YEAR}",
    "day month": rf"(?P<day>\d{{1,2}})\.?[ -](?P<name>[A-Za-z]{{3,9}})\.?,?[ -]{YEAR}",
    "month day": r"(?P<name>[A-Za-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})",
}
#: Eight digits are a number, unless a column is declared to hold dates.
COMPACT = r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
PATTERNS = {name: re.compile(shape + TIME, re.ASCII) for name, shape in {**SHAPES, "compact": COMPACT}.items()}


@dataclass(frozen=True, eq=False)
class Dates:
    """Different cells as dates, NaT where a cell is none.

    Attributes
    ----------
    values : array of dates and times
    order : str
        How they are written, as "day/month/year".
    decided : bool, optional
        Whether the day comes first, where the cells show it; None where they don't, or where it can't be doubted.
    doubtful : bool
        Whether every cell has two readings.
    """

    values: NDArray[np.datetime64]
    order: str
    decided: bool | None = None
    doubtful: bool = False

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which cells are dates."""
        return ~np.isnat(self.values)


def shape_of(cells: Sequence[str], most_others: int, compact: bool = False) -> str | None:
    """The shape of the first cells, of which so many may have none; None where they are no dates."""
    some = cells[:200]
    for name, pattern in PATTERNS.items():
        if name == "compact" and not compact:
            continue
        others = sum(pattern.fullmatch(cell) is None for cell in some)
        if others <= most_others and others < len(some):
            return name
    return None


def as_dates(cells: Sequence[str], shape: str, day_first: bool | None) -> Dates:
    """Cells of one shape as dates; `day_first` decides where they leave open what comes first."""
    found = [PATTERNS[shape].fullmatch(cell) for cell in cells]
    if shape != "year last":
        mark = next(one["mark"] for one in found if one) if shape == "year first" else " "
        order = {"day month": "day month year", "month day": "month day year"}.get(
            shape, mark.join(("year", "month", "day"))
        )
        values = _iso_values(cells, found) if shape == "year first" else _values(found, None)
        return Dates(values, "year, month, day in eight digits" if shape == "compact" else order)
    known = [one for one in found if one]
    mark = known[0]["mark"]
    early, late = (any(int(one[part]) > 12 for one in known) for part in ("one", "two"))
    doubtful = not early and not late and mark != "."
    first = bool(day_first) if doubtful else early or not late
    order = ("day", "month", "year") if first else ("month", "day", "year")
    return Dates(_values(found, first), mark.join(order), None if doubtful or mark == "." else first, doubtful)


def _iso_values(cells: Sequence[str], found: Sequence[re.Match[str] | None]) -> NDArray[np.datetime64]:
    """Dates that begin with the year: by pandas, which is fast; one by one where pandas has another standard."""
    import pandas as pd

    some = pd.Series([cell if one else None for cell, one in zip(cells, found, strict=True)], dtype=object)
    dates = pd.to_datetime(some, format="ISO8601", errors="coerce", utc=True).dt.tz_localize(None)
    out = dates.to_numpy().astype("datetime64[us]")
    others = np.isnat(out)
    if others.any():
        out[others] = _values([found[i] for i in np.flatnonzero(others).tolist()], None)
    return out


def _values(found: Sequence[re.Match[str] | None], day_first: bool | None) -> NDArray[np.datetime64]:
    out = np.full(len(found), np.datetime64("NaT", "us"), dtype="datetime64[us]")
    for i, one in enumerate(found):
        if one:
            try:
                out[i] = np.datetime64(_moment(one.groupdict(), day_first), "us")
            except (ValueError, OverflowError):  # no such day, such as the 31st of February
                continue
    return out


def _moment(part: dict[str, Any], day_first: bool | None) -> datetime:
    if "one" in part:
        part["day"], part["month"] = (part["one"], part["two"]) if day_first else (part["two"], part["one"])
    if "name" in part:
        part["month"] = _month(part["name"])
    year = int(part["year"])
    if len(part["year"]) == 2:
        year += 2000 if year < 69 else 1900
    hour = int(part["hour"] or 0)
    if part["half"]:
        if not 1 <= hour <= 12:
            raise ValueError
        hour = hour % 12 + 12 * (part["half"].lower() == "pm")
    fraction = int(f"{part['fraction'] or 0:0<6}"[:6]) if part["fraction"] else 0
    clock = (hour, int(part["minute"] or 0), int(part["second"] or 0), fraction)
    moment = datetime(year, int(part["month"]), int(part["day"]), *clock)
    return moment - _offset(part["zone"])


def _month(name: str) -> int:
    word = name.lower()
    whole = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
             "november", "december", "sept")  # fmt: skip
    if word not in MONTHS and word not in whole:
        raise ValueError
    return MONTHS.index(word[:3]) + 1


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone[0] not in "+-":
        return timedelta(0)
    size = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
    return size if zone[0] == "+" else -size
