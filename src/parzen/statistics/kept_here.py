"""Rows that a worker of a cluster keeps from task to task: a fit of several passes then reads its partitions once.

A process keeps rows of one fit at a time, as long as there is room: those of another fit take their place. They are
known by a mark that changes when a file does, and by what decodes them.
"""

from hashlib import blake2b
from threading import Lock
from typing import Any

from parzen.statistics.kept import Kept
from parzen.storage.files import dumped
from parzen.tables.sources.source import Source


class _Shelf:
    """The rows of one fit that are kept in this process, by the marks of their partitions."""

    def __init__(self) -> None:
        self.lock, self.fit, self.room = Lock(), b"", 0
        self.kept: dict[str, Kept] = {}

    def place(self, fit: bytes, mark: str, size: int, memory: int) -> Kept | None:
        """Where the rows of a partition are kept; None where there is no room for them."""
        with self.lock:
            if fit != self.fit:
                self.fit, self.kept, self.room = fit, {}, memory
            if mark not in self.kept and size <= self.room:
                self.kept[mark] = Kept()
                self.room -= size
            return self.kept.get(mark)


_shelf = _Shelf()


def kept_here(source: Source, batches: Any) -> Kept | None:
    """Where this process keeps the rows of a partition, if it may: of `Batches` that a task has brought."""
    rows, mark = source.reader.count(), source.reader.mark()
    if not mark or rows is None or batches.sparse:
        return None
    roles = 8 * (source.weight is not None) + 4 * (source.target is not None)
    size = rows * (batches.shape[1] * batches.dtype.itemsize + roles)
    how = dumped([batches.decode, list(source.columns), source.batch_rows, source.target, source.weight, source.memory])
    return _shelf.place(blake2b(how, digest_size=16).digest(), mark, size, source.memory)
