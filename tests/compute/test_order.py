"""Rows copied with their ends, and rows in an order of neighbours, equal their twins."""

from itertools import pairwise

import numpy as np
import pytest

from parzen.compute.order import copy_rows, kd_order
from tests.compute.inputs import LAYOUTS, laid_out
from tests.oracle import TWINS


@pytest.mark.parametrize(("n", "leaf"), [(0, 4), (1, 4), (7, 4), (64, 64), (1000, 64), (1001, 16)])
def test_an_order_is_an_order(n, leaf, rng):
    X = rng.normal(size=(n, 3))
    order = kd_order(X, leaf)
    assert sorted(order) == list(range(n))
    if n == 1000:
        volume = np.prod(np.ptp(X[order[:leaf]], axis=0))
        assert volume < 0.2 * np.prod(np.ptp(X, axis=0))


@pytest.mark.parametrize("n", [0, 1, 2, 7, 16, 17, 100, 1001])
@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("leaf", [1, 4, 16])
@pytest.mark.parametrize("ties", [False, True])
def test_leaves_equal_the_oracle(level, n, d, leaf, ties, rng):
    """Which rows a leaf holds; their order within it is of no account."""
    X = rng.normal(size=(n, d))
    X = np.round(X) if ties else X
    order = kd_order(X, leaf)
    leaves = TWINS["kd_order"](X, leaf)
    ends = np.cumsum([0, *(len(rows) for rows in leaves)])
    assert [set(order[begin:end]) for begin, end in pairwise(ends)] == leaves
    assert all(len(rows) == leaf for rows in leaves[:-1])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 3), (7, 1), (64, 1), (65, 1), (33, 2), (40, 9)])
def test_copies_equal_the_oracle(level, layout, dtype, n, d, rng):
    X = laid_out((10 * rng.normal(size=(n, d))).astype(dtype), layout)
    copy, low, high = copy_rows(X)
    assert copy.dtype == np.float64
    assert copy.flags.c_contiguous
    assert not np.shares_memory(copy, X)
    for mine, theirs in zip((copy, low, high), TWINS["copy_rows"](X), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (7, 1), (64, 1), (33, 2)])
def test_ends_are_not_finite_where_a_cell_isn_t(level, bad, n, d, rng):
    for at in range(n):
        X = rng.normal(size=(n, d))
        X[at, -1] = bad
        copy, low, high = copy_rows(X)
        np.testing.assert_array_equal(copy, X)
        assert not (np.isfinite(low[-1]) and np.isfinite(high[-1]))
        exact = TWINS["copy_rows"](X)
        np.testing.assert_array_equal(low[:-1], exact[1][:-1])
        np.testing.assert_array_equal(high[:-1], exact[2][:-1])
        if np.isnan(bad):
            assert np.isnan([low[-1], high[-1]]).all()


def test_no_rows_have_no_ends(level):
    copy, low, high = copy_rows(np.empty((0, 2)))
    assert copy.shape == (0, 2)
    np.testing.assert_array_equal([low, high], 0.0)
