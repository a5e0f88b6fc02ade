"""Junction trees: an undirected graph triangulated by min-fill, its cliques joined so that a node's are connected."""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

#: Most bytes of all cliques together: of their tables, and of the maps from these to the nodes and messages.
MOST_BYTES = 2**31
#: Tables of so few cells are small enough: no other order of elimination is tried.
SMALL = 2048


def _one(size: int) -> int:
    return 1


def _log_size(size: int) -> int:
    return round(16 * math.log2(size))


def _size(size: int) -> int:
    return size


#: Orders of elimination that are tried: a new edge costs the product of what its nodes weigh; the seed breaks ties
#: (0: by size).
_RULES = ((_one, 0), (_log_size, 0), (_size, 0), *((_one, seed) for seed in range(1, 9)))


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

    def bytes(self, sizes: Sequence[int]) -> int:
        """Memory of the cliques: eight bytes for a cell, and four for each of its nodes and for two messages."""
        return sum(math.prod(sizes[one] for one in own) * (8 + 4 * (len(own) + 2)) for own in self.cliques)

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
    tree = _joined(_least(neighbours, sizes))
    if tree.bytes(sizes) > MOST_BYTES:
        _refuse(tree, sizes, names)
    return tree


def _least(neighbours: dict[int, set[int]], sizes: Sequence[int]) -> list[tuple[int, set[int]]]:
    """The order of elimination with the fewest cells: least fill first, and where tables are large other rules too."""
    found = _eliminate(neighbours, sizes, *_RULES[0], math.inf)
    for weight, seed in _RULES[1:]:
        if found.cells <= SMALL or not found.filled:
            break
        other = _eliminate(neighbours, sizes, weight, seed, found.cells)
        found = min(found, other, key=lambda one: one.cells)
    return found.order


@dataclass(frozen=True)
class _Elimination:
    """Nodes in an order of elimination, each with its neighbours then; cells of the tables; whether edges came in."""

    order: list[tuple[int, set[int]]]
    cells: float
    filled: bool


def _eliminate(
    neighbours: dict[int, set[int]],
    sizes: Sequence[int],
    weight: Callable[[int], int],
    seed: int,
    most: float,
) -> _Elimination:
    """The node of least fill first: an edge costs the product of its nodes' weights. Given up above `most` cells."""
    import random

    weights, logs = [weight(size) for size in sizes], [math.log(size) for size in sizes]
    neighbours = {node: set(own) for node, own in neighbours.items()}
    tie = random.Random(seed).random if seed else (lambda: 0.0)

    def cost(node: int) -> tuple[int, float, int]:
        around = neighbours[node]
        whole = sum(weights[a] for a in around) ** 2
        present = sum(weights[a] * (weights[a] + sum(weights[b] for b in neighbours[a] & around)) for a in around)
        return whole - present, tie() if seed else sum(logs[one] for one in (node, *around)), node

    current: dict[int, tuple[int, float, int]] = {}
    heap: list[tuple[int, float, int]] = []
    changed = set(neighbours)
    order: list[tuple[int, set[int]]] = []
    cells, filled = 0, False
    while (heap or changed) and cells < most:
        if changed and (not heap or heap[0][0]):  # nodes without fill go at once, whatever became of the others
            for other in changed:
                current[other] = cost(other)
                heapq.heappush(heap, current[other])
            changed.clear()
        entry = heapq.heappop(heap)
        node = entry[-1]
        if current.get(node) != entry:
            continue
        around = neighbours.pop(node)
        del current[node]
        cells += math.prod(sizes[other] for other in around) * sizes[node]
        order.append((node, around))
        for other in around:
            neighbours[other].discard(node)
            new = around - neighbours[other] - {other}
            if new:
                filled = True
                neighbours[other] |= new
                changed |= neighbours[other]
        changed |= around
        changed.discard(node)
    return _Elimination(order, cells, filled)


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


def _refuse(tree: JunctionTree, sizes: Sequence[int], names: Sequence[Any]) -> None:
    largest = max(tree.cliques, key=lambda own: math.prod(sizes[one] for one in own))
    nodes = sorted(largest, key=lambda node: -sizes[node])
    shown = ", ".join(f"{names[node]} ({sizes[node]})" for node in nodes[:8])
    more = "" if len(nodes) <= 8 else f" and {len(nodes) - 8} more"
    raise MemoryError(
        f"exact inference in this net needs {tree.bytes(sizes) / 2**30:,.1f} GiB: these nodes (and their states) "
        f"depend on each other in one clique: {shown}{more}; take edges away, or join states."
    )
