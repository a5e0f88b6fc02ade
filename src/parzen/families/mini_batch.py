"""Steps of k-means over small batches: a centre is the mean of all rows that have been nearest to it (Sculley 2010)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.kmeans import Points, centre_step, points_of
from parzen.families.lloyd import assigned
from parzen.statistics.sums import Sums


@dataclass
class Batches:
    """Centres and what they have seen; a step changes both.

    Attributes
    ----------
    centre : array of shape (K, d)
    counts : array of shape (K, 1) or, with missing cells, (K, d)
        Weight of the rows that each centre is the mean of.
    since : float
        How many rows have come since centres were last checked for too little weight.
    """

    centre: Array
    counts: Array
    since: int = 0

    def sums(self) -> Sums:
        """The statistic of the clusters."""
        return Sums(self.counts, self.counts * self.centre)

    def step(self, X: Any, w: Array | None) -> float:
        """Let each centre follow the rows that it is nearest to; the inertia before.

        Parameters
        ----------
        X : rows as `parzen.families.lloyd.assigned` takes them
        w : weights of the rows, or None
        """
        if is_sparse(X) and X.nnz < X.shape[1]:
            return self._narrow_step(X, w)
        found = assigned(X, w, self.centre)
        weight = found.weight if found.weight.ndim == 2 else found.weight[:, None]
        self.counts = self.counts + weight
        self.centre = self.centre + found.totals / np.where(self.counts > 0, self.counts, 1.0)
        return found.inertia

    def _narrow_step(self, X: Any, w: Array | None) -> float:
        """A step over sparse rows that have cells in few columns: in the others, centres shrink."""
        columns, rows = _compressed(X)
        at = _in_columns(self.centre, columns)
        codes = np.empty(X.shape[0], dtype=np.int32)
        weight, totals, inertia = centre_step(rows, w, at, codes=codes)
        before = self.counts
        self.counts = before + weight[:, None]
        each = np.where(self.counts > 0, self.counts, 1.0)
        self.centre = self.centre * np.where(self.counts > 0, before / each, 1.0)
        self.centre[:, columns] += (totals + weight[:, None] * at.point) / each
        return inertia

    def reassign(self, X: Any, ratio: float, rng: np.random.Generator) -> int:
        """Move centres of little weight onto rows of the batch, at most half as many as it has; how many have moved.

        They are given the least weight of the others, so that they are not moved at once again.

        Parameters
        ----------
        X : rows of the batch
        ratio : least weight of a centre, in units of the heaviest one's
        """
        self.since = 0
        weight = self.counts.max(axis=1)
        light = weight < ratio * weight.max()
        most = X.shape[0] // 2
        if light.sum() > most:
            light[np.argsort(weight, kind="stable")[most:]] = False
        moved = int(light.sum())
        if moved:
            drawn = rng.choice(X.shape[0], size=moved, replace=False)
            rows = np.asarray(X[drawn].toarray() if is_sparse(X) else X[drawn], dtype=np.float64)
            self.centre = self.centre.copy()
            self.centre[light] = np.where(np.isnan(rows), self.centre[light], rows)
            self.counts[light] = 0.0 if light.all() else weight[~light].min()
        return moved

    def due(self, rows: int) -> bool:
        """Whether weights should be checked after so many more rows: a centre has none, or 10 for each have come."""
        self.since += rows
        return not (self.counts > 0).any(axis=1).all() or self.since >= 10 * len(self.centre)


def _compressed(X: Any) -> tuple[NDArray[np.intp], Any]:
    """Columns in which cells are stored, and the rows in these columns alone."""
    there = np.zeros(X.shape[1], dtype=bool)
    there[X.indices] = True
    columns = np.flatnonzero(there)
    place = np.cumsum(there, dtype=X.indices.dtype) - 1
    rows = type(X)((X.shape[0], max(len(columns), 1)), dtype=X.dtype)
    rows.data, rows.indices, rows.indptr = X.data, place[X.indices], X.indptr
    return columns, rows


def _in_columns(centre: Array, columns: NDArray[np.intp]) -> Points:
    """Some columns of centres, compared as if rows had zeros in all others."""
    part = centre[:, columns] if len(columns) else np.zeros((len(centre), 1))
    at = points_of(part, True)
    assert at.offset is not None
    assert at.squares is not None
    whole = np.einsum("kj,kj->k", centre, centre)
    rest = whole - at.squares[:, 0]
    if (rest < 1e-6 * whole).any():  # too small to be a difference
        rest = np.square(np.delete(centre, columns, axis=1)).sum(axis=1)
    offset, squares = at.offset.copy(), at.squares.copy()
    offset[: len(rest)] -= 0.5 * rest
    squares[:, 0] += rest
    return replace(at, offset=offset, squares=squares)
