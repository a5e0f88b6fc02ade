"""Draws from a Bayes net: parents before children, or, where nodes are given, cliques of the junction tree."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.junction import cells_of
from parzen.densities.nets.linear_gaussian import configuration, split_parents

if TYPE_CHECKING:
    from parzen.densities.nets.bayes_net import BayesNetDensity


def draw(net: "BayesNetDensity", labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
    """One row of all nodes from net ``labels[i]`` for each i."""
    if np.isnan(net.given).all():
        return _valued(net, _forward(net, labels, rng), rng)
    out = np.repeat(net.given[None], len(labels), axis=0)
    codes = _given_discrete(net, labels, rng)
    out[:, list(net.discrete)] = codes[:, list(net.discrete)]
    for part, gaussian in zip(net.components, net.gaussians, strict=True):
        nodes = np.array(part.nodes)
        known = np.flatnonzero(~np.isnan(net.given[nodes]))
        rest = np.flatnonzero(np.isnan(net.given[nodes]))
        if not len(rest):
            continue
        C = len(gaussian.mean) // net.shape[0]
        which = labels * C + configuration(codes, part.scope, net.sizes)
        own = gaussian.conditional(known.tolist(), net.given[nodes[known]]) if len(known) else gaussian
        out[:, nodes[rest]] = own.sample(which, rng)
    return _valued(net, out, rng)


def _valued(net: "BayesNetDensity", out: Array, rng: np.random.Generator) -> Array:
    """Rows in which bins of numbers have become values in them."""
    for node, bins in net.bins.items():
        known = net.given[node]
        out[:, node] = bins.draw(out[:, node].astype(np.int64), rng) if np.isnan(known) else known
    return out


def _forward(net: "BayesNetDensity", labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
    n = len(labels)
    out, codes = np.empty((n, len(net.sizes))), np.full((n, len(net.sizes)), -1, dtype=np.int32)
    for node in net.graph.order:
        discrete, gaussian = split_parents(net.graph, net.sizes, node)
        own = net.parameters[node][labels, configuration(codes, discrete, net.sizes)]
        if net.sizes[node]:
            cumulative = np.exp(own).cumsum(axis=1)
            drawn = (rng.random((n, 1)) * cumulative[:, -1:] >= cumulative[:, :-1]).sum(axis=1)
            codes[:, node] = out[:, node] = drawn
        else:
            line = own[:, 0] + np.einsum("np,np->n", out[:, list(gaussian)], own[:, 1:-1])
            out[:, node] = line + np.sqrt(own[:, -1]) * rng.standard_normal(n)
    return out


def _given_discrete(net: "BayesNetDensity", labels: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int32]:
    """States of all nodes, given some: each clique given what it shares with its parent, from the root down."""
    codes = np.full((len(labels), len(net.sizes)), -1, dtype=np.int32)
    if not net.discrete:
        return codes
    row = net.given[None]
    known = np.ascontiguousarray(net.codes(row)[:, list(net.discrete)])
    factors, _ = net.factors(row)
    tree, _ = net.network.program()
    sizes = net.network.sizes
    own = np.full((len(labels), len(sizes)), -1, dtype=np.int32)
    for k in np.unique(labels):
        rows = np.flatnonzero(labels == k)
        drawn = np.full((len(rows), len(sizes)), -1, dtype=np.int32)
        _, tables = net.network.posterior(net.tables(int(k)), known, factors[k], tree.cliques)
        for clique in reversed(range(len(tree.cliques))):
            nodes, between = tree.cliques[clique], tree.separator(clique)
            group = cells_of(between, nodes, sizes)
            order = np.argsort(group, kind="stable")
            cumulative = np.concatenate([[0.0], tables[clique][0][order].cumsum()])
            begin = np.searchsorted(group[order], np.arange(int(group.max()) + 2))
            at = configuration(drawn, between, sizes)
            low, high = cumulative[begin[at]], cumulative[begin[at + 1]]
            place = np.searchsorted(cumulative, low + rng.random(len(rows)) * (high - low), side="right") - 1
            cells = order[np.clip(place, begin[at], begin[at + 1] - 1)]
            drawn[:, list(nodes)] = np.array(np.unravel_index(cells, [sizes[one] for one in nodes])).T
        own[rows] = drawn
    codes[:, list(net.discrete)] = own
    return codes
