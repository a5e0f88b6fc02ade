"""Tables from files and pipes, by their endings and first bytes: CSV, TSV, JSON lines, Parquet, Excel, SQLite."""

from dataclasses import replace
from typing import Any

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.reading import database, workbook
from parzen.cli.reading.choice import divided
from parzen.cli.reading.content import content_of
from parzen.cli.reading.delimited import columns_of
from parzen.cli.reading.frame import read_columns
from parzen.cli.reading.result import EVERYTHING, PLAIN, ReadTable, Selection, TextFormat
from parzen.cli.reading.text import text_of
from parzen.cli.reading.typed import read_json, read_parquet

#: Files that hold several tables, by their first bytes.
HOLDERS = {workbook.MAGIC: workbook.read_workbook, database.MAGIC: database.read_database}
TSV, LINES, PARQUET = (".tsv", ".tab"), (".jsonl", ".ndjson", ".json"), (".parquet", ".pq")


def pandas() -> Any:
    """The module pandas; an error with what to install where it is missing."""
    try:
        import pandas as found
    except ImportError:
        raise CommandError("the command line reads tables with pandas: pip install 'parzen[cli]'.") from None
    return found


def read_table(path: str, form: TextFormat = PLAIN, selection: Selection = EVERYTHING) -> ReadTable:
    """Read a table; "-" is a pipe, and "data.db:table" a table of a file that holds several."""
    pandas()
    path, table = divided(path)
    if table is not None:
        if form.table not in (None, table):
            raise ArgumentError(f"--table {form.table!r} and {table!r} after the file's name are two tables; give one.")
        form = replace(form, table=table)
    called = "the pipe" if path == "-" else repr(path)
    data = content_of(path)
    for magic, read in HOLDERS.items():
        if data.startswith(magic):
            return read(data, form, selection, path, called)
    if form.table is not None:
        raise CommandError(f"{called} holds one table only; --table is for Excel workbooks and SQLite databases.")
    plain = path.lower()
    for ending in (".gz", ".bz2", ".xz"):
        plain = plain.removesuffix(ending)
    if plain.endswith(PARQUET) or data.startswith(b"PAR1"):
        return read_parquet(data, form, selection, called)
    text = text_of(data, form.encoding, called)
    if plain.endswith(LINES):
        return read_json(text, form, selection, called)
    columns, notes = columns_of(text, form, selection, "tsv" if plain.endswith(TSV) else "csv", called)
    return read_columns(columns, form, selection, notes)
