"""Tables from files and pipes, and back; what is wrong with them in a sentence."""

import bz2
import gzip
import lzma
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

from parzen.report.summary import no_column
from parzen.storage.files import write_whole


class Trouble(Exception):
    """Something that the user can mend, said in a sentence."""


TSV, LINES, PARQUET = (".tsv", ".tab"), (".jsonl", ".ndjson", ".json"), (".parquet", ".pq")


def pandas() -> Any:
    """The library of tables, or what to install."""
    try:
        import pandas as found
    except ImportError:
        raise Trouble("the command line reads tables with pandas: pip install 'parzen[cli]'.") from None
    return found


def read_table(
    path: str,
    *,
    encoding: str = "utf-8",
    sep: str | None = None,
    quotes: bool = True,
    names: str | None = None,
    decimal: str = ".",
) -> Any:
    """A table of a file, by its ending: CSV, TSV, JSON lines, Parquet, each also with .gz; "-" is a pipe of CSV."""
    pd = pandas()
    called = "the pipe" if path == "-" else repr(path)
    data = _bytes(path)
    plain = path.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz").lower()
    try:
        if plain.endswith(PARQUET):
            found = pd.read_parquet(BytesIO(data))
        elif plain.endswith(LINES):
            records = data.lstrip()[:1] == b"["
            found = pd.read_json(BytesIO(data), lines=not records, encoding=encoding)
        else:
            between = sep or ("\t" if plain.endswith(TSV) else _between(data, encoding))
            found = pd.read_csv(
                BytesIO(data), sep=between, encoding=encoding, quoting=0 if quotes else 3, decimal=decimal,
                header=0 if names is None else None, index_col=False, **_engine(between),
            )  # fmt: skip
    except UnicodeDecodeError as error:
        raise Trouble(
            f"{called} is not text in {encoding} (byte {error.start}); say which it is by --encoding, such as latin-1."
        ) from None
    except LookupError:
        raise Trouble(f"there is no encoding {encoding!r}; common ones are utf-8, latin-1, utf-16.") from None
    except pd.errors.EmptyDataError:
        raise Trouble(f"{called} is empty; a table has a line of names and at least one row.") from None
    except ImportError:
        raise Trouble("Parquet is read with pyarrow: pip install 'parzen[cli]'.") from None
    except (pd.errors.ParserError, ValueError, OSError, EOFError) as error:
        raise Trouble(f"{called} can't be read as a table: {_first(error)}.") from None
    if names is not None:
        listed = [one.strip() for one in names.split(",")]
        if len(listed) != found.shape[1]:
            raise Trouble(f"--names gives {len(listed)} names, but {called} has {found.shape[1]} columns.")
        found.columns = listed
    if not len(found):
        raise Trouble(f"{called} has no rows.")
    for name in found.columns if plain.endswith(LINES) else ():
        if found[name].map(lambda cell: isinstance(cell, list | dict)).any():
            raise Trouble(
                f"the column {str(name)!r} of {called} holds lists or objects; a table has one value in a cell."
            )
    return found


def _bytes(path: str) -> bytes:
    """What a file or a pipe holds, unpacked."""
    if path == "-":
        data = sys.stdin.buffer.read()
    else:
        source = Path(path)
        if not source.exists():
            near = _near(source)
            raise Trouble(f"there is no file {path!r}{near or '.'}")
        if source.is_dir():
            raise Trouble(f"{path!r} is a folder; give a file in it.")
        data = source.read_bytes()
    for magic, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if data.startswith(magic):
            try:
                return bytes(module.decompress(data))
            except (OSError, EOFError, ValueError):
                raise Trouble(f"{path!r} is packed, and damaged.") from None
    return data


def _between(data: bytes, encoding: str) -> str:
    """What stands between the names: a comma, or where there is none a semicolon or a tabulator."""
    line = data.split(b"\n", 1)[0].decode(encoding, errors="replace")
    return next((mark for mark in (",", ";", "\t") if mark in line), ",")


def _engine(between: str) -> dict[str, Any]:
    return {"low_memory": False} if len(between) == 1 else {"engine": "python"}


def _first(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def _near(path: Path) -> str:
    from difflib import get_close_matches

    try:
        near = get_close_matches(path.name, [one.name for one in path.parent.iterdir()], n=1)
    except OSError:
        return ""
    return f"; did you mean {str(path.with_name(near[0]))!r}?" if near else ""


def read_loss(path: str, classes: list[str]) -> Any:
    """A loss of a CSV whose first column names decisions and whose first line names classes; in the classes' order."""
    table = read_table(path)
    table = table.set_index(table.columns[0])
    table.index, table.columns = table.index.map(str), table.columns.map(str)
    for what, found in (("rows", table.index), ("columns", table.columns)):
        if sorted(found) != sorted(classes):
            raise Trouble(f"the {what} of {path!r} are {', '.join(found)}, but the classes are {', '.join(classes)}.")
    try:
        return table.loc[classes, classes].to_numpy(dtype=float)
    except ValueError:
        raise Trouble(f"{path!r} must hold numbers, and does not.") from None


def write_table(table: Any, path: str | None, as_json: bool = False) -> None:
    """Write a table as CSV (or by the file's ending), whole or not at all; without a path to the pipe."""
    if path is None or path == "-":
        sys.stdout.write(table.to_json(orient="records", lines=True) if as_json else table.to_csv(index=False))
        return
    plain = path.removesuffix(".gz").lower()
    if plain.endswith(PARQUET):
        write(path, table.to_parquet())
    elif plain.endswith(LINES) or as_json:
        write(path, table.to_json(orient="records", lines=True).encode())
    else:
        text = table.to_csv(index=False, sep="\t" if plain.endswith(TSV) else ",").encode()
        if path.endswith(".gz"):
            import gzip

            text = gzip.compress(text)
        write(path, text)


def write(path: str, data: bytes) -> None:
    """Write a file whole, or say why not."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise Trouble(f"{path!r} can't be written: {error.strerror or error}.") from None


def choose_column(name: str, columns: list[str]) -> str:
    """A column by its name, or the nearest name in the error."""
    if name in columns:
        return name
    raise Trouble(no_column(name, columns))
