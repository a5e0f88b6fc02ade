"""Exact inference: factors over discrete nodes, compiled once into a program that runs for many rows of evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.junction import Program, cells_of, propagate
from parzen.densities.nets.junction_tree import JunctionTree, junction_tree


@dataclass(frozen=True)
class Network:
    """Discrete nodes and the scopes of factors over them.

    Attributes
    ----------
    sizes : states of each node
    scopes : nodes of each fixed factor, in the order of its table's dimensions
    extra : nodes of each factor that every row brings along
    names : what the nodes are called
    """

    sizes: tuple[int, ...]
    scopes: tuple[tuple[int, ...], ...]
    extra: tuple[tuple[int, ...], ...]
    names: tuple[Any, ...]
    _programs: dict[Any, tuple[JunctionTree, Program]] = field(default_factory=dict, compare=False, repr=False)
    _trees: list[JunctionTree] = field(default_factory=list, compare=False, repr=False)

    def program(self, outputs: tuple[tuple[int, ...], ...] = ()) -> tuple[JunctionTree, Program]:
        """The tree and its program; `outputs` are the scopes whose posteriors are wanted, within a factor's each."""
        if outputs not in self._programs:
            tree = self._tree()
            if outputs:
                tree = tree.rooted(tree.home(outputs[0], self.sizes))
            self._programs[outputs] = tree, _compiled(tree, self, outputs)
        return self._programs[outputs]

    def _tree(self) -> JunctionTree:
        if not self._trees:
            alone = tuple((node,) for node in range(len(self.sizes)))
            self._trees.append(junction_tree((*self.scopes, *self.extra, *alone), self.sizes, self.names))
        return self._trees[0]

    def base(self, tables: Sequence[Array], outputs: tuple[tuple[int, ...], ...] = ()) -> Array:
        """Fixed tables of the cliques, one after the other, from the tables of the factors."""
        tree, program = self.program(outputs)
        base = np.ones(int(program.cells[-1]))
        for scope, table in zip(self.scopes, tables, strict=True):
            home = tree.home(scope, self.sizes)
            own = base[program.cells[home] : program.cells[home + 1]]
            own *= table.ravel()[cells_of(scope, tree.cliques[home], self.sizes)]
        return base

    def posterior(
        self,
        tables: Sequence[Array],
        codes: NDArray[np.int32],
        factors: Array | None = None,
        outputs: tuple[tuple[int, ...], ...] = (),
        weights: Array | None = None,
        summed: bool = False,
    ) -> tuple[Array, list[Array]]:
        """Log-probability of each row's evidence, (n,), and the posterior of each output, (n, cells).

        With `summed`, weighted sums of the posteriors over the rows instead, (cells,).
        """
        return self.propagated(self.base(tables, outputs), codes, factors, outputs, weights, summed)

    def propagated(
        self,
        base: Array,
        codes: NDArray[np.int32],
        factors: Array | None = None,
        outputs: tuple[tuple[int, ...], ...] = (),
        weights: Array | None = None,
        summed: bool = False,
    ) -> tuple[Array, list[Array]]:
        """The same from the tables of the cliques."""
        _, program = self.program(outputs)
        factors = np.empty((len(codes), 0)) if factors is None else factors
        wanted = bool(outputs)
        found, marginals, counts = propagate(
            program, base, codes, factors, weights, wanted and not summed, wanted and summed
        )
        whole = marginals if counts is None else counts
        bounds = np.cumsum([_volume(scope, self.sizes) for scope in outputs])[:-1]
        return found, [] if whole is None else np.split(whole, bounds, axis=-1)


def _volume(scope: Sequence[int], sizes: Sequence[int]) -> int:
    return int(np.prod([sizes[node] for node in scope], dtype=np.int64))


def _compiled(tree: JunctionTree, net: Network, outputs: Sequence[tuple[int, ...]]) -> Program:
    """What the compiled routine reads."""
    sizes, C = net.sizes, len(tree.cliques)
    maps = _Maps(tree, sizes)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    slot = int(first[-1])
    incoming: list[list[tuple[int, int, int]]] = [[] for _ in range(C)]
    for node in range(len(sizes)):
        home = tree.home((node,), sizes)
        incoming[home].append((int(first[node]), maps.add(home, (node,)), -1))
    for scope in net.extra:
        home = tree.home(scope, sizes)
        incoming[home].append((slot, maps.add(home, scope), -1))
        slot += _volume(scope, sizes)
    extra = slot - int(first[-1])
    up = np.empty((3, C), dtype=np.int64)
    for clique, parent in enumerate(tree.parent):
        between = tree.separator(clique)
        up[:, clique] = slot, maps.add(clique, between), _volume(between, sizes)
        if parent >= 0:
            incoming[parent].append((slot, maps.add(parent, between), clique))
        slot += int(up[2, clique])
    asked: list[list[tuple[int, int, int]]] = [[] for _ in range(C)]
    out_slots = 0
    for scope in outputs:
        home = tree.home(scope, sizes)
        asked[home].append((out_slots, maps.add(home, scope), _volume(scope, sizes)))
        out_slots += asked[home][-1][2]
    needed = np.array([bool(own) for own in asked], dtype=np.uint8)
    for clique, parent in enumerate(tree.parent):
        if parent >= 0:
            needed[parent] |= needed[clique]
    flat = _columns(incoming)
    return Program(
        cells=_offsets([_volume(clique, sizes) for clique in tree.cliques]),
        inputs=_offsets([len(part) for part in incoming]),
        slot=flat[0],
        map=flat[1],
        child=flat[2],
        up=up,
        outputs=_offsets([len(part) for part in asked]),
        output=_columns(asked),
        needed=needed,
        maps=np.concatenate([np.empty(0, dtype=np.int32), *maps.parts]),
        states=first,
        extra=extra,
        slots=slot,
        out_slots=out_slots,
    )


class _Maps:
    """Maps from cells of cliques to cells of parts of them, one after the other."""

    def __init__(self, tree: JunctionTree, sizes: Sequence[int]) -> None:
        self.tree, self.sizes, self.length = tree, sizes, 0
        self.parts: list[NDArray[np.int32]] = []

    def add(self, clique: int, scope: Sequence[int]) -> int:
        """Where the map of a scope within a clique begins."""
        begin = self.length
        self.parts.append(cells_of(scope, self.tree.cliques[clique], self.sizes))
        self.length += len(self.parts[-1])
        return begin


def _offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)


def _columns(rows: Sequence[Sequence[tuple[int, int, int]]]) -> NDArray[np.int64]:
    """Triples of all cliques as three arrays, one after the other."""
    flat = [triple for part in rows for triple in part]
    return np.ascontiguousarray(np.array(flat, dtype=np.int64).reshape(-1, 3).T)
