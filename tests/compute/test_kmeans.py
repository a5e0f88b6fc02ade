"""One step of k-means and distances to points equal their twins: dense, with missing cells, and CSR."""

import numpy as np
import pytest
from scipy import sparse

from parzen.compute.arrays import as_floats
from parzen.compute.kmeans import centre_step, distances, nearest_squares, points_of
from tests import oracle
from tests.compute.inputs import DTYPES, GROUPS, LAYOUTS, laid_out
from tests.compute.test_em import SHAPES
from tests.oracle import TWINS


@pytest.mark.parametrize(("n", "d", "K"), [(0, 2, 3), *SHAPES, (40, 2, 130)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("gaps", [False, True])
def test_k_means_equals_the_twin(n, d, K, dtype, gaps, level, rng):
    X = rng.normal(size=(n, d)).astype(dtype)
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    centre, weights = rng.normal(size=(K, d)), rng.random(n)
    for w in (weights, None):
        codes = np.empty(n, dtype=np.int32)
        weight, totals, inertia = centre_step(X, w, centre, codes=codes)
        # Rows of float32 are compared with the centres in float32: of two that are as near to 7 digits either may win.
        squares = oracle.nearest(X, centre)[1]
        own = np.nansum((np.asarray(X, dtype=float) - centre[codes]) ** 2, axis=1)
        np.testing.assert_allclose(own, squares, rtol=1e-5, atol=1e-6)
        # Sums are of float64, given the codes.
        _, cells, sums, total = TWINS["centres"](X, w, centre, codes)
        assert inertia == pytest.approx(total, rel=1e-12)
        np.testing.assert_allclose(
            weight if weight.ndim == 2 else np.repeat(weight[:, None], d, axis=1), cells, atol=1e-12
        )
        np.testing.assert_allclose(totals, sums, rtol=1e-12, atol=1e-12)
        alone = np.empty(n, dtype=np.int32)
        centre_step(X, w, centre, sums=False, codes=alone)
        np.testing.assert_array_equal(alone, codes)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_layout_gives_the_same_and_of_equals_the_first_is_nearest(layout, dtype, level, rng):
    X = rng.integers(-3, 4, (60, 2)).astype(dtype)
    centre = rng.integers(-3, 4, (9, 2)).astype(float)
    centre[8] = centre[0]
    centre -= centre.mean(axis=0).round()
    codes = np.empty(60, dtype=np.int32)
    found = centre_step(as_floats(laid_out(X, layout)), None, centre, codes=codes)
    _, cells, sums, total = TWINS["centres"](X, None, centre, codes)
    for mine, theirs in zip(found, (cells[:, 0], sums, total), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14)
    squares = ((X[:, None].astype(float) - centre) ** 2).sum(axis=2)
    np.testing.assert_array_equal(squares[np.arange(60), codes], squares.min(axis=1))
    assert 8 not in codes


@pytest.mark.parametrize(("n", "d", "K"), [(0, 2, 3), *SHAPES, (40, 2, 130)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_distances_equal_the_twin(n, d, K, dtype, level, rng):
    X = rng.normal(size=(n, d)).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    points = rng.normal(size=(K, d))
    found = distances(X, points_of(points, False))
    digits = {"rtol": 1e-5, "atol": 1e-6} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-15}
    np.testing.assert_allclose(found, TWINS["distances"](X, points), **digits)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_a_row_has_no_distance_to_itself(dtype, offset, level, rng):
    X = (rng.normal(size=(30, 7)) + offset).astype(dtype)
    X[X < 0.5] = 0
    at = X[:9].astype(float)
    for rows in (X, sparse.csr_array(X)):
        found = distances(rows, points_of(at, sparse.issparse(rows)))
        assert (np.diagonal(found) == 0).all()
        np.testing.assert_array_equal(nearest_squares(rows[:9], points_of(at, sparse.issparse(rows))), 0.0)


@pytest.mark.parametrize("K", GROUPS)
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_tables_of_points_equal_the_twin(K, offset, level, rng):
    at = points_of(rng.normal(size=(K, 11)) + offset, True)
    table, half, squares = TWINS["point_table"](at.point)
    np.testing.assert_array_equal(at.table[:, :K], table)
    assert not at.table[:, K:].any()
    exact = float(np.finfo(np.longdouble).eps)  # on Windows a double's
    np.testing.assert_allclose(at.offset[:K], half.astype(float), rtol=1e-15)
    np.testing.assert_allclose(at.squares.astype(np.longdouble).sum(axis=1), squares, rtol=max(1e-18, 2 * exact))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_sparse_distances_and_steps_equal_the_twin(dtype, indices, offset, level, rng):
    """Rows that are dense far from the origin, where squares of 1e16 would leave nothing of a distance of 1, too."""
    for n, d, K in [(0, 3, 2), (1, 1, 1), (7, 2, 3), (40, 9, 5), (90, 30, 33)]:
        X = sparse.csr_array(rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)).astype(dtype)
        X.data += offset
        X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
        points = np.where(rng.random((K, d)) < 0.5, 0.0, rng.normal(size=(K, d)) + offset)
        expected = TWINS["csr_distances"](X, points)
        at = points_of(points, True)
        np.testing.assert_allclose(distances(X, at), expected, rtol=1e-9, atol=1e-12)
        codes, w = np.empty(n, dtype=np.int32), rng.random(n)
        weight, totals, inertia = centre_step(X, w, at, codes=codes)
        near = expected.min(axis=1, initial=np.inf)
        np.testing.assert_allclose(expected[np.arange(n), codes], near, rtol=1e-7)
        _, cells, sums, total = TWINS["centres"](X.toarray(), w, points, codes)
        assert inertia == pytest.approx(total, rel=1e-9)
        np.testing.assert_allclose(weight, cells[:, 0], rtol=1e-12)
        np.testing.assert_allclose(totals, sums, rtol=1e-9, atol=1e-9 * (1 + offset))


@pytest.mark.parametrize("column", [-1, 11, 10**6])
@pytest.mark.parametrize("K", [3, 4000])  # a table in cache, and one that is asked for ahead
def test_a_column_outside_of_a_sparse_matrix_is_refused_by_distances(column, K, level, rng):
    X = sparse.csr_array(rng.poisson(1.0, (20, 11)).astype(float))
    X.indices[7] = column
    with pytest.raises(ValueError, match="sound CSR"):
        distances(X, points_of(rng.normal(size=(K, 11)), True))


def test_points_for_dense_rows_are_none_for_sparse_ones(rng):
    with pytest.raises(TypeError, match="made for dense rows"):
        distances(sparse.csr_array(np.eye(3)), points_of(np.eye(3), False))
