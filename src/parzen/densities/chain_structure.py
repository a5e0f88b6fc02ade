"""Communicating classes of a Markov chain: which states lead to which, recurrence and periods."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Structure:
    """Communicating classes of a Markov chain.

    Attributes
    ----------
    classes : tuple of tuples of int
        States that communicate, recurrent classes first.
    recurrent : tuple of bool
        Whether a class is never left.
    periods : tuple of int
        Period of each class; 0 of a state to which the chain never returns.
    """

    classes: tuple[tuple[int, ...], ...]
    recurrent: tuple[bool, ...]
    periods: tuple[int, ...]

    @property
    def absorbing(self) -> tuple[int, ...]:
        """Absorbing states: those that are never left."""
        return tuple(
            one[0] for one, closed in zip(self.classes, self.recurrent, strict=True) if closed and len(one) == 1
        )

    @property
    def irreducible(self) -> bool:
        """Whether every state leads to every other."""
        return len(self.classes) == 1

    @property
    def ergodic(self) -> bool:
        """Whether the chain converges to one stationary distribution: one recurrent class, of period 1."""
        return sum(self.recurrent) == 1 and self.periods[0] == 1

    def text(self, names: NDArray[np.object_] | list[object]) -> str:
        """The classes in words, with names of the states."""
        parts = []
        for states, closed, period in zip(self.classes, self.recurrent, self.periods, strict=True):
            inside = ", ".join(str(names[state]) for state in states[:8]) + (", ..." if len(states) > 8 else "")
            kind = "transient" if not closed else "absorbing" if len(states) == 1 else "recurrent"
            parts.append(f"{{{inside}}} {kind}" + (f" with period {period}" if closed and period > 1 else ""))
        return "; ".join(parts)


def structure(P: Array) -> Structure:
    """Communicating classes of a transition matrix (S, S), their kinds and periods.

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
    """Greatest common divisor of the lengths of all paths from a state of a class back to it."""
    inside = sparse.csr_array(graph[states][:, states])
    order, before = breadth_first_order(inside, 0, directed=True)
    depth = np.zeros(len(states), dtype=np.int64)
    for node in order[1:]:
        depth[node] = depth[before[node]] + 1
    rows, columns = inside.nonzero()
    return int(np.gcd.reduce(np.abs(depth[rows] + 1 - depth[columns]))) if len(rows) else 0
