"""Trees of Chow and Liu: the spanning tree of highest mutual information, also within classes (TAN)."""

import numpy as np

from parzen.compute.arrays import Array
from parzen.families.nets.scores import Scores


def mutual_information(scores: Scores, given: int | None = None) -> Array:
    """Information between each two columns, in nats a row, (d, d); given a third column where there is one."""
    d = len(scores.sizes)
    found = np.zeros((d, d))
    context = frozenset() if given is None else frozenset({given})
    for node in range(d):
        if node == given:
            continue
        alone = scores.of(node, context)
        # A category does not depend on a number here; the other way round says the same.
        candidates = [
            one for one in range(d) if one not in (node, given) and (scores.sizes[one] or not scores.sizes[node])
        ]
        if candidates:
            found[candidates, node] = scores.additions(node, context, candidates) - alone
    return np.maximum(found, found.T) / max(scores.n, 1e-300)


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
        gain = {node: max((float(information[one, node]), -one) for one in inside) for node in waiting}
        while waiting:
            node = max(waiting, key=lambda one: (gain[one][0], -one))
            parents[node] = [-gain[node][1]]
            waiting.discard(node)
            inside.append(node)
            for other in waiting:
                gain[other] = max(gain[other], (float(information[node, other]), -node))
    return parents
