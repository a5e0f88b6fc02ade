"""Rows that a program gives: arrays on disk, lists of tables, functions that make either anew."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from parzen.compute.arrays import is_sparse
from parzen.tables.cells import frame_kind
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.files import rebatched
from parzen.tables.sources.pieces import is_arrow, kind_of, labels_of, row_count, rows_of, some_columns
from parzen.tables.sources.source import rows_at_once


class Given:
    """Tables that a function gives, each time it is called: a `Reader`.

    Parameters
    ----------
    make : function without arguments
        It gives a table, an iterable of tables, or what has ``__arrow_c_stream__``.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    @cached_property
    def _first(self) -> Any:
        pieces = self._pieces()
        first = next(pieces, None)
        if first is None:
            raise SourceError("the source gives no batch; give at least one, with a row.")
        return first

    def labels(self) -> Sequence[Any]:
        """What the columns are called; their positions where they have no names."""
        return labels_of(self._first)

    def head(self) -> Any:
        """A table without rows."""
        return rows_of(self._first, 0, 0)

    def count(self) -> int | None:
        """How many rows there are, where that is known."""
        return None

    def mark(self) -> str:
        """Nothing: other rows may come each time."""
        return ""

    def check(self) -> None:
        """Nothing is known of them but what they are when they are read."""

    def read(self, columns: Sequence[Any], rows: int) -> Iterator[Any]:
        """Tables of some columns, with at most so many rows each."""
        return pieces_at_once((self._checked(piece) for piece in self._pieces()), columns, rows)

    def _checked(self, piece: Any) -> Any:
        """A batch, or an error where it has other columns than the first one."""
        if tuple(labels_of(piece)) != tuple(self.labels()):
            raise SourceError(
                f"a batch has the columns {list(labels_of(piece))}, but the first one has {list(self.labels())}; give "
                "all the same."
            )
        one, other = kind_of(self._first), kind_of(piece)
        if one != other:
            raise SourceError(f"a batch is {other}, but the first one is {one}; give all of one kind.")
        return piece

    def _pieces(self) -> Iterator[Any]:
        found = self.make()
        if _is_table(found):
            found = [found]
        elif hasattr(found, "collect_batches"):  # a lazy frame of polars
            found = found.collect_batches()
        elif _is_on_disk(found):
            found = _slices(found)
        elif hasattr(found, "__arrow_c_stream__"):
            found = _stream(found)
        for piece in found:
            if not _is_table(piece):
                raise SourceError(
                    f"a batch must be a table (array, CSR, pandas, polars, Arrow), got a {type(piece).__name__}."
                )
            if row_count(piece):
                yield piece


class Held(Given):
    """Tables that are held, in memory or on disk: a list of them, or an array (`numpy.memmap`)."""

    def __init__(self, tables: list[Any]) -> None:
        super().__init__(lambda: tables)
        self.tables = tables

    def count(self) -> int | None:
        return sum(map(row_count, self.tables))


def pieces_at_once(tables: Iterable[Any], columns: Sequence[Any], rows: int) -> Iterator[Any]:
    """Some columns of tables as pieces of at most so many rows; those of Arrow of just as many, but for the last."""
    pieces: Iterator[Any] = (some_columns(table, columns) for table in tables)
    first = next(pieces, None)
    if first is None:
        return
    pieces = chain([first], pieces)
    if is_arrow(first):
        yield from rebatched((batch for piece in pieces for batch in _record_batches(piece)), rows)
        return
    for piece in pieces:
        for begin in range(0, row_count(piece), rows):
            yield rows_of(piece, begin, begin + rows)


def reader_of(given: Any) -> Given:
    """The reader of a function, an array, a table, or an iterable of tables."""
    if callable(given) and not _is_table(given):
        return Given(given)
    if _is_table(given):
        return Held([given])
    if isinstance(given, list | tuple):
        return Held(list(given))
    if hasattr(given, "collect_batches") or _is_on_disk(given):
        return Given(lambda: given)
    if isinstance(given, Iterator):
        raise SourceError(
            "an iterator can be read once, and a source is read again and again; give a list, or a function that makes "
            "it anew: scan(lambda: ...)."
        )
    if isinstance(given, Iterable):
        return Given(lambda: iter(given))
    if hasattr(given, "__arrow_c_stream__"):
        raise SourceError(
            f"a {type(given).__name__} is a stream that may be read once; give a function that makes it anew: "
            "scan(lambda: ...)."
        )
    raise SourceError(
        "scan takes a path, a folder, a pattern, a list, an array, an iterable of tables, or a function that gives "
        f"tables anew: scan(lambda: ...); got a {type(given).__name__}."
    )


def _is_table(found: Any) -> bool:
    """Whether an object is one table: an array of two dimensions, CSR, a frame in memory, an Arrow table."""
    if isinstance(found, np.ndarray):
        if found.ndim != 2:
            raise SourceError(f"an array of rows has two dimensions, got {found.ndim}.")
        return True
    if hasattr(found, "collect"):
        return False
    return bool(is_sparse(found) or frame_kind(found) or (is_arrow(found) and hasattr(found, "column_names")))


def _is_on_disk(found: Any) -> bool:
    """Whether an object is an array of rows that are read as they are asked for: a dataset of h5py."""
    return len(getattr(found, "shape", ())) == 2 and hasattr(found, "__getitem__") and hasattr(found, "dtype")


def _slices(found: Any) -> Iterator[Any]:
    n, d = found.shape
    at_once = rows_at_once(d)
    return (np.asarray(found[begin : begin + at_once]) for begin in range(0, n, at_once))


def _record_batches(piece: Any) -> list[Any]:
    return piece.to_batches() if hasattr(piece, "to_batches") else [piece]


def _stream(found: Any) -> Iterator[Any]:
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError("streams of Arrow are read with pyarrow: pip install 'parzen[cli]'.") from None
    yield from pa.RecordBatchReader.from_stream(found)
