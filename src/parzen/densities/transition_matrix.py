"""Transition matrices: which states lead to which, where a chain ends up, and how long that takes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from parzen.compute import checks
from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Structure:
    """What a chain is made of.

    Attributes
    ----------
    classes : tuple of tuples of int
        States that lead to each other, recurrent classes first.
    recurrent : tuple of bool
        Whether a class is never left.
    periods : tuple of int
        Of each class: it is met again after multiples of so many steps only; 0 where a state is never met again.
    """

    classes: tuple[tuple[int, ...], ...]
    recurrent: tuple[bool, ...]
    periods: tuple[int, ...]

    @property
    def absorbing(self) -> tuple[int, ...]:
        """States that are never left."""
        return tuple(
            one[0] for one, closed in zip(self.classes, self.recurrent, strict=True) if closed and len(one) == 1
        )

    @property
    def irreducible(self) -> bool:
        """Whether every state leads to every other."""
        return len(self.classes) == 1

    @property
    def ergodic(self) -> bool:
        """Whether the chain forgets where it began: one recurrent class, without a period."""
        return sum(self.recurrent) == 1 and self.periods[0] == 1

    def text(self, names: NDArray[np.object_] | list[object]) -> str:
        """The classes in words."""
        said = []
        for states, closed, period in zip(self.classes, self.recurrent, self.periods, strict=True):
            inside = ", ".join(str(names[state]) for state in states[:8]) + (", ..." if len(states) > 8 else "")
            kind = "transient" if not closed else "absorbing" if len(states) == 1 else "recurrent"
            said.append(f"{{{inside}}} {kind}" + (f" with period {period}" if closed and period > 1 else ""))
        return "; ".join(said)


def structure(P: Array) -> Structure:
    """Classes of a transition matrix (S, S), their kinds and periods.

    Examples
    --------
    >>> import numpy as np
    >>> found = structure(np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    >>> found.classes, found.recurrent, found.periods
    (((1, 2), (0,)), (True, False), (2, 1))
    """
    graph = sparse.csr_array(P > 0)
    count, label = connected_components(graph, directed=True, connection="strong")
    found = []
    for k in range(count):
        states = np.flatnonzero(label == k)
        closed = not (P[np.ix_(states, label != k)] > 0).any()
        found.append((tuple(int(state) for state in states), bool(closed), _period(graph, states)))
    found.sort(key=lambda one: (not one[1], one[0][0]))
    classes, recurrent, periods = zip(*found, strict=True)
    return Structure(classes, recurrent, periods)


def _period(graph: sparse.csr_array, states: NDArray[np.intp]) -> int:
    """Greatest common divisor of the lengths of all ways from a state of a class back to it."""
    inside = sparse.csr_array(graph[states][:, states])
    order, before = breadth_first_order(inside, 0, directed=True)
    depth = np.zeros(len(states), dtype=np.int64)
    for node in order[1:]:
        depth[node] = depth[before[node]] + 1
    rows, columns = inside.nonzero()
    return int(np.gcd.reduce(np.abs(depth[rows] + 1 - depth[columns]))) if len(rows) else 0


def probabilities(given: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Probabilities along the last axis, or an error that names them; divided by their sums, which may be rounded."""
    P = checks.probabilities(given, shape, name)
    return P / P.sum(axis=-1, keepdims=True)


def stationary(P: Array) -> Array:
    """The distribution that a step leaves as it is, of a matrix with one recurrent class (S,).

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
        if share[k] > 1e100:  # as large as need be: only their shares count
            share[: k + 1] /= share[k]
    out = np.zeros(len(P))
    out[states] = share / share.sum()
    return out


def hitting(P: Array, targets: NDArray[np.intp]) -> tuple[Array, Array]:
    """Probability to ever meet one of the targets from each state, and the mean number of steps to it (inf without)."""
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
    open_ended[inside] = 0.0  # what comes after a target doesn't matter
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
    """What is gained on the way out of some states, if each visit of a state gains something: (I - Q)^-1 gain.

    By elimination of states, as in `stationary`: what leaves is summed, not taken from 1, so that nothing cancels.
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
    """Mean surprise of a step, in nats, of a chain in its stationary distribution."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(P > 0, -P * np.log(P), 0.0)
    return float(share @ terms.sum(axis=1))
