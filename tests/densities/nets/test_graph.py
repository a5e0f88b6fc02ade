"""Graphs: orders, cycles, d-separation, edges read from text."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen.densities.nets.graph import Graph, read_edges
from tests.densities.nets.examples import random_net
from tests.oracle import nets as oracle


@given(st.integers(0, 2**32 - 1))
def test_parents_come_before_children(seed):
    graph = random_net(np.random.default_rng(seed)).graph
    place = {node: at for at, node in enumerate(graph.order)}
    assert sorted(place) == list(range(len(graph)))
    assert all(place[a] < place[b] for a, b in graph.edges)


def test_a_cycle_is_refused_with_its_path():
    with pytest.raises(ValueError, match=r"b -> c -> d -> b|c -> d -> b -> c|d -> b -> c -> d"):
        Graph.of(4, [(0, 1), (1, 2), (2, 3), (3, 1)], "abcd")
    with pytest.raises(ValueError, match="a -> a"):
        Graph.of(1, [(0, 0)], "a")


@pytest.mark.parametrize("seed", range(25))
def test_d_separated_nodes_are_independent_and_connected_ones_are_not(seed):
    """Of random tables: a net whose parameters hide a dependence has probability zero."""
    rng = np.random.default_rng(seed)
    net = random_net(rng, numbers=0.0, most=5)
    d = len(net.sizes)
    cells = list(oracle.configurations(net, np.full(d, np.nan)))
    table = np.zeros(net.sizes)
    for states in cells:
        table[states] = oracle.joint(net, states, np.full(d, np.nan))
    for a, b in itertools.combinations(range(d), 2):
        if min(net.sizes[a], net.sizes[b]) < 2:
            continue
        rest = [node for node in range(d) if node not in (a, b)]
        given_nodes = [node for node in rest if rng.random() < 0.5]
        apart = net.graph.d_separated([a], [b], given_nodes)
        assert apart == net.graph.d_separated([b], [a], given_nodes)
        summed = table.sum(axis=tuple(node for node in rest if node not in given_nodes), keepdims=True)
        both = summed * summed.sum(axis=(a, b), keepdims=True)
        alone = summed.sum(axis=a, keepdims=True) * summed.sum(axis=b, keepdims=True)
        blocked = any(net.sizes[node] == 1 for node in rest)  # a constant node passes nothing on
        if apart:
            np.testing.assert_allclose(both, alone, atol=1e-12)
        elif not blocked:
            assert np.abs(both - alone).max() > 1e-9


def test_the_markov_blanket_separates():
    rng = np.random.default_rng(0)
    for _ in range(30):
        graph = random_net(rng).graph
        for node in range(len(graph)):
            blanket = graph.markov_blanket(node)
            rest = set(range(len(graph))) - blanket - {node}
            assert graph.d_separated([node], rest, blanket)


def test_a_long_chain_needs_no_recursion():
    graph = Graph.of(10_000, [(i, i + 1) for i in range(9_999)])
    assert graph.ancestors([9_999]) == set(range(10_000))
    assert graph.d_separated([0], [9_999], [5_000])


def test_edges_are_read_from_text_and_pairs():
    assert read_edges("a -> b <- c\nb -> d, e") == ([("a", "b"), ("c", "b"), ("b", "d")], ["e"])
    assert read_edges([("a", "b"), (0, 1)]) == ([("a", "b"), (0, 1)], [])
    with pytest.raises(ValueError, match="without a node"):
        read_edges("a -> ")
    with pytest.raises(ValueError, match="pair"):
        read_edges(["ab", ("a", "b", "c")])
