"""Where EM begins for states with means: clusters of k-means, found on a sample of the rows, then on all of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.compute.partitions import kmeans_partition
from parzen.families.gaussian import Gaussian
from parzen.families.kmeans import CentroidDensity
from parzen.families.lloyd import lloyd

#: Times that k-means is begun (as often as hmmlearn does), and on how many rows at most; more for many states.
TIMES, SAMPLE, EACH = 10, 2048, 128
#: Most steps of each, and on all rows.
STEPS, MORE = 30, 10
#: Least probability of a transition that is drawn, where clusters are compared with it.
TINY = 1e-12
#: Sweeps over all pairs of states that may be swapped.
SWEEPS = 4

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Clustering:
    """Clusters of rows, found on a sample of them.

    Attributes
    ----------
    scale : rows as k-means measures them
    centre : array of shape (K, d), so measured
    codes : the cluster of each row of the sample
    """

    scale: Callable[[Array], Array]
    centre: Array
    codes: Codes

    def nearest(self, rows: Array) -> Codes:
        """The cluster of each row."""
        return CentroidDensity(self.centre).nearest(self.scale(rows))

    def moved(self, rows: Array) -> "Clustering":
        """The clusters after a few steps on all rows."""
        found = lloyd(self.scale(rows), None, self.centre, MORE).found
        return Clustering(self.scale, np.asarray(found.centre, dtype=np.float64), found.codes)


def clusterings(some: Array, K: int, rng: np.random.Generator) -> list[Clustering]:
    """Clusters of some rows as they are, as in hmmlearn, and of their columns' ranks.

    The widest column decides over clusters of rows as they are, and its tail; of ranks every column decides alike, and
    a value that comes again and again (no rain) is a cluster of its own.
    """
    found = [Clustering(_as_they_are, *_best_clusters(some, K, rng, TIMES // 2))]
    if K > 1:
        scale, ranks = Ranks.among(some)
        found.append(Clustering(scale, *_best_clusters(ranks, K, rng, TIMES // 2)))
    return found


def _as_they_are(rows: Array) -> Array:
    return rows


@dataclass(frozen=True)
class Ranks:
    """Ranks of cells among those of a sample, in units of their own deviation; equal cells have their mean rank.

    Attributes
    ----------
    order : the sample, each of its columns sorted
    deviation : array of shape (d,), of the sample's ranks
    """

    order: Array
    deviation: Array

    @classmethod
    def among(cls, some: Array) -> tuple["Ranks", Array]:
        """Ranks among some rows, and those of these rows."""
        order = np.sort(some, axis=0)
        ranks = cls(order, np.ones(some.shape[1]))(some)
        deviation = ranks.std(axis=0)
        found = cls(order, np.where(deviation > 0, deviation, 1.0))
        return found, ranks / found.deviation

    def __call__(self, rows: Array) -> Array:
        found = np.empty(rows.shape)
        for j, own in enumerate(self.order.T):
            values = np.ascontiguousarray(own)
            found[:, j] = np.searchsorted(values, rows[:, j]) + np.searchsorted(values, rows[:, j], side="right")
        return found / self.deviation


def sample_of(rows: Array, K: int, rng: np.random.Generator) -> Array:
    """Rows in which K clusters show: which there are shows in a hundred rows of each."""
    most = max(SAMPLE, EACH * K)
    return rows if len(rows) <= most else rows[np.sort(rng.choice(len(rows), most, replace=False))]


def cluster_centres(rows: Array, K: int, rng: np.random.Generator) -> Array:
    """Centres (K, d) of rows without missing cells, by k-means: the best of several starts.

    Of many rows a sample decides between the starts; EM moves the means afterwards.
    """
    some = sample_of(rows, K, rng)
    found = Clustering(_as_they_are, *_best_clusters(some, K, rng, TIMES))
    return found.centre if len(some) == len(rows) or K == 1 else found.moved(rows).centre


def _best_clusters(some: Array, K: int, rng: np.random.Generator, times: int) -> tuple[Array, Codes]:
    """Centres of the best of several k-means, and the nearest of each row; a centre without rows is the mean of all."""
    if K == 1:
        return some.mean(axis=0, keepdims=True), np.zeros(len(some), dtype=np.int32)
    uniform = rng.random((times, 1 + (K - 1) * (2 + int(np.log(K)))))
    codes = kmeans_partition(np.ascontiguousarray(some, dtype=np.float64), None, K, uniform, STEPS)
    return cluster_moments(some, codes, K, "diag")[0], codes


def state_clusters(rows: Array, K: int, transition: Array | None, rng: np.random.Generator) -> tuple[Array, Codes]:
    """Centres (K, d) of clusters, one for each state, and the state whose centre is nearest to each row, (n,).

    Where transitions (K, K) are given, states are the clusters that suit them.
    """
    centre = cluster_centres(rows, K, rng)
    codes = CentroidDensity(centre).nearest(rows)
    if transition is None:
        return centre, codes
    order = suited(codes, transition)
    return np.ascontiguousarray(centre[order]), np.argsort(order).astype(np.int32)[codes]


def cluster_transitions(codes: Codes, K: int, lengths: NDArray[np.int64]) -> Array:
    """Probabilities of transitions between clusters of rows in their order, with one more of each, (K, K)."""
    ends = np.cumsum(lengths)
    counts = 1.0 + _pairs(codes, K, ends[(ends > 0) & (ends < len(codes))] - 1)
    return counts / counts.sum(axis=1, keepdims=True)


def _pairs(codes: Codes, K: int, apart: Any = ()) -> Array:
    """How often each cluster follows each; `apart` are the rows that none follows."""
    pairs = codes[:-1].astype(np.int64) * K + codes[1:]
    if len(apart):
        pairs = np.delete(pairs, apart)
    return np.bincount(pairs, minlength=K * K).reshape(K, K).astype(np.float64)


def cluster_moments(rows: Array, codes: Codes, K: int, shape: str, shared: int = 1) -> tuple[Array, Array]:
    """Means (K, d) of clusters, and their covariances: variances or matrices, one for each `shared` clusters together.

    Each covariance has that of all rows with the weight of one row, so that few or equal rows have one too. A cluster
    without rows has the mean of all.
    """
    found: Any = Gaussian(shape, estimate="ml").observe(rows, Labels(codes, groups=K))
    weight, middle = np.bincount(codes, minlength=K).astype(np.float64), rows.mean(axis=0)
    mean = np.where(weight[:, None] > 0, found.mean, middle)
    own, off = np.where(weight.reshape(-1, *(1,) * (found.scatter.ndim - 1)) > 0, found.scatter, 0.0), mean - middle
    between = weight @ off**2 if own.ndim == 2 else np.einsum("k,ki,kj->ij", weight, off, off)
    total = (own.sum(axis=0) + between) / max(len(rows) - 1, 1)
    own, weight = own.reshape(-1, shared, *total.shape).sum(axis=1), weight.reshape(-1, shared).sum(axis=1)
    return mean, (own + total) / (1.0 + weight.reshape(-1, *(1,) * total.ndim))


def centres_within(rows: Array, centre: Array, codes: Codes, M: int, spread: Array, rng: np.random.Generator) -> Array:
    """Centres (K, M, d): of the clusters within the cluster of each state.

    A cluster of fewer than M rows has M points drawn about the centre of all, as in hmmlearn.
    """
    middle, parts = centre.mean(axis=0), [rows[codes == k] for k in range(len(centre))]
    return np.stack(
        [
            cluster_centres(own, M, rng) if len(own) >= M else rng.multivariate_normal(middle, spread, size=M)
            for own in parts
        ]
    )


def nearest_within(rows: Array, centre: Array, codes: Codes) -> Codes:
    """The nearest centre of the own cluster of each row, of centres (K, M, d), counted from 0 to K M - 1."""
    found, M = np.empty(len(rows), dtype=np.int32), centre.shape[1]
    for k, own in enumerate(centre):
        inside = codes == k
        found[inside] = k * M + CentroidDensity(np.ascontiguousarray(own)).nearest(np.ascontiguousarray(rows[inside]))
    return found


def suited(codes: Codes, transition: Array) -> NDArray[np.intp]:
    """Which cluster each state should be, so that the transitions drawn for the states suit the order of the rows.

    The log-likelihood of the clusters' transitions, ``sum_ij C_ij log A_(s(i), s(j))`` for states s, rises by swaps of
    two clusters until none helps. Transitions are drawn at random, as in hmmlearn; clusters have no order that would
    matter, and EM gains much where likely transitions are those that happen.

    Parameters
    ----------
    codes : clusters of the rows, in their order, (n,)
    transition : array of shape (K, K)
    """
    K = len(transition)
    pairs = _pairs(codes, K)
    logs = np.log(np.maximum(transition, TINY))
    order = np.arange(K)  # the cluster of each state

    def worth(i: int, j: int) -> float:
        """Terms of the states i and j, those of both once."""
        own = pairs[np.ix_(order, order[[i, j]])] * logs[:, [i, j]], pairs[np.ix_(order[[i, j]], order)] * logs[[i, j]]
        return float(own[0].sum() + own[1].sum() - own[1][:, [i, j]].sum())

    for _ in range(SWEEPS):
        moved = False
        for i in range(K):
            for j in range(i):
                before = worth(i, j)
                order[[i, j]] = order[[j, i]]
                if worth(i, j) > before + 1e-9 * abs(before):
                    moved = True
                else:
                    order[[i, j]] = order[[j, i]]
        if not moved:
            break
    return order
