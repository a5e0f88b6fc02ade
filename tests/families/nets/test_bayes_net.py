"""The family of Bayes nets: what it is in special cases, EM, statistics that add, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from parzen import (
    BayesClassifier,
    BayesNet,
    BayesNetwork,
    Categorical,
    DensityEstimator,
    Gaussian,
    Labels,
    MarkovChain,
    Mixture,
    NaiveBayes,
    Product,
    TreeAugmentedNB,
    fit,
)
from parzen.conjugate import NormalInverseGamma
from parzen.families.nets.pairs import mutual_information
from parzen.families.nets.scores import Scores
from tests.densities.nets.examples import holed, random_net

PRIOR = NormalInverseGamma(0.5, 2.0, 3.0, 1.5)


def family_of(net, **options):
    numbers = [node for node, size in enumerate(net.sizes) if not size]
    return BayesNet(net.graph.edges, numbers=numbers, categories=net.sizes, **options)


def same_parameters(a, b, k=slice(None), rtol=1e-9):
    for mine, theirs in zip(a.parameters, b.parameters, strict=True):
        np.testing.assert_allclose(mine, theirs[k], rtol=rtol, atol=1e-10)


def test_a_net_without_edges_is_a_product():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 200), rng.normal(3, 2, 200), rng.integers(0, 2, 200)]).astype(float)
    net = fit(BayesNet((), numbers=[1]), X).density
    closed = Categorical(unseen="error")
    product = fit(Product({(0, 2): closed, 1: Gaussian("diag")}), X).density
    np.testing.assert_allclose(net.log_density(X), product.log_density(X), rtol=1e-12)


def test_a_star_is_naive_bayes():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    X = np.column_stack([(y + rng.integers(0, 2, 300)) % 4, rng.integers(0, 2, 300), (y > 0) ^ (rng.random(300) < 0.2)])
    net = fit(BayesNet([(3, 0), (3, 1), (3, 2)]), np.column_stack([X, y]).astype(float)).density
    joint = np.stack([net.log_density(np.column_stack([X, np.full(300, c)]).astype(float))[:, 0] for c in range(3)], 1)
    posterior = np.exp(joint - joint.max(1, keepdims=True))
    closed = {(0, 1, 2): Categorical(unseen="error")}
    bayes = NaiveBayes(closed, class_prior=np.exp(net.parameters[3][0, 0])).fit(X.astype(int), y)
    np.testing.assert_allclose(
        posterior / posterior.sum(1, keepdims=True), bayes.predict_proba(X.astype(int)), atol=1e-12
    )


def test_a_chain_is_a_markov_chain():
    rng = np.random.default_rng(2)
    steps = np.zeros((500, 4), dtype=int)
    for t in range(1, 4):
        steps[:, t] = (steps[:, t - 1] + (rng.random(500) < 0.3)) % 3
    pairs = np.concatenate([steps[:, t : t + 2] for t in range(3)]).astype(float)
    net = fit(BayesNet([(0, 1)], estimate="ml", categories=(3, 3)), pairs).density
    chain = MarkovChain(estimate="ml").fit(list(steps))
    np.testing.assert_allclose(np.exp(net.parameters[1][0]), chain.transition_, rtol=1e-12)


def test_a_complete_net_is_the_joint_table():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (400, 3)).astype(float)
    net = fit(BayesNet([(0, 1), (0, 2), (1, 2)], estimate="ml"), X).density
    cells = np.array(list(np.ndindex(2, 2, 2)), dtype=float)
    shares = [(cell == X).all(axis=1).mean() for cell in cells]
    np.testing.assert_allclose(np.exp(net.log_density(cells)[:, 0]), shares, rtol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_a_complete_gaussian_net_is_the_multivariate_normal(offset):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 3)) + offset
    net = fit(BayesNet([(0, 1), (0, 2), (1, 2)], numbers=[0, 1, 2]), X).density
    gaussian = fit(Gaussian(), X).density
    np.testing.assert_allclose(net.log_density(X), gaussian.log_density(X), atol=1e-6 if offset else 1e-11)
    Y = holed(X, rng)
    np.testing.assert_allclose(net.log_density(Y), gaussian.log_density(Y), atol=1e-6 if offset else 1e-11)


@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
@pytest.mark.parametrize("prior", [None, PRIOR])
@pytest.mark.parametrize("seed", range(4))
def test_em_never_lets_the_objective_fall_and_complete_rows_need_none(estimate, prior, seed):
    rng = np.random.default_rng(seed)
    net = random_net(rng)
    X = net.sample(np.zeros(300, dtype=int), rng)
    family = family_of(net, estimate=estimate, line_prior=prior)
    whole = fit(family, X)
    assert whole.n_iter == 1
    found = fit(family, holed(X, rng, 0.2), tol=1e-9, accelerate=False, max_iter=60)
    rises = np.diff(found.objective)
    assert (rises > -1e-9 * np.abs(found.objective[-1])).all()
    at_start = fit(family, X, start=whole.density)
    same_parameters(at_start.density, whole.density)


def test_maximum_likelihood_is_highest():
    rng = np.random.default_rng(6)
    for _ in range(10):
        net = random_net(rng)
        X = net.sample(np.zeros(200, dtype=int), rng)
        best = fit(family_of(net, estimate="ml"), X).density.log_density(X).sum()
        assert best >= net.log_density(X).sum() - 1e-9


def test_batches_weights_and_groups_add():
    rng = np.random.default_rng(7)
    for _ in range(10):
        net = random_net(rng, K=2)
        labels = rng.integers(0, 2, 240)
        X = net.sample(labels, rng)
        family = family_of(net)
        whole = fit(family, X, Labels(labels, groups=2)).density
        parts = [family.observe(X[own], Labels(labels[own], groups=2)) for own in (slice(0, 100), slice(100, None))]
        same_parameters(family.maximise(parts[0] + parts[1]), whole)
        for k in range(2):
            same_parameters(fit(family, X[labels == k]).density, whole, slice(k, k + 1))
        dense = np.eye(2)[labels]
        same_parameters(fit(family, X, dense).density, whole)
        w = rng.integers(0, 3, 240).astype(float)
        same_parameters(fit(family, X, w).density, fit(family, np.repeat(X, w.astype(int), axis=0)).density)


def test_missing_cells_are_weighed_by_em_as_complete_rows_are():
    """Expected statistics of rows in which every possible completion is certain are those of the completed rows."""
    rng = np.random.default_rng(8)
    a = rng.integers(0, 2, 500)
    X = np.column_stack([a, a]).astype(float)
    Y = X.copy()
    Y[::3, 1] = np.nan
    found = fit(BayesNet([(0, 1)], estimate="ml"), Y, tol=1e-12, max_iter=500).density
    whole = fit(BayesNet([(0, 1)], estimate="ml"), X).density
    for mine, theirs in zip(found.parameters, whole.parameters, strict=True):
        np.testing.assert_allclose(np.exp(mine), np.exp(theirs), atol=1e-10)


def test_a_net_is_a_class_conditional_density_and_a_component():
    rng = np.random.default_rng(9)
    y = rng.integers(0, 2, 1500)
    a = (rng.random(1500) < 0.5).astype(int)
    table = pd.DataFrame(
        {"a": np.array(["no", "yes"])[a], "b": np.array(["no", "yes"])[a ^ y], "c": rng.normal(size=1500)}
    )
    edges = "a -> b, b -> c"
    assert BayesClassifier(BayesNet(edges)).fit(table, y).score(table, y) == 1.0
    assert BayesClassifier(BayesNet("")).fit(table, y).score(table, y) < 0.6
    rows = np.column_stack([a, a ^ y]).astype(float)
    mixture = fit(Mixture(BayesNet([(0, 1)], categories=(2, 2)), 2), rows, rng=0)
    assert (np.diff(mixture.objective) > -1e-8).all()


def test_bdeu_pseudo_counts_are_shared_by_all_cells():
    X = np.array([[0, 0], [0, 1], [1, 1]], dtype=float)
    net = fit(BayesNet([(0, 1)], prior="bdeu", equivalent_sample_size=4), X).density
    np.testing.assert_allclose(np.exp(net.parameters[0][0]), [[(2 + 2) / 7, (1 + 2) / 7]])
    np.testing.assert_allclose(np.exp(net.parameters[1][0]), [[2 / 4, 2 / 4], [1 / 3, 2 / 3]])
    own = fit(BayesNet([(0, 1)], prior={1: [[1, 3], [2, 2]]}), X).density
    np.testing.assert_allclose(np.exp(own.parameters[1][0]), [[2 / 6, 4 / 6], [2 / 5, 3 / 5]])


def test_a_line_with_a_prior_is_the_posterior_of_bayesian_regression():
    rng = np.random.default_rng(10)
    x = rng.normal(size=30)
    y = 1.0 + 2.0 * x + rng.normal(size=30)
    net = fit(BayesNet([(0, 1)], numbers=[0, 1], line_prior=PRIOR), np.column_stack([x, y])).density
    Z, m0, L0 = np.column_stack([np.ones(30), x]), np.array([0.5, 0.0]), 2.0 * np.eye(2)
    Ln = Z.T @ Z + L0
    mn = np.linalg.solve(Ln, Z.T @ y + L0 @ m0)
    shape, scale = 3.0 + 15.0, 1.5 + 0.5 * (y @ y + m0 @ L0 @ m0 - mn @ Ln @ mn)
    np.testing.assert_allclose(net.parameters[1][0, 0], [*mn, scale / (shape - 1)], rtol=1e-10)
    density = multivariate_normal(mn @ [1, 0.3], scale / (shape - 1)).logpdf(2.0)
    alone = net.marginal([0]).log_density(np.array([[0.3]]))
    np.testing.assert_allclose(net.log_density(np.array([[0.3, 2.0]])) - alone, density, rtol=1e-10)


def test_a_category_that_depends_on_a_number_is_refused():
    with pytest.raises(ValueError, match="can't depend on"):
        fit(BayesNet([(0, 1)], numbers=[0]), np.array([[0.5, 0], [1.5, 1]]))


def test_unknown_columns_and_cycles_are_named():
    table = pd.DataFrame({"rain": ["no", "yes"], "wet": ["no", "yes"]})
    with pytest.raises(ValueError, match="'snow'"):
        DensityEstimator(BayesNet("snow -> wet")).fit(table)
    with pytest.raises(ValueError, match=r"rain -> wet -> rain|wet -> rain -> wet"):
        DensityEstimator(BayesNet("rain -> wet -> rain")).fit(table)
    with pytest.raises(ValueError, match="positions 0 to 1"):
        fit(BayesNet([(0, 5)]), np.zeros((3, 2)))


def test_a_table_that_would_fill_memory_is_refused_before_it_is_made():
    rows = np.random.default_rng(0).integers(0, 2, (50, 41))
    with pytest.raises(
        MemoryError, match=r"^'c' given its parents has 2,199,023,255,552 cells.*p0 \(2\).* and 32 more"
    ):
        DensityEstimator(BayesNet([(f"p{i}", "c") for i in range(40)])).fit(
            pd.DataFrame(rows, columns=[*(f"p{i}" for i in range(40)), "c"])
        )


def test_a_constant_column_and_one_row_are_no_trouble():
    net = fit(BayesNet([(0, 1)], numbers=[1]), np.array([[0.0, 3.0], [0.0, 3.0]])).density
    assert np.isfinite(net.log_density(np.array([[0.0, 3.0]]))).all()
    assert np.isfinite(
        fit(BayesNet([(0, 1)]), np.array([[1.0, 0.0]])).density.log_density(np.array([[0.0, 0.0]]))
    ).all()


@pytest.mark.parametrize("given", [None, 3])
def test_information_between_columns_is_that_of_the_rows_in_which_both_are_known(given):
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (300, 6)).astype(np.int32)
    codes[:, 1] = np.where(rng.random(300) < 0.6, codes[:, 0], codes[:, 1])
    cells = np.where(rng.random((300, 6)) < 0.2, np.nan, codes.astype(np.float64))
    cells[:, 2] = codes[:, 2]  # known in every row, as is the next one
    cells[:, 3] = codes[:, 3]
    cells[:, 4] = np.where(np.isnan(cells[:, 4]), np.nan, codes[:, 0] + rng.normal(size=300))  # numbers
    cells[:, 5] = np.where(np.isnan(cells[:, 5]), np.nan, cells[:, 4] + rng.normal(size=300))
    sizes, weights = (3, 3, 3, 3, 0, 0), rng.uniform(0.5, 2.0, 300)
    codes[np.isnan(cells)] = -1
    codes[:, 4:] = -1
    found = mutual_information(cells, sizes, None, weights, given)
    np.testing.assert_array_equal(found, found.T)
    context = frozenset() if given is None else frozenset({given})
    for i in range(6):
        for j in range(i):
            if given in (i, j):
                continue
            both = ~np.isnan(cells[:, [i, j]]).any(axis=1)
            scores = Scores(
                np.where(codes < 0, 0, codes)[both],
                np.nan_to_num(cells[both]),
                sizes,
                "log-likelihood",
                weights=weights[both],
            )
            expected = scores.of(i, context | {j}) - scores.of(i, context)  # i is a number where one of the two is
            assert found[i, j] == pytest.approx(expected, rel=1e-9)


def test_a_tree_is_learnt_where_no_row_is_complete():
    rng = np.random.default_rng(7)
    a = rng.integers(0, 2, 600)
    b = np.where(rng.random(600) < 0.9, a, 1 - a)
    c = np.where(rng.random(600) < 0.9, b, 1 - b)
    rows = np.column_stack([a, b, c]).astype(np.float64)
    rows[np.arange(600), rng.integers(0, 3, 600)] = np.nan
    net = BayesNetwork(structure="chow-liu").fit(rows)
    assert net.edges_ == [(0, 1), (1, 2)]
    assert net.query(2, {1: 1.0})[1.0] == pytest.approx(0.9, abs=0.04)
    assert TreeAugmentedNB().fit(rows[:, 1:], a).score(rows[:, 1:], a) > 0.8
    with pytest.raises(ValueError, match="use structure='chow-liu'"):
        BayesNetwork(structure="hill-climb").fit(rows)
