"""Counts and moments of each node of a net together with its parents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.codes import tally
from parzen.compute.memberships import Labels, Memberships, group_count, only_group, take
from parzen.compute.moments import moments
from parzen.densities.nets.bayes_net import family_codes
from parzen.densities.nets.graph import Graph
from parzen.densities.nets.linear_gaussian import configuration, split_parents
from parzen.statistics.joint import Joint
from parzen.statistics.moments import Moments
from parzen.statistics.nets import NodeCounts, NodeMoments


def node_statistics(
    rows: Array, codes: NDArray[np.int32], R: Memberships, graph: Graph, sizes: tuple[int, ...]
) -> Joint:
    """Counts and moments of each node with its parents, from the rows in which none of them is missing."""
    counts = iter(_counts(codes, R, graph, sizes))
    parts: list[Any] = []
    for node, size in enumerate(sizes):
        parts.append(next(counts) if size else _node_moments(rows, codes, R, graph, sizes, node))
    return Joint(tuple(parts))


def _counts(codes: NDArray[np.int32], R: Memberships, graph: Graph, sizes: tuple[int, ...]) -> list[NodeCounts]:
    """Counts of each discrete node with its parents; rows in which one of them is missing count nothing for it."""
    shapes = [[sizes[one] for one in graph.family(node)] for node, size in enumerate(sizes) if size]
    if not shapes:
        return []
    volumes = tuple(int(np.prod(shape, dtype=np.int64)) for shape in shapes)
    whole = tally(family_codes(codes, graph, sizes), R, volumes)
    parts = np.split(whole, np.cumsum(volumes)[:-1], axis=1)
    return [NodeCounts(part.reshape(len(part), *shape)) for part, shape in zip(parts, shapes, strict=True)]


def _node_moments(
    rows: Array, codes: NDArray[np.int32], R: Memberships, graph: Graph, sizes: tuple[int, ...], node: int
) -> NodeMoments:
    """Moments of a Gaussian node with its parents, from the rows in which none of them is missing."""
    discrete, gaussian = split_parents(graph, sizes, node)
    columns = [*gaussian, node]
    there = ~np.isnan(rows[:, columns]).any(axis=1) & (codes[:, list(discrete)] >= 0).all(axis=1)
    own = slice(None) if there.all() else np.flatnonzero(there)
    which = configuration(codes[own], discrete, sizes)
    cells, members = np.ascontiguousarray(rows[own][:, columns], dtype=np.float64), take(R, own)
    shape = [sizes[one] for one in discrete]
    C = _volume(discrete, sizes)
    groups = (only_group(members, k) for k in range(group_count(R)))
    parts = [Moments(*moments(cells, _within(one, which, C))) for one in groups]
    return NodeMoments.of(stacked(parts), (len(parts), *shape))


def moments_of_node(whole: Moments, part: Any, node: int, graph: Graph, sizes: tuple[int, ...]) -> Moments:
    """Moments of a node and its Gaussian parents for its own configurations, from those of its component."""
    discrete, gaussian = split_parents(graph, sizes, node)
    columns = [part.nodes.index(one) for one in (*gaussian, node)]
    shape = [sizes[one] for one in part.scope]
    states = np.indices(shape).reshape(len(shape), len(whole.weight))
    codes = np.zeros((len(whole.weight), len(sizes)), dtype=np.int32)
    for one, own in zip(part.scope, states, strict=True):
        codes[:, one] = own
    which = configuration(codes, discrete, sizes)
    square = np.ix_(range(len(whole.weight)), columns, columns)
    cut = Moments(whole.weight, whole.mean[:, columns], whole.scatter[square], whole.carry[:, columns])
    groups = [np.flatnonzero(which == c) for c in range(_volume(discrete, sizes))]
    pooled = [Moments(cut.weight[rows], cut.mean[rows], cut.scatter[rows], cut.carry[rows]).pooled() for rows in groups]
    return stacked(pooled)


def stacked(parts: list[Moments]) -> Moments:
    """Moments of groups, one after the other."""
    return Moments(
        np.concatenate([part.weight for part in parts]),
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.scatter for part in parts]),
        np.concatenate([part.carry for part in parts]),
    )


def _within(R: Memberships, which: NDArray[np.int64], configurations: int) -> Labels:
    """Memberships of one group's rows in configurations."""
    if isinstance(R, Labels):
        codes = np.where(R.codes >= 0, which, -1).astype(np.int32)
        return Labels.sound(codes, R.weights, configurations)
    return Labels.sound(which.astype(np.int32), R, configurations)


def _volume(nodes: Any, sizes: Any) -> int:
    return int(np.prod([sizes[node] for node in nodes], dtype=np.int64))
