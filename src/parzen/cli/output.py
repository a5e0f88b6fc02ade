"""Results of commands: on the standard output, or in files that are written whole or not at all."""

import gzip
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.files import LINES, PARQUET, TSV
from parzen.cli.terminal import json_line, lines
from parzen.storage.files import write_whole


def check_output(args: Namespace) -> None:
    """Refuse, before anything is computed, a result and a file on the same standard output, and a file that no folder
    takes.
    """
    if args.json and args.output == "-":
        raise ArgumentError("--json prints its result where -o - writes the file; give -o a file.")
    check_folder(args.output)


def check_folder(path: str | None) -> None:
    """Refuse the name of a file, before anything is computed, where it is a folder's or its folder is not there."""
    if path is None or path == "-":
        return
    if not path or Path(path).is_dir():
        raise CommandError(f"{path!r} can't be written: {'a file has a name' if not path else 'it is a folder'}.")
    if not Path(path).parent.is_dir():
        raise CommandError(f"{path!r} can't be written: there is no folder {str(Path(path).parent)!r}.")


def place(path: str) -> str:
    """Where a file is, for a message."""
    return "on the standard output" if path == "-" else f"in {path}"


def print_result(args: Namespace, result: Any, *text: str) -> None:
    """Print a result: as lines of text, or as JSON with ``--json``; to the error stream where the file itself goes to
    the standard output (``-o -``).
    """
    if getattr(args, "output", None) == "-":
        sys.stderr.write(lines(*text))
    else:
        sys.stdout.write(json_line(result) if args.json else lines(*text))


def write_table(table: Any, path: str | None, as_json: bool = False) -> None:
    """Write a table in the format of the file's ending, CSV by default; without a path to the standard output."""
    path = "-" if path is None else path
    plain = path.removesuffix(".gz").lower()
    if plain.endswith(PARQUET):
        data = table.to_parquet()
    elif plain.endswith(LINES) or as_json:
        data = table.to_json(orient="records", lines=True).encode()
    else:
        data = table.to_csv(index=False, sep="\t" if plain.endswith(TSV) else ",").encode()
    write_file(path, gzip.compress(data) if path.endswith(".gz") else data)


def standard_output() -> Any:
    """The standard output as it takes bytes."""
    sys.stdout.flush()
    return sys.stdout.buffer


def write_file(path: str, data: bytes) -> None:
    """Write a file whole or not at all; "-" is the standard output."""
    if path == "-":
        standard_output().write(data)
        return
    try:
        write_whole(path, data)
    except OSError as error:
        raise CommandError(f"{path!r} can't be written: {error.strerror or error}.") from None
