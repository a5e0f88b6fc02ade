"""Affine scores and the likelihood of labels under their softmax equal their twins, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse

from parzen.compute.arrays import as_floats
from parzen.compute.memberships import Labels
from parzen.compute.softmax import linear, logit_run, softmax, softmax_curvature, softmax_product
from tests.compute.inputs import DTYPES, GROUPS, LAYOUTS, laid_out
from tests.oracle import TWINS
from tests.oracle.softmax import softmax_curvature as curvature_twin


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (31, 3), (32, 4), (33, 10), (257, 17)])
@pytest.mark.parametrize("K", [1, 2, 10])
def test_affine_scores_and_softmax_equal_the_oracle(level, dtype, shape, K, rng):
    n, d = shape
    X = rng.normal(size=shape).astype(dtype)
    table, offset = rng.normal(size=(d, K)), rng.normal(size=K)
    out = np.empty((n, K))
    linear(X, table, offset, out)
    np.testing.assert_allclose(out, X.astype(float) @ table + offset, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(out, TWINS["linear"](X, table, offset), rtol=1e-12, atol=1e-12)
    codes, weights = rng.integers(-1, K, n), np.where(rng.random(n) < 0.2, 0.0, rng.random(n))
    expected = TWINS["softmax"](X, codes, weights, table, offset)
    for rows in (X, sparse.csr_array(X)):
        for one, other in zip(softmax(rows, Labels(codes, weights, groups=K), table, offset), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    found = softmax(X, Labels(codes, groups=K), table, offset)
    for one, other in zip(found, TWINS["softmax"](X, codes, np.ones(n), table, offset), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_scores_about_an_origin_equal_the_oracle_in_any_layout(level, dtype, layout, rng):
    """About an origin far away what is left of the rows keeps its digits."""
    X = (2.0**12 + rng.normal(size=(37, 5))).astype(dtype)
    origin, labels = np.full(5, 2.0**12), Labels(rng.integers(-1, 4, 37), groups=4)
    table, offset, out = rng.normal(size=(5, 4)), rng.normal(size=4), np.empty((37, 4))
    rows = as_floats(laid_out(X, layout))
    linear(rows, table, offset, out, origin)
    np.testing.assert_allclose(out, TWINS["linear"](X, table, offset, origin), rtol=1e-13, atol=1e-13)
    near = (X - origin).astype(dtype)
    for one, other in zip(
        softmax(as_floats(laid_out(near, layout)), labels, table, offset),
        TWINS["softmax"](near, labels.codes, np.ones(37), table, offset),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("K", GROUPS)
def test_scores_of_any_width(level, K, rng):
    X, table, offset, out = rng.normal(size=(9, 3)), rng.normal(size=(3, K)), rng.normal(size=K), np.empty((9, K))
    linear(X, table, offset, out)
    np.testing.assert_allclose(out, TWINS["linear"](X, table, offset), rtol=1e-13, atol=1e-13)
    labels = Labels(rng.integers(0, K, 9), groups=K)
    for one, other in zip(
        softmax(X, labels, table, offset), TWINS["softmax"](X, labels.codes, np.ones(9), table, offset), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(0, 2), (1, 1), (33, 10)])
@pytest.mark.parametrize("K", [1, 3, 9])
def test_softmax_of_sparse_rows_equals_the_oracle(level, dtype, indices, shape, K, rng):
    n, d = shape
    X = sparse.csr_array(rng.poisson(0.5, shape).astype(dtype))
    X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
    table, offset, codes = rng.normal(size=(d, K)), rng.normal(size=K), rng.integers(-1, K, n)
    weights = np.where(rng.random(n) < 0.2, 0.0, rng.random(n))
    expected = TWINS["csr_softmax"](X, codes, weights, table, offset)
    for one, other in zip(softmax(X, Labels(codes, weights, groups=K), table, offset), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize(("n", "d", "F"), [(1, 1, 1), (33, 10, 1), (20, 7, 3), (9, 4, 5), (12, 5, 7)])
def test_products_with_the_curvature_of_sparse_rows_equal_the_oracle(level, dtype, indices, n, d, F, rng):
    X = sparse.csr_array(rng.poisson(0.5, (n, d)).astype(dtype))
    X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
    shares = rng.dirichlet(np.ones(F + 1), n)[:, :F].copy()
    weights, way = rng.random(n), rng.normal(size=(d + 1, F))
    expected = TWINS["csr_softmax_product"](X, shares, weights, way)
    np.testing.assert_allclose(softmax_product(X, shares, weights, way), expected, rtol=1e-11, atol=1e-12)


def test_products_with_broken_sparse_rows_are_refused(level):
    X = sparse.csr_array(np.eye(3))
    X.indices = np.array([0, 7, 2], dtype=X.indices.dtype)
    with pytest.raises(ValueError, match="CSR"):
        softmax_product(X, np.full((3, 1), 0.5), np.ones(3), np.ones((4, 1)))


def test_softmax_of_huge_scores_is_finite(level):
    X = np.array([[1e5], [-1e5]])
    _, likelihood, gradient, _ = softmax(X, Labels([0, 0], groups=2), np.array([[1.0, -1.0]]), np.zeros(2))
    assert likelihood == pytest.approx(-2e5)
    np.testing.assert_allclose(gradient, [[1e5, -1e5]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("n", "d", "K"), [(0, 2, 2), (1, 1, 2), (33, 3, 3), (150, 10, 5), (257, 17, 2), (70, 60, 2)])
def test_the_curvature_equals_the_oracle(level, dtype, layout, n, d, K, rng):
    X = (2.0**10 + rng.normal(size=(n, d))).astype(dtype)
    table, offset, origin = rng.normal(size=(d, K)), rng.normal(size=K), np.full(d, 2.0**10)
    codes, weights = rng.integers(-1, K, n), np.where(rng.random(n) < 0.2, 0.0, rng.random(n))
    labels = Labels(codes, weights, groups=K)
    *first, pairs = softmax_curvature(as_floats(laid_out(X, layout)), labels, table, offset, origin)
    for one, other in zip(first, TWINS["softmax"](X, codes, weights, table, offset, origin), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-11)
    expected = curvature_twin(X, codes, weights, table, offset, origin)
    np.testing.assert_allclose(pairs, -expected[np.triu_indices(K, 1)], rtol=1e-11, atol=1e-11)


def test_the_curvature_leaves_out_rows_that_say_less_than_the_least(level, rng):
    X, labels = rng.normal(size=(200, 2)), Labels(rng.integers(0, 2, 200), groups=2)
    table, offset = np.array([[0.0, 3.0], [0.0, -2.0]]), np.zeros(2)
    p = 1.0 / (1.0 + np.exp(-X @ table[:, 1]))
    kept = p * (1.0 - p) > 0.05
    assert 20 < kept.sum() < 180
    some = Labels(labels.codes[kept], groups=2)
    found = softmax_curvature(X, labels, table, offset, least=0.05)[-1]
    np.testing.assert_allclose(found, softmax_curvature(X[kept], some, table, offset)[-1], rtol=1e-12)
    assert (np.diagonal(found[0]) < np.diagonal(softmax_curvature(X, labels, table, offset)[-1][0])).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "d", "intercept", "most"), [(40, 1, True, 3), (150, 5, False, 2), (300, 12, True, 20)])
def test_a_run_of_newtons_method_equals_the_oracle(level, dtype, n, d, intercept, most, rng):
    X, codes = (3.0 + rng.normal(size=(n, d))).astype(dtype), rng.integers(0, 2, n)
    weights, l2, origin = rng.random(n), np.append(np.full(d, 0.3), 0.0), np.full(d, 3.0)
    start = np.append(2.0 * rng.normal(size=d), 0.0)
    labels = Labels(codes, weights, groups=2)
    line = np.append(0.1 * rng.normal(size=d), [0.02 if intercept else 0.0, 7.0])
    for rest in (None, line):
        found = logit_run(X, labels, start, l2, origin, rest=rest, intercept=intercept, most=most, enough=1e-20)
        expected = TWINS["logit_run"](X, codes, weights, start, l2, origin, intercept, most, rest)
        assert found is not None
        assert found[0] == most or most == 20
        for ours, theirs in zip((found[1], found[2][0], *found[3:]), expected[1:], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_a_run_of_newtons_method_ends_where_little_is_left_and_tells_where_it_has_no_step(level, rng):
    X, labels = rng.normal(size=(500, 3)), Labels(rng.integers(0, 2, 500), groups=2)
    whole = logit_run(X, labels, np.zeros(4), np.ones(4), enough=1e-10)
    nearly = logit_run(X, labels, np.zeros(4), np.ones(4), enough=1.0)
    none = logit_run(X, labels, np.zeros(4), np.ones(4), done=1e9)
    assert nearly[0] < whole[0] < 10
    assert none[0] == 0
    assert whole[2][0] <= nearly[2][0] <= whole[2][0] + 1.0
    assert whole[2][1] > 1e-10
    assert logit_run(X, labels, np.zeros(4), np.ones(4), relative=1.0)[0] == 0
    assert logit_run(X @ np.eye(3)[:, [0, 1, 1]], labels, np.zeros(4), np.zeros(4)) is None
