"""One column of text: numbers, dates, booleans or text, by all of its cells.

Columns are read in two steps. First each is examined by itself (`examine`): what its numbers show about the decimal
separator, and its dates about the order of day and month, counts for the whole table. Then it is read by that.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from parzen.cli.reading.cells import WORDS, Cells, ColumnRead
from parzen.cli.reading.dates import Dates, as_dates, shape_of
from parzen.cli.reading.number_column import StyledNumbers, TextCells
from parzen.cli.reading.numbers import CODE, LONG, SAME, Style, in_style
from parzen.cli.reading.result import quoted, several

#: Kinds that are declared by a user or a model: of numbers, and of text.
NUMBERS, TEXT = ("continuous", "count"), ("binary", "categorical", "text", "identifier")
BOOLEANS = {"true": True, "false": False}


class Examined(Protocol):
    """A column, and what it shows about the table: its decimal separator, and whether days come before months."""

    @property
    def decimal(self) -> str | None:
        """The decimal separator that its numbers show beyond doubt."""

    @property
    def day_first(self) -> bool | None:
        """Whether days come before months, where its dates show it."""

    def read(self, decimal: str | None, day_first: bool | None) -> ColumnRead:
        """The values of the column, by what the table shows."""


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Text, or booleans; `why` tells what else it was near to."""

    cells: Cells
    why: str = ""
    notes: tuple[str, ...] = ()
    decimal: str | None = None
    day_first: bool | None = None

    def read(self, decimal: str | None, day_first: bool | None) -> ColumnRead:
        """The cells without spaces around them; NaN where they are missing."""
        words = self.cells.words
        if not words:
            return ColumnRead(np.full(len(self.cells.codes), np.nan), f"empty{self.cells.gaps}")
        values: list[object] = list(words)
        said = "text"
        if {word.lower() for word in words} <= BOOLEANS.keys() and not self.why:
            values, said = [BOOLEANS[word.lower()] for word in words], "true or false"
        objects = np.empty(len(values), dtype=object)
        objects[:] = values
        spread = self.cells.spread(objects, np.nan)
        if said != "text" and self.cells.complete:
            spread = spread.astype(bool)
        return ColumnRead(spread, f"{said}{self.why}{self.cells.gaps}", self.notes)


@dataclass(frozen=True, eq=False)
class DateColumn:
    """Dates of one shape, and how they are read where nothing else decides what comes first."""

    cells: Cells
    shape: str
    dates: Dates
    decimal: str | None = None

    @property
    def day_first(self) -> bool | None:
        """Whether days come before months, where the cells show it."""
        return self.dates.decided

    def read(self, decimal: str | None, day_first: bool | None) -> ColumnRead:
        """The dates, and how they were written."""
        again = self.dates.doubtful and day_first is not None
        dates = as_dates(self.cells.words, self.shape, day_first) if again else self.dates
        example = next(word for word, read in zip(self.cells.words, dates.read, strict=True) if read)
        notes = self.cells.losses(dates.read, "date")
        if dates.doubtful and day_first is None:
            said = f"{quoted(example)} in {self.cells.name!r} is read as {dates.order}; --day-first reads it otherwise."
            notes = (said, *notes)
        lost = int(self.cells.counts[~dates.read].sum())
        gaps = f"; {several(lost, 'other cell')}: missing" if lost else ""
        said = f"dates as {dates.order} ({example}){gaps}{self.cells.gaps}"
        return ColumnRead(self.cells.spread(dates.values, np.datetime64("NaT", "us")), said, notes)


def examine(column: TextCells, styles: tuple[Style, ...], kind: str | None) -> Examined:
    """What a column holds, by its cells and by the kind that is declared for it."""
    pointed = any(style.decimal == "." and style.thousands != "." for style in styles)
    if kind is None or kind in NUMBERS:
        plain = column.plain_numbers()
        if plain is not None and (pointed or not plain.pointed):
            return plain
    cells = column.cells
    if kind in TEXT or not cells.words:
        return TextColumn(cells, " as declared" if cells.words else "")
    if kind == "date":
        shape = shape_of(cells.words, len(cells.words) - 1, compact=True)
        dates = None if shape is None else as_dates(cells.words, shape, None)
        if shape is None or dates is None or not dates.read.any():
            return TextColumn(cells, ", none of them a date")
        return DateColumn(cells, shape, dates)
    if kind in NUMBERS:
        numbers = StyledNumbers.of(cells, styles)
        return numbers if numbers.read_cells.any() else TextColumn(cells, ", none of them a number")
    return _found(cells, styles)


def _found(cells: Cells, styles: tuple[Style, ...]) -> Examined:
    """Numbers or dates, where nearly all cells are; else text."""
    some = cells.words[:200]
    if sum(not any(map(str.isdigit, word)) for word in some) > WORDS or not any(
        any(map(str.isdigit, word)) for word in some
    ):
        return TextColumn(cells)
    shape = shape_of(cells.words, WORDS)
    if shape:
        dates = as_dates(cells.words, shape, None)
        near = cells.nearly_all(dates.read)
        return DateColumn(cells, shape, dates) if near else TextColumn(cells, "; some cells are dates")
    if not any(in_style([word.translate(SAME) for word in some], style).read.any() for style in styles):
        return TextColumn(cells)
    numbers = StyledNumbers.of(cells, styles)
    read = numbers.read_cells
    if not read.any():
        return TextColumn(cells)
    codes = next((word for word in cells.words if CODE.fullmatch(word) or LONG.fullmatch(word)), None)
    count, total = int(cells.counts[read].sum()), int(cells.counts.sum())
    if codes is not None:
        why = "leading zeros" if codes.startswith("0") else "more digits than a number keeps"
        return TextColumn(cells, f": codes with {why} ({codes})" if count == total else "")
    units = {unit for one in numbers.readings for unit in one.units}
    if len(units) > 1:
        return TextColumn(cells, f": numbers with different signs ({', '.join(sorted(units)[:3])})")
    if cells.nearly_all(read):
        return numbers
    return TextColumn(cells, f"; {count:,} of {total:,} known cells are numbers", _nearly_numbers(cells, read))


def _nearly_numbers(cells: Cells, read: NDArray[np.bool_]) -> tuple[str, ...]:
    """A sentence about a column most of whose cells are numbers, but which is read as text."""
    count, total = int(cells.counts[read].sum()), int(cells.counts.sum())
    if 2 * count < total:
        return ()
    word = quoted(cells.words[int(np.flatnonzero(~read)[0])])
    return (
        f"{cells.name!r} is read as text: {total - count:,} of {total:,} cells are no numbers, such as {word}; --kinds "
        f"{cells.name}=continuous makes them missing, and --na names words that are.",
    )
