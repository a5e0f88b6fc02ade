"""A matrix of rows that are read batch by batch, each time anew: what `accumulate` sums where rows don't fit."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships, only_group, take
from parzen.statistics.kept import Decoded, Kept, Noted, cut, put_together
from parzen.statistics.kept_here import kept_here
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import SourceRows, ask, first_rows
from parzen.tables.sources.source import Batch, Source


@dataclass(frozen=True, eq=False)
class Reading:
    """Begins to read the batches of a source, or takes them where they are kept.

    Attributes
    ----------
    source : Source
    kept : where decoded rows are kept, if they are
    """

    source: Source
    kept: Kept | None = None

    def __call__(
        self, rows: int | None, others_follow: bool = False, decode: Callable[[Any], Any] | None = None
    ) -> Generator[Any, None, None]:
        """The batches, or parts of so many rows: ahead, by a thread that decodes them as well if that is given.

        `others_follow` says that this pass is not the only one.
        """
        if self.kept is not None and self.kept.all():
            self.source.reader.check()
            parts = self.kept.again(rows)
            return (part if decode is None else decode(part) for part in parts)
        if decode is not None:
            return read_ahead(map(decode, self._parts(self.source.batches(), rows, others_follow)))
        # Whole batches are read ahead: the next one is read while all parts of this one are worked on.
        return self._parts(read_ahead(self.source.batches()), rows, others_follow)

    def _parts(
        self, batches: Generator[Batch, None, None], rows: int | None, others_follow: bool
    ) -> Generator[Any, None, None]:
        with closing(batches):
            if self.kept is None:
                yield from (part for batch in batches for part in cut(batch, rows))
            else:
                yield from self.kept.passing(batches, rows, others_follow)


@dataclass(frozen=True, eq=False)
class Encoding:
    """Turns a batch of a source into rows and their memberships.

    Attributes
    ----------
    encode : function of a piece of the features that gives rows
    code : function of the cells of the target that gives the group of each, if there are groups
    groups : how many there are
    """

    encode: Callable[[Any], Any]
    code: Callable[[NDArray[Any]], NDArray[np.int32]] | None
    groups: int

    def __call__(self, batch: Any) -> tuple[Any, Memberships]:
        """Rows and memberships of a batch; they are noted where they are to be kept."""
        if isinstance(batch, Decoded):
            return batch
        if isinstance(batch, Noted):
            found = Decoded(*self._encoded(batch.batch))
            batch.note(found)
            return found
        return self._encoded(batch)

    def _encoded(self, batch: Batch) -> tuple[Any, Memberships]:
        X = self.encode(batch.piece)
        if self.code is None:
            return X, batch.weight
        assert batch.target is not None
        return X, Labels.sound(self.code(batch.target), batch.weight, self.groups)


@dataclass(frozen=True, eq=False)
class Then:
    """Decodes a batch and applies a function to its rows."""

    decode: Callable[[Any], tuple[Any, Memberships]]
    function: Callable[[Any], Any]

    def __call__(self, batch: Any) -> tuple[Any, Memberships]:
        """Rows as the function gives them, and memberships of a batch."""
        X, R = self.decode(batch)
        return self.function(X), R


@dataclass(frozen=True, eq=False)
class OfGroup:
    """Decodes a batch and keeps the rows of one group, with their weights."""

    decode: Callable[[Any], tuple[Any, Memberships]]
    k: int

    def __call__(self, batch: Any) -> tuple[Any, Memberships]:
        """Rows of the group and their weights."""
        return _own(*self.decode(batch), self.k)


@dataclass(frozen=True, eq=False)
class Reweighted:
    """Decodes a batch and multiplies the weights of its rows by those of their groups."""

    decode: Callable[[Any], tuple[Any, Memberships]]
    by_group: Array

    def __call__(self, batch: Any) -> tuple[Any, Memberships]:
        """Rows and memberships of a batch."""
        X, R = self.decode(batch)
        assert isinstance(R, Labels)
        w = self.by_group[R.codes] * (1.0 if R.weights is None else R.weights)
        return X, Labels.sound(R.codes, np.ascontiguousarray(w), R.groups)


@dataclass(frozen=True, eq=False)
class Batches(SourceRows):
    """Rows with their memberships, read batch by batch.

    Attributes
    ----------
    read : `Reading`, which gives batches as they are stored, cut into so many rows (None: as they come)
    decode : function that turns such a batch into a pair (rows, memberships); threads that sum call it
    shape : (n, d)
    dtype : of the rows
    weight : float
        Of all rows.
    least : float
        The least weight of a row.
    counts : array of shape (K,), optional
        Weight of the rows of each group, where they belong to several.
    members : array of shape (K,) of int, optional
        Number of the rows of each group.
    sparse : bool
        Whether the rows are CSR matrices.
    checkpoint : path, optional
        A file that keeps how far an iteration over the rows has come.
    mark : str
        What tells the rows from other rows.
    """

    read: Any
    decode: Callable[[Any], tuple[Any, Memberships]]
    shape: tuple[int, int]
    dtype: Any
    weight: float
    least: float = 1.0
    counts: Array | None = None
    members: NDArray[np.int64] | None = None
    sparse: bool = False
    checkpoint: Any = None
    mark: str = ""

    def __iter__(self) -> Iterator[tuple[Any, Memberships]]:
        return self._decoded(False)

    def _decoded(self, others_follow: bool) -> Iterator[tuple[Any, Memberships]]:
        found: Iterator[tuple[Any, Memberships]] = self.read(None, others_follow, self.decode)
        return found

    def undecoded(self, rows: int, others_follow: bool) -> Generator[Any, None, None]:
        """Batches as they are stored, of at most so many rows where they are dense, to be decoded by who takes them."""
        found: Generator[Any, None, None] = self.read(None if self.sparse else rows, others_follow)
        return found

    @property
    def cluster(self) -> Source | None:
        here = not isinstance(self.read, Reading) or not isinstance(self.read.source.reader, Engine)
        return None if here else self.read.source

    def unread(self) -> "Batches":
        return replace(self, read=None, checkpoint=None)

    def within(self, source: Source) -> "Batches":
        return replace(self, read=Reading(source, kept_here(source, self)))

    def check(self, function: Callable[[Any], Any]) -> None:
        """Call a function of the rows of each batch, for the errors that it raises."""
        if self.cluster is not None:
            ask(self.cluster, Checked(self.unread(), function))
            return
        for X, _ in self:
            function(X)

    @property
    def worth(self) -> float:
        """How many rows the weights stand for: their sum if none is below 1, else as many as there are."""
        return self.weight if self.least >= 1 else float(self.shape[0])

    @property
    def groups(self) -> int:
        """How many groups the rows belong to."""
        return 1 if self.counts is None else len(self.counts)

    def mapped(self, function: Callable[[Any], Any]) -> "Batches":
        """The same with a function applied to the rows of each batch."""
        head = function(np.empty((0, self.shape[1]), dtype=self.dtype))

        return replace(self, decode=Then(self.decode, function), shape=(self.shape[0], head.shape[1]), dtype=head.dtype)

    def reweighted(self, by_group: Array) -> "Batches":
        """The same rows, their weights times those of their groups."""
        assert self.counts is not None
        counts = self.counts * by_group
        least = self.least * float(by_group[by_group > 0].min(initial=1.0))
        decode = Reweighted(self.decode, by_group)
        return replace(self, decode=decode, weight=float(counts.sum()), least=least, counts=counts)

    def only(self, k: int) -> "Batches":
        """The rows of one group, with their weights."""
        if self.counts is None or self.members is None:
            return self
        n, weight = int(self.members[k]), float(self.counts[k])
        return Batches(self.read, OfGroup(self.decode, k), (n, self.shape[1]), self.dtype, weight, self.least)

    def take(self, wanted: NDArray[np.integer]) -> tuple[Any, Memberships]:
        """The rows of these numbers, in ascending order, and their memberships: one pass, up to the last of them.

        What begins with some rows goes on with all: where rows are kept, this pass is the one that keeps them.
        """
        if self.cluster is not None:
            return _taken(self, self.cluster, wanted)
        found: list[tuple[Any, Memberships]] = []
        begin = 0
        for X, R in self._decoded(True):
            end = begin + X.shape[0]
            own = wanted[slice(*np.searchsorted(wanted, [begin, end]))] - begin
            if len(own):
                found.append((X[own], take(R, own)))
            begin = end
            if self.read.kept is None and (len(wanted) == 0 or begin > wanted[-1]):
                break
        rows, members = put_together(found)
        return rows, members


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many rows batches have."""

    batches: Batches

    def __call__(self, source: Source, partition: int) -> int:
        """Those of a partition."""
        return sum(X.shape[0] for X, _ in self.batches.within(source))


@dataclass(frozen=True, eq=False)
class Checked:
    """Calls a function of the rows of each batch, for the errors that it raises."""

    batches: Batches
    function: Callable[[Any], Any]

    def __call__(self, source: Source, partition: int) -> None:
        """Check a partition."""
        self.batches.within(source).check(self.function)


@dataclass(frozen=True, eq=False)
class Taken:
    """The rows of some numbers and their memberships, from each partition its own.

    Attributes
    ----------
    batches : what rows become
    wanted : numbers of rows, ascending
    first : number of the first row of each partition
    """

    batches: Batches
    wanted: NDArray[np.int64]
    first: NDArray[np.int64]

    def __call__(self, source: Source, partition: int) -> Any:
        """Those of a partition; None where there are none."""
        begin, end = self.first[partition : partition + 2]
        own = self.wanted[slice(*np.searchsorted(self.wanted, [begin, end]))] - begin
        return self.batches.within(source).take(own) if len(own) else None


def _taken(batches: Batches, source: Source, wanted: NDArray[np.integer]) -> tuple[Any, Memberships]:
    """Rows that lie on a cluster, by their numbers."""
    sent = batches.unread()
    if source.target is not None and batches.counts is None:  # of one group
        first = np.cumsum([0, *(size or 0 for size in ask(source, Sizes(sent)))], dtype=np.int64)
    else:
        first = first_rows(source)
    found = ask(source, Taken(sent, wanted.astype(np.int64), first))
    return put_together([one for one in found if one is not None])


def _own(X: Any, R: Memberships, k: int) -> tuple[Any, Memberships]:
    """Rows of a batch that belong to group k, and their weights."""
    own = only_group(R, k)
    if isinstance(own, Labels):
        rows = np.flatnonzero(own.codes >= 0)
        return X[rows], None if own.weights is None else np.ascontiguousarray(own.weights[rows])
    return X, own
