"""A matrix of rows that are read batch by batch, each time anew: what `accumulate` sums where rows don't fit."""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Labels, Memberships, only_group, take
from parzen.tables.sources.ahead import read_ahead


@dataclass(frozen=True, eq=False)
class Batches:
    """Rows with their memberships, read batch by batch.

    Attributes
    ----------
    read : function that begins to read and gives batches as they are stored, cut into so many rows (None: as they come)
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

    read: Callable[[int | None], Iterator[Any]]
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
        return read_ahead(map(self.decode, self.read(None)))

    def undecoded(self, rows: int) -> Generator[Any, None, None]:
        """Batches as they are stored, of at most so many rows where they are dense, to be decoded by who takes them."""
        return read_ahead(self.read(None if self.sparse else rows))

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

        def decode(batch: Any) -> tuple[Any, Memberships]:
            X, R = self.decode(batch)
            return function(X), R

        return replace(self, decode=decode, shape=(self.shape[0], head.shape[1]), dtype=head.dtype)

    def reweighted(self, by_group: Array) -> "Batches":
        """The same rows, their weights times those of their groups."""
        assert self.counts is not None

        def decode(batch: Any) -> tuple[Any, Memberships]:
            X, R = self.decode(batch)
            assert isinstance(R, Labels)
            w = by_group[R.codes] * (1.0 if R.weights is None else R.weights)
            return X, Labels.sound(R.codes, np.ascontiguousarray(w), R.groups)

        counts = self.counts * by_group
        least = self.least * float(by_group[by_group > 0].min(initial=1.0))
        return replace(self, decode=decode, weight=float(counts.sum()), least=least, counts=counts)

    def only(self, k: int) -> "Batches":
        """The rows of one group, with their weights."""
        if self.counts is None or self.members is None:
            return self
        n, weight = int(self.members[k]), float(self.counts[k])
        return Batches(
            self.read, lambda batch: _own(*self.decode(batch), k), (n, self.shape[1]), self.dtype, weight, self.least
        )

    def take(self, wanted: NDArray[np.integer]) -> tuple[Any, Memberships]:
        """The rows of these numbers, in ascending order, and their memberships: one pass, up to the last of them."""
        found: list[tuple[Any, Memberships]] = []
        begin = 0
        for X, R in self:
            end = begin + X.shape[0]
            own = wanted[slice(*np.searchsorted(wanted, [begin, end]))] - begin
            if len(own):
                found.append((X[own], take(R, own)))
            begin = end
            if len(wanted) == 0 or begin > wanted[-1]:
                break
        return _stacked([X for X, _ in found]), _joined([R for _, R in found])


def _own(X: Any, R: Memberships, k: int) -> tuple[Any, Memberships]:
    """Rows of a batch that belong to group k, and their weights."""
    own = only_group(R, k)
    if isinstance(own, Labels):
        rows = np.flatnonzero(own.codes >= 0)
        return X[rows], None if own.weights is None else np.ascontiguousarray(own.weights[rows])
    return X, own


def _stacked(parts: Sequence[Any]) -> Any:
    if any(map(is_sparse, parts)):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts) if len(parts) != 1 else np.ascontiguousarray(parts[0])


def _joined(parts: Sequence[Memberships]) -> Memberships:
    """Memberships of several batches as one."""
    first = parts[0]
    if first is None:
        return None
    if isinstance(first, Labels):
        labels = [one for one in parts if isinstance(one, Labels)]
        weights = None if first.weights is None else np.concatenate([one.weights for one in labels])
        return Labels.sound(np.concatenate([one.codes for one in labels]), weights, first.groups)
    return np.concatenate([one for one in parts if isinstance(one, np.ndarray)])
