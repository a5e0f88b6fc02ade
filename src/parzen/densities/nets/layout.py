"""Where the nodes of a graph are drawn: in layers from the causes down, with few edges that cross."""

from collections.abc import Sequence

import numpy as np

from parzen.compute.arrays import Array
from parzen.densities.nets.graph import Graph


def layered(graph: Graph, widths: Sequence[float]) -> Array:
    """Positions (d, 2) of the nodes: x as wide as their labels ask for, y minus the layer (Sugiyama 1981)."""
    layer = np.zeros(len(graph), dtype=int)
    for node in graph.order:
        layer[node] = max((layer[one] + 1 for one in graph.parents[node]), default=0)
    for node in reversed(graph.order):  # a root stands right above its first child
        if not graph.parents[node] and graph.children[node]:
            layer[node] = min(layer[one] for one in graph.children[node]) - 1
    rows = [[node for node in graph.order if layer[node] == at] for at in range(layer.max(initial=0) + 1)]
    place = np.zeros(len(graph))
    for row in rows:
        _spread(row, place, widths)
    for turn in range(24):
        down = turn % 2 == 0
        neighbours = graph.parents if down else graph.children
        for row in rows if down else reversed(rows):
            wish = {node: float(np.mean(place[list(neighbours[node]) or [node]])) for node in row}
            row.sort(key=lambda node: wish[node])
            _spread(row, place, widths, wish)
    return np.column_stack([place - place.mean(), -layer]).astype(np.float64)


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
