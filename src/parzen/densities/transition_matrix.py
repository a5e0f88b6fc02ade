"""Transition matrices: stationary distributions, hitting probabilities and times, entropy rates."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from parzen.compute import checks
from parzen.compute.arrays import Array
from parzen.densities.chain_structure import structure


def stochastic(given: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Probabilities that sum to one along the last axis, checked and divided by their rounded sums."""
    P = checks.probabilities(given, shape, name)
    return P / P.sum(axis=-1, keepdims=True)


def stationary(P: Array) -> Array:
    """Stationary distribution (S,) of a transition matrix with one recurrent class.

    By elimination of states (Grassmann, Taksar and Heyman 1985), which subtracts nothing and so loses no digits.
    """
    found = structure(P)
    states = np.array(found.classes[0])
    A = P[np.ix_(states, states)].astype(np.float64)
    n = len(A)
    for k in range(n - 1, 0, -1):
        A[:k, k] /= A[k, :k].sum()
        A[:k, :k] += np.outer(A[:k, k], A[k, :k])
    share = np.ones(n)
    for k in range(1, n):
        share[k] = share[:k] @ A[:k, k]
        if share[k] > 1e100:  # only ratios matter: avoid overflow
            share[: k + 1] /= share[k]
    out = np.zeros(len(P))
    out[states] = share / share.sum()
    return out


def hitting(P: Array, targets: NDArray[np.intp]) -> tuple[Array, Array]:
    """Probability to ever reach a target from each state, and the expected number of steps (inf if not certain)."""
    S = len(P)
    inside = np.zeros(S, dtype=bool)
    inside[targets] = True
    graph = sparse.csr_array(P > 0)
    # States that can reach a target, and those that can't avoid it.
    back = sparse.csr_array(graph.T)
    can = inside.copy()
    for target in targets:
        can[breadth_first_order(back, int(target), directed=True, return_predecessors=False)] = True
    probability = np.where(inside, 1.0, 0.0)
    rest = np.flatnonzero(can & ~inside)
    if len(rest):
        probability[rest] = _gathered(P, rest, P[np.ix_(rest, np.flatnonzero(inside))].sum(axis=1))
    open_ended = P.copy()
    open_ended[inside] = 0.0  # steps after a target don't matter
    lost = ~can
    doomed = lost.copy()
    behind = sparse.csr_array((open_ended > 0).T)
    for state in np.flatnonzero(lost):
        doomed[breadth_first_order(behind, int(state), directed=True, return_predecessors=False)] = True
    steps = np.where(inside, 0.0, np.inf)
    sure = np.flatnonzero(can & ~inside & ~doomed)
    if len(sure):
        steps[sure] = _gathered(P, sure, np.ones(len(sure)))
        probability[sure] = 1.0
    return probability, steps


def _gathered(P: Array, states: NDArray[np.intp], gain: Array) -> Array:
    """Expected total gain before leaving some states, if each visit of a state gains something: (I - Q)^-1 gain.

    By elimination of states, as in `stationary`: probabilities of leaving are summed, not subtracted from 1.
    """
    A = P[np.ix_(states, states)].astype(np.float64)
    outside = np.ones(len(P), dtype=bool)
    outside[states] = False
    leave, gain = P[np.ix_(states, np.flatnonzero(outside))].sum(axis=1), gain.astype(np.float64)
    away = np.empty(len(A))
    for k in range(len(A) - 1, -1, -1):
        away[k] = A[k, :k].sum() + leave[k]
        through = A[:k, k] / away[k]
        A[:k, :k] += np.outer(through, A[k, :k])
        leave[:k] += through * leave[k]
        gain[:k] += through * gain[k]
    out = np.empty(len(A))
    for k in range(len(A)):
        out[k] = (gain[k] + A[k, :k] @ out[:k]) / away[k]
    return out


def entropy_rate(P: Array, share: Array) -> float:
    """Entropy rate, in nats per step, of a chain in its stationary distribution."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(P > 0, -P * np.log(P), 0.0)
    return float(share @ terms.sum(axis=1))
