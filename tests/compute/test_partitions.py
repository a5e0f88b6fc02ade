"""Partitions where EM begins, and EM from one of them, equal their twins."""

import numpy as np
import pytest

from parzen.compute.partitions import RUNS, em_run, kmeans_partition, merged_partition
from tests.oracle import TWINS


def _rows(rng, n, d, K, offset=0.0):
    label = rng.integers(K, size=n)
    return label, offset + 3.0 * rng.normal(size=(K, d))[label] + rng.normal(size=(n, d))


@pytest.mark.parametrize(("n", "d", "K", "steps"), [(5, 1, 2, 3), (60, 2, 3, 0), (300, 5, 4, 8), (290, 3, 7, 2)])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_k_means_partitions_equal_the_twins(n, d, K, steps, offset, level, rng):
    _, X = _rows(rng, n, d, K, offset)
    uniform, weights = rng.random((2, 1 + (K - 1) * 3)), rng.random(n)
    some = np.sort(rng.choice(n, size=max(n // 2, K), replace=False))
    for w in (None, weights):
        for read in (None, some):
            found = kmeans_partition(X, w, K, uniform, steps, read)
            np.testing.assert_array_equal(found, TWINS["kmeans_partition"](X, w, K, uniform, steps, read))


def test_rows_that_are_all_equal_have_a_partition(level):
    X = np.ones((9, 2))
    assert kmeans_partition(X, None, 3, np.full((2, 7), 0.5), 4).tolist() == [0] * 9
    assert merged_partition(X, None, np.arange(5), 2, 3).max() < 2


@pytest.mark.parametrize(("n", "d", "C", "M"), [(40, 1, 2, 6), (150, 3, 3, 12), (150, 5, 4, 12)])
def test_merged_partitions_equal_the_twins(n, d, C, M, level, rng):
    _, X = _rows(rng, n, d, C)
    first, weights = np.sort(rng.choice(n, size=M, replace=False)), rng.random(n) + 0.1
    for w in (None, weights):
        found = merged_partition(X, w, first, C, 6)
        np.testing.assert_array_equal(found, TWINS["merged_partition"](X, w, first, C, 6))


@pytest.mark.parametrize("shape", RUNS)
@pytest.mark.parametrize(("n", "d", "K", "steps"), [(30, 1, 2, 1), (150, 3, 3, 9), (200, 6, 4, 12)])
def test_runs_of_em_equal_their_twins(shape, n, d, K, steps, level, rng):
    label, X = _rows(rng, n, d, K)
    codes = np.where(rng.random(n) < 0.2, rng.integers(K, size=n), label).astype(np.int32)
    weights = rng.random(n)
    for w in (None, weights):
        options = (codes, K, shape, 1e-3, 1e-12, steps, 1e-9)
        for ours, theirs in zip(em_run(X, w, *options), TWINS["em_run"](X, w, *options), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-8)


def test_a_run_that_would_not_reach_what_is_wanted_is_given_up(level, rng):
    _, X = _rows(rng, 400, 2, 3)
    codes = rng.integers(3, size=400).astype(np.int32)
    options = (X, None, codes, 3, "full", 1e-6, 1e-12, 200, 1e-9)
    whole, partly = em_run(*options), em_run(*options, 1e9)
    assert partly[3] < whole[3]
    np.testing.assert_array_equal(em_run(*options, whole[3] - 1e3)[1], whole[1])


@pytest.mark.parametrize("shape", RUNS)
def test_what_takes_a_judgement_is_left_to_the_caller(shape, rng):
    X = rng.normal(size=(40, 2))
    codes = (np.arange(40) % 2).astype(np.int32)
    options = (2, shape, 0.0, 1e-12, 5, 1e-3)
    assert em_run(X, None, codes, *options) is not None
    assert em_run(X, None, np.zeros(40, dtype=np.int32), *options) is None  # a component without rows
    assert em_run(np.column_stack([X[:, 0], np.full(40, 7.0)]), None, codes, *options) is None  # a constant column
    if shape in ("full", "tied"):
        assert em_run(np.column_stack([X[:, 0], X[:, 0]]), None, codes, *options) is None  # columns that are one
    odd = X.copy()
    odd[3, 1] = np.inf
    assert em_run(odd, None, codes, *options) is None
