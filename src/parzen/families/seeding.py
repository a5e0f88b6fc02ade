"""Where k-means begins: k-means++ on a sample of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_csr, is_sparse, on_host
from parzen.compute.kmeans import distances, points_of
from parzen.compute.sparse import csr_product
from parzen.statistics.accumulate import map_blocks
from parzen.statistics.batches import Batches


def sampled(X: Any, w: Array | None, most: int, rng: np.random.Generator) -> tuple[Any, Array | None]:
    """At most so many of the rows, with their weights.

    Where there are no more than that: all of them, sorted, equal ones once, so that what is drawn from them depends
    neither on their order nor on whether a row comes twice or weighs twice.
    """
    n = X.shape[0]
    if n > most:
        rows = np.sort(rng.choice(n, size=most, replace=False))
        if isinstance(X, Batches):
            return X.take(rows)  # type: ignore[return-value]
        return on_host(X[rows]), None if w is None else np.ascontiguousarray(w[rows])
    if isinstance(X, Batches):
        X, w = X.take(np.arange(n))  # type: ignore[assignment]
    if is_sparse(X) or n == 0:
        return X, w
    X = on_host(X)
    order = _sorted_rows(X)
    X = X[order]
    new = np.concatenate([[True], ((X[1:] != X[:-1]) & ~(np.isnan(X[1:]) & np.isnan(X[:-1]))).any(axis=1)])
    begin = np.flatnonzero(new)
    weight = np.ones(n) if w is None else w[order]
    return np.ascontiguousarray(X[begin]), np.add.reduceat(weight, begin)


def each_once(X: Any, w: Array | None) -> tuple[Any, Array]:
    """The rows in an order that depends on their cells alone, equal ones once, and their weights."""
    n = X.shape[0]
    key = _projected(X)
    order = np.argsort(key, kind="stable")
    if is_sparse(X):
        key = key[order]
        new = key[1:] != key[:-1]
    else:
        X = X[order]
        differ = X[1:] != X[:-1]
        if np.isnan(key[order[-1]]):  # NaN is sorted to the end
            differ &= ~(np.isnan(X[1:]) & np.isnan(X[:-1]))
        new = differ.any(axis=1)
    weight = np.ones(n) if w is None else w[order]
    if new.all():
        return X[order] if is_sparse(X) else X, weight
    begin = np.concatenate([[0], np.flatnonzero(new) + 1])
    return X[order[begin]] if is_sparse(X) else X[begin], np.add.reduceat(weight, begin)


def _projected(X: Any) -> Array:
    """A number for each row, the same for equal rows and, nearly always, another for others; NaN for missing cells."""
    direction = np.cos(np.arange(X.shape[1], dtype=np.float64))
    if is_sparse(X):
        return csr_product(as_csr(X), direction[:, None])[:, 0]
    with np.errstate(over="ignore", invalid="ignore"):
        key: Array = (X * direction).sum(axis=1)
    return key


def _sorted_rows(X: Any) -> NDArray[np.intp]:
    """The order of rows by their first column, then the second, and so on: no more columns than are needed."""
    for columns in (1, 2, X.shape[1]):
        order = np.lexsort(X[:, :columns].T[::-1])
        steps = np.diff(X[order, :columns], axis=0)
        if columns >= X.shape[1] or ((steps > 0) | (steps < 0)).any(axis=1).all():
            return order
    return order


def distinct_rows(n: int, w: Array | None, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Numbers of so many different rows, each drawn by its weight among those that are left (at most all with weight).

    A share that is too small for a float64 is the least one: such rows come when all others have been drawn.
    """
    if w is None or (w[0] > 0 and (w == w[0]).all()):
        return rng.choice(n, size=min(size, n), replace=False)
    heavy = w / w.max()
    share = np.where(w > 0, np.maximum(heavy / heavy.sum(), np.finfo(float).tiny), 0.0)
    return rng.choice(n, size=min(size, int((w > 0).sum())), replace=False, p=share)


def filled_in(X: Any, w: Array | None = None) -> Array:
    """Rows as float64, in which missing cells have their column's mean."""
    X = np.array(X, dtype=np.float64)
    missing = np.isnan(X)
    if missing.any():
        weight = ~missing * (1.0 if w is None else w[:, None])
        whole = weight.sum(axis=0)
        total = (weight * np.where(missing, 0.0, X)).sum(axis=0)
        X = np.where(missing, total / np.where(whole > 0, whole, 1.0), X)
    return X


def plus_plus(X: Any, w: Array | None, K: int, rng: np.random.Generator, first: Array | None = None) -> Array:
    """Centres that are rows far from each other: greedy k-means++ (Arthur & Vassilvitskii 2007).

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, without missing cells; or a CSR matrix
    first : centres that are known already, (k, d)
    """
    n, d = X.shape
    count = 2 + int(np.log(K))
    weight = np.ones(n) if w is None else w
    centre, far = np.empty((K, d)), np.full(n, np.inf)
    known = 0 if first is None else len(first)
    if first is None or not known:
        known, first = 1, _rows(X, _drawn(np.cumsum(weight), rng.random(1)))
    centre[:known] = first
    for one in centre[:known]:
        _approach(X, one, far)
    for k in range(known, K):
        mass = np.cumsum(weight * far)
        if not mass[-1] > 0:  # every row lies on a centre
            centre[k:] = _rows(X, _drawn(np.cumsum(weight), rng.random(K - k)))
            break
        rows = _rows(X, _drawn(mass, rng.random(count)))
        centre[k] = rows[_left(X, weight, rows, far).argmin()]
        _approach(X, centre[k], far)
    return centre


def _drawn(mass: Array, at: Array) -> NDArray[np.intp]:
    """Rows at these quantiles of their cumulative mass."""
    return np.minimum(np.searchsorted(mass, at * mass[-1], side="right"), len(mass) - 1)


def _rows(X: Any, rows: NDArray[np.intp]) -> Array:
    """Some rows, dense."""
    return np.asarray(X[rows].toarray() if is_sparse(X) else X[rows], dtype=np.float64)


def _approach(X: Any, point: Array, far: Array) -> None:
    """Lower the squared distances of rows to their nearest centre, where a new one is nearer."""
    at = points_of(point[None], is_sparse(X))

    def lower(begin: int, rows: Any) -> None:
        own = far[begin : begin + rows.shape[0]]
        np.minimum(own, distances(rows, at)[:, 0], out=own)

    map_blocks(lower, X)


def _left(X: Any, weight: Array, tries: Array, far: Array) -> Array:
    """Inertia that would be left with each of some points as a further centre."""
    at = points_of(tries, is_sparse(X))

    def left(begin: int, rows: Any) -> Array:
        own = slice(begin, begin + rows.shape[0])
        near = distances(rows, at)
        inertia: Array = weight[own] @ np.minimum(near, far[own, None], out=near)
        return inertia

    inertia: Array = sum(map_blocks(left, X))
    return inertia
