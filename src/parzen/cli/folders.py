"""Folders and patterns of files: all rows batch by batch, and some of them as a table."""

import glob
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parzen.cli.errors import ArgumentError, CommandError
from parzen.cli.files import pandas
from parzen.cli.reading.result import Selection
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.scan import scan
from parzen.tables.sources.source import Source

#: Rows of a sample, evenly spaced, where the user doesn't say.
SAMPLE = 2**16
#: Options of text files, which pyarrow reads here.
OF_TEXT = ("sep", "names", "decimal", "thousands", "na", "quotes", "no_quotes", "day_first", "month_first")


def is_folder(place: Any) -> bool:
    """Whether a name stands for a folder, or for files by a pattern."""
    if not place or place == "-":
        return False
    return Path(place).is_dir() or (glob.has_magic(place) and not Path(place).exists())


@dataclass(frozen=True, eq=False)
class Folder:
    """The files of a folder or of a pattern.

    Attributes
    ----------
    source : the columns that are used, of all rows
    name : str
    """

    source: Source
    name: str

    @classmethod
    def of(cls, args: Namespace, selection: Selection) -> "Folder":
        """The files that a command is given."""
        pandas()
        for option in OF_TEXT:
            if getattr(args, option, None):
                raise ArgumentError(
                    f"--{option.replace('_', '-')} is for one text file; those of a folder are read by pyarrow, as "
                    "comma-separated CSV in UTF-8 (or .tsv): leave it out."
                )
        try:
            found = scan(args.file)
            source = found.select(selection.of([str(name) for name in found.columns]))
        except SourceError as error:
            raise CommandError(str(error)) from None
        return cls(source, Path(args.file).name or args.file)

    @property
    def rows(self) -> int:
        """How many rows all files have."""
        return len(self.source)

    def sample(self, most: int) -> Any:
        """So many rows, evenly spaced, as a table whose index holds their numbers."""
        n = self.rows
        if not n:
            raise CommandError(f"{self.name!r} has no rows.")
        wanted = np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))
        parts, begin = [], 0
        for frame in self.source:
            end = begin + len(frame)
            own = wanted[slice(*np.searchsorted(wanted, [begin, end]))]
            parts.append(frame.iloc[own - begin].set_axis(own, axis=0))
            begin = end
        return pandas().concat(parts)

    def mapped(self, function: Callable[[Any], Any]) -> Source:
        """All rows, as a function makes them of each batch's table; batches without a row are left out."""
        return scan(lambda: (made for made in map(function, iter(self.source)) if len(made)))

    def frames(self) -> Iterator[Any]:
        """All rows, batch by batch, each as a table."""
        return iter(self.source)


def sample_note(sample: Any, folder: Folder) -> str:
    """A sentence on which rows are used."""
    return f"{len(sample):,} of {folder.rows:,} rows are used, evenly spaced over {_files(folder)}."


def all_note(sample: Any, folder: Folder) -> str:
    """A sentence on what is known of columns from some rows alone."""
    what = f"All {folder.rows:,} rows of {_files(folder)} are used"
    return f"{what}; what columns hold was told by {len(sample):,} of them, evenly spaced."


def _files(folder: Folder) -> str:
    paths = getattr(folder.source.reader, "paths", [None])
    return f"{len(paths):,} files" if len(paths) > 1 else "1 file"


def steady_kinds(frame: Any, kinds: Mapping[str, str]) -> dict[str, str]:
    """Kinds of columns that don't depend on a batch: two numbers are numbers."""
    numeric = {name for name in kinds if frame[name].dtype.kind in "iuf"}
    return {name: "continuous" if kind == "binary" and name in numeric else kind for name, kind in kinds.items()}
