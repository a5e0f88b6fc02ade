"""Densities of Bayes nets against the sum over all configurations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parzen.compute.codes import BadCode
from parzen.densities.nets.junction_tree import junction_tree
from parzen.densities.nets.questions import completed, expectations, intervened, most_probable, posterior
from tests.densities.nets.examples import holed, random_net
from tests.oracle import nets as oracle

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS)
@settings(max_examples=40)
def test_log_densities_of_rows_with_missing_cells(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng, K=2)
    X = holed(net.sample(rng.integers(0, 2, 6), rng), rng)
    expected = [[oracle.log_density(net, row, k) for k in range(2)] for row in X]
    np.testing.assert_allclose(net.log_density(X), expected, rtol=1e-9, atol=1e-9)


@given(SEEDS)
@settings(max_examples=40)
def test_posteriors_and_most_probable_states(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng)
    X = holed(net.sample(np.zeros(3, dtype=int), rng), rng, 0.5)
    for node in net.discrete:
        found, _ = posterior(net, X, (node,))
        np.testing.assert_allclose(found, [oracle.posterior(net, row, node) for row in X], atol=1e-10)
    for row in X:
        states, log_probability = most_probable(net, row)
        best = oracle.most_probable(net, row)
        chosen = tuple(None if not size else int(cell) for size, cell in zip(net.sizes, states, strict=True))
        np.testing.assert_allclose(np.exp(log_probability), oracle.joint(net, best, row), rtol=1e-9)
        np.testing.assert_allclose(oracle.joint(net, chosen, row), oracle.joint(net, best, row), rtol=1e-9)


@given(SEEDS)
@settings(max_examples=25)
def test_conditional_times_marginal_is_joint(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng, most=5)
    d = net.shape[1]
    if d < 2:
        return
    X = net.sample(np.zeros(4, dtype=int), rng)
    known = sorted(rng.choice(d, int(rng.integers(1, d)), replace=False).tolist())
    rest = [j for j in range(d) if j not in known]
    X[:, known] = X[0, known]
    given_known = net.conditional(known, X[0, known])
    marginal = net.marginal(known).log_density(X[:1, known])
    np.testing.assert_allclose(given_known.log_density(X[:, rest]) + marginal, net.log_density(X), atol=1e-9)
    twice = net.marginal([*rest, known[0]]).conditional([len(rest)], X[0, known[:1]])
    np.testing.assert_allclose(
        twice.log_density(X[:, rest]),
        net.conditional(known[:1], X[0, known[:1]])
        .marginal([j - (j > known[0]) for j in rest])
        .log_density(X[:, rest]),
        atol=1e-9,
    )


@pytest.mark.parametrize("seed", range(8))
def test_draws_follow_the_net_also_where_cells_are_given(seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng, most=5)
    n = 20_000
    for density in (
        net,
        net.conditional([0], net.sample(np.zeros(1, dtype=int), rng)[0, :1]) if net.shape[1] > 1 else net,
    ):
        X = density.sample(np.zeros(n, dtype=int), rng)
        for j, node in enumerate(density.columns):
            if net.sizes[node]:
                drawn = np.bincount(X[:, j].astype(int), minlength=net.sizes[node]) / n
                cells = np.arange(net.sizes[node], dtype=float)[:, None]
                np.testing.assert_allclose(drawn, np.exp(density.marginal([j]).log_density(cells)[:, 0]), atol=0.02)
            else:
                row = net.given if density is net else density.given
                expected = expectations(net, row[None], node)[0]
                assert abs(X[:, j].mean() - expected) < 5 * X[:, j].std() / np.sqrt(n)


def test_an_intervention_cuts_the_causes():
    rng = np.random.default_rng(4)
    for _ in range(20):
        net = random_net(rng, numbers=0.3)
        node = int(rng.integers(len(net.sizes)))
        value = 0.0 if net.sizes[node] else 0.7
        changed = intervened(net, {node: value})
        causes = net.graph.ancestors([node]) - {node}
        row = np.full(len(net.sizes), np.nan)
        row[node] = value
        for other in causes:
            if net.sizes[other]:  # a cause does not learn from what is done
                np.testing.assert_allclose(
                    posterior(changed, row[None], (other,))[0],
                    posterior(net, np.full_like(row, np.nan)[None], (other,))[0],
                    atol=1e-12,
                )
        roots = not net.parents[node]
        for other in net.graph.descendants([node]) - {node}:
            if roots and net.sizes[other]:  # of a node without causes, doing is seeing
                np.testing.assert_allclose(
                    posterior(changed, row[None], (other,))[0], posterior(net, row[None], (other,))[0], atol=1e-12
                )


def test_missing_cells_are_filled_by_the_most_probable_state_and_the_expected_number():
    rng = np.random.default_rng(5)
    net = random_net(np.random.default_rng(11), most=6)
    X = net.sample(np.zeros(20, dtype=int), rng)
    Y = holed(X, rng)
    filled = completed(net, Y, range(len(net.sizes)))
    np.testing.assert_array_equal(filled[~np.isnan(Y)], Y[~np.isnan(Y)])
    assert not np.isnan(filled).any()
    for i, node in zip(*np.nonzero(np.isnan(Y)), strict=True):
        if net.sizes[node]:
            shares = oracle.posterior(net, Y[i], node)
            assert shares[int(filled[i, node])] == pytest.approx(shares.max())


def test_what_is_no_state_is_named():
    net = random_net(np.random.default_rng(0), numbers=0.0)
    X = np.zeros((2, net.shape[1]))
    X[1, -1] = 7
    with pytest.raises(BadCode, match="7"):
        net.log_density(X)


def test_a_net_that_is_too_wide_says_how_much_memory_it_needs_and_why():
    everything = tuple(range(40))
    with pytest.raises(MemoryError, match=r"GiB.*a0 \(2\)"):
        junction_tree([everything], (2,) * 40, [f"a{i}" for i in range(40)])
    grid = [(20 * i + j, 20 * i + j + step) for i in range(19) for j in range(19) for step in (1, 20)]
    with pytest.raises(MemoryError, match=r"needs [\d,.]+ GiB: .* in one clique"):
        junction_tree(grid, (8,) * 400, range(400))


def test_given_values_of_probability_zero_are_refused():
    net = random_net(np.random.default_rng(1), numbers=0.0)
    tables = [np.where(np.arange(part.shape[2]) == 0, 0.0, -np.inf) + 0 * part for part in net.parameters]
    certain = type(net)(net.parents, net.sizes, tuple(tables), net.columns, net.given, net.names)
    node = int(np.argmax(net.sizes))
    assert net.sizes[node] > 1
    with pytest.raises(ValueError, match="probability zero"):
        certain.conditional([node], [1.0])
