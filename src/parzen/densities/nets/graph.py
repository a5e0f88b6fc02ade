"""Directed acyclic graphs over the columns of a table."""

import math
import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

#: Most cells of the table of a node given its parents: 2^27 are one gibibyte.
MOST_CELLS = 2**27


@dataclass(frozen=True)
class Graph:
    """A directed graph without cycles, whose nodes are 0, 1, ....

    Attributes
    ----------
    parents : tuple of tuples of int
        Parents of each node, in ascending order.

    Examples
    --------
    >>> sprinkler = Graph.of(4, [(0, 1), (0, 2), (1, 3), (2, 3)])
    >>> sprinkler.parents
    ((), (0,), (0,), (1, 2))
    >>> sprinkler.d_separated([1], [2], [0]), sprinkler.d_separated([1], [2], [0, 3])
    (True, False)
    """

    parents: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, size: int, edges: Iterable[tuple[int, int]], names: Sequence[Any] | None = None) -> "Graph":
        """The graph of edges (parent, child); an error names the nodes of a cycle."""
        parents: list[set[int]] = [set() for _ in range(size)]
        for parent, child in edges:
            parents[child].add(parent)
        graph = cls(tuple(tuple(sorted(own)) for own in parents))
        if len(graph.order) < size:
            around = graph._cycle()
            path = " -> ".join(str(node if names is None else names[node]) for node in around)
            raise ValueError(f"the edges go round in a cycle: {path}; a Bayes net has none: take one of them away.")
        return graph

    def check_tables(self, sizes: Sequence[int], names: Sequence[Any] | None = None) -> None:
        """Raise where the table of a node given its parents would fill memory; sizes are 0 for numbers."""
        for node, own in enumerate(self.parents):
            cells = math.prod(max(sizes[one], 1) for one in (node, *own))
            if cells > MOST_CELLS:
                called = range(len(self)) if names is None else names
                shown = ", ".join(f"{called[one]} ({sizes[one]})" for one in own[:8] if sizes[one])
                more = "" if len(own) <= 8 else f" and {len(own) - 8} more"
                raise MemoryError(
                    f"{called[node]!r} given its parents has {cells:,} cells, which take {8 * cells / 2**30:,.1f} GiB: "
                    f"its parents (and their states) are {shown}{more}; take edges away, or join states."
                )

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs (parent, child)."""
        return [(parent, child) for child, own in enumerate(self.parents) for parent in own]

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of each node, in ascending order."""
        found: list[list[int]] = [[] for _ in self.parents]
        for parent, child in self.edges:
            found[parent].append(child)
        return tuple(map(tuple, found))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes, parents before children; of a graph with a cycle, those that lead into none."""
        waiting = [len(own) for own in self.parents]
        ready = deque(node for node, left in enumerate(waiting) if not left)
        found = []
        while ready:
            node = ready.popleft()
            found.append(node)
            for child in self.children[node]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready.append(child)
        return tuple(found)

    def family(self, node: int) -> tuple[int, ...]:
        """Parents of a node and the node itself, last."""
        return (*self.parents[node], node)

    def ancestors(self, nodes: Iterable[int]) -> set[int]:
        """The nodes, and all from which a path leads to one of them."""
        return _reached(nodes, self.parents)

    def descendants(self, nodes: Iterable[int]) -> set[int]:
        """The nodes, and all to which a path leads from one of them."""
        return _reached(nodes, self.children)

    def markov_blanket(self, node: int) -> set[int]:
        """Parents, children, and parents of children: given these, a node is independent of all others."""
        spouses = (parent for child in self.children[node] for parent in self.parents[child])
        return {*self.parents[node], *self.children[node], *spouses} - {node}

    def d_separated(self, a: Iterable[int], b: Iterable[int], given: Iterable[int] = ()) -> bool:
        """Whether no path between two sets of nodes is open given a third (Bayes ball)."""
        given = set(given)
        opened = self.ancestors(given)  # a collider passes where it, or a descendant of it, is given
        waiting = deque((node, True) for node in a)  # a node, and whether it is reached from a child
        seen: set[tuple[int, bool]] = set()
        goal = set(b) - given
        while waiting:
            node, upward = waiting.popleft()
            if (node, upward) in seen:
                continue
            seen.add((node, upward))
            if node in goal:
                return False
            if node not in given:
                waiting.extend((child, False) for child in self.children[node])
            if (upward and node not in given) or (not upward and node in opened):
                waiting.extend((parent, True) for parent in self.parents[node])
        return True

    def without_parents(self, nodes: Iterable[int]) -> "Graph":
        """The graph without the edges into some nodes: what an intervention leaves."""
        cut = set(nodes)
        return Graph(tuple(() if node in cut else own for node, own in enumerate(self.parents)))

    def _cycle(self) -> list[int]:
        """Nodes of a cycle, the first one again at the end."""
        left = set(range(len(self))) - set(self.order)
        node, seen = min(left), []
        while node not in seen:
            seen.append(node)
            node = next(parent for parent in self.parents[node] if parent in left)
        return [node, *reversed(seen[seen.index(node) :])]


def _reached(nodes: Iterable[int], steps: Sequence[Sequence[int]]) -> set[int]:
    found, waiting = set(nodes), list(nodes)
    while waiting:
        for other in steps[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def read_edges(edges: Any) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Edges (parent, child) and nodes without one, from pairs or from a text such as ``"rain -> wet <- sprinkler"``.

    Chains in a text are separated by commas, semicolons or line ends.

    Examples
    --------
    >>> read_edges("rain -> wet <- sprinkler; wet -> slippery; moon")
    ([('rain', 'wet'), ('sprinkler', 'wet'), ('wet', 'slippery')], ['moon'])
    """
    if not isinstance(edges, str):
        pairs = [tuple(pair) if isinstance(pair, Iterable) and not isinstance(pair, str) else (pair,) for pair in edges]
        for pair in pairs:
            if len(pair) != 2:
                raise ValueError(f"an edge is a pair (parent, child), got {pair!r}.")
        return pairs, []
    found: list[tuple[Any, Any]] = []
    alone: list[Any] = []
    for chain in filter(None, (part.strip() for part in re.split(r"[,;\n]", edges))):
        parts = [part.strip() for part in re.split(r"(->|<-)", chain)]
        nodes, arrows = parts[::2], parts[1::2]
        if not all(nodes):
            raise ValueError(f"edges has an arrow without a node in {chain!r}; write 'a -> b' or 'a <- b'.")
        if not arrows:
            alone.append(nodes[0])
        for left, arrow, right in zip(nodes, arrows, nodes[1:], strict=False):
            found.append((left, right) if arrow == "->" else (right, left))
    return found, alone
