"""Tables of files that have types: JSON lines and Parquet."""

import json
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli.errors import CommandError
from parzen.cli.reading.cells import ColumnRead
from parzen.cli.reading.column import NUMBERS
from parzen.cli.reading.frame import read_columns
from parzen.cli.reading.named import new_name
from parzen.cli.reading.result import ReadTable, Selection, TextFormat

#: What a column of each kind of NumPy's types holds.
HELD = {"i": "numbers", "u": "numbers", "f": "numbers", "b": "true or false", "M": "dates", "m": "durations"}


def read_json(text: str, form: TextFormat, selection: Selection, called: str) -> ReadTable:
    """A table of JSON: one object on each line, or a list of objects. Text is read as in other text files."""
    records = _records(text, called)
    names = list(dict.fromkeys(name for one in records for name in one))
    if not records or not names:
        raise CommandError(f"{called} has no rows." if names or not records else f"{called} has no columns.")
    _check_characters(text, records, called)
    notes = []
    if any(not name.strip() for name in names):
        new = new_name(f"column {[*map(str.strip, names)].index('') + 1}", set(names))
        notes.append(f"A column has no name; it is called {new!r}.")
        records = [{name if name.strip() else new: cell for name, cell in one.items()} for one in records]
        names = list(dict.fromkeys(name for one in records for name in one))
    columns = {name: [one.get(name) for one in records] for name in selection.of(names)}
    for name, cells in columns.items():
        _check_flat(name, cells, called)
    return read_typed({name: cells_as_array(cells) for name, cells in columns.items()}, form, selection, notes)


def _records(text: str, called: str) -> list[dict[str, Any]]:
    line = 0
    try:
        if text.lstrip()[:1] == "[":
            records = json.loads(text)
        else:
            records = []
            for one in text.split("\n"):
                line += 1
                if one.strip():
                    records.append(json.loads(one))
    except ValueError as error:
        where = f"line {line:,} is no JSON object" if line else "it is no JSON"
        raise CommandError(f"{called} can't be read as a table: {where} ({str(error).split(':')[0]}).") from None
    except RecursionError:
        raise CommandError(f"{called} can't be read as a table: its lists are nested too deeply.") from None
    wrong = next((i for i, one in enumerate(records, start=1) if not isinstance(one, dict)), None)
    if wrong:
        raise CommandError(
            f'{called} can\'t be read as a table: record {wrong:,} is no object; each must be like {{"name": value}}.'
        )
    return list(records)


def _check_characters(text: str, records: Any, called: str) -> None:
    """Half of a pair of UTF-16, which JSON can spell, is no character."""
    if "\\ud" in text or "\\uD" in text:
        try:
            json.dumps(records, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise CommandError(
                f"{called} can't be read as a table: it spells half a character, {error.object[error.start]!a}."
            ) from None


def _check_flat(name: str, cells: Any, called: str) -> None:
    if any(isinstance(cell, list | dict | tuple | np.ndarray) for cell in cells):
        raise CommandError(f"the column {name!r} of {called} holds lists or objects; a cell must hold one value.")


def cells_as_array(cells: list[Any]) -> NDArray[Any]:
    """Cells with types: numbers or booleans where all known ones are, else objects."""
    known = [cell for cell in cells if cell is not None]
    kinds = {type(cell) for cell in known}
    if known and kinds <= {int, float}:
        try:
            numbers = np.array([np.nan if cell is None else cell for cell in cells])
        except OverflowError:
            numbers = np.array([], dtype=object)
        if numbers.dtype.kind in "if":
            return numbers
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out.astype(bool) if kinds == {bool} and len(known) == len(cells) else out


def read_parquet(data: bytes, form: TextFormat, selection: Selection, called: str) -> ReadTable:
    """A table of Parquet, with the types that it has; an index with a name is a column."""
    import pandas as pd

    try:
        frame = pd.read_parquet(BytesIO(data))
    except ImportError:
        raise CommandError("Parquet is read with pyarrow: pip install 'parzen[cli]'.") from None
    except Exception as error:  # pyarrow has many classes of errors, with OSError among their bases or not
        first = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise CommandError(f"{called} can't be read as a table: {first}.") from None
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    frame.columns = [str(name) for name in frame.columns]
    if not len(frame) or not frame.shape[1]:
        raise CommandError(f"{called} has no {'columns' if len(frame) else 'rows'}.")
    if frame.columns.duplicated().any():
        raise CommandError(f"two columns of {called} are called {frame.columns[frame.columns.duplicated()][0]!r}.")
    columns = {}
    for name in selection.of(list(frame.columns)):
        columns[name] = _typed(frame[name])
        if getattr(columns[name].dtype, "kind", "O") == "O":
            _check_flat(name, columns[name].tolist(), called)
    return read_typed(columns, form, selection, [], text=False)


def _typed(column: Any) -> Any:
    """A column with types that the library knows: decimal numbers as floats, days as dates, durations as days."""
    import pandas as pd

    known = column.dropna()
    if column.dtype.kind == "O" and len(known):
        kinds = {type(cell) for cell in known.tolist()}
        if kinds == {Decimal}:
            return column.astype(np.float64)
        if kinds == {date}:
            return pd.to_datetime(column)
        if kinds == {bytes}:
            return column.map(lambda cell: cell.decode("utf-8", "replace"), na_action="ignore")
    return column


@dataclass(frozen=True, eq=False)
class Typed:
    """A column that has a type."""

    values: Any
    decimal: str | None = None
    day_first: bool | None = None

    def read(self, decimal: str | None, day_first: bool | None) -> ColumnRead:
        """The column as it is."""
        return ColumnRead(self.values, HELD.get(getattr(self.values.dtype, "kind", "O"), "text"))


def read_typed(
    columns: dict[str, Any],
    form: TextFormat,
    selection: Selection,
    notes: list[str],
    text: bool = True,
    words: tuple[str, ...] | None = (),
) -> ReadTable:
    """Columns with types as they are; text as in other text files.

    Parameters
    ----------
    words : what stands for a missing value in text unless others are given; None for the usual words
    """
    import pandas as pd

    def prepared(name: str, column: Any) -> Any:
        plain = getattr(column.dtype, "kind", "O") != "O" or type(column.dtype).__name__ == "CategoricalDtype"
        if plain or not (text or selection.kinds.get(name) in (*NUMBERS, "date")):
            return Typed(pd.Series(column))
        return np.array([_word(cell) for cell in column], dtype=object)

    found = {name: prepared(name, column) for name, column in columns.items()}
    return read_columns(found, replace(form, na=form.na or words), replace(selection, columns=None, drop=()), notes)


def _word(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    return cell if isinstance(cell, str) else str(cell)
