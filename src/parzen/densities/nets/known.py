"""Inference for rows in which the same nodes are known: the network without these nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.nets.linear_gaussian import configuration
from parzen.densities.nets.propagation import Network


@dataclass(frozen=True)
class Sliced:
    """A factor whose known nodes choose a part of its table, in each row another.

    Attributes
    ----------
    known : its known nodes
    parts : array of shape (configurations of the known nodes, cells of the others)
    """

    known: tuple[int, ...]
    parts: Array


@dataclass(frozen=True)
class KnownPattern:
    """The network of the nodes that are not known, with factors that every row brings along.

    Attributes
    ----------
    sizes : states of all nodes
    network : of the nodes that are left, numbered anew
    tables : of its fixed factors
    sliced : for each of its extra scopes, the factors that it is a product of
    scalars : factors of which nothing is left but a number in each row
    target : scope of the posterior
    """

    sizes: tuple[int, ...]
    network: Network
    tables: tuple[Array, ...]
    sliced: tuple[tuple[Sliced, ...], ...]
    scalars: tuple[Sliced, ...]
    target: tuple[int, ...]

    @classmethod
    def of(
        cls, whole: Network, tables: Sequence[Array], known: NDArray[np.bool_], target: Sequence[int]
    ) -> "KnownPattern":
        """Of a network in which each factor is that of one node given its parents, or a table of ones.

        Nodes that are neither known nor asked for, nor above one that is, sum to one and are left out.
        """
        needed = _needed(whole, known, target)
        left = [node for node in range(len(whole.sizes)) if needed[node] and not known[node]]
        place = {node: at for at, node in enumerate(left)}
        scopes: list[tuple[int, ...]] = [tuple(place[node] for node in target)]
        fixed: list[Array] = [np.ones([whole.sizes[node] for node in target])]
        rows: dict[tuple[int, ...], list[Sliced]] = {}
        for scope, table in zip(whole.scopes, tables, strict=True):
            if not all(needed[node] for node in scope):
                continue
            rest = [at for at, node in enumerate(scope) if not known[node]]
            seen = [at for at, node in enumerate(scope) if known[node]]
            own = tuple(place[scope[at]] for at in rest)
            if not seen:
                scopes.append(own)
                fixed.append(table)
                continue
            cells = int(np.prod([table.shape[at] for at in rest], dtype=np.int64))
            parts = np.ascontiguousarray(table.transpose([*seen, *rest]).reshape(-1, cells))
            rows.setdefault(own, []).append(Sliced(tuple(scope[at] for at in seen), parts))
        scalars = tuple(rows.pop((), ()))
        sizes = tuple(whole.sizes[node] for node in left)
        names: tuple[Any, ...] = tuple(whole.names[node] for node in left)
        network = Network(sizes, tuple(scopes), tuple(rows), names)
        return cls(whole.sizes, network, tuple(fixed), tuple(map(tuple, rows.values())), scalars, scopes[0])

    @cached_property
    def _base(self) -> Array:
        return self.network.base(self.tables, (self.target,))

    def posterior(self, codes: NDArray[np.int32]) -> tuple[Array, Array]:
        """Log-probability of each row's evidence, (n,), and the posterior of the target, (n, cells)."""
        parts = [_product(own, codes, self.sizes) for own in self.sliced]
        factors = np.ascontiguousarray(np.concatenate([np.empty((len(codes), 0)), *parts], axis=1))
        nothing = np.full((len(codes), len(self.network.sizes)), -1, dtype=np.int32)
        found, (shares,) = self.network.propagated(self._base, nothing, factors, (self.target,))
        with np.errstate(divide="ignore"):
            for own in self.scalars:
                found = found + np.log(own.parts)[configuration(codes, own.known, self.sizes), 0]
        return found, shares


def _needed(whole: Network, known: NDArray[np.bool_], target: Sequence[int]) -> NDArray[np.bool_]:
    """Nodes that are known or asked for, and all above them."""
    parents = {scope[-1]: scope[:-1] for scope in whole.scopes}
    needed = np.zeros(len(whole.sizes), dtype=bool)
    waiting = [*np.flatnonzero(known).tolist(), *target]
    while waiting:
        node = waiting.pop()
        if not needed[node]:
            needed[node] = True
            waiting.extend(parents.get(node, ()))
    return needed


def _product(factors: Sequence[Sliced], codes: NDArray[np.int32], sizes: tuple[int, ...]) -> Array:
    found = [np.take(one.parts, configuration(codes, one.known, sizes), axis=0) for one in factors]
    for other in found[1:]:
        found[0] *= other
    return found[0]
