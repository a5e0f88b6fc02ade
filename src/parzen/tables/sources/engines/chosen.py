"""Some rows of a table on a cluster as a table on that cluster: each partition is told which of its rows are chosen."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.tables.sources.engines.engine import Engine, Extend, Known, Work
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import row_count, rows_at


@dataclass(frozen=True, eq=False)
class ChosenPartitions(Engine):
    """The chosen rows of the partitions of another engine.

    Attributes
    ----------
    engine : Engine
        Of all rows.
    bits : tuple of bytes, of each partition
        Which of its rows are chosen, a bit for each.
    sizes : tuple of int
        Rows of each partition, chosen or not.
    """

    engine: Engine
    bits: tuple[bytes, ...]
    sizes: tuple[int, ...]

    def labels(self) -> Sequence[Any]:
        return self.engine.labels()

    def head(self) -> Any:
        return self.engine.head()

    def count(self) -> int:
        return sum(int(np.unpackbits(np.frombuffer(one, dtype=np.uint8)).sum()) for one in self.bits)

    def mark(self) -> str:
        return f"{self.engine.mark()} {blake2b(b''.join(self.bits), digest_size=16).hexdigest()}"

    def map(self, work: Work, columns: Sequence[Any]) -> Iterable[bytes]:
        return self.engine.map(partial(_of_chosen, work, self.bits, self.sizes), columns)

    def extend(self, extend: Extend, columns: Sequence[Any], added: dict[str, Any]) -> Any:
        raise TypeError("new columns are computed for all rows of a table; give the table that these are chosen from.")


def chosen_partitions(engine: Engine, keep: NDArray[np.bool_], first: NDArray[np.int64]) -> ChosenPartitions:
    """The rows of a mask over all rows of an engine, whose partitions begin at some rows."""
    parts = [keep[begin:end] for begin, end in pairwise(first.tolist())]
    return ChosenPartitions(engine, tuple(np.packbits(one).tobytes() for one in parts), tuple(map(len, parts)))


def chosen_pieces(keep: NDArray[np.bool_], pieces: Iterable[Any]) -> Iterator[Any]:
    """The rows of a mask over all rows of pieces."""
    begin = 0
    for piece in pieces:
        end = begin + row_count(piece)
        own = np.flatnonzero(keep[begin:end])
        if len(own):
            yield piece if len(own) == end - begin else rows_at(piece, own)
        begin = end
    if begin != len(keep):
        raise SourceError(f"the source has {begin} rows now, and had {len(keep)}; give one that is the same each time.")


def _of_chosen(
    work: Work, bits: Sequence[bytes], sizes: Sequence[int], partition: int, pieces: Any, known: Known | None = None
) -> bytes:
    """What work gives for the chosen rows of a partition: runs where it is."""
    own = bits[partition]
    keep = np.unpackbits(np.frombuffer(own, dtype=np.uint8), count=sizes[partition]).astype(bool)
    if known is not None:
        digest = blake2b(own, digest_size=16).hexdigest()
        known = Known(known.head, int(np.count_nonzero(keep)), f"{known.mark} {digest}")
    return work(partition, chosen_pieces(keep, pieces), known)
