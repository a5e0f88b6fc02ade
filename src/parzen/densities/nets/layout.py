"""Where the nodes of a graph are drawn: in layers from the causes down, with few edges that cross."""

from collections.abc import Sequence

import numpy as np

from parzen.compute.arrays import Array
from parzen.densities.nets.graph import Graph

#: Space of an edge that passes a layer.
PASSING = 0.6


def layered(graph: Graph, widths: Sequence[float]) -> tuple[Array, dict[tuple[int, int], Array]]:
    """Positions (d, 2) of the nodes, and the bends (m, 2) of edges that pass layers (Sugiyama 1981).

    x is as wide as the labels ask for, y minus the layer. An edge that passes a layer has a place of its own there, so
    that it does not run through a node.
    """
    d, layer = len(graph), _layers(graph)
    above: list[list[int]] = [[] for _ in range(d)]  # in the layer before
    passing: dict[tuple[int, int], list[int]] = {}
    for parent, child in graph.edges:
        last = parent
        for at in range(layer[parent] + 1, layer[child]):
            passing.setdefault((parent, child), []).append(len(above))
            above.append([last])
            layer.append(at)
            last = len(above) - 1
        above[child].append(last)
    below: list[list[int]] = [[] for _ in above]
    for node, own in enumerate(above):
        for one in own:
            below[one].append(node)
    space = [*widths, *([PASSING] * (len(above) - d))]
    place = _across(layer, above, below, space)
    place -= place.mean()
    bends = {edge: np.array([(place[one], -layer[one]) for one in own]) for edge, own in passing.items()}
    return np.column_stack([place[:d], -np.array(layer[:d])]).astype(np.float64), bends


def _layers(graph: Graph) -> list[int]:
    """The layer of each node: below its parents; a root stands right above its first child."""
    layer = [0] * len(graph)
    for node in graph.order:
        layer[node] = max((layer[one] + 1 for one in graph.parents[node]), default=0)
    for node in reversed(graph.order):
        if not graph.parents[node] and graph.children[node]:
            layer[node] = min(layer[one] for one in graph.children[node]) - 1
    return layer


def _across(layer: list[int], above: list[list[int]], below: list[list[int]], space: Sequence[float]) -> Array:
    """Where nodes stand in their layers: by turns near the mean of those above and of those below them."""
    rows: list[list[int]] = [[] for _ in range(max(layer, default=0) + 1)]
    for node, at in enumerate(layer):
        rows[at].append(node)
    place = np.zeros(len(layer))
    for row in rows:
        _spread(row, place, space)
    for turn in range(24):
        down = turn % 2 == 0
        neighbours = above if down else below
        for row in rows if down else reversed(rows):
            wish = {node: float(np.mean(place[neighbours[node] or [node]])) for node in row}
            row.sort(key=lambda node: wish[node])
            _spread(row, place, space, wish)
    return place


def _spread(row: list[int], place: Array, widths: Sequence[float], wish: dict[int, float] | None = None) -> None:
    """Put nodes side by side in their order, each as near to its wish as its neighbours allow."""
    if not row:
        return
    need = np.array([widths[node] for node in row])
    ends = np.concatenate([[0.0], np.cumsum(0.5 * (need[1:] + need[:-1]))])
    if wish is None:
        place[row] = ends - ends.mean()
        return
    # Least squares under an order: positions less their least distances are a monotone regression of the wishes.
    place[row] = _monotone(np.array([wish[node] for node in row]) - ends) + ends


def _monotone(values: Array) -> Array:
    """The rising sequence nearest to some values (pool adjacent violators)."""
    blocks: list[tuple[float, int]] = []
    for value in values.tolist():
        blocks.append((value, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [((m * a + n * b) / (m + n), m + n)]
    return np.concatenate([np.full(n, value) for value, n in blocks])
