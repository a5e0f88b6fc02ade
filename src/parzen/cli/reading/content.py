"""The content of a file or a pipe: decompressed, and never more of it than a machine can hold."""

import bz2
import gzip
import lzma
import os
import sys
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from parzen.cli.errors import CommandError

#: Compressions by their first bytes, and how each is opened.
COMPRESSED: tuple[tuple[bytes, Any], ...] = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open))
WANTED = "a table must be CSV, TSV, JSON lines, Parquet, Excel or SQLite"
#: Files that are no tables, by their first bytes.
FOREIGN = (
    (b"\xd0\xcf\x11\xe0", "a spreadsheet of the old format, or encrypted; save it as .xlsx or CSV"),
    (b"%PDF", f"a PDF; {WANTED}"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd; decompress it first"),
)
#: Bytes that are read at a time.
PIECE = 1 << 24


def most_bytes() -> int:
    """The most bytes that a table may have, decompressed: a quarter of the machine's memory."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    except (AttributeError, OSError, ValueError):
        return 1 << 32


def content_of(path: str) -> bytes:
    """The content of a file, or of the standard input for "-"."""
    called = "the pipe" if path == "-" else repr(path)
    if path == "-":
        data = _bounded(sys.stdin.buffer, called)
    else:
        with _opened(path) as file:
            data = _bounded(file, called)
    for magic, opener in COMPRESSED:
        if data.startswith(magic):
            try:
                with opener(BytesIO(data)) as unpacked:
                    data = _bounded(unpacked, called)
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):
                raise CommandError(f"{called} is compressed, and damaged.") from None
            break
    if data[:64].lstrip().lower().startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise CommandError(f"{called} is a page of HTML or XML; {WANTED}.")
    for magic, what in FOREIGN:
        if data.startswith(magic):
            raise CommandError(f"{called} is {what}.")
    return data


def _opened(path: str) -> BinaryIO:
    source = Path(path)
    try:
        if not source.exists():
            raise CommandError(f"there is no file {path!r}{_similar(source) or '.'}")
    except ValueError:
        raise CommandError(f"{path!r} is no name of a file.") from None
    if source.is_dir():
        raise CommandError(f"{path!r} is a folder; give a file in it.")
    if source.is_char_device() or source.is_block_device() or source.is_socket():
        raise CommandError(f"{path!r} is a device, not a file; give a file, or - for a pipe.")
    return source.open("rb")


def _bounded(file: Any, called: str) -> bytes:
    """All bytes of a file; an error where there are more than a machine can hold."""
    limit, size, pieces = most_bytes(), 0, []
    while piece := file.read(PIECE):
        size += len(piece)
        if size > limit:
            raise CommandError(
                f"{called} holds more than {limit / 2**30:.1f} GiB, a quarter of this machine's memory; give a part of "
                "its rows."
            )
        pieces.append(piece)
    return b"".join(pieces)


def _similar(path: Path) -> str:
    """The name of a file in the same folder that is spelt alike."""
    from difflib import get_close_matches

    try:
        near = get_close_matches(path.name, [one.name for one in path.parent.iterdir()], n=1)
    except OSError:
        return ""
    return f"; did you mean {str(path.with_name(near[0]))!r}?" if near else ""
