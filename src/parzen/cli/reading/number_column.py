"""Columns of numbers: plain ones, and those with separators and units."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli.reading.cells import Cells, ColumnRead, cells_of, gaps_of, missing_words
from parzen.cli.reading.numbers import SAME, Numbers, Style, in_style, may_be_thousands
from parzen.cli.reading.result import quoted, several
from parzen.compute.arrays import Array

#: Beyond this, a whole number is none of float64's.
EXACT = 2.0**53
#: So many cells are looked at; where at most so large a part of them is different, each different cell is read once.
SAMPLE, REPEATED = 1000, 0.5
#: What no plain number holds, but Python's `float` accepts.
ODD = ("_", "n", "N", " ", "\t", "\x0b", "\x0c")


@dataclass(frozen=True, eq=False)
class PlainNumbers:
    """Numbers with a decimal point at most.

    Attributes
    ----------
    written : TextCells
    values : array, one for each row
    words : list of str
        The known cells, or the different ones among them.
    pointed : bool
        Whether any has a point.
    gaps : str
        What stood for missing values.
    """

    written: "TextCells"
    values: NDArray[Any]
    words: list[str]
    pointed: bool
    gaps: str
    day_first: bool | None = None

    @property
    def decimal(self) -> str | None:
        """The decimal separator that the cells show beyond doubt."""
        return "." if self.pointed and not self.doubtful else None

    @property
    def doubtful(self) -> bool:
        """Whether every point could stand between thousands."""
        return self.pointed and bool(self.words) and may_be_thousands(self.words)

    def read(self, decimal: str | None, day_first: bool | None) -> ColumnRead:
        """The numbers; where the table has decimal commas, points in doubt stand between thousands."""
        if decimal == "," and self.doubtful:
            return StyledNumbers.of(self.written.cells, (Style(",", "."),)).read(decimal, day_first)
        said = "numbers"
        if self.doubtful:
            cell = next(word for word in self.words if "." in word)
            said += f" with a decimal point ({cell}; --thousands . reads it as {cell.replace('.', '')})"
        elif self._like_dates():
            said += f"; they look like dates, and --kinds {self.written.name}=date reads them so"
        return ColumnRead(self.values, said + self.gaps)

    def _like_dates(self) -> bool:
        v = self.values
        if v.dtype.kind != "i" or v.min() < 1900_01_01 or v.max() > 2100_12_31 or len(v) < 3:
            return False
        month, day = v // 100 % 100, v % 100
        return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)).all())


@dataclass(frozen=True, eq=False)
class TextCells:
    """A column as it is written: its name, its cells, and words for missing values."""

    name: str
    raw: NDArray[Any]
    na: Collection[str] | None

    @cached_property
    def cells(self) -> Cells:
        """Its different cells."""
        return cells_of(self.name, self.raw, self.na)

    def plain_numbers(self) -> PlainNumbers | None:
        """The column as plain numbers; None where a cell is none, or is a code."""
        if self.raw.dtype.kind in "if":  # read as such, beyond doubt
            known = self.raw[~np.isnan(self.raw)]
            return PlainNumbers(self, self.raw, [], bool((known != np.floor(known)).any()), "")
        some = self.raw[:SAMPLE]
        if len(set(some)) <= REPEATED * len(some):  # each different cell is read once
            cells = self.cells
            found = plain_values(cells.words)
            if found is None:
                return None
            values = found[0] if cells.complete else found[0].astype(np.float64)
            return PlainNumbers(self, cells.spread(values, np.nan), cells.words, found[1], cells.gaps)
        return self._all_different()

    def _all_different(self) -> PlainNumbers | None:
        import pandas as pd

        gone = missing_words(self.na)
        missing = pd.Series(self.raw, dtype=object).isin(gone).to_numpy()
        words = self.raw[~missing].tolist()
        found = plain_values(words)
        if found is None:
            return None
        counts = Counter(word for word in self.raw[missing].tolist() if word)
        values = found[0]
        if missing.any():
            values = np.full(len(missing), np.nan)
            values[~missing] = found[0]
        return PlainNumbers(self, values, words, found[1], gaps_of(counts))


def plain_values(words: list[str]) -> tuple[NDArray[Any], bool] | None:
    """Cells as plain numbers, and whether any has a point; None where one is no number, or is a code."""
    if not words or (not words[0][-1:].isdigit() and not words[0].endswith(".")):
        return None
    text = "\n\n".join(["", *words, ""])
    if not text.isascii() or any(mark in text for mark in ODD) or text.count("\n") != 2 * len(words) + 2:
        return None
    if text.count("\n0") - sum(text.count(f"\n0{mark}") for mark in (".", "\n", "e", "E")):
        return None  # codes with leading zeros
    try:
        values: NDArray[Any] = np.array(words, dtype=object).astype(np.float64)
    except ValueError:
        return None
    if not np.isfinite(values).all():
        return None
    pointed = "." in text
    if not pointed and "e" not in text and "E" not in text:
        try:  # exactly, also beyond the whole numbers of float64
            values = values.astype(np.int64) if np.abs(values).max() < EXACT else np.array(list(map(int, words)))
        except OverflowError:
            return None
        if values.dtype.kind != "i":
            return None
    return values, pointed


@dataclass(frozen=True, eq=False)
class StyledNumbers:
    """Numbers with separators or units, in one or several styles.

    Attributes
    ----------
    cells : Cells
    readings : tuple of Numbers
        Several, where they read the same cells as different numbers.
    """

    cells: Cells
    readings: tuple[Numbers, ...]
    day_first: bool | None = None

    @classmethod
    def of(cls, cells: Cells, styles: tuple[Style, ...]) -> "StyledNumbers":
        """The readings of a column that read the most cells; of those that give the same numbers, the first."""
        words = [word.translate(SAME) for word in cells.words]
        found = [in_style(words, style) for style in styles]
        many = [int(cells.counts[one.read].sum()) for one in found]
        best = [one for one, count in zip(found, many, strict=True) if count == max(many)]
        different: dict[bytes, Numbers] = {}
        for one in best:
            different.setdefault(one.values.tobytes(), one)
        return cls(cells, tuple(different.values()))

    @property
    def decimal(self) -> str | None:
        """The decimal separator that the cells show beyond doubt."""
        shown = {one.style.decimal for one in self.readings}
        marked = any("." in word or "," in word for word in self.cells.words)
        return shown.pop() if len(shown) == 1 and marked else None

    def chosen(self, decimal: str | None) -> Numbers:
        """The reading with the table's decimal separator, else with a point."""
        return next((one for one in self.readings if one.style.decimal == (decimal or ".")), self.readings[0])

    @property
    def read_cells(self) -> NDArray[np.bool_]:
        """Which of the different cells are numbers."""
        return self.readings[0].read

    def read(self, decimal: str | None, day_first: bool | None) -> ColumnRead:
        """The numbers, and how they were written."""
        one = self.chosen(decimal)
        values = self.cells.spread(one.values, np.nan)
        notes = (*self._doubt(one, decimal), *self.cells.losses(one.read, "number"))
        lost = int(self.cells.counts[~one.read].sum())
        gaps = f"; {several(lost, 'other cell')}: missing" if lost else ""
        return ColumnRead(_whole(values), _described(self.cells, one) + gaps + self.cells.gaps, notes)

    def _doubt(self, one: Numbers, decimal: str | None) -> tuple[str, ...]:
        """A sentence about numbers that have another reading."""
        others = [other for other in self.readings if other.style.decimal != one.style.decimal]
        if not others:
            return ()
        differ = one.read & others[0].read & (one.values != others[0].values)
        if not differ.any():
            return ()
        i = int(np.flatnonzero(differ)[0])
        why = ", as in other columns" if decimal else ""
        return (
            f"{quoted(self.cells.words[i])} in {self.cells.name!r} is read as {one.values[i]:.15g}{why}; --decimal "
            f"{others[0].style.decimal} reads it as {others[0].values[i]:.15g}.",
        )


def _whole(values: Array) -> NDArray[Any]:
    """Whole numbers as integers, where none is missing."""
    if np.isfinite(values).all() and (values == np.floor(values)).all() and np.abs(values).max() < EXACT:
        return values.astype(np.int64)
    return values


def _described(cells: Cells, one: Numbers) -> str:
    """How numbers are written, with an example."""
    marks = {",": "commas", ".": "points", " ": "spaces", "'": "apostrophes"}
    words = [word.translate(SAME) for word, read in zip(cells.words, one.read.tolist(), strict=True) if read]
    style = one.style
    parts = []
    if style.thousands and any(style.thousands in word.strip() for word in words):
        parts.append(f"{marks.get(style.thousands, style.thousands)} between thousands")
    if style.decimal == "," and any("," in word for word in words):
        parts.append("a decimal comma")
    if any(word.startswith("(") for word in words):
        parts.append("negative ones in parentheses")
    if one.units:
        parts.append(f"the sign {one.units[0]}, which is left out")
    if not parts:
        return "numbers"
    marked = [word for word in words if not word.isdigit()]
    example = max(marked[:50] or words[:50], key=len)
    return f"numbers with {' and '.join(parts)} ({example})"
