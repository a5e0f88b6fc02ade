"""A step of Lloyd's iteration over rows that are read batch by batch: what it needs of all rows adds."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.kmeans import Points, centre_step, nearest_squares, points_of
from parzen.compute.memberships import Memberships
from parzen.statistics.accumulate import accumulate
from parzen.statistics.batches import Batches


@dataclass(frozen=True)
class Step:
    """What a step finds in rows: of each centre the weight, the sums about it and the number of its rows.

    Attributes
    ----------
    weight : array of shape (K,) or, with missing cells, (K, d)
    totals : array of shape (K, d)
    inertia : float
    members : array of shape (K,) of int
    digest : bytes
        Of the nearest centres of all rows, in their order: another one where a row has another centre.
    """

    weight: Array
    totals: Array
    inertia: float
    members: NDArray[np.int64]
    digest: bytes

    def __add__(self, other: Self) -> "Step":
        weight, more = self.weight, other.weight
        if weight.ndim != more.ndim:  # cells are missing in some blocks
            wide = self.totals.shape[1]
            weight, more = (one if one.ndim == 2 else np.repeat(one[:, None], wide, 1) for one in (weight, more))
        digest = blake2b(self.digest + other.digest, digest_size=16).digest()
        members = self.members + other.members
        return Step(weight + more, self.totals + other.totals, self.inertia + other.inertia, members, digest)


@dataclass(frozen=True, eq=False)
class Observing:
    """What observes blocks of rows at some centres.

    Attributes
    ----------
    centre : array of shape (K, d)
    sparse : whether the rows are
    """

    centre: NDArray[np.floating]
    sparse: bool

    keeps_rows: ClassVar[bool] = False

    @cached_property
    def points(self) -> Points:
        """The centres as the routines read them."""
        return points_of(self.centre, self.sparse)


class Stepping(Observing):
    """Observes the `Step` of blocks of rows."""

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Any:
        """The step of a block of rows with weights, or None."""
        assert R is None or isinstance(R, np.ndarray)
        codes = np.empty(X.shape[0], dtype=np.int32)
        weight, totals, inertia = centre_step(X, R, self.points, codes=codes)
        members = np.bincount(codes, minlength=len(self.centre))
        return Step(weight, totals, inertia, members, blake2b(codes.tobytes(), digest_size=16).digest())


@dataclass(frozen=True)
class Farthest:
    """Rows that are farthest from their nearest centres, the farthest first: at most so many."""

    most: int
    squares: Array
    rows: tuple[tuple[Array, float, int], ...]

    def __add__(self, other: Self) -> "Farthest":
        squares = np.concatenate([self.squares, other.squares])
        rows = (*self.rows, *other.rows)
        order = np.argsort(-squares, kind="stable")[: self.most]
        return Farthest(self.most, squares[order], tuple(rows[i] for i in order.tolist()))


@dataclass(frozen=True, eq=False)
class Searching(Observing):
    """Observes the `Farthest` of blocks of rows: at most so many of each."""

    most: int

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Any:
        """The farthest of a block of rows with weights, or None."""
        squares = nearest_squares(X, self.points)
        order = np.argsort(-squares, kind="stable")[: self.most]
        order = order[squares[order] > 0]
        some = X[order]
        codes = np.empty(len(order), dtype=np.int32)
        if len(order):
            centre_step(some, None, self.points, sums=False, codes=codes)
        cells = np.asarray(some.toarray() if is_sparse(some) else some, dtype=np.float64)
        own = np.ones(len(order)) if R is None else np.asarray(R)[order]
        return Farthest(self.most, squares[order], tuple(zip(cells, own.tolist(), codes.tolist(), strict=True)))


def step_over(X: Batches, centre: NDArray[np.floating]) -> Step:
    """The step of all rows at some centres."""
    found: Step = accumulate(Stepping(centre, X.sparse), X)
    return found


def farthest_of(X: Batches, centre: NDArray[np.floating], most: int) -> list[tuple[Array, float, int]]:
    """The rows that are farthest from their nearest centres: cells, weight and cluster, the farthest first."""
    return list(accumulate(Searching(centre, X.sparse, most), X).rows)
