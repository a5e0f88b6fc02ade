"""Columns that the names of folders hold: all rows below ``year=2024/`` have that year, as Spark and Hive write it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

#: What stands in the name of a folder for a missing cell.
MISSING = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, eq=False)
class Partitions:
    """The cells that the folders of each file name.

    Attributes
    ----------
    cells : for each file, a dict from the names of columns to its cell: a text, or None where it is missing
    """

    cells: dict[Path, dict[str, str | None]]

    @classmethod
    def of(cls, paths: Sequence[Path], top: Path) -> "Partitions":
        """Those of files, by the folders between them and the one that they are all below."""
        return cls({path: _named(path, top) for path in paths})

    def types_of(self, path: Path) -> dict[str, Any]:
        """Types of a file's columns: whole numbers where all cells of all files are, else text."""
        return {name: self._types[name] for name in self.cells[path]}

    @cached_property
    def _types(self) -> dict[str, Any]:
        import pyarrow as pa

        known: dict[str, list[str | None]] = {}
        for cells in self.cells.values():
            for name, cell in cells.items():
                known.setdefault(name, []).append(cell)
        return {name: pa.int64() if all(map(_whole, cells)) else pa.string() for name, cells in known.items()}

    def column(self, path: Path, name: str, kind: Any, n: int) -> Any:
        """So many cells of a file's column, which are all the same."""
        import pyarrow as pa

        cell = self.cells[path][name]
        return pa.nulls(n, kind) if cell is None else pa.repeat(pa.scalar(cell).cast(kind), n)


def _named(path: Path, top: Path) -> dict[str, str | None]:
    from urllib.parse import unquote

    found: dict[str, str | None] = {}
    for folder in path.absolute().relative_to(top.absolute()).parts[:-1]:
        name, equals, cell = folder.partition("=")
        if name and equals:
            found[unquote(name)] = None if cell == MISSING else unquote(cell)
    return found


def _whole(cell: str | None) -> bool:
    return cell is None or (cell.removeprefix("-").isdecimal() and cell.isascii() and len(cell) < 19)
