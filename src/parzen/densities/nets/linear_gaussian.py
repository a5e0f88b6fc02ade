"""Gaussian nodes of a Bayes net: linear in their Gaussian parents, for each configuration of the discrete ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.nets.graph import Graph

LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Component:
    """Gaussian nodes that depend on each other: jointly Gaussian for each configuration of their discrete parents.

    Attributes
    ----------
    nodes : tuple of int
        Parents before children.
    scope : tuple of int
        Discrete parents of any of them.
    """

    nodes: tuple[int, ...]
    scope: tuple[int, ...]


def components(graph: Graph, sizes: tuple[int, ...]) -> list[Component]:
    """Gaussian nodes (those of size 0), put together where an edge connects them."""
    found, seen = [], set()
    place = {node: at for at, node in enumerate(graph.order)}
    for first in range(len(graph)):
        if sizes[first] or first in seen:
            continue
        own, waiting = {first}, [first]
        while waiting:
            node = waiting.pop()
            new = {other for other in (*graph.parents[node], *graph.children[node]) if not sizes[other]} - own
            own |= new
            waiting.extend(new)
        seen |= own
        scope = sorted({parent for node in own for parent in graph.parents[node] if sizes[parent]})
        found.append(Component(tuple(sorted(own, key=place.__getitem__)), tuple(scope)))
    return found


def split_parents(graph: Graph, sizes: tuple[int, ...], node: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Discrete and Gaussian parents of a node."""
    parents = graph.parents[node]
    return tuple(p for p in parents if sizes[p]), tuple(p for p in parents if not sizes[p])


def configuration(codes: NDArray[np.int32], nodes: tuple[int, ...], sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Which configuration of some nodes each row has, in C order; all of their codes, (n, columns), are known."""
    found = np.zeros(len(codes), dtype=np.int64)
    for node in nodes:
        found = found * sizes[node] + codes[:, node]
    return found


def node_log_density(X: Array, node: int, parents: tuple[int, ...], lines: Array, at: NDArray[np.int64]) -> Array:
    """Log-density (n, K) of a node's cells given its Gaussian parents'.

    Lines are of shape (K, C, p + 2): intercept, slopes and variance; `at` is the configuration of each row.
    """
    out = np.empty((len(X), len(lines)))
    for k, own in enumerate(lines):
        line = own[at]
        off = X[:, node] - line[:, 0] - np.einsum("np,np->n", X[:, parents], line[:, 1:-1])
        out[:, k] = -0.5 * (LOG_2_PI + np.log(line[:, -1]) + off * off / line[:, -1])
    return out


def joint_gaussian(
    component: Component, graph: Graph, sizes: tuple[int, ...], lines: tuple[Array, ...]
) -> GaussianDensity:
    """The Gaussians of a component's nodes: K times C of them, C configurations of its scope for each of K nets.

    ``x = b + W x + e`` with W strictly lower triangular, so that ``(I - W)^-1 diag(sd)`` is the Cholesky factor.
    """
    nodes, scope = component.nodes, component.scope
    shape = tuple(sizes[node] for node in scope)
    C, m, K = int(np.prod(shape, dtype=np.int64)), len(nodes), len(lines[nodes[0]])
    place = {node: at for at, node in enumerate(nodes)}
    configurations = np.indices(shape).reshape(len(shape), C)
    codes = np.zeros((C, len(sizes)), dtype=np.int32)
    for node, states in zip(scope, configurations, strict=True):
        codes[:, node] = states
    mean, factor = np.zeros((K, C, m)), np.zeros((K, C, m, m))
    for at, node in enumerate(nodes):
        discrete, gaussian = split_parents(graph, sizes, node)
        line = lines[node][:, configuration(codes, discrete, sizes)]
        mean[:, :, at] = line[:, :, 0]
        for j, parent in enumerate(gaussian):
            slope = line[:, :, 1 + j]
            mean[:, :, at] += slope * mean[:, :, place[parent]]
            factor[:, :, at] += slope[:, :, None] * factor[:, :, place[parent]]
        factor[:, :, at, at] = np.sqrt(line[:, :, -1])
    return GaussianDensity(mean.reshape(K * C, m), factor.reshape(K * C, m, m))
