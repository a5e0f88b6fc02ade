"""Trees of Chow and Liu: the spanning tree of highest mutual information, also within classes (TAN)."""

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
        gain = {node: max((float(information[one, node]), -one) for one in inside) for node in waiting}
        while waiting:
            node = max(waiting, key=lambda one: (gain[one][0], -one))
            parents[node] = [-gain[node][1]]
            waiting.discard(node)
            inside.append(node)
            for other in waiting:
                gain[other] = max(gain[other], (float(information[node, other]), -node))
    return parents
