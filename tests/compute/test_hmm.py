"""Hidden Markov models: routines equal the recursions in logarithms and the sum over all paths; nothing underflows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from parzen.compute.hmm import CountEmission, filtered, followed, hidden_counts, likeliest_path, smooth
from tests.oracle import TWINS, over_all_paths

STATES = [1, 2, 3, 4, 5, 8, 9, 16, 17, 33]


def chain(rng, K):
    return rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), K)


@pytest.mark.parametrize("K", STATES)
@pytest.mark.parametrize("sizes", [[], [0], [1], [7, 0, 1, 20]], ids=["none", "empty", "one", "some"])
def test_recursions_equal_the_oracle(level, K, sizes, rng):
    lengths = np.array(sizes, dtype=np.int64)
    rows, (start, transition), weights = 2 * rng.normal(size=(lengths.sum(), K)), chain(rng, K), rng.random(len(sizes))
    rows[rng.random(rows.shape) < 0.1] -= 700.0  # densities that are nearly no numbers
    for w in (None, weights):
        found = smooth(rows, lengths, start, transition, w)
        posterior, first, pairs, likelihood = (
            TWINS["hidden_smooth"](rows, lengths, start, transition, w) if sizes else (rows, 0.0, 0.0, weights)
        )
        np.testing.assert_allclose(found.posterior, posterior, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(found.first, first, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(found.pairs, pairs, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(found.log_likelihood, likelihood, rtol=1e-13, atol=1e-13)
    states, steps = filtered(rows, lengths, start, transition)
    expected = TWINS["hidden_filter"](rows, lengths, start, transition) if sizes else (rows, rows[:, 0])
    np.testing.assert_allclose(states, expected[0], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(steps, expected[1], rtol=1e-13, atol=1e-13)
    path, best = likeliest_path(rows, lengths, np.log(start), np.log(transition))
    expected = TWINS["hidden_path"](rows, lengths, np.log(start), np.log(transition))
    np.testing.assert_array_equal(path, expected[0])
    np.testing.assert_allclose(best, expected[1], rtol=1e-14)


@pytest.mark.parametrize("K", STATES)
@pytest.mark.parametrize("n", [1, 2, 30])
def test_a_sequence_that_goes_on_equals_the_oracle(level, K, n, rng):
    rows, (start, transition) = 30 * rng.normal(size=(n, K)), chain(rng, K)
    steps, states = followed(rows, np.log(start), transition)
    expected = TWINS["hidden_follow"](rows, np.log(start), transition)
    np.testing.assert_allclose(steps, expected[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(states, expected[1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("K", [2, 5])
def test_impossible_rows_equal_the_oracle(level, K, rng):
    """One state can't be left, one can't be reached; a row that only the latter explains ends the sequence."""
    start, transition = chain(rng, K)
    start[1], transition[0] = 0.0, np.eye(K)[0]
    transition[:, 1] = 0.0
    start, transition = start / start.sum(), transition / transition.sum(axis=1, keepdims=True)
    rows, lengths = rng.normal(size=(12, K)), np.array([4, 4, 4])
    rows[5] = np.where(np.arange(K) == 1, 0.0, -np.inf)
    found = smooth(rows, lengths, start, transition, None)
    for mine, theirs in zip(
        (found.posterior, found.first, found.pairs, found.log_likelihood),
        TWINS["hidden_smooth"](rows, lengths, start, transition),
        strict=True,
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)
    for mine, theirs in zip(
        filtered(rows, lengths, start, transition),
        TWINS["hidden_filter"](rows, lengths, start, transition),
        strict=True,
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)
    with np.errstate(divide="ignore"):
        logs = np.log(start), np.log(transition)
    for mine, theirs in zip(
        followed(rows[4:8], logs[0], transition), TWINS["hidden_follow"](rows[4:8], logs[0], transition), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-14)
    best = likeliest_path(rows, lengths, *logs)[1]
    np.testing.assert_allclose(best, TWINS["hidden_path"](rows, lengths, *logs)[1], rtol=1e-14)


def test_of_paths_that_are_as_likely_the_first_is_taken(level):
    rows, lengths = np.zeros((5, 3)), np.array([5])
    flat = np.log(np.full(3, 0.25)), np.log(np.full((3, 3), 0.25))
    path, _ = likeliest_path(rows, lengths, *flat)
    np.testing.assert_array_equal(path, TWINS["hidden_path"](rows, lengths, *flat)[0])
    np.testing.assert_array_equal(path, 0)


@pytest.mark.parametrize(("K", "n"), [(1, 4), (2, 7), (3, 5), (5, 4), (9, 3), (17, 2)])
def test_brute_force(level, K, n, rng):
    rows, (start, transition) = 2 * rng.normal(size=(n, K)), chain(rng, K)
    lengths = np.array([n])
    likelihood, posterior, pairs, path, best = over_all_paths(rows, start, transition)
    found = smooth(rows, lengths, start, transition, None)
    assert found.log_likelihood[0] == pytest.approx(likelihood, abs=1e-12)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-13)
    np.testing.assert_allclose(found.pairs, pairs, atol=1e-13)
    np.testing.assert_allclose(found.first, posterior[0], atol=1e-13)
    states, steps = filtered(rows, lengths, start, transition)
    assert steps.sum() == pytest.approx(likelihood, abs=1e-12)
    np.testing.assert_allclose(states[-1], posterior[-1], atol=1e-13)  # at the end nothing is left to come
    found_path, score = likeliest_path(rows, lengths, np.log(start), np.log(transition))
    assert tuple(found_path) == path
    assert score[0] == pytest.approx(best, abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 6), st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_several_sequences_are_each_alone(seed, K, sizes):
    rng = np.random.default_rng(seed)
    lengths = np.array(sizes, dtype=np.int64)
    rows, (start, transition), w = rng.normal(size=(lengths.sum(), K)), chain(rng, K), rng.random(len(sizes))
    whole = smooth(rows, lengths, start, transition, w)
    path, best = likeliest_path(rows, lengths, np.log(start), np.log(transition))
    first, pairs, at = np.zeros(K), np.zeros((K, K)), 0
    for s, n in enumerate(sizes):
        part = np.ascontiguousarray(rows[at : at + n])
        one = smooth(part, np.array([n]), start, transition, w[[s]])
        np.testing.assert_allclose(whole.posterior[at : at + n], one.posterior)
        assert whole.log_likelihood[s] == pytest.approx(one.log_likelihood[0], abs=1e-12)
        first, pairs = first + one.first, pairs + one.pairs
        alone, score = likeliest_path(part, np.array([n]), np.log(start), np.log(transition))
        np.testing.assert_array_equal(path[at : at + n], alone)
        assert best[s] == pytest.approx(score[0], abs=1e-12)
        at += n
    np.testing.assert_allclose(whole.first, first, atol=1e-12)
    np.testing.assert_allclose(whole.pairs, pairs, atol=1e-12)


def test_long_sequences_don_t_underflow(level, rng):
    rows, (start, transition) = rng.normal(size=(100_000, 4)) - 50.0, chain(rng, 4)
    found = smooth(rows, np.array([len(rows)]), start, transition, None)
    assert np.isfinite(found.log_likelihood).all()
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1.0)
    assert found.pairs.sum() == pytest.approx(len(rows) - 1)


def test_states_that_can_t_be_reached_don_t_hide_those_that_can(level):
    """From left to right: at the second row the likeliest state is out of reach, by a factor no number holds."""
    transition = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    rows = np.array([[0.0, 0.0, 0.0], [-1000.0, -2000.0, 0.0], [-1000.0, -900.0, 0.0], [0.0, 0.0, 0.0]])
    found = smooth(rows, np.array([4]), np.array([1.0, 0.0, 0.0]), transition, None)
    assert found.log_likelihood[0] == pytest.approx(-1900 + np.log(0.25), rel=1e-12)
    np.testing.assert_allclose(found.posterior[3], [0.0, 0.5, 0.5], atol=1e-12)
    never = rows.copy()
    never[1] = [-np.inf, -np.inf, 0.0]
    assert smooth(never, np.array([4]), np.array([1.0, 0.0, 0.0]), transition, None).log_likelihood[0] == -np.inf
    _, steps = filtered(never, np.array([4]), np.array([1.0, 0.0, 0.0]), transition)
    np.testing.assert_array_equal(np.isneginf(steps), [False, True, True, True])


@given(st.integers(0, 10**9), st.integers(2, 4), st.integers(2, 5), st.sampled_from([1.0, 300.0, 900.0, 5000.0]))
def test_no_structure_and_no_scale_hides_a_path(seed, K, n, scale):
    """States that seem lost, by factors that no number holds, and turn out to be the only ones that lead on."""
    rng = np.random.default_rng(seed)
    rows = scale * rng.normal(size=(n, K))
    transition = rng.dirichlet(np.ones(K), K) * (rng.random((K, K)) < 0.6) + 1e-180 * (rng.random((K, K)) < 0.1)
    transition[np.arange(K), rng.integers(0, K, K)] += 1e-3
    transition /= transition.sum(axis=1, keepdims=True)
    start = rng.dirichlet(np.ones(K)) * (rng.random(K) < 0.7) + 1e-250
    start /= start.sum()
    likelihood, posterior, pairs, _, best = over_all_paths(rows, start, transition)
    found = smooth(rows, np.array([n]), start, transition, None)
    assert found.log_likelihood[0] == pytest.approx(likelihood, rel=1e-12, abs=1e-10)
    np.testing.assert_allclose(found.posterior, posterior, atol=1e-9)
    np.testing.assert_allclose(found.pairs, pairs, atol=1e-9)
    states, steps = filtered(rows, np.array([n]), start, transition)
    assert steps.sum() == pytest.approx(likelihood, rel=1e-12, abs=1e-10)
    np.testing.assert_allclose(states[-1], posterior[-1], atol=1e-9)
    with np.errstate(divide="ignore"):
        assert likeliest_path(rows, np.array([n]), np.log(start), np.log(transition))[1][0] == pytest.approx(best)


def test_the_door_refuses(rng):
    rows, (start, transition) = rng.normal(size=(5, 2)), chain(rng, 2)
    for lengths in ([4], [6, -1]):
        with pytest.raises(ValueError, match="lengths must add up to the 5 rows"):
            smooth(rows, np.array(lengths), start, transition, None)
    with pytest.raises(ValueError, match="start must have shape"):
        smooth(rows, np.array([5]), start[:1], transition, None)


def emission(kind, rng, n=60, d=3, K=4):
    """Counts that states emit (the last state explains none of them), and priors."""
    X = rng.poisson([1.0, 4.0, 9.0], size=(n, d)).astype(np.float64)
    X = np.eye(d)[rng.integers(0, d, n)] if kind == "symbols" else X
    X[5] = 0.0  # a symbol that is missing, or no events
    parameter = 5 * rng.random((K, d)) if kind == "poisson" else rng.dirichlet(np.ones(d), K)
    shape, rate = (1.0 if kind == "symbols" else 0.0) + rng.random((2, K, d))
    factorials = gammaln(X + 1).sum(axis=1)
    base = -factorials if kind == "poisson" else gammaln(X.sum(axis=1) + 1) - factorials
    return CountEmission(kind, X, base, parameter, shape, rate)


@pytest.mark.parametrize("kind", ["symbols", "multinomial", "poisson"])
@pytest.mark.parametrize(("params", "tol"), [("ste", -np.inf), ("ste", 0.5), ("se", 0.0), ("t", 0.0)])
def test_em_over_counts_equals_the_oracle(level, kind, params, tol, rng):
    counts, K = emission(kind, rng), 4
    start, transition = chain(rng, K)
    transition[0, 2] = start[1] = 0.0
    start, transition = start / start.sum(), transition / transition.sum(axis=1, keepdims=True)
    lengths = np.array([1, 20, 39])
    priors = 1 + rng.random(K), 1 + rng.random((K, K))
    found = hidden_counts(counts, lengths, (start, transition), priors, params, 12, tol)
    expected = TWINS["hidden_counts"](
        kind, counts.rows, lengths, (start, transition), counts.parameter, (*priors, counts.shape, counts.rate),
        params, 12, tol,
    )  # fmt: skip
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_counts_that_no_state_emits_are_left_to_the_caller(level, rng):
    counts = emission("multinomial", rng, K=2)
    counts.parameter[:] = [0.0, 0.5, 0.5]
    assert hidden_counts(counts, np.array([60]), chain(rng, 2), (np.ones(2), np.ones((2, 2))), "ste", 5, 0.0) is None
