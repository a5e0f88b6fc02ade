"""Centres: k-means, a mixture in the limit in which every row belongs to its nearest component alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.compute.kmeans import centre_step
from parzen.compute.memberships import Memberships, group_count
from parzen.densities.columns import chosen
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.fit import Fit, fit
from parzen.families.seeding import filled_in, plus_plus, sampled
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

    iterates: ClassVar[bool] = True

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
