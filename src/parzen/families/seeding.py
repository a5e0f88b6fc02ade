"""Where k-means begins: k-means++ on a sample of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse


def sampled(X: Any, w: Array | None, most: int, rng: np.random.Generator) -> tuple[Any, Array | None]:
    """At most so many of the rows, with their weights.

    Where there are no more than that: all of them, sorted, equal ones once, so that what is drawn from them depends
    neither on their order nor on whether a row comes twice or weighs twice.
    """
    n = X.shape[0]
    if n > most:
        rows = np.sort(rng.choice(n, size=most, replace=False))
        return X[rows], None if w is None else np.ascontiguousarray(w[rows])
    if is_sparse(X) or n == 0:
        return X, w
    order = _sorted_rows(X)
    X = X[order]
    new = np.concatenate([[True], ((X[1:] != X[:-1]) & ~(np.isnan(X[1:]) & np.isnan(X[:-1]))).any(axis=1)])
    begin = np.flatnonzero(new)
    weight = np.ones(n) if w is None else w[order]
    return np.ascontiguousarray(X[begin]), np.add.reduceat(weight, begin)


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


def plus_plus(X: Array, w: Array | None, K: int, rng: np.random.Generator, first: Array | None = None) -> Array:
    """Centres that are rows far from each other: greedy k-means++ (Arthur & Vassilvitskii 2007).

    Parameters
    ----------
    X : array of shape (n, d), without missing cells
    first : centres that are known already, (k, d)
    """
    n, d = X.shape
    trials = 2 + int(np.log(K))
    origin = np.average(X, axis=0, weights=w)
    X = X - origin
    squares = (X * X).sum(axis=1)
    weight = np.ones(n) if w is None else w
    centre = np.empty((K, d))
    known = 0 if first is None else len(first)
    if first is not None and known:
        centre[:known] = first - origin
        far = np.min([_distances(X, squares, one[None])[:, 0] for one in centre[:known]], axis=0)
    else:
        centre[0] = X[_drawn(weight, rng.random(1))[0]]
        known, far = 1, _distances(X, squares, centre[:1])[:, 0]
    for k in range(known, K):
        if not (weight @ far) > 0:  # every row lies on a centre
            centre[k:] = X[_drawn(weight, rng.random(K - k))]
            break
        tries = _drawn(weight * far, rng.random(trials))
        near = np.minimum(far[:, None], _distances(X, squares, X[tries]))
        best = int((weight @ near).argmin())
        centre[k], far = X[tries[best]], near[:, best]
    return centre + origin


def _drawn(mass: Array, at: Array) -> NDArray[np.intp]:
    """Rows at these quantiles of their mass."""
    total = np.cumsum(mass)
    return np.minimum(np.searchsorted(total, at * total[-1], side="right"), len(mass) - 1)


def _distances(X: Array, squares: Array, to: Array) -> Array:
    """Squared distances of rows to a few points, (n, k)."""
    values: Array = squares[:, None] - 2.0 * (X @ to.T) + (to * to).sum(axis=1)
    return np.maximum(values, 0.0)
