"""Lloyd's iteration of k-means: rows to their nearest centres, centres to the means of their rows.

It is EM in the limit of `Centroids`, which `parzen.fit` iterates as well. What is more here: it ends where no row has
changed its cluster, which no statistic tells, and a cluster without rows takes the row that is farthest from its
centre, which no maximisation finds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse, on_host, room, row_block, same
from parzen.compute.kmeans import centre_step, nearest_squares, points_of
from parzen.families.lloyd_batches import farthest_of, step_over
from parzen.statistics.accumulate import map_blocks
from parzen.statistics.batches import Batches
from parzen.statistics.sums import Sums


@dataclass(frozen=True)
class Assignment:
    """Rows at their nearest centres.

    Attributes
    ----------
    centre : array of shape (K, d)
    codes : array of shape (n,), the nearest centre of each row; None of batches
    weight : array of shape (K,) or, with missing cells, (K, d)
    totals : array of shape (K, d), sums of the rows about their centres
    inertia : sum of the squared distances, times the weights
    counts : array of shape (K,), how many rows each centre has, of batches
    digest : of the codes that batches would have
    """

    centre: NDArray[np.floating]
    codes: Any
    weight: Array
    totals: Array
    inertia: float
    counts: NDArray[np.int64] | None = None
    digest: bytes | None = None

    def sums(self) -> Sums:
        """The statistic of the clusters: what adds to that of other rows."""
        cells = self.weight if self.weight.ndim == 2 else self.weight[:, None]
        return Sums(cells, self.totals + cells * self.centre)

    def members(self) -> NDArray[np.int64]:
        """How many rows each centre has."""
        return np.bincount(on_host(self.codes), minlength=len(self.centre)) if self.counts is None else self.counts

    def unchanged(self, before: "Assignment") -> bool:
        """Whether every row has the centre that it had before."""
        return same(self.codes, before.codes) if self.digest is None else self.digest == before.digest


@dataclass(frozen=True)
class Run:
    """How an iteration ended.

    Attributes
    ----------
    found : the rows at the last centres
    n_iter : int
    outcome : "converged", "too many steps" or "stopped"
    shift : float
        Sum of the squared moves of the centres in the last step; zero where no row had changed its cluster.
    """

    found: Assignment
    n_iter: int
    outcome: Literal["converged", "too many steps", "stopped"]
    shift: float


def assigned(
    X: Any, w: Array | None, centre: NDArray[np.floating], codes: NDArray[np.int32] | None = None
) -> Assignment:
    """Assign rows to their nearest centres.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, with contiguous rows, or a CSR matrix of such cells; or batches
    w : weights of the rows, or None; batches bring theirs
    centre : array of shape (K, d)
    codes : array of shape (n,) to write the codes to
    """
    if isinstance(X, Batches):
        seen = step_over(X, centre)
        return Assignment(centre, None, seen.weight, seen.totals, seen.inertia, seen.members, seen.digest)
    codes = room(X, X.shape[0], np.int32) if codes is None else codes
    at = points_of(centre, is_sparse(X))

    def step(begin: int, rows: Any) -> tuple[Array, Array, float]:
        end = begin + rows.shape[0]
        return centre_step(rows, None if w is None else w[begin:end], at, codes=codes[begin:end])

    parts = map_blocks(step, X, len(centre))
    weight, totals, inertia = parts[0]
    for more, sums, squares in parts[1:]:
        if more.ndim != weight.ndim:  # cells are missing in some blocks
            weight, more = (one if one.ndim == 2 else np.repeat(one[:, None], X.shape[1], 1) for one in (weight, more))
        weight, totals, inertia = weight + more, totals + sums, inertia + squares
    return Assignment(centre, codes, weight, totals, inertia)


def lloyd(
    X: Any,
    w: Array | None,
    centre: NDArray[np.floating],
    max_iter: int,
    tol: float = 0.0,
    watch: Callable[[int, float], Any] | None = None,
    dtype: Any = np.float64,
) -> Run:
    """Iterate from given centres.

    Parameters
    ----------
    X, w : rows and weights, as `assigned` takes them; none weighs zero
    centre : array of shape (K, d)
    max_iter : most steps, at least 1
    tol : stop where the sum of the squared moves of the centres is no larger
    watch : called with the step and the inertia before it; it stops the iteration by returning True
    dtype : of the centres that are found

    Returns
    -------
    Run
    """
    n = X.shape[0]
    codes, before = (None, None) if isinstance(X, Batches) else (room(X, n, np.int32), room(X, n, np.int32))
    last: Assignment | None = None
    outcome: Literal["converged", "too many steps", "stopped"] = "too many steps"
    shift = np.inf
    for step in range(max_iter):
        found = assigned(X, w, centre, codes)
        stop = watch is not None and watch(step, found.inertia) is True
        if last is not None and found.unchanged(last):
            return Run(_rounded(X, w, found, dtype), step + 1, "converged", 0.0)
        new = _moved(X, w, found)
        off = (new - centre).ravel()
        centre, shift = new, float(off @ off)
        codes, before, last = before, codes, found
        if shift <= tol or stop:
            outcome = "converged" if shift <= tol else "stopped"
            break
    return Run(assigned(X, w, centre.astype(dtype, copy=False), codes), step + 1, outcome, shift)


def _rounded(X: Any, w: Array | None, found: Assignment, dtype: Any) -> Assignment:
    return found if found.centre.dtype == dtype else assigned(X, w, found.centre.astype(dtype), found.codes)


def _moved(X: Any, w: Array | None, found: Assignment) -> Array:
    """Means of the clusters; those without rows go where rows are far from their centres."""
    weight = found.weight if found.weight.ndim == 2 else found.weight[:, None]
    if weight.all():
        centre: Array = found.centre + found.totals / weight
        return centre
    empty = np.flatnonzero(~weight.any(axis=1))
    if len(empty):
        return _relocated(X, w, found, weight.copy(), empty)
    return _means(found, weight, found.totals)


def _means(found: Assignment, weight: Array, totals: Array) -> Array:
    """Means of clusters; a column that is nowhere observed in one has the mean of all rows."""
    whole = found.weight if found.weight.ndim == 2 else found.weight[:, None]
    each = whole.sum(axis=0)
    middle = (found.totals + whole * found.centre).sum(axis=0) / np.where(each > 0, each, 1.0)
    there = weight > 0
    return np.where(there, found.centre + totals / np.where(there, weight, 1.0), middle)


def _relocated(X: Any, w: Array | None, found: Assignment, weight: Array, empty: NDArray[np.intp]) -> Array:
    """The means, where each empty cluster takes the row that is farthest from its centre, and takes it from another.

    One that finds no such row (all lie on their centres), or that has lost its last one, is put where the heaviest is.
    """
    left = found.members().copy()
    totals, taken = found.totals.copy(), {}
    far = farthest_of(X, found.centre, len(empty)) if isinstance(X, Batches) else _farthest(X, w, found, len(empty))
    for k, (row, own, old) in zip(empty.tolist(), far, strict=False):
        known = ~np.isnan(row)
        totals[old] -= own * np.where(known, row - found.centre[old], 0.0)
        weight[old] -= own * (known if weight.shape[1] > 1 else 1.0)
        left[old] -= 1
        left[k], taken[k] = 1, row
    heaviest = int(np.where(left > 0, weight.max(axis=1), -1.0).argmax())
    weight[left == 0] = 0.0
    centre = _means(found, weight, totals)
    for k, row in taken.items():
        centre[k] = np.where(np.isnan(row), centre[k], row)
    centre[left == 0] = centre[heaviest]
    return centre


def _farthest(X: Any, w: Array | None, found: Assignment, most: int) -> list[tuple[Array, float, int]]:
    """Rows that are farthest from their centres, the farthest first; none where all lie on these."""
    at = points_of(found.centre, is_sparse(X))
    squares = np.concatenate(map_blocks(lambda begin, rows: nearest_squares(rows, at), X))
    if not squares.max() > 0:
        return []
    top = np.argpartition(squares, len(squares) - most)[len(squares) - most :]
    far = top[np.argsort(-squares[top], kind="stable")]
    return [(_row(X, i), 1.0 if w is None else float(w[i]), int(found.codes[i])) for i in far.tolist()]


def _row(X: Any, i: int) -> Array:
    row = on_host(row_block(X, i, i + 1))
    return np.asarray(row.toarray() if is_sparse(X) else row, dtype=np.float64)[0]
