"""Centres: k-means, a mixture in the limit in which every row belongs to its nearest component alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_csr, as_floats, canonical, is_sparse, room
from parzen.compute.kmeans import centre_step, distances, nearest_squares, points_of
from parzen.compute.memberships import Memberships, group_count
from parzen.densities.columns import chosen
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.lloyd import lloyd
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
    centre : array of shape (C, d), float64 or float32
    """

    centre: NDArray[np.floating]

    @property
    def shape(self) -> tuple[int, int]:
        return 1, self.centre.shape[1]

    def log_density(self, X: Any) -> Array:
        rows = as_rows(X, self.shape[1])
        at = points_of(self.centre, is_sparse(rows))
        with np.errstate(over="ignore"):
            return -nearest_squares(rows, at)[:, None]

    def nearest(self, X: Any) -> NDArray[np.int32]:
        """The nearest centre of each row, (n,); distances are over the cells that are there."""
        codes, at = room(X, X.shape[0], np.int32), points_of(self.centre, is_sparse(X))

        def read(begin: int, rows: Any) -> None:
            rows = as_rows(rows, self.shape[1])
            centre_step(rows, None, at, sums=False, codes=codes[begin : begin + rows.shape[0]])

        for_blocks(self, X, read)
        return codes

    def distances(self, X: Any, out: NDArray[np.floating]) -> None:
        """Write the distance of each row to each centre, (n, C), over the cells that are there."""
        at = points_of(self.centre, is_sparse(X))

        def read(begin: int, rows: Any) -> None:
            rows = as_rows(rows, self.shape[1])
            np.sqrt(distances(rows, at), out=out[begin : begin + rows.shape[0]], casting="same_kind")

        for_blocks(self, X, read)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return np.asarray(self.centre[rng.integers(len(self.centre), size=len(labels))], dtype=np.float64)

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
    takes_sparse: ClassVar[bool] = True
    takes_device: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("clusters are found by iteration: use parzen.fit or KMeans.")
        if group_count(R) != 1 or not (R is None or isinstance(R, np.ndarray)):
            raise ValueError("centres are of one group of rows: give weights (n,), or none.")
        X = as_rows(X, at.shape[1])
        w = None if R is None else R.reshape(-1)
        weight, totals, inertia = centre_step(X, w, at.centre)
        cells = weight if weight.ndim == 2 else np.repeat(weight[:, None], X.shape[1], axis=1)
        whole = np.array([X.shape[0] if w is None else w.sum()])
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
        points = as_rows(rows) if is_sparse(rows) else filled_in(rows, w)
        return CentroidDensity(seeded(points, w, self.n_clusters, rng))


def as_rows(X: Any, d: int | None = None) -> Any:
    """Rows as k-means reads them: float32 or float64, dense with contiguous rows, or CSR with no cell stored twice."""
    if not is_sparse(X):
        return as_floats(X, d)
    X = canonical(as_csr(X, d))
    return X if X.dtype.kind == "f" else X.astype(np.float64)


def seeded(X: Any, w: Array | None, K: int, rng: np.random.Generator) -> Array:
    """The best of a few short k-means, each from seeds of its own, on a sample of the rows (without missing cells).

    Seeds often miss a cluster; the best of a few seldom does.
    """
    some, own = sampled(X, w, 1024 + 32 * K, rng)
    best = None
    for _ in range(SEEDS):
        run = lloyd(some, own, plus_plus(some, own, K, rng), 8).found
        if best is None or run.inertia < (1 - 1e-9) * best.inertia:  # rounding chooses none
            best = run
    assert best is not None
    return np.asarray(best.centre, dtype=np.float64)
