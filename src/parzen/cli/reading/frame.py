"""A table of text read as a table of numbers, dates and text."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from parzen.cli.errors import ArgumentError
from parzen.cli.reading.column import NUMBERS, TEXT, Examined, examine
from parzen.cli.reading.number_column import TextCells
from parzen.cli.reading.numbers import styles_for
from parzen.cli.reading.result import ReadTable, Selection, TextFormat

#: Kinds that a column may be declared to have.
KINDS = (*NUMBERS, *TEXT, "date")


def read_columns(columns: Mapping[str, Any], form: TextFormat, selection: Selection, notes: list[str]) -> ReadTable:
    """Read the cells of the columns that are selected."""
    _check_separators(form)
    styles = styles_for(form.decimal, form.thousands)
    examined: dict[str, Examined] = {}
    for name in selection.of(list(columns)):
        one = columns[name]
        text = TextCells(name, one, form.na) if isinstance(one, np.ndarray) else one
        examined[name] = examine(text, styles, selection.kinds.get(name)) if isinstance(text, TextCells) else text
    return _read(examined, form, notes)


def _read(examined: Mapping[str, Examined], form: TextFormat, notes: list[str]) -> ReadTable:
    """Read columns by what all of them show about separators and about the order of day and month."""
    import pandas as pd

    shown = {one.decimal for one in examined.values()} - {None}
    decimal = form.decimal or (shown.pop() if len(shown) == 1 else None)
    orders = {one.day_first for one in examined.values()} - {None}
    day_first = form.day_first if form.day_first is not None else (orders.pop() if len(orders) == 1 else None)
    values: dict[str, Any] = {}
    read_as: dict[str, str] = {}
    for name, one in examined.items():
        found = one.read(decimal, day_first)
        values[name], read_as[name] = _as_series(found.values), found.read_as
        notes = [*notes, *found.notes]
    return ReadTable(pd.DataFrame(values), read_as, tuple(notes))


def _as_series(values: Any) -> Any:
    """Values as a column; text as the objects that it is."""
    import pandas as pd

    if isinstance(values, pd.Series):
        return values
    return pd.Series(values, dtype=object) if values.dtype.kind == "O" else pd.Series(values)


def _check_separators(form: TextFormat) -> None:
    for option, mark in (("--decimal", form.decimal), ("--thousands", form.thousands)):
        if mark is not None and (len(mark) != 1 or mark.isdigit()):
            raise ArgumentError(f"{option} must be one character that is no digit, got {mark!r}.")
    if form.decimal is not None and form.decimal == form.thousands:
        raise ArgumentError(f"--decimal and --thousands are both {form.decimal!r}; give different ones.")
