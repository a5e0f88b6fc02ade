"""Tables of SQLite databases.

A database is read as bytes and opened in memory: its file is never opened for writing, no file appears beside it, and
what it holds can open no other one. Its schema is not trusted: views may call no functions with side effects, and
nothing is run but one SELECT, which an authoriser watches.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parzen.cli.errors import CommandError
from parzen.cli.reading.choice import chosen_table
from parzen.cli.reading.content import most_bytes
from parzen.cli.reading.named import unique_names
from parzen.cli.reading.result import ReadTable, Selection, TextFormat
from parzen.cli.reading.typed import cells_as_array, read_typed

if TYPE_CHECKING:
    from sqlite3 import Connection

MAGIC = b"SQLite format 3\0"
#: Where the header says that changes are logged in another file (2) or not (1), for writing and for reading.
LOGGED = slice(18, 20)
#: Rows that are fetched at a time, and bytes that a cell takes in memory at least.
PIECE, CELL = 10_000, 32


def read_database(data: bytes, form: TextFormat, selection: Selection, path: str, called: str) -> ReadTable:
    """A table or a view of a database, with the types of its cells; text is read as in text files."""
    try:
        import sqlite3
    except ImportError:
        raise CommandError(f"{called} is an SQLite database, and this Python was built without sqlite3.") from None
    notes = _unwritten(path, called)
    try:
        with closing(_opened(data)) as database:
            name = chosen_table(_tables(database), form.table, path, called, "tables")
            names, rows = _rows(database, name, called)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise CommandError(f"{called} can't be read as a database: {error}.") from None
    if not rows:
        raise CommandError(f"the table {name!r} of {called} has no rows.")
    unique = unique_names(names, notes)
    places = {one: j for j, one in enumerate(unique)}
    columns = {one: cells_as_array([_cell(row[places[one]]) for row in rows]) for one in selection.of(unique)}
    return read_typed(columns, form, selection, notes, words=None)


def _opened(data: bytes) -> "Connection":
    """A copy of the database in memory, of which nothing can be changed."""
    import sqlite3

    database = sqlite3.connect(":memory:")
    copy = bytearray(data)
    copy[LOGGED] = b"\x01\x01"  # a copy in memory has no log
    database.deserialize(bytes(copy))
    for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
        database.execute(f"PRAGMA {setting}")
    return database


def _tables(database: "Connection") -> list[str]:
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
    )
    return [str(name) for (name,) in found]


def _rows(database: "Connection", name: str, called: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Names of the columns, and the rows; an error where there are more than a machine can hold."""
    database.set_authorizer(_authoriser())
    quoted = '"' + name.replace('"', '""') + '"'
    found = database.execute(f"SELECT * FROM {quoted}")
    names, rows, limit = [str(one[0]) for one in found.description], [], most_bytes()
    size = 0
    while some := found.fetchmany(PIECE):
        rows += some
        size += sum(CELL + (len(cell) if isinstance(cell, str | bytes) else 0) for row in some for cell in row)
        if size > limit:
            raise CommandError(f"the table {name!r} of {called} holds more than {limit / 2**30:.1f} GiB.")
    return names, rows


def _authoriser() -> Callable[..., int]:
    """What the one SELECT may do: read, and call functions without side effects."""
    import sqlite3

    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION)
    return lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


def _cell(cell: Any) -> Any:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell


def _unwritten(path: str, called: str) -> list[str]:
    """A note about changes that stand in a log beside the file, and are not in it yet."""
    log = Path(f"{path}-wal")
    try:
        waiting = path != "-" and log.exists() and log.stat().st_size > 0
    except (OSError, ValueError):
        waiting = False
    return [f"{called} has changes in {log.name!r} that are not in the file yet, and are not read."] if waiting else []
