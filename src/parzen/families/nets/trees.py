"""Trees of Chow and Liu: the spanning tree of highest mutual information, also within classes (TAN)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.families.nets.scores import Scores


def mutual_information(
    codes: NDArray[np.int32], cells: Array, sizes: tuple[int, ...], weights: Array | None, given: int | None = None
) -> Array:
    """Information between each two columns, in nats, summed over the rows in which both are known, (d, d).

    With `given`, within the states of that column. It is what an edge adds to the log-likelihood of the cells that are
    there: two columns that are rarely known together weigh little.
    """
    known = np.array([codes[:, j] >= 0 if size else ~np.isnan(cells[:, j]) for j, size in enumerate(sizes)])
    if given is not None:
        known &= known[given]
    # Columns that are known in the same rows are counted in one pass.
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    groups = [[j for j in np.flatnonzero(which == g).tolist() if j != given] for g in range(len(patterns))]
    context = [] if given is None else [given]
    found = np.zeros((len(sizes), len(sizes)))
    for first, one in enumerate(groups):
        for second, other in enumerate(groups[: first + 1]):
            columns = np.array([*one, *([] if first == second else other), *context], dtype=np.intp)
            rows = np.flatnonzero(patterns[first] & patterns[second])
            if not (one and other and len(rows)):
                continue
            scores = Scores(
                np.ascontiguousarray(codes[np.ix_(rows, columns)]),
                cells[np.ix_(rows, columns)],
                tuple(sizes[j] for j in columns),
                "log-likelihood",
                weights=None if weights is None else np.ascontiguousarray(weights[rows]),
            )
            left = range(len(one))
            right = left if first == second else range(len(one), len(one) + len(other))
            within = _gains(scores, left, right, len(context))
            if first != second:
                within = np.maximum(within, _gains(scores, right, left, len(context)))
            found[np.ix_(columns, columns)] = np.maximum(found[np.ix_(columns, columns)], within)
    return np.maximum(found, found.T)


def _gains(scores: Scores, nodes: Sequence[int], parents: Sequence[int], context: int) -> Array:
    """What a parent adds to the log-likelihood of each node, besides the last columns; a category needs a category."""
    d, sizes = len(scores.sizes), scores.sizes
    found = np.zeros((d, d))
    if not scores.n > 0:
        return found
    always = frozenset(range(d - context, d))
    for node in nodes:
        candidates = [one for one in parents if one != node and (sizes[one] or not sizes[node])]
        if candidates:
            found[candidates, node] = scores.additions(node, always, candidates) - scores.of(node, always)
    return found


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
