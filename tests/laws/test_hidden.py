"""Hidden chains: the kernels equal the sum over all paths, on every level, and never underflow."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen.kernels import native
from parzen.kernels.hidden import filtered, likeliest_path, smooth


@pytest.fixture(params=native.levels())
def level(request):
    with native.using(request.param):
        yield request.param


def chain(rng, K):
    return rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), K)


def over_all_paths(rows, start, transition):
    """Likelihood, posterior, transitions and the likeliest path, by enumeration."""
    n, K = rows.shape
    total, posterior, pairs, best, path = 0.0, np.zeros((n, K)), np.zeros((K, K)), -np.inf, ()
    for states in itertools.product(range(K), repeat=n):
        p = start[states[0]] * np.exp(sum(rows[t, state] for t, state in enumerate(states)))
        for before, after in itertools.pairwise(states):
            p *= transition[before, after]
        total += p
        for t, state in enumerate(states):
            posterior[t, state] += p
        for before, after in itertools.pairwise(states):
            pairs[before, after] += p
        if p > best:
            best, path = p, states
    return np.log(total), posterior / total, pairs / total, path, np.log(best)


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


def test_the_door_refuses(rng):
    rows, (start, transition) = rng.normal(size=(5, 2)), chain(rng, 2)
    for lengths in ([4], [6, -1]):
        with pytest.raises(ValueError, match="lengths must add up to the 5 rows"):
            smooth(rows, np.array(lengths), start, transition, None)
    with pytest.raises(ValueError, match="start must have shape"):
        smooth(rows, np.array([5]), start[:1], transition, None)
