"""Questions to a Bayes net, for many rows at once: posteriors, expectations, most probable states, interventions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.junction import cells_of
from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.densities.nets.known import KnownPattern
from parzen.densities.nets.linear_gaussian import configuration
from parzen.statistics.threads import for_each

#: Rows that are asked for at once.
ROWS = 4096
#: So many rows in which the same nodes are known are worth a junction tree of the other nodes alone.
ALIKE = 1024


def posterior(
    net: BayesNetDensity, rows: NDArray[Any], nodes: tuple[int, ...], whole: bool = True
) -> tuple[Array, Array]:
    """Joint posterior of some discrete nodes in each row, (n, cells), and the log-probability of its evidence, (n,).

    Rows of all nodes (or, not `whole`, of the net's columns); NaN is not known, and so is a cell of the nodes
    themselves. Impossible evidence gives NaN.
    """
    size = int(np.prod([net.sizes[node] for node in nodes], dtype=np.int64))
    out, log_evidence = np.empty((len(rows), size)), np.empty(len(rows))
    place = {node: at for at, node in enumerate(net.discrete)}
    scope = tuple(place[node] for node in nodes)
    asked = net if any(set(nodes) <= set(own) for own in _scopes(net)) else _joined(net, nodes)
    tables = asked.tables(0) + ([np.ones([net.sizes[node] for node in nodes])] if asked is not net else [])
    patterns: dict[bytes, KnownPattern] = {}
    worth = len(rows) >= ALIKE and not net.components
    base = cache(lambda: asked.network.base(tables, (scope,)))

    def answer(begin: int) -> None:
        block = rows[begin : begin + ROWS].copy() if whole else net.rows(rows[begin : begin + ROWS])
        block[:, list(nodes)] = np.nan
        known = np.ascontiguousarray(asked.codes(block)[:, list(net.discrete)])
        there = known >= 0
        if worth and (there == there[0]).all():
            pattern = patterns.get(there[0].tobytes())
            if pattern is None:
                pattern = KnownPattern.of(net.network, net.tables(0), there[0], scope)
                patterns[there[0].tobytes()] = pattern
            found, shares = pattern.posterior(known)
        else:
            factors, offset = asked.factors(block)
            found, (shares,) = asked.network.propagated(base(), known, factors[0], (scope,))
            found = found + offset[:, 0]
        log_evidence[begin : begin + ROWS] = found
        shares[np.isneginf(found)] = np.nan
        out[begin : begin + ROWS] = shares

    for_each(answer, iter(range(0, len(rows), ROWS)))
    return out, log_evidence


def _scopes(net: BayesNetDensity) -> list[tuple[int, ...]]:
    return [net.graph.family(node) for node in net.discrete]


def _joined(net: BayesNetDensity, nodes: tuple[int, ...]) -> BayesNetDensity:
    """The same net with a factor of ones over some nodes, so that a clique holds all of them."""
    other = replace(net)
    place = {node: at for at, node in enumerate(net.discrete)}
    scopes = (*net.network.scopes, tuple(place[node] for node in nodes))
    other.__dict__["network"] = replace(net.network, scopes=scopes, _programs={}, _trees=[])
    return other


def expectations(net: BayesNetDensity, rows: Array, node: int) -> Array:
    """Expected value of a Gaussian node in each row, (n,), given the other cells."""
    at = next(i for i, part in enumerate(net.components) if node in part.nodes)
    part, gaussian = net.components[at], net.gaussians[at]
    block = rows.copy()
    block[:, node] = np.nan
    shares = posterior(net, block, part.scope)[0] if part.scope else np.ones((len(rows), 1))
    completed = gaussian.completed(block[:, list(part.nodes)], shares)
    return np.asarray(completed[:, part.nodes.index(node)])


def completed(net: BayesNetDensity, rows: Array, nodes: Sequence[int]) -> Array:
    """Rows in which missing cells of some nodes are the most probable state of each alone, or the expected value."""
    out = rows.copy()
    for node in nodes:
        gone = np.flatnonzero(np.isnan(rows[:, node]))
        if len(gone):
            asked = rows[gone]
            if net.sizes[node]:
                shares = posterior(net, asked, (node,))[0]
                states = np.argmax(shares, axis=1)
                values = net.bins[node].typical[states] if node in net.bins else states
                out[gone, node] = np.where(np.isnan(shares[:, 0]), np.nan, values)
            else:
                out[gone, node] = expectations(net, asked, node)
    return out


def most_probable(net: BayesNetDensity, row: Array) -> tuple[Array, float]:
    """The most probable states of all discrete nodes together, given a row's cells; numbers are then expected.

    Returns the row, and the log-probability of the states with the evidence.
    """
    codes = net.codes(row[None])
    factors, offset = net.factors(row[None])
    tree, program = net.network.program()
    sizes = net.network.sizes
    with np.errstate(divide="ignore"):
        logs = np.log(net.network.base(net.tables(0)))
        extra = np.log(factors[0][0])
    known = codes[0, list(net.discrete)]
    tables = [logs[program.cells[c] : program.cells[c + 1]].copy() for c in range(len(tree.cliques))]
    for node, code in enumerate(known):
        if code >= 0:
            home = tree.home((node,), sizes)
            tables[home][cells_of((node,), tree.cliques[home], sizes) != code] = -np.inf
    begin = 0
    for scope in net.network.extra:
        home = tree.home(scope, sizes)
        cells = cells_of(scope, tree.cliques[home], sizes)
        tables[home] += extra[begin : begin + int(cells.max()) + 1][cells]
        begin += int(cells.max()) + 1
    total = float(offset[0, 0])
    for clique, parent in enumerate(tree.parent):
        between = tree.separator(clique)
        group = cells_of(between, tree.cliques[clique], sizes)
        best = np.full(int(group.max()) + 1, -np.inf)
        np.maximum.at(best, group, tables[clique])
        if parent >= 0:
            tables[parent] += best[cells_of(between, tree.cliques[parent], sizes)]
        else:
            total += float(best[0])
    found: NDArray[np.int32] = np.full((1, len(sizes)), -1, dtype=np.int32)
    for clique in reversed(range(len(tree.cliques))):
        nodes, between = tree.cliques[clique], tree.separator(clique)
        group = cells_of(between, nodes, sizes)
        allowed = np.where(group == configuration(found, between, sizes)[0], tables[clique], -np.inf)
        cell = int(np.argmax(allowed))
        found[0, list(nodes)] = np.unravel_index(cell, [sizes[one] for one in nodes])
    out = row.copy()
    for node, code in zip(net.discrete, found[0], strict=True):
        if np.isnan(row[node]):
            out[node] = net.bins[node].typical[code] if node in net.bins else code
    for node in (node for part in net.components for node in part.nodes):
        if np.isnan(row[node]):
            out[node] = expectations(net, np.where(np.isnan(out), row, out)[None], node)[0]
    return out, total


def intervened(net: BayesNetDensity, values: Mapping[int, float]) -> BayesNetDensity:
    """The net after nodes were set from outside: they no longer depend on their parents, and have these values.

    The density of a number at the value that it was set to is one.
    """
    graph = net.graph.without_parents(values)
    parameters = list(net.parameters)
    for node, value in values.items():
        if net.sizes[node]:
            state = int(net.bins[node].codes(np.array(value)) if node in net.bins else value)
            with np.errstate(divide="ignore"):
                parameters[node] = np.log(np.eye(net.sizes[node])[None, None, state].repeat(net.shape[0], axis=0))
        else:
            parameters[node] = np.tile([[[float(value), 0.5 / np.pi]]], (net.shape[0], 1, 1))
    return replace(net, parents=graph.parents, parameters=tuple(parameters))
