"""Where EM begins for states with means: k-means, several times on a sample of the rows, then on all of them."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.families.kmeans import CentroidDensity
from parzen.families.lloyd import Assignment, lloyd
from parzen.families.seeding import plus_plus

#: Times that k-means is begun (as often as hmmlearn does), and on how many rows at most; more for many states.
TIMES, SAMPLE, EACH = 10, 2048, 128
#: Steps after which all but the best few are given up; how many go on, and for how many steps; steps on all rows.
FEW, BEST, STEPS, MORE = 3, 3, 30, 10
#: Least probability of a transition that is drawn, where clusters are compared with it.
TINY = 1e-12
#: Sweeps over all pairs of states that may be swapped.
SWEEPS = 4


def cluster_centres(rows: Array, K: int, rng: np.random.Generator) -> Array:
    """Centres (K, d) of rows without missing cells, by k-means: the best of several starts.

    Of many rows a sample decides between the starts: which clusters there are shows in a hundred rows of each, and EM
    moves the means afterwards.
    """
    if K == 1:
        return rows.mean(axis=0, keepdims=True)
    most = max(SAMPLE, EACH * K)
    some = rows if len(rows) <= most else rows[np.sort(rng.choice(len(rows), most, replace=False))]
    begun = [lloyd(some, None, plus_plus(some, None, K, rng), FEW).found for _ in range(TIMES)]
    few = sorted(begun, key=_inertia)[:BEST]
    best = min((lloyd(some, None, one.centre, STEPS).found for one in few), key=_inertia)
    if len(some) < len(rows):
        best = lloyd(rows, None, best.centre, MORE).found
    return np.asarray(best.centre, dtype=np.float64)


def _inertia(found: Assignment) -> float:
    return found.inertia


def state_clusters(
    rows: Array, K: int, transition: Array | None, rng: np.random.Generator
) -> tuple[Array, NDArray[np.int32]]:
    """Centres (K, d) of clusters, one for each state, and the state whose centre is nearest to each row, (n,).

    Where transitions (K, K) are given, states are the clusters that suit them.
    """
    centre = cluster_centres(rows, K, rng)
    codes = CentroidDensity(centre).nearest(rows)
    if transition is None:
        return centre, codes
    order = suited(codes, transition)
    return np.ascontiguousarray(centre[order]), np.argsort(order).astype(np.int32)[codes]


def cluster_transitions(codes: NDArray[np.int32], K: int) -> Array:
    """Probabilities of transitions between clusters of rows in their order, with one more of each, (K, K)."""
    counts = 1.0 + _pairs(codes, K)
    return counts / counts.sum(axis=1, keepdims=True)


def _pairs(codes: NDArray[np.int32], K: int) -> Array:
    """How often each cluster follows each."""
    return np.bincount(codes[:-1].astype(np.int64) * K + codes[1:], minlength=K * K).reshape(K, K).astype(np.float64)


def centres_within(
    rows: Array, centre: Array, codes: NDArray[np.int32], M: int, spread: Array, rng: np.random.Generator
) -> Array:
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


def suited(codes: NDArray[np.int32], transition: Array) -> NDArray[np.intp]:
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
