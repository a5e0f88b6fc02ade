"""Files of a source: which there are, in which order, and whether they are still the ones that were found."""

import glob
import os
from collections.abc import Iterable
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any

from parzen.tables.sources.errors import SourceError

PARQUET, DELIMITED = (".parquet", ".pq"), (".csv", ".tsv", ".tab")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")


def ending(path: Path) -> str:
    """What a file's name ends with, in lower case, without the ending of a compression."""
    name = path.name.lower()
    for one in COMPRESSED:
        name = name.removesuffix(one)
    return Path(name).suffix


def files_at(place: Any) -> tuple[list[Path], Path]:
    """The files of a path, a folder, a pattern, or a list of paths: sorted by name, a list as it is given.

    And the folder that all are below: the one that is given, that a pattern begins with, or that a list has in common.
    """
    if isinstance(place, str | os.PathLike):
        found, top = _files_of(os.fspath(place))
    else:
        found = [Path(one) for one in place]
        top = Path(os.path.commonpath([path.absolute().parent for path in found]))
    for path in found:
        if not path.is_file():
            raise SourceError(f"there is no file {str(path)!r}.")
        if ending(path) not in PARQUET + DELIMITED:
            raise SourceError(f"{str(path)!r} is neither Parquet nor CSV; name it .parquet, .csv or .tsv.")
    if len({ending(path) in PARQUET for path in found}) > 1:
        raise SourceError(f"{place!r} holds Parquet and CSV files; give a pattern that matches one kind: '*.parquet'.")
    return found, top


def _files_of(place: str) -> tuple[list[Path], Path]:
    path = Path(place)
    if path.is_dir():
        found = sorted(one for one in path.rglob("*") if ending(one) in PARQUET + DELIMITED and _visible(one, path))
        if not found:
            raise SourceError(f"the folder {place!r} holds no .parquet, .csv or .tsv file.")
        return found, path
    if path.exists() or not glob.has_magic(place):
        return [path], path.parent
    found = sorted(Path(one) for one in glob.glob(place, recursive=True) if Path(one).is_file())  # noqa: PTH207
    if not found:
        raise SourceError(f"no file matches {place!r}.")
    plain = takewhile(lambda part: not glob.has_magic(part), path.parts)
    return found, Path(*plain)


def _visible(path: Path, folder: Path) -> bool:
    """Whether no part of a path below its folder is hidden, or another program's note (_SUCCESS, _temporary)."""
    return path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


class Unchanged:
    """Files as they were found: another size or time of change is an error."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.seen = {path: _state(path) for path in paths}

    def mark(self) -> str:
        """A digest of what was found."""
        text = ";".join(f"{path.absolute()}:{size}:{time}" for path, (size, time) in self.seen.items())
        return sha256(text.encode()).hexdigest()

    def check(self, path: Path) -> None:
        """Raise where a file is gone or has changed since it was found."""
        if _state(path) != self.seen[path]:
            raise SourceError(
                f"{str(path)!r} has changed since it was scanned, and every pass must read the same rows; scan again "
                "when nothing writes to it any more."
            )


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise SourceError(f"{str(path)!r} can't be read: {error.strerror}.") from None
    return found.st_size, found.st_mtime_ns
