"""Tables from files and pipes, by their endings: CSV, TSV, JSON lines, Parquet, each also compressed."""

from typing import Any

from parzen.cli.errors import CommandError
from parzen.cli.reading.content import content_of
from parzen.cli.reading.delimited import columns_of
from parzen.cli.reading.frame import read_columns
from parzen.cli.reading.result import EVERYTHING, PLAIN, ReadTable, Selection, TextFormat
from parzen.cli.reading.text import text_of
from parzen.cli.reading.typed import read_json, read_parquet

TSV, LINES, PARQUET = (".tsv", ".tab"), (".jsonl", ".ndjson", ".json"), (".parquet", ".pq")


def pandas() -> Any:
    """The module pandas; an error with what to install where it is missing."""
    try:
        import pandas as found
    except ImportError:
        raise CommandError("the command line reads tables with pandas: pip install 'parzen[cli]'.") from None
    return found


def read_table(path: str, form: TextFormat = PLAIN, selection: Selection = EVERYTHING) -> ReadTable:
    """Read a table; "-" is a pipe of CSV, or of Parquet."""
    pandas()
    called = "the pipe" if path == "-" else repr(path)
    data = content_of(path)
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
