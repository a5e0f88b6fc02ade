"""Whole sequences of a source: rows that follow each other and have one name in a column."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import ask
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import as_table, row_count, rows_of, stacked
from parzen.tables.sources.source import Source


@dataclass(frozen=True, eq=False)
class WholeSequences:
    """The sequences of a source, as many as end in a batch at a time: as often as is asked.

    A sequence is a run of rows with the same name; the same name further on is another sequence. One that goes on from
    batch to batch is put together, so the longest must fit into memory.

    Attributes
    ----------
    source : whose target is the column of names
    """

    source: Source

    def __iter__(self) -> Iterator[tuple[Any, NDArray[np.int64], Array | None]]:
        """Tables of whole sequences, their lengths and the weights of their rows."""
        waiting: list[tuple[Any, Array | None]] = []
        name: Any = None
        for batch in read_ahead(self.source.batches()):
            names, n = np.asarray(batch.target), row_count(batch.piece)
            if not n:
                continue
            self._check(names)
            starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
            goes_on = bool(waiting) and bool(names[0] == name)
            ends = starts[1:] if goes_on else starts
            if len(ends) and (waiting or ends[-1] > 0):
                yield _joined([*waiting, _part(batch, 0, int(ends[-1]))], ends[:-1], len(waiting))
                waiting = []
            begin = int(ends[-1]) if len(ends) else 0
            waiting.append(_part(batch, begin, n))
            name = names[-1]
        if waiting:
            yield _joined(waiting, np.empty(0, np.int64), len(waiting))

    def _check(self, names: NDArray[Any]) -> None:
        """Raise where a row has no name."""
        if np.any(names != names) or (names.dtype.kind == "O" and any(name is None for name in names.tolist())):
            raise SourceError(f"the column {self.source.target!r} names sequences, and some of its cells are missing.")


@dataclass(frozen=True)
class OuterNames:
    """The names of the first and of the last row of a partition."""

    def __call__(self, source: Source, partition: int) -> tuple[Any, Any] | None:
        """Both; None where all rows weigh nothing."""
        names = [batch.target for batch in source.roles() if len(batch.target)]
        return (names[0][0], names[-1][-1]) if names else None


def check_not_cut(source: Source) -> None:
    """Raise where a sequence goes on from one partition of a cluster to the next; elsewhere none is cut."""
    if not isinstance(source.reader, Engine):
        return
    outer = ask(source.with_columns(source.columns[:1]), OuterNames())
    for (_, last), (name, _) in pairwise([one for one in outer if one is not None]):
        if name == last:
            raise SourceError(
                f"the sequence {name!r} goes on from one partition to the next; a partition must hold the whole "
                f"sequence, its rows in their order: repartition({source.target!r}).sortWithinPartitions("
                f"{source.target!r}, 'time') in Spark, shuffle({source.target!r}) and a sort of each partition in "
                "Dask, or scan files: parzen.scan('folder')."
            )


def _part(batch: Any, begin: int, end: int) -> tuple[Any, Array | None]:
    return as_table(rows_of(batch.piece, begin, end)), None if batch.weight is None else batch.weight[begin:end]


def _joined(
    parts: list[tuple[Any, Array | None]], starts: NDArray[np.intp], waiting: int
) -> tuple[Any, NDArray[np.int64], Array | None]:
    """Parts as one table, with the lengths of its sequences: the parts that waited begin the first one."""
    sizes = [len(table) if not hasattr(table, "shape") else int(table.shape[0]) for table, _ in parts]
    before, n = sum(sizes[:waiting]), sum(sizes)
    begin = np.unique(np.concatenate([[0], starts + before])).astype(np.int64)
    kept = [part for part, size in zip(parts, sizes, strict=True) if size]
    weights = [w for _, w in kept if w is not None]
    lengths = np.diff(np.append(begin[begin < n], n))
    return stacked([table for table, _ in kept]), lengths, np.concatenate(weights) if weights else None
