"""Some rows of a source as a source: those whose numbers are chosen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.tables.sources.engines.chosen import chosen_partitions, chosen_pieces
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import first_rows
from parzen.tables.sources.pieces import rows_of, stacked
from parzen.tables.sources.source import Reader, Source

#: So many rows at most are kept once they are read.
FEW = 2**16


@dataclass(frozen=True, eq=False)
class Chosen:
    """The rows of a reader that are chosen: a `Reader`. Where these are few, they are read once and kept.

    Attributes
    ----------
    reader : Reader
        Of all rows.
    keep : array of shape (n,) of bool
        Which of its rows are chosen, by their numbers.
    """

    reader: Reader
    keep: NDArray[np.bool_]
    _kept: dict[tuple[Any, ...], Any] = field(default_factory=dict, repr=False)

    def labels(self) -> Sequence[Any]:
        """What the columns are called; their positions where they have no names."""
        return self.reader.labels()

    def head(self) -> Any:
        """A piece without rows."""
        return self.reader.head()

    def count(self) -> int:
        """How many rows are chosen."""
        return int(np.count_nonzero(self.keep))

    def mark(self) -> str:
        """What tells the rows from other rows."""
        return f"{self.reader.mark()} {sha256(np.packbits(self.keep).tobytes()).hexdigest()}"

    def check(self) -> None:
        """Raise where the rows are known to have changed."""
        self.reader.check()

    def read(self, columns: Sequence[Any], rows: int) -> Iterator[Any]:
        """Pieces of the chosen rows."""
        n = self.count()
        if not 0 < n <= FEW:
            yield from chosen_pieces(self.keep, self.reader.read(columns, rows))
            return
        key = tuple(columns)
        if key not in self._kept:
            self._kept[key] = stacked(list(chosen_pieces(self.keep, self.reader.read(columns, rows))))
        for begin in range(0, n, rows):
            yield rows_of(self._kept[key], begin, min(begin + rows, n))


def some_rows(source: Source, rows: NDArray[Any], n: int) -> Source:
    """The rows of these numbers (or a mask) among all n of a source, in the order of the source."""
    keep = np.zeros(n, dtype=bool)
    keep[rows] = True
    wanted = np.count_nonzero(rows) if rows.dtype == np.bool_ else len(rows)
    if np.count_nonzero(keep) != wanted:
        raise ValueError("a row is chosen twice; rows of a source are chosen once.")
    if isinstance(source.reader, Engine):
        reader: Reader = chosen_partitions(source.reader, keep, first_rows(replace(source, weight=None)))
    else:
        reader = Chosen(source.reader, keep)
    return replace(source, reader=reader, checkpoint=None, _known={})
