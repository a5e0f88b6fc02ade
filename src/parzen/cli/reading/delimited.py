"""Columns of text from a text file: names and cells, each as it is written."""

import csv
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.reading.named import new_name
from parzen.cli.reading.numbers import like_a_number
from parzen.cli.reading.parsing import Parsed
from parzen.cli.reading.records import ONE, Shape, find_dialect, find_separator
from parzen.cli.reading.result import Selection, TextFormat, several
from parzen.tables.kinds import NUMERIC

Columns = dict[str, NDArray[Any]]


def columns_of(
    text: str, form: TextFormat, selection: Selection, ending: str, called: str
) -> tuple[Columns, list[str]]:
    """The columns of a text file by name, as text or as plain numbers; and what is to be said about them."""
    if not text.strip():
        raise CommandError(f"{called} is empty; a table has a line of names and at least one row.")
    sep, text = _separator(text, form.sep, ending, called)
    dialect, shape, notes = find_dialect(text, sep, form.quotes)
    header = form.names is None
    extra = _extra_cell(shape) if header else 0
    width, notes = (int(shape.fields[0]) + 1, notes) if extra else _width(shape, notes, header, called)
    parsed = Parsed(text, dialect, shape, width, header)
    names = _header(parsed, width - extra, notes, called) if header else split_names(str(form.names), "--names")
    if not header and len(names) != width:
        raise CommandError(f"--names gives {several(len(names), 'name')}, but {called} has {several(width, 'column')}.")
    cells = parsed.columns(_text_only(names, form, selection))
    cells = _without_the_last(cells, called) if extra else cells
    if form.sep is not None and sep == ONE:
        cells = [_put_back(column, form.sep) for column in cells]
    return _named(names, cells, notes), [*notes, *_blank_lines(shape)]


def _extra_cell(shape: Shape) -> int:
    """1 where every row has one cell more than the header, else 0."""
    rest = shape.fields[1:]
    return int(not shape.problem and len(rest) > 0 and bool((rest == shape.fields[0] + 1).all()))


def _header(parsed: Parsed, width: int, notes: list[str], called: str) -> list[str]:
    """The names of the first record; a note where they look like a row."""
    if len(parsed.shape.fields) == 1:
        raise CommandError(f"{called} has no rows.")
    names = parsed.first()[:width]
    if all(like_a_number(name) for name in names) and not _counts_up(names):
        notes.append("The first line holds numbers, which are taken for names; --names gives names of its columns.")
    return names


def _text_only(names: list[str], form: TextFormat, selection: Selection) -> list[int] | None:
    """Columns that may not be read as numbers at once; None where none may."""
    if form.na is not None or form.thousands is not None or form.decimal not in (None, "."):
        return None
    return [j for j, name in enumerate(names) if selection.kinds.get(name.strip(), "count") not in NUMERIC]


def _counts_up(names: list[str]) -> bool:
    """Whether names are whole numbers that follow each other, as positions and years do."""
    digits = all(name.isascii() and name.isdigit() for name in names)
    return digits and all(int(b) == int(a) + 1 for a, b in pairwise(names))


def split_names(text: str, option: str) -> list[str]:
    """Names that are separated by commas; one that holds a comma is quoted."""
    names = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    if not all(names) or not names:
        raise ArgumentError(f"{option} must be names, separated by commas, got {text!r}.")
    return names


def _separator(text: str, given: str | None, ending: str, called: str) -> tuple[str, str]:
    """A separator of one character, and the text with it."""
    if given is None:
        return find_separator(text, ending), text
    given = given.replace("\\t", "\t")
    if given == "" or '"' in given or "\n" in given:
        raise ArgumentError(f"--sep must be what separates cells, such as ';' or '\\t', got {given!r}.")
    line = text.lstrip("\n").split("\n", 1)[0]
    other = find_separator(text, ending)
    if given not in line and other != ONE:
        raise CommandError(f"--sep {given!r} is not in the first line of {called}, but {other!r} is.")
    if len(given) == 1 and given.isascii():
        return given, text
    if ONE in text:
        raise CommandError(
            f"{called} holds the character U+001F, and can't be read with a --sep of several characters."
        )
    return ONE, text.replace(given, ONE)


def _width(shape: Shape, notes: list[str], header: bool, called: str) -> tuple[int, list[str]]:
    """How many columns there are: the first record's fields; longer records are an error, shorter ones are said."""
    if shape.problem:
        raise CommandError(
            f"{called} can't be read as a table: of its quotation marks, {shape.problem}; --no-quotes reads "
            "them as text."
        )
    width = int(shape.fields[0])
    long = np.flatnonzero(shape.fields > width)
    first = "the header names" if header else "the first line has"
    if len(long):
        raise CommandError(
            f"{called} can't be read as a table: line {shape.lines[long[0]]:,} has {shape.fields[long[0]]:,} fields, "
            f"but {first} {width:,}; give the separator by --sep, or mend the line."
        )
    short = np.flatnonzero(shape.fields < width)
    if len(short):
        notes = [
            *notes,
            f"{several(len(short), 'line')} with fewer cells than {width:,} (the first is line "
            f"{shape.lines[short[0]]:,}): the last cells are missing.",
        ]
    return width, notes


def _without_the_last(cells: list[NDArray[Any]], called: str) -> list[NDArray[Any]]:
    """The columns of a table whose rows have one cell more than its header: an empty one after the last separator."""
    if not _blank(cells[-1]):
        raise CommandError(
            f"{called} can't be read as a table: every row has {len(cells):,} fields, but the header names "
            f"{len(cells) - 1:,}; add the name that is missing, perhaps the first, to the header."
        )
    return cells[:-1]


def _blank_lines(shape: Shape) -> list[str]:
    """A sentence about blank lines between rows of a table of one column, where they may stand for missing cells."""
    if int(shape.fields.max()) > 1 or shape.joined:
        return []
    blank = int(shape.lines[-1]) - len(shape.lines)
    return [f"{several(blank, 'blank line')} between the rows: left out."] if blank > 0 else []


def _blank(column: NDArray[Any]) -> bool:
    """Whether all cells are empty."""
    return column.dtype.kind == "O" and not any(cell.strip() for cell in column)


def _put_back(column: NDArray[Any], sep: str) -> NDArray[Any]:
    """Cells in which a separator of several characters was quoted."""
    if column.dtype.kind != "O":
        return column
    return np.array([cell.replace(ONE, sep) for cell in column], dtype=object)


def _named(names: list[str], cells: list[NDArray[Any]], notes: list[str]) -> Columns:
    """Columns by names that are different: empty and repeated ones get new names, empty columns without a name go."""
    out: Columns = {}
    taken = {name.strip() for name in names}
    for j, (name, column) in enumerate(zip(names, cells, strict=True)):
        called = name.strip()
        if not called:
            if _blank(column):
                continue  # a separator at the end of every line
            called = new_name(f"column {j + 1}", taken)
            notes.append(f"Column {j + 1} has no name; it is called {called!r}.")
        elif called in out:
            called = new_name(called, taken)
            notes.append(f"Two columns are called {name.strip()!r}; the later one is called {called!r}.")
        taken.add(called)
        out[called] = column
    return out
