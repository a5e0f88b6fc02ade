"""Results of commands: on the standard output, or in files that are written whole or not at all."""

import gzip
import json
import sys
from argparse import Namespace
from typing import Any

from parzen.cli.errors import CommandError
from parzen.cli.files import LINES, PARQUET, TSV
from parzen.storage.files import write_whole


def print_result(args: Namespace, result: Any, text: str) -> None:
    """Print a result: as text, or as JSON with ``--json``."""
    sys.stdout.write((json.dumps(result, ensure_ascii=False) if args.json else text).rstrip("\n") + "\n")


def write_table(table: Any, path: str | None, as_json: bool = False) -> None:
    """Write a table in the format of the file's ending, CSV by default; without a path to the standard output."""
    if path is None or path == "-":
        sys.stdout.write(table.to_json(orient="records", lines=True) if as_json else table.to_csv(index=False))
        return
    plain = path.removesuffix(".gz").lower()
    if plain.endswith(PARQUET):
        write_file(path, table.to_parquet())
    elif plain.endswith(LINES) or as_json:
        write_file(path, table.to_json(orient="records", lines=True).encode())
    else:
        text = table.to_csv(index=False, sep="\t" if plain.endswith(TSV) else ",").encode()
        write_file(path, gzip.compress(text) if path.endswith(".gz") else text)


def write_file(path: str, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise CommandError(f"{path!r} can't be written: {error.strerror or error}.") from None
