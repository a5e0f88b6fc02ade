"""Sums and products of rows in CSR form equal their twins; a matrix that is none is refused before it is read."""

import numpy as np
import pytest
from scipy import sparse

from parzen.compute.memberships import Labels
from parzen.compute.softmax import softmax
from parzen.compute.sparse import bits, csr_product, csr_sums
from tests import oracle
from tests.compute.inputs import DTYPES, GROUPS, KINDS, SHAPES, memberships
from tests.oracle import TWINS

CELLS = [np.uint8, np.int64, np.float32, np.float64]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_kernels_equal_dense_arithmetic(level, dtype, indices, kind, rng):
    for n, d in SHAPES:
        X = sparse.random_array((n, d), density=0.3, random_state=rng, dtype=np.float64).tocsr().astype(dtype)
        X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
        R = memberships(kind, n, rng)
        weight, totals, _ = csr_sums(X, R)
        np.testing.assert_allclose(weight, oracle.dense(R, n).sum(0), rtol=1e-12)
        np.testing.assert_allclose(totals, oracle.TWINS["sums"](X.toarray(), R)[1], rtol=1e-12, atol=1e-12)
        table = rng.normal(size=(d, 3))
        np.testing.assert_allclose(csr_product(X, table), X.toarray().astype(float) @ table, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", CELLS)
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_and_products_equal_the_oracle(level, dtype, indices, kind, rng):
    """Cell by cell, also where a cell is stored twice and where columns are in no order."""
    for n, d in [(0, 3), (1, 1), (7, 2), (40, 9)]:
        stored = 3 * n
        rows = np.sort(rng.integers(0, max(n, 1), stored))
        indptr = np.searchsorted(rows, np.arange(n + 1)).astype(indices)
        cells = rng.integers(0, 5, stored).astype(dtype)
        X = sparse.csr_array((n, d), dtype=dtype)
        X.data, X.indices, X.indptr = cells, rng.integers(0, d, stored).astype(indices), indptr
        R = memberships(kind, n, rng)
        for mine, theirs in zip(csr_sums(X, R), TWINS["csr_sums"](X, R), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)
        table = rng.normal(size=(d, 3))
        np.testing.assert_allclose(csr_product(X, table), TWINS["csr_product"](X, table), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
@pytest.mark.parametrize("groups", [3, 50_000])  # rows as they come, and group by group
def test_a_negative_cell_is_told_where_its_row_counts(level, bad, groups, rng):
    X = sparse.csr_array(rng.poisson(1.0, (12, 5)).astype(float) + 1.0)
    X.data[31] = bad  # in row 6
    for weight in (0.0, 0.5):
        R = Labels(np.arange(12) % 3, np.where(np.arange(12) == 6, weight, 1.0), groups=groups)
        mine, theirs = csr_sums(X, R), TWINS["csr_sums"](X, R)
        assert mine[2] == theirs[2] == (weight > 0)
        np.testing.assert_allclose(mine[1], theirs[1], rtol=1e-12)


@pytest.mark.parametrize("K", GROUPS)
@pytest.mark.parametrize("dtype", CELLS)
def test_sparse_products_and_sums_of_any_width(level, K, dtype, rng):
    X = rng.poisson(0.4, (37, 11)).astype(dtype)
    table = rng.normal(size=(11, K))
    np.testing.assert_allclose(csr_product(sparse.csr_array(X), table), X.astype(float) @ table, rtol=1e-12, atol=1e-12)
    labels = Labels(rng.integers(0, K, 37), groups=K)
    weight, totals, _ = csr_sums(sparse.csr_array(X), labels)
    np.testing.assert_allclose(totals, labels.dense().T @ X.astype(float), rtol=1e-12)
    np.testing.assert_allclose(weight, labels.dense().sum(axis=0))


def test_sums_of_many_wide_groups_are_taken_group_by_group(level, rng):
    X = sparse.random_array((300, 3000), density=0.01, random_state=rng, format="csr")
    labels = Labels(rng.integers(-1, 50, 300), rng.random(300), groups=50)  # 150,000 totals: more than stay in cache
    np.testing.assert_allclose(csr_sums(X, labels)[1], labels.dense().T @ X.toarray(), rtol=1e-12, atol=1e-14)


def test_products_with_a_table_that_is_larger_than_a_cache(level, rng):
    X = sparse.random_array((60, 3000), density=0.01, random_state=rng, format="csr")
    table = rng.normal(size=(3000, 50))
    np.testing.assert_allclose(csr_product(X, table), TWINS["csr_product"](X, table), rtol=1e-12, atol=1e-12)


def test_a_broken_sparse_matrix_is_refused_before_it_is_read(level):
    X = sparse.csr_array(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(ValueError, match="outside"):
        csr_sums(X)
    X = sparse.csr_array(np.eye(3))
    X.indptr[3] = 9
    with pytest.raises(ValueError, match="outside"):
        csr_product(X, np.zeros((3, 1)))


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


@pytest.mark.parametrize("dtype", CELLS)
def test_bits_above_a_threshold(level, dtype, rng):
    values = rng.integers(0, 5, 100).astype(dtype)
    found, odd = bits(values, 1.5)
    np.testing.assert_array_equal(found, values > 1.5)
    assert odd == 0
    if values.dtype.kind == "f":
        values[[3, 50]] = np.nan, np.inf
        assert bits(values, 1.5)[1] == 2


@pytest.mark.parametrize("dtype", CELLS)
@pytest.mark.parametrize("n", [0, 1, 7, 64, 1001])
@pytest.mark.parametrize("threshold", [0.1, 2.0, -np.inf, np.inf])
def test_bits_equal_the_oracle(level, dtype, n, threshold, rng):
    values = rng.integers(0, 5, n).astype(dtype)
    if values.dtype.kind == "f":
        values[rng.random(n) < 0.2] = np.nan
        values[rng.random(n) < 0.2] = 0.1  # at the threshold, as float32 and as float64
        values[rng.random(n) < 0.1] = -np.inf
    found, odd = bits(values, threshold)
    expected, number = TWINS["bits"](values, threshold)
    np.testing.assert_array_equal(found, expected)
    assert odd == number
