"""Junction trees: an undirected graph triangulated by min-fill, its cliques joined so that a node's are connected."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

#: Most cells of all clique tables together: 2^27 are one gibibyte.
MOST_CELLS = 2**27


@dataclass(frozen=True)
class JunctionTree:
    """Cliques of a triangulated graph. Every one but the roots has a parent, which comes after it.

    Attributes
    ----------
    cliques : tuple of tuples of int
        Nodes of each clique, in ascending order.
    parent : tuple of int
        Position of each clique's parent; -1 for a root.
    """

    cliques: tuple[tuple[int, ...], ...]
    parent: tuple[int, ...]

    def separator(self, clique: int) -> tuple[int, ...]:
        """Nodes that a clique shares with its parent."""
        if self.parent[clique] < 0:
            return ()
        other = set(self.cliques[self.parent[clique]])
        return tuple(node for node in self.cliques[clique] if node in other)

    def rooted(self, root: int) -> "JunctionTree":
        """The same tree with another clique as the root of its part; parents still come after their children."""
        neighbours: list[list[int]] = [[] for _ in self.cliques]
        for clique, parent in enumerate(self.parent):
            if parent >= 0:
                neighbours[clique].append(parent)
                neighbours[parent].append(clique)
        order, above = [], [-1] * len(self.cliques)
        seen: set[int] = set()
        for first in [root, *reversed(range(len(self.cliques)))]:
            waiting = [] if first in seen else [first]
            seen.update(waiting)
            while waiting:
                clique = waiting.pop()
                order.append(clique)
                for other in neighbours[clique]:
                    if other not in seen:
                        seen.add(other)
                        above[other] = clique
                        waiting.append(other)
        order.reverse()
        place = {clique: at for at, clique in enumerate(order)}
        parents = tuple(-1 if above[clique] < 0 else place[above[clique]] for clique in order)
        return JunctionTree(tuple(self.cliques[clique] for clique in order), parents)

    @cached_property
    def holding(self) -> dict[int, list[int]]:
        """Cliques that hold each node."""
        found: dict[int, list[int]] = {}
        for at, clique in enumerate(self.cliques):
            for node in clique:
                found.setdefault(node, []).append(at)
        return found

    def home(self, nodes: Sequence[int], sizes: Sequence[int]) -> int:
        """The smallest clique that holds all of some nodes; of none, the first."""
        if not nodes:
            return 0
        rarest = min(nodes, key=lambda node: len(self.holding[node]))
        fitting = [at for at in self.holding[rarest] if set(nodes).issubset(self.cliques[at])]
        return min(fitting, key=lambda at: math.prod(sizes[node] for node in self.cliques[at]))


def junction_tree(scopes: Sequence[Sequence[int]], sizes: Sequence[int], names: Sequence[Any]) -> JunctionTree:
    """A junction tree in which each scope lies within a clique.

    Parameters
    ----------
    scopes : nodes of each factor
    sizes : number of states of each node
    names : what the nodes are called, for the error where the tables would be too large
    """
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for node in scope:
            neighbours.setdefault(node, set()).update(scope)
    for node, own in neighbours.items():
        own.discard(node)
    eliminated = _eliminate(neighbours, sizes, names)
    return _joined(eliminated)


def _eliminate(
    neighbours: dict[int, set[int]], sizes: Sequence[int], names: Sequence[Any]
) -> list[tuple[int, set[int]]]:
    """Nodes in the order of elimination, each with its neighbours then; those with the least fill first (min-fill)."""

    def cost(node: int) -> tuple[int, float, int]:
        around = neighbours[node]
        present = sum(len(neighbours[other] & around) for other in around) // 2
        weight = sum(math.log(sizes[other]) for other in around)
        return len(around) * (len(around) - 1) // 2 - present, weight, node

    current = {node: cost(node) for node in neighbours}
    heap = list(current.values())
    heapq.heapify(heap)
    order: list[tuple[int, set[int]]] = []
    cells = 0
    while heap:
        entry = heapq.heappop(heap)
        node = entry[-1]
        if current.get(node) != entry:
            continue
        around = neighbours.pop(node)
        del current[node]
        cells += math.prod(sizes[other] for other in around) * sizes[node]
        if cells > MOST_CELLS:
            _refuse(cells, [node, *around], sizes, names)
        changed = set(around)
        for other in around:
            neighbours[other].discard(node)
            new = around - neighbours[other] - {other}
            if new:
                neighbours[other] |= new
                changed |= neighbours[other]
        for other in changed:
            fresh = cost(other)
            if fresh != current[other]:
                current[other] = fresh
                heapq.heappush(heap, fresh)
        order.append((node, around))
    return order


def _joined(eliminated: list[tuple[int, set[int]]]) -> JunctionTree:
    """Maximal cliques and their tree, from the neighbours that each node had when it was eliminated."""
    turn = {node: at for at, (node, _) in enumerate(eliminated)}
    above = [min((turn[other] for other in around), default=-1) for _, around in eliminated]
    cliques = [{node, *around} for node, around in eliminated]
    within = list(range(len(cliques)))  # the clique that each one is part of
    for at in reversed(range(len(cliques))):  # parents first
        up = above[at]
        if up >= 0 and cliques[within[up]] <= cliques[at]:
            within[at] = within[up]
            cliques[within[up]] = cliques[at]  # the larger one takes the place of its parent
    kept = [at for at in range(len(cliques)) if within[at] == at]
    place = {at: position for position, at in enumerate(kept)}
    parent = tuple(-1 if above[at] < 0 else place[within[above[at]]] for at in kept)
    return JunctionTree(tuple(tuple(sorted(cliques[at])) for at in kept), parent)


def _refuse(cells: int, nodes: list[int], sizes: Sequence[int], names: Sequence[Any]) -> None:
    shown = ", ".join(f"{names[node]} ({sizes[node]})" for node in sorted(nodes, key=lambda node: -sizes[node])[:8])
    more = "" if len(nodes) <= 8 else f" and {len(nodes) - 8} more"
    raise MemoryError(
        f"exact inference in this net needs tables of at least {8 * cells / 2**30:,.1f} GiB: these nodes (and their "
        f"states) depend on each other in one clique: {shown}{more}; take edges away, or join states."
    )
