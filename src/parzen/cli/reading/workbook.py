"""Sheets of Excel workbooks: the values of their cells; formulas are not computed, and nothing in them is run."""

from datetime import date, datetime, time
from io import BytesIO
from typing import Any

import numpy as np

from parzen.cli.errors import CommandError
from parzen.cli.reading.choice import chosen_table
from parzen.cli.reading.content import most_bytes
from parzen.cli.reading.named import unique_names
from parzen.cli.reading.result import ReadTable, Selection, TextFormat
from parzen.cli.reading.typed import cells_as_array, read_typed

MAGIC = b"PK\x03\x04"
#: A part of every workbook of the new format.
PART = "xl/workbook.xml"


def read_workbook(data: bytes, form: TextFormat, selection: Selection, path: str, called: str) -> ReadTable:
    """A sheet of a workbook; its first line that is not empty holds the names of the columns."""
    _check(data, called)
    sheet, rows = _cells(data, form.table, path, called)
    notes: list[str] = []
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if form.names is not None:
        raise CommandError(f"--names is for text files; {called} has its names in the first line of a sheet.")
    if len(rows) < 2:
        raise CommandError(f"the sheet {sheet!r} of {called} has no rows.")
    head, rows = rows[0], rows[1:]
    used = [j for j in range(len(head)) if head[j] is not None or any(row[j] is not None for row in rows)]
    unique = unique_names(["" if head[j] is None else str(head[j]) for j in used], notes)
    places = dict(zip(unique, used, strict=True))
    columns = {one: _array([row[places[one]] for row in rows]) for one in selection.of(unique)}
    return read_typed(columns, form, selection, notes, words=None)


def _check(data: bytes, called: str) -> None:
    """An error where the archive is none of a workbook, or would fill the machine's memory when it is unpacked."""
    import zipfile

    try:
        parts = zipfile.ZipFile(BytesIO(data)).infolist()
    except (zipfile.BadZipFile, OSError, ValueError):
        raise CommandError(f"{called} is a zip archive or a spreadsheet, and damaged.") from None
    if not any(part.filename == PART for part in parts):
        raise CommandError(f"{called} is a zip archive, and no Excel workbook; unpack it, or save the sheet as CSV.")
    limit = most_bytes()
    if sum(part.file_size for part in parts) > limit:
        raise CommandError(f"{called} holds more than {limit / 2**30:.1f} GiB; give a part of its rows.")


def _cells(data: bytes, asked: str | None, path: str, called: str) -> tuple[str, list[list[Any]]]:
    """The name of the sheet, and its cells: None where they are empty."""
    import pandas as pd

    try:
        with pd.ExcelFile(BytesIO(data), engine="openpyxl") as book:
            sheet = chosen_table([str(name) for name in book.sheet_names], asked, path, called, "sheets")
            frame = pd.read_excel(
                book, sheet_name=sheet, header=None, dtype=object, keep_default_na=False, na_values=[""]
            )
    except ImportError:
        raise CommandError("Excel workbooks are read with openpyxl: pip install 'parzen[excel]'.") from None
    except CommandError:
        raise
    except Exception as error:  # openpyxl raises errors of many classes for what is no workbook
        first = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise CommandError(f"{called} can't be read as a workbook: {first}.") from None
    return sheet, [[_cell(cell) for cell in row] for row in frame.to_numpy(dtype=object).tolist()]


def _cell(cell: Any) -> Any:
    if cell is None or cell != cell or (isinstance(cell, str) and not cell.strip()):
        return None
    return str(cell) if isinstance(cell, time) else cell


def _array(cells: list[Any]) -> Any:
    """Cells as numbers or dates where all known ones are, else as text."""
    import pandas as pd

    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(cell, datetime | date) for cell in known):
        try:
            return pd.to_datetime(pd.Series(cells, dtype=object))
        except (ValueError, OverflowError):
            return np.array([None if cell is None else str(cell) for cell in cells], dtype=object)
    return cells_as_array(cells)
