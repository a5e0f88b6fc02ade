"""The kernels that compare classes equal their twins: posteriors, decisions, affine scores, softmax, labels, bits."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from parzen.compute import native
from parzen.compute.codes import lookup, places
from parzen.compute.memberships import Labels
from parzen.compute.posterior import largest, normalise
from parzen.compute.softmax import linear, softmax
from parzen.compute.sparse import bits, csr_product, csr_sums
from tests import oracle

GROUPS = [1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 65]


@pytest.fixture(params=native.levels())
def level(request):
    with native.using(request.param):
        yield request.param


@pytest.mark.parametrize("K", GROUPS)
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_posteriors_equal_the_oracle(level, K, n, rng):
    values = rng.normal(scale=30.0, size=(n, K)) + rng.normal(scale=1e5, size=(n, 1))
    prior = np.log(rng.dirichlet(np.ones(K)))
    expected = oracle.posterior(values, prior)
    plain, logs, joint, sums = values.copy(), values.copy(), values.copy(), np.empty(n)
    assert normalise(plain, prior, "plain") == normalise(logs, prior, "log") == 0
    assert normalise(joint, prior, "sums", sums) == 0
    np.testing.assert_allclose(plain, expected, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(plain.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_array_equal(joint, values + prior)
    np.testing.assert_allclose(sums, np.logaddexp.reduce(values + prior, axis=1) if n else sums, rtol=1e-14)
    np.testing.assert_allclose(logs, values + prior - sums[:, None], rtol=1e-9, atol=1e-9)
    codes = np.empty(n, dtype=np.int64)
    assert largest(values.copy(), prior, codes) == 0
    np.testing.assert_array_equal(codes, (values + prior).argmax(axis=1))


def test_rows_that_no_class_explains_keep_the_priors_and_are_counted(level):
    prior = np.log([0.2, 0.5, 0.3])
    values = np.array([[-np.inf] * 3, [0.0, -np.inf, 0.0], [np.nan, 0.0, 0.0], [-1e6, -1e6 - 800, -2e6]])
    plain, codes = values.copy(), np.empty(4, dtype=np.int64)
    assert normalise(plain, prior, "plain") == 2
    np.testing.assert_allclose(plain[0], [0.2, 0.5, 0.3], rtol=1e-14)
    np.testing.assert_allclose(plain[1], [0.4, 0.0, 0.6], rtol=1e-14)
    assert np.isnan(plain[2]).all()
    np.testing.assert_allclose(plain[3], [1.0, 0.0, 0.0])
    assert largest(values.copy(), prior, codes) == 2
    assert codes.tolist() == [1, 2, 1, 0]
    logs = values[3:].copy()
    normalise(logs, np.zeros(3), "log")
    np.testing.assert_array_equal(logs, [[0.0, -800.0, -1e6]])  # exact where the posterior underflows


def test_exponentials_and_logarithms_are_exact_to_the_last_digits(level):
    x = np.concatenate([-np.geomspace(1e-12, 700, 400), np.linspace(-40, 0, 401)])
    values = np.stack([np.zeros(len(x)), x], axis=1)
    plain, sums = values.copy(), np.empty(len(x))
    normalise(plain, np.zeros(2), "plain")
    normalise(values.copy(), np.zeros(2), "sums", sums)
    with mpmath.workdps(40):
        odds = [mpmath.exp(mpmath.mpf(float(one))) for one in x]
        share = np.array([float(one / (1 + one)) for one in odds])
        log_sum = np.array([float(mpmath.log1p(one)) for one in odds])
    np.testing.assert_allclose(plain[:, 1], share, rtol=1e-15)
    np.testing.assert_allclose(sums, log_sum, rtol=1e-15, atol=3e-16)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (31, 3), (32, 4), (33, 10), (257, 17)])
@pytest.mark.parametrize("K", [1, 2, 10])
def test_affine_scores_and_softmax_equal_the_oracle(level, dtype, shape, K, rng):
    n, d = shape
    X = rng.normal(size=shape).astype(dtype)
    table, offset = rng.normal(size=(d, K)), rng.normal(size=K)
    out = np.empty((n, K))
    linear(X, table, offset, out)
    np.testing.assert_allclose(out, X.astype(float) @ table + offset, rtol=1e-12, atol=1e-12)
    codes, weights = rng.integers(-1, K, n), np.where(rng.random(n) < 0.2, 0.0, rng.random(n))
    expected = oracle.softmax(X, codes, weights, table, offset)
    for rows in (X, sparse.csr_array(X)):
        weight, *found = softmax(rows, Labels(codes, weights, groups=K), table, offset)
        assert weight == pytest.approx(weights[codes >= 0].sum())
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    _, *found = softmax(X, Labels(codes, groups=K), table, offset)
    for one, other in zip(found, oracle.softmax(X, codes, np.ones(n), table, offset), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


def test_softmax_of_huge_scores_is_finite(level):
    X = np.array([[1e5], [-1e5]])
    _, likelihood, gradient, _ = softmax(X, Labels([0, 0], groups=2), np.array([[1.0, -1.0]]), np.zeros(2))
    assert likelihood == pytest.approx(-2e5)
    np.testing.assert_allclose(gradient, [[1e5, -1e5]])


@pytest.mark.parametrize("K", GROUPS)
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_sparse_products_and_sums_of_any_width(level, K, dtype, rng):
    X = rng.poisson(0.4, (37, 11)).astype(dtype)
    table = rng.normal(size=(11, K))
    np.testing.assert_allclose(csr_product(sparse.csr_array(X), table), X.astype(float) @ table, rtol=1e-12, atol=1e-12)
    labels = Labels(rng.integers(0, K, 37), groups=K)
    weight, totals, _ = csr_sums(sparse.csr_array(X), labels)
    np.testing.assert_allclose(totals, labels.dense().T @ X.astype(float), rtol=1e-12)
    np.testing.assert_allclose(weight, labels.dense().sum(axis=0))


def test_sums_of_many_wide_groups_are_taken_group_by_group(level, rng):
    X = sparse.random_array((300, 3000), density=0.01, rng=rng, format="csr")
    labels = Labels(rng.integers(-1, 50, 300), rng.random(300), groups=50)  # 150,000 totals: more than stay in cache
    np.testing.assert_allclose(csr_sums(X, labels)[1], labels.dense().T @ X.toarray(), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("column", [-1, 11])
def test_a_column_outside_a_sparse_matrix_is_refused(level, column, rng):
    X = sparse.csr_array(rng.poisson(1.0, (20, 11)).astype(float))
    X.indices[7] = column
    for groups in (1, 3, 20000):
        with pytest.raises(ValueError, match="sound CSR"):
            csr_sums(X, Labels(np.arange(20) % groups, groups=groups))
    with pytest.raises(ValueError, match="sound CSR"):
        csr_product(X, np.zeros((11, 20)))
    with pytest.raises(ValueError, match="sound CSR"):
        softmax(X, Labels(np.zeros(20, dtype=int), groups=2), np.zeros((11, 2)), np.zeros(2))


@pytest.mark.parametrize("K", GROUPS)
def test_lookups_of_any_width(level, K, rng):
    sizes = (3, 1, 5, 2, 4)
    codes = np.stack([rng.integers(-1, size, 50) for size in sizes], axis=1)
    table = rng.normal(size=(sum(sizes), K))
    np.testing.assert_allclose(lookup(codes, table, sizes, False), oracle.lookup(codes, table, sizes), atol=1e-12)


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=60), st.sampled_from(["int8", "int16", "int64", "uint8"]))
def test_places_count_whole_numbers(values, dtype):
    y = np.array(values).astype(dtype)
    low, counts, codes = places(y)
    np.testing.assert_array_equal(low + codes, y)
    np.testing.assert_array_equal(counts, np.bincount(y.astype(int) - low))


def test_places_far_apart_are_left_to_sorting():
    assert places(np.array([0, 2**62])) is None
    assert places(np.array([0.0, 1.0])) is None
    assert places(np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)) is None


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_bits_above_a_threshold(level, dtype, rng):
    values = rng.integers(0, 5, 100).astype(dtype)
    found, odd = bits(values, 1.5)
    np.testing.assert_array_equal(found, values > 1.5)
    assert odd == 0
    if values.dtype.kind == "f":
        values[[3, 50]] = np.nan, np.inf
        assert bits(values, 1.5)[1] == 2
