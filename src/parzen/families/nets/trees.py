"""Trees of Chow and Liu: the spanning tree of highest mutual information, also within classes (TAN)."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array


def chow_liu(
    information: Array, sizes: tuple[int, ...], root: int | None, leave_out: int | None = None
) -> list[list[int]]:
    """Parents of each node in the tree of highest information, directed away from the root.

    Categories come first and numbers are joined to them, so that no category depends on a number.
    """
    d = len(sizes)
    parents: list[list[int]] = [[] for _ in range(d)]
    left = [node for node in range(d) if node != leave_out]
    stages = [[node for node in left if sizes[node]], [node for node in left if not sizes[node]]]
    inside: list[int] = []
    for stage in stages:
        waiting = set(stage)
        if not waiting:
            continue
        if not inside:
            first = root if root in waiting else min(waiting)
            inside.append(first)
            waiting.discard(first)
        gain = np.full(d, -np.inf)  # of the best edge from inside to each node that waits, and where it comes from
        source = np.zeros(d, dtype=np.intp)
        outside = np.zeros(d, dtype=bool)
        outside[list(waiting)] = True
        for one in sorted(inside):
            _offer(information, one, outside, gain, source)
        while outside.any():
            node = int(np.argmax(np.where(outside, gain, -np.inf)))
            parents[node] = [int(source[node])]
            outside[node] = False
            inside.append(node)
            _offer(information, node, outside, gain, source)
    return parents


def _offer(information: Array, one: int, outside: NDArray[np.bool_], gain: Array, source: NDArray[np.intp]) -> None:
    """Let a node be the source of every node outside to which it has the best edge; of equal ones, the first node."""
    own = information[one]
    better = outside & ((own > gain) | ((own == gain) & (one < source)))
    gain[better], source[better] = own[better], one
