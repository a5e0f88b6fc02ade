"""Sources: batches of rows that can be read again, the same each time."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import as_table, column_at, columns_at, row_count, rows_at, rows_of, some_columns

#: Cells of a batch, and the least and most rows of one, where its rows are not said.
CELLS, LEAST, MOST = 2**21, 2**10, 2**17


class Reader(Protocol):
    """A place that rows come from: what a new kind of source gives."""

    def labels(self) -> Sequence[Any]:
        """What the columns are called; their positions where they have no names."""

    def head(self) -> Any:
        """A piece without rows."""

    def count(self) -> int | None:
        """How many rows there are, where that is known without reading them."""

    def mark(self) -> str:
        """What tells the rows from other rows, as far as that is known."""

    def check(self) -> None:
        """Raise where the rows are known to have changed since they were found."""

    def read(self, columns: Sequence[Any], rows: int) -> Iterator[Any]:
        """Pieces of some columns, with at most so many rows each: the same ones each time."""


class Batch(NamedTuple):
    """A batch: a piece of the columns that a model learns from, the target and the weight of its rows."""

    piece: Any
    target: NDArray[Any] | None
    weight: Array | None

    def cut(self, rows: int) -> Iterator["Batch"]:
        """Parts of about so many rows, none much smaller than the others; nothing is copied."""
        for own in even_parts(row_count(self.piece), rows):
            roles = (None if one is None else one[own] for one in (self.target, self.weight))
            yield Batch(rows_of(self.piece, own.start, own.stop), *roles)


@dataclass(frozen=True, eq=False)
class Source:
    """Batches of rows that can be read again and again: the same rows in the same order (see `parzen.scan`).

    Iterating over it gives its batches as tables. Estimators take it in the place of a table:
    ``fit(source, target="y", weight="w")``.

    Attributes
    ----------
    reader : where the rows come from
    columns : labels of the columns, in their order
    batch_rows : int
        Most rows of a batch.
    target, weight : labels of the columns that hold what is predicted and the weights of the rows, if there are any
    checkpoint : path of a file that keeps how far an iteration has come, if it is kept
    memory : int
        Bytes of decoded rows that a fit of several passes may keep, where all of them fit.
    """

    reader: Reader
    columns: tuple[Any, ...]
    batch_rows: int
    target: Any = None
    weight: Any = None
    checkpoint: Any = None
    memory: int = 0
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    def with_roles(self, target: Any = None, weight: Any = None) -> "Source":
        """The same source, with columns of the target and the weight; these are no features then."""
        for name, role in ((target, "target"), (weight, "weight")):
            if name is not None and name not in self.reader.labels():
                raise SourceError(f"{role}={name!r} is no column of the source: it has {list(self.reader.labels())}.")
        if target is not None and target == weight:
            raise SourceError(f"target and weight are both {target!r}; they are two columns.")
        rest = tuple(one for one in self.columns if one not in (target, weight))
        if not rest:
            raise SourceError("no column is left to learn from; give more of them to scan.")
        return replace(self, columns=rest, target=target, weight=weight)

    def select(self, columns: Sequence[Any], weight: Any = None) -> "Source":
        """The rows as these columns alone, in this order: what a fitted model reads; and their weights, if any."""
        lacking = [one for one in columns if one not in self.reader.labels()]
        if lacking:
            raise SourceError(f"the source has no column {lacking[0]!r}: it has {list(self.reader.labels())}.")
        return replace(self, columns=tuple(columns), target=None, weight=weight)

    def with_columns(self, columns: Sequence[Any]) -> "Source":
        """The rows as these features, with their target and weight."""
        return replace(self, columns=tuple(columns))

    @property
    def known(self) -> dict[str, Any]:
        """What passes over the rows have found out: shared by all sources of the same rows."""
        return self._known

    def empty(self) -> Any:
        """The features as a piece without rows."""
        return some_columns(self.reader.head(), self.columns)

    def head(self) -> Any:
        """The features as a table without rows."""
        return as_table(self.empty())

    def __len__(self) -> int:
        """How many rows there are: read from the files' own notes, else counted once."""
        if "rows" not in self._known:
            found = self.reader.count()
            self._known["rows"] = sum(map(row_count, self._pieces(self.columns[:1]))) if found is None else found
        return int(self._known["rows"])

    def __iter__(self) -> Iterator[Any]:
        return (as_table(piece) for piece in read_ahead(self._pieces(self.columns)))

    def roles(self) -> Iterator[Any]:
        """Each a `Batch` of target and weight alone: of columns stored apart, nothing else is read."""
        return read_ahead(self._apart(piece, 0) for piece in self._pieces(self._roles))

    def batches(self) -> Generator[Any, None, None]:
        """Each a `Batch` of features, target and weight, without rows of weight zero; it is not read ahead."""
        return (self._apart(piece, len(self.columns)) for piece in self._pieces([*self.columns, *self._roles]))

    @property
    def _roles(self) -> list[Any]:
        return [one for one in (self.target, self.weight) if one is not None]

    def _pieces(self, columns: Sequence[Any]) -> Iterator[Any]:
        return self.reader.read(columns, self.batch_rows)

    def _apart(self, piece: Any, d: int) -> Batch:
        """A piece of d features and the roles as a batch."""
        target = None if self.target is None else column_at(piece, d)
        weight = None
        if self.weight is not None:
            weight = _checked(column_at(piece, d + (self.target is not None)), self.weight)
        piece = columns_at(piece, 0, d) if d else None
        if weight is None or weight.all():
            return Batch(piece, target, weight)
        kept = np.flatnonzero(weight)
        piece = None if piece is None else rows_at(piece, kept)
        return Batch(piece, None if target is None else target[kept], weight[kept])


def _checked(cells: NDArray[Any], name: Any) -> Array:
    """Weights as numbers, or an error where one is missing, infinite or below zero."""
    try:
        weight = np.ascontiguousarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        raise SourceError(f"the weights in {name!r} must be numbers.") from None
    odd = ~(np.isfinite(weight) & (weight >= 0))
    if odd.any():
        raise SourceError(f"the weights in {name!r} must be finite and at least 0, got {weight[odd][0]:g}.")
    return weight


def even_parts(n: int, rows: int) -> Iterator[slice]:
    """Parts of n rows that have about so many each, as even as can be: of a multiple of them, just as many."""
    parts = max(round(n / rows), min(n, 1))
    for k in range(parts):
        yield slice(n * k // parts, n * (k + 1) // parts)


def rows_at_once(columns: int) -> int:
    """Rows of a batch of so many columns, where the user doesn't say."""
    return max(min(CELLS // max(columns, 1), MOST), LEAST)
