"""Tables from files and pipes."""

import bz2
import gzip
import lzma
import sys
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from parzen.cli.errors import ArgumentError, CommandError

TSV, LINES, PARQUET = (".tsv", ".tab"), (".jsonl", ".ndjson", ".json"), (".parquet", ".pq")


def pandas() -> Any:
    """The module pandas; an error with what to install where it is missing."""
    try:
        import pandas as found
    except ImportError:
        raise CommandError("the command line reads tables with pandas: pip install 'parzen[cli]'.") from None
    return found


@dataclass(frozen=True)
class TextFormat:
    """How a text file is read.

    Attributes
    ----------
    encoding : str
    sep : str, optional
        What separates cells; by default it is found in the first line.
    quotes : bool
        Whether cells may be quoted.
    names : str, optional
        Names of the columns, separated by commas, of a file without a header.
    decimal : str
    """

    encoding: str = "utf-8"
    sep: str | None = None
    quotes: bool = True
    names: str | None = None
    decimal: str = "."


PLAIN = TextFormat()


def read_table(path: str, text: TextFormat = PLAIN) -> Any:
    """Read a table by the file's ending: CSV, TSV, JSON lines, Parquet, each also compressed; "-" is a pipe of CSV."""
    pd = pandas()
    called = "the pipe" if path == "-" else repr(path)
    data = _bytes(path)
    try:
        found = _parsed(path, called, data, text)
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{called} is not text in {text.encoding} (byte {error.start}); give its encoding by --encoding, such as "
            "latin-1."
        ) from None
    except LookupError:
        raise ArgumentError(
            f"there is no encoding {text.encoding!r}; common ones are utf-8, latin-1, utf-16."
        ) from None
    except pd.errors.EmptyDataError:
        raise CommandError(f"{called} is empty; a table has a line of names and at least one row.") from None
    except ImportError:
        raise CommandError("Parquet is read with pyarrow: pip install 'parzen[cli]'.") from None
    except (pd.errors.ParserError, ValueError, OSError, EOFError) as error:
        raise CommandError(f"{called} can't be read as a table: {_first_line(error)}.") from None
    return _checked(found, called, text.names)


def _parsed(path: str, called: str, data: bytes, text: TextFormat) -> Any:
    pd = pandas()
    plain = path.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz").lower()
    if plain.endswith(PARQUET):
        return pd.read_parquet(BytesIO(data))
    if plain.endswith(LINES):
        records = data.lstrip()[:1] == b"["
        return _flat(pd.read_json(BytesIO(data), lines=not records, encoding=text.encoding), called)
    sep = text.sep or ("\t" if plain.endswith(TSV) else _separator(data, text.encoding))
    engine = {"low_memory": False} if len(sep) == 1 else {"engine": "python"}
    return pd.read_csv(
        BytesIO(data), sep=sep, encoding=text.encoding, quoting=0 if text.quotes else 3, decimal=text.decimal,
        header=0 if text.names is None else None, index_col=False, **engine,
    )  # fmt: skip


def _checked(found: Any, called: str, names: str | None) -> Any:
    """A table with at least one row, and the names that were given."""
    if names is not None:
        listed = [one.strip() for one in names.split(",")]
        if len(listed) != found.shape[1]:
            raise CommandError(f"--names gives {len(listed)} names, but {called} has {found.shape[1]} columns.")
        found.columns = listed
    if not len(found):
        raise CommandError(f"{called} has no rows.")
    return found


def _flat(found: Any, called: str) -> Any:
    for name in found.columns:
        if found[name].map(lambda cell: isinstance(cell, list | dict)).any():
            raise CommandError(
                f"the column {str(name)!r} of {called} holds lists or objects; a cell must hold one value."
            )
    return found


def _bytes(path: str) -> bytes:
    """The content of a file or a pipe, decompressed."""
    if path == "-":
        data = sys.stdin.buffer.read()
    else:
        source = Path(path)
        if not source.exists():
            raise CommandError(f"there is no file {path!r}{_similar(source) or '.'}")
        if source.is_dir():
            raise CommandError(f"{path!r} is a folder; give a file in it.")
        data = source.read_bytes()
    for magic, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if data.startswith(magic):
            try:
                return bytes(module.decompress(data))
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
                raise CommandError(f"{path!r} is compressed, and damaged.") from None
    return data


def _separator(data: bytes, encoding: str) -> str:
    """What separates the names in the first line: a comma, or where there is none a semicolon or a tab."""
    line = data.split(b"\n", 1)[0].decode(encoding, errors="replace")
    return next((mark for mark in (",", ";", "\t") if mark in line), ",")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def _similar(path: Path) -> str:
    """The name of a file in the same folder that is spelt alike."""
    from difflib import get_close_matches

    try:
        near = get_close_matches(path.name, [one.name for one in path.parent.iterdir()], n=1)
    except OSError:
        return ""
    return f"; did you mean {str(path.with_name(near[0]))!r}?" if near else ""
