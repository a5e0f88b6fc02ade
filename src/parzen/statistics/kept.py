"""Rows that are kept once they are decoded: a fit that needs several passes then reads its files once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from parzen.compute.arrays import is_sparse
from parzen.compute.memberships import Labels, Memberships
from parzen.tables.sources.pieces import row_count
from parzen.tables.sources.source import Batch, even_parts


class Decoded(NamedTuple):
    """Rows of a batch, or of a part of one, with their memberships."""

    rows: Any
    memberships: Memberships

    def cut(self, rows: int) -> Iterator["Decoded"]:
        """Parts of about so many rows, as a batch is cut; nothing is copied."""
        return map(self.part, even_parts(self.rows.shape[0], rows))

    def part(self, own: slice) -> "Decoded":
        """Some of the rows; nothing is copied."""
        return Decoded(self.rows[own], None if self.memberships is None else self.memberships[own])


class Noted(NamedTuple):
    """A part of a batch that is not decoded yet, and what is told its rows when they are."""

    batch: Batch
    note: Callable[[Decoded], None]


@dataclass(eq=False)
class _Place:
    """The rows of one batch, whose parts are decoded by different threads."""

    rows: int
    parts: dict[int, Decoded]

    def note(self, begin: int) -> Callable[[Decoded], None]:
        """What is told the part that begins at a row."""
        return lambda part: self.parts.__setitem__(begin, part)

    def whole(self) -> bool:
        """Whether all parts are there."""
        return sum(part.rows.shape[0] for part in self.parts.values()) == self.rows

    def decoded(self) -> Decoded:
        """The rows as one part, which they are from then on."""
        if len(self.parts) > 1:
            self.parts = {0: put_together([self.parts[begin] for begin in sorted(self.parts)])}
        return self.parts[0]


class Kept:
    """The rows of all batches of a source, kept in the pass that is the first of several.

    Which rows come in which batch, and how batches are cut, is the same with and without it: so is every bit of a fit.
    """

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._passes, self._ended = 0, False

    def passing(self, batches: Iterator[Batch], rows: int | None, others_follow: bool) -> Iterator[Any]:
        """A pass that reads: parts of batches, noted where the rows are to be kept.

        They are where others follow, as in an iteration, and where this is not the first pass.
        """
        self._passes += 1
        if not others_follow and self._passes == 1:
            yield from (part for batch in batches for part in cut(batch, rows))
            return
        self._places, self._ended = [], False
        places = self._places
        for batch in batches:
            place = _Place(row_count(batch.piece), {})
            if place.rows:
                places.append(place)
            begin = 0
            for part in cut(batch, rows):
                yield Noted(part, place.note(begin))
                begin += row_count(part.piece)
        self._ended = places is self._places

    def all(self) -> bool:
        """Whether all rows are kept: a pass that kept them has come to its end."""
        return self._ended and all(place.whole() for place in self._places)

    def again(self, rows: int | None) -> Iterator[Decoded]:
        """The batches, or parts of them, that are kept."""
        for place in self._places:
            batch = place.decoded()
            yield from [batch] if rows is None else batch.cut(rows)


def cut(batch: Batch, rows: int | None) -> Iterator[Batch]:
    """Parts of a batch of so many rows; None: the batch as it is."""
    return iter([batch]) if rows is None else batch.cut(rows)


def put_together(parts: list[Any]) -> Decoded:
    """Several parts, pairs of rows and memberships, as one."""
    return Decoded(_stacked([X for X, _ in parts]), _joined([R for _, R in parts]))


def _stacked(parts: list[Any]) -> Any:
    if any(map(is_sparse, parts)):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts) if len(parts) != 1 else np.ascontiguousarray(parts[0])


def _joined(parts: list[Memberships]) -> Memberships:
    """Memberships of several batches as one."""
    first = parts[0]
    if first is None:
        return None
    if isinstance(first, Labels):
        labels = [one for one in parts if isinstance(one, Labels)]
        weights = None if first.weights is None else np.concatenate([one.weights for one in labels])
        return Labels.sound(np.concatenate([one.codes for one in labels]), weights, first.groups)
    return np.concatenate([one for one in parts if isinstance(one, np.ndarray)])
