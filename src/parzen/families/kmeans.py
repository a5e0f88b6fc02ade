"""Centres: k-means, a mixture in the limit in which every row belongs to its nearest component alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats, is_sparse
from parzen.compute.kmeans import centre_step
from parzen.compute.memberships import Memberships, group_count
from parzen.densities.columns import chosen
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.statistics.accumulate import for_blocks
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.messages import NeedsDensity
from parzen.statistics.sums import Sums

#: How many times k-means is begun, on a sample.
SEEDS = 3


@dataclass(frozen=True)
class CentroidDensity(Density):
    """Centres of clusters. What it gives for a log-density is minus the squared distance to the nearest of them.

    Attributes
    ----------
    centre : array of shape (C, d)
    """

    centre: Array

    @property
    def shape(self) -> tuple[int, int]:
        return 1, self.centre.shape[1]

    def log_density(self, X: Any) -> Array:
        codes = self.nearest(X)
        with np.errstate(over="ignore"):
            squares = (as_floats(X, self.shape[1]) - self.centre[codes]) ** 2
        return -np.where(np.isnan(squares), 0.0, squares).sum(axis=1, keepdims=True)

    def nearest(self, X: Any) -> NDArray[np.int32]:
        """The nearest centre of each row, (n,); distances are over the cells that are there."""
        codes = np.empty(X.shape[0], dtype=np.int32)

        def read(begin: int, rows: Any) -> None:
            rows = as_floats(rows, self.shape[1])
            centre_step(rows, None, self.centre, sums=False, codes=codes[begin : begin + len(rows)])

        for_blocks(self, X, read)
        return codes

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.centre[rng.integers(len(self.centre), size=len(labels))]

    def marginal(self, columns: Sequence[int]) -> "CentroidDensity":
        return CentroidDensity(np.ascontiguousarray(self.centre[:, chosen(self.shape[1], columns)]))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "CentroidDensity":
        raise ValueError("centres of clusters are no density, and have none given some columns; use a mixture.")


@dataclass(eq=False, repr=False)
class Centroids(Family):
    r"""Clusters about centres: the sum of the rows' squared distances to their nearest centre is least (k-means).

    It is EM for spherical Gaussians of equal weight and one variance, as that goes to zero. Its statistic is `Sums`,
    taken at the current centres; what stands for the log-likelihood is minus the inertia.

    Parameters
    ----------
    n_clusters : int
    """

    n_clusters: int = 8

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("clusters are found by iteration: use parzen.fit or KMeans.")
        if group_count(R) != 1 or not (R is None or isinstance(R, np.ndarray)):
            raise ValueError("centres are of one group of rows: give weights (n,), or none.")
        X = as_floats(X, at.shape[1])
        w = None if R is None else R.reshape(-1)
        weight, totals, inertia = centre_step(X, w, at.centre)
        cells = weight if weight.ndim == 2 else np.repeat(weight[:, None], X.shape[1], axis=1)
        whole = np.array([len(X) if w is None else w.sum()])
        return ExpectedStatistic(Sums(cells, totals + cells * at.centre), whole, np.array([-inertia]))

    def maximise(self, statistic: Sums) -> CentroidDensity:
        """Means of the clusters; a cluster without rows (or a column of it) has that of all rows together."""
        weight, totals = (part.sum(axis=0, keepdims=True) for part in (statistic.weight, statistic.totals))
        empty = statistic.weight == 0
        total = np.where(empty, totals, statistic.totals)
        cells = np.where(empty, weight, statistic.weight)
        return CentroidDensity(total / np.where(cells == 0, 1.0, cells))

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> CentroidDensity:
        rows, w = sampled(X, None if R is None else np.asarray(R).reshape(-1), max(256 * self.n_clusters, 10_000), rng)
        return CentroidDensity(seeded(filled_in(rows, w), w, self.n_clusters, rng))


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
    order = np.lexsort(X.T[::-1])
    X = X[order]
    new = np.concatenate([[True], ((X[1:] != X[:-1]) & ~(np.isnan(X[1:]) & np.isnan(X[:-1]))).any(axis=1)])
    begin = np.flatnonzero(new)
    weight = np.ones(n) if w is None else w[order]
    return np.ascontiguousarray(X[begin]), np.add.reduceat(weight, begin)


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


def seeded(X: Array, w: Array | None, K: int, rng: np.random.Generator) -> Array:
    """The best of a few short k-means, each from seeds of its own, on a sample of the rows (without missing cells).

    Seeds often miss a cluster; the best of a few seldom does.
    """
    some, own = sampled(X, w, 1024 + 32 * K, rng)
    found = [lloyd(some, own, plus_plus(some, own, K, rng), 8) for _ in range(SEEDS)]
    best = max(found, key=lambda one: one.log_likelihoods[-1]).density
    assert isinstance(best, CentroidDensity)
    return best.centre


def lloyd(X: Array, w: Array | None, centre: Array, max_iter: int) -> Fit:
    """A few steps of k-means from given centres."""
    return fit(
        Centroids(len(centre)), X, w, start=CentroidDensity(centre), max_iter=max_iter, tol=0.0, accelerate=False
    )


def _drawn(mass: Array, at: Array) -> NDArray[np.intp]:
    """Rows at these quantiles of their mass."""
    total = np.cumsum(mass)
    return np.minimum(np.searchsorted(total, at * total[-1], side="right"), len(mass) - 1)


def _distances(X: Array, squares: Array, to: Array) -> Array:
    """Squared distances of rows to a few points, (n, k)."""
    values: Array = squares[:, None] - 2.0 * (X @ to.T) + (to * to).sum(axis=1)
    return np.maximum(values, 0.0)
