"""What is sent to a partition and comes back: bytes in the format of model files, of which nothing is executed.

A task is an object of the library that makes something small of a source: here of all rows, on a cluster of the rows of
one partition. It travels as a model file does, and so does what it gives. Work is a function of this module and these
bytes; what an engine pickles of it is the function's name.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import ColumnError
from parzen.storage.errors import ModelFileError
from parzen.storage.files import dumped, loaded
from parzen.tables.sources.engines.engine import Engine, Known
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.given import pieces_at_once
from parzen.tables.sources.pieces import labels_of, row_count, rows_of
from parzen.tables.sources.source import Source


class Task(Protocol):
    """What is made of a source, or of one partition of it."""

    def __call__(self, source: Source, partition: int) -> Any:
        """Something that a model file can hold."""


class SourceRows(ABC):
    """Rows of a source that are read batch by batch: here, or by work that is sent to where they are."""

    @property
    @abstractmethod
    def cluster(self) -> Source | None:
        """The source of the rows, where they lie in partitions on a cluster."""

    @abstractmethod
    def unread(self) -> Self:
        """The same without the way to the rows: what is sent to where they are."""

    @abstractmethod
    def within(self, source: Source) -> Self:
        """The same, of the rows of another source: those of one partition."""

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """Batches: rows with their memberships, or what stands for these."""


class Partition:
    """The rows of one partition, where they are: a `Reader` that reads once, and counts."""

    def __init__(self, head: Any, pieces: Iterator[Any], known: Known | None = None) -> None:
        self._head, self.pieces, self.known = head, pieces, known
        self.rows, self.ended = 0, False

    def labels(self) -> Sequence[Any]:
        return labels_of(self._head)

    def head(self) -> Any:
        return self._head

    def count(self) -> int | None:
        return None if self.known is None else self.known.rows

    def mark(self) -> str:
        return "" if self.known is None else self.known.mark

    def check(self) -> None:
        """The rows are read once; kept ones have the mark that they had."""

    def read(self, columns: Sequence[Any], rows: int) -> Iterator[Any]:
        yield from pieces_at_once(self._counted(columns), columns, rows)
        self.ended = True

    def _counted(self, columns: Sequence[Any]) -> Iterator[Any]:
        for piece in self.pieces:
            lacking = [one for one in columns if one not in labels_of(piece)]
            if lacking:
                raise SourceError(
                    f"a partition lacks the column {lacking[0]!r}: it has {list(labels_of(piece))}; give every "
                    "partition the same columns."
                )
            self.rows += row_count(piece)
            yield piece


def ask(source: Source, task: Task) -> list[Any]:
    """What a task gives for each partition of a source on a cluster; None where a partition has no rows."""
    engine, roles = source.reader, [one for one in (source.target, source.weight) if one is not None]
    assert isinstance(engine, Engine)
    try:
        sent = dumped([task, list(source.columns), source.batch_rows, source.target, source.weight, source.memory])
    except ModelFileError as reason:
        raise TypeError(
            "this fit can't be sent to the machines of a cluster; write the table to Parquet files and fit those on "
            f"one machine: parzen.scan('folder'). The reason: {reason}"
        ) from None
    answers = [loaded(answer) for answer in engine.map(partial(answered, sent), [*source.columns, *roles])]
    for answer in answers:
        if "raised" in answer:
            raise _error(answer["raised"], answer["arguments"])
    _check_same_rows(source, [answer["rows"] for answer in answers], hasattr(task, "first"))
    return [answer["gives"] for answer in answers]


def total(source: Source, task: Task) -> Any:
    """What a task gives for a source: on a cluster the sum over its partitions, in their order, None without rows."""
    engine = source.reader
    if not isinstance(engine, Engine):
        return task(source, 0)
    parts = [part for part in ask(source, task) if part is not None]
    return engine.add(parts, lambda one, other: one + other) if parts else None


def answered(sent: bytes, partition: int, pieces: Iterator[Any], known: Known | None = None) -> bytes:
    """What a task gives for one partition, or the error that it raises: runs where the partition is."""
    task, columns, batch_rows, target, weight, memory = loaded(sent)
    reader = _reader(pieces, known)
    if reader is None:
        return dumped({"rows": 0, "gives": None})
    try:
        gives = task(Source(reader, tuple(columns), batch_rows, target, weight, memory=memory), partition)
    except (ValueError, TypeError) as error:  # of rows or parameters: another attempt would end the same way
        arguments = (error.message, error.column) if isinstance(error, ColumnError) else error.args
        said = [one if type(one) in (str, int, type(None)) else str(one) for one in arguments]
        return dumped({"raised": type(error).__name__, "arguments": said})
    return dumped({"rows": reader.rows if reader.ended else None, "gives": gives})


def _reader(pieces: Iterator[Any], known: Known | None) -> Partition | None:
    """The rows of a partition; None where it has none."""
    full = (piece for piece in pieces if row_count(piece))
    if known is not None:
        return Partition(known.head, full, known) if known.rows else None
    first = next(full, None)
    return None if first is None else Partition(rows_of(first, 0, 0), chain([first], full))


@dataclass(frozen=True)
class Counted:
    """How many rows of weight above zero there are."""

    def __call__(self, source: Source, partition: int) -> int:
        """Counts of a pass over one column, or the weights."""
        if source.weight is None:
            return sum(row_count(batch.piece) for batch in source.batches())
        return sum(0 if batch.weight is None else len(batch.weight) for batch in source.roles())


def first_rows(source: Source) -> NDArray[np.int64]:
    """Numbers of the first row of each partition among all rows of weight above zero, and how many rows there are."""
    known = source.known.get("partitions") if source.weight is None else None
    if known is None:
        narrow = source.with_columns(source.columns[:1])
        known = tuple(0 if part is None else part for part in ask(narrow, Counted()))
    return np.array([0, *accumulate(known)], dtype=np.int64)


def _check_same_rows(source: Source, rows: list[int | None], numbered: bool) -> None:
    """Raise where there are other rows than in an earlier pass; where rows are numbered, in any partition."""
    found = [one for one in rows if one is not None]
    if len(found) < len(rows):  # some were not read to their end
        return
    before = source.known.setdefault("partitions", tuple(found))
    if sum(before) != sum(found) or (numbered and before != tuple(found)):
        raise SourceError(
            f"the partitions had {list(before)[:8]} rows in one pass and {rows[:8]} in another, and a fit needs the "
            "same rows each time; keep the table (cache, persist), or write it to files first."
        )


def _error(name: str, arguments: list[Any]) -> Exception:
    """The error of a partition, as it would have been raised here."""
    kinds: list[type[Exception]] = [ValueError, TypeError]
    for kind in kinds:
        if kind.__name__ == name and kind.__module__.partition(".")[0] in ("builtins", "parzen"):
            return kind(*arguments)
        kinds.extend(kind.__subclasses__())
    return ValueError(*arguments)
