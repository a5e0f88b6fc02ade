"""Tables indexed by category codes equal their twins; what is no code is refused by its position."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen.compute.codes import BadCode, as_codes, lookup, places, tally
from parzen.compute.memberships import Labels
from tests import oracle
from tests.compute.inputs import GROUPS, KINDS, LAYOUTS, SHAPES, laid_out, memberships
from tests.oracle import TWINS

CELLS = [np.uint8, np.int32, np.int64, np.float32, np.float64, np.int16, bool]


def codes_of(dtype, n, sizes, rng):
    """Random codes of columns with so many categories each, some missing where the dtype has a mark for it."""
    X = np.array([rng.integers(0, 2 if dtype is bool else size, n) for size in sizes]).T.reshape(n, len(sizes))
    X = X.astype(dtype)
    if np.issubdtype(dtype, np.floating):
        X[rng.random(X.shape) < 0.2] = np.nan
    elif np.issubdtype(dtype, np.signedinteger):
        X[rng.random(X.shape) < 0.2] = -1
    return X


@pytest.mark.parametrize("dtype", CELLS)
@pytest.mark.parametrize("kind", KINDS)
def test_tallies_and_lookups_equal_the_oracle(level, dtype, kind, rng):
    for n, d in SHAPES:
        sizes = tuple(int(size) for size in rng.integers(2, 6, d))
        X = codes_of(dtype, n, sizes, rng)
        R = memberships(kind, n, rng)
        codes = as_codes(X)
        np.testing.assert_allclose(tally(codes, R, sizes), TWINS["tally"](X, R, sizes), rtol=1e-12)
        table = rng.normal(size=(sum(sizes), 4))
        np.testing.assert_allclose(
            lookup(codes, table, sizes, False), TWINS["lookup"](X, table, sizes), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [dtype for dtype in CELLS if dtype is not bool])
def test_any_layout_gives_the_same(level, dtype, layout, rng):
    sizes = (3, 2, 5)
    X = codes_of(dtype, 60, sizes, rng)
    rows, table = as_codes(laid_out(X, layout)), rng.normal(size=(sum(sizes), 3))
    np.testing.assert_array_equal(tally(rows, None, sizes), TWINS["tally"](X, None, sizes))
    np.testing.assert_array_equal(lookup(rows, table, sizes, False), lookup(as_codes(X), table, sizes, False))


@pytest.mark.parametrize("K", GROUPS)
def test_lookups_of_any_width(level, K, rng):
    sizes = (3, 1, 5, 2, 4)
    codes = np.stack([rng.integers(-1, size, 50) for size in sizes], axis=1)
    table = rng.normal(size=(sum(sizes), K))
    np.testing.assert_allclose(lookup(codes, table, sizes, False), TWINS["lookup"](codes, table, sizes), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_open_ended_lookups_equal_the_oracle(level, dtype, rng):
    sizes, X = (3, 1, 4), rng.integers(-1, 9, (60, 3)).astype(dtype)
    table = rng.normal(size=(sum(sizes), 5))
    np.testing.assert_allclose(lookup(X, table, sizes, True), TWINS["lookup"](X, table, sizes), atol=1e-12)


@pytest.mark.parametrize("value", [5, 2.5, 3e9, -2, -0.5, np.inf, -np.inf])
def test_a_code_beyond_its_column_is_refused_by_position(level, value):
    X = np.array([[0.0, 1.0], [1.0, value]])
    with pytest.raises(BadCode, match="column 1 holds") as caught:
        tally(X, None, (2, 3))
    assert caught.value.column == 1
    with pytest.raises(BadCode):
        lookup(X, np.zeros((5, 1)), (2, 3), open_ended=False)


@given(st.integers(0, 10_000))
def test_the_first_cell_that_is_no_code_is_the_one_refused(seed):
    rng = np.random.default_rng(seed)
    sizes, X = (3, 2, 4), rng.choice([0.0, 1.0, 1.0, -1.0, np.nan, 2.0, 0.5, 3.0], (5, 3))
    bad = oracle.first_bad_code(X, sizes)
    for read in (lambda: tally(X, None, sizes), lambda: lookup(X, np.zeros((9, 1)), sizes, False)):
        if bad is None:
            read()
            continue
        with pytest.raises(BadCode) as caught:
            read()
        assert (caught.value.column, caught.value.value) == (bad[1], X[bad])


def test_rows_of_weight_zero_may_hold_anything(level):
    X = np.array([[0.0], [7.5], [1.0]])
    np.testing.assert_array_equal(tally(X, np.array([1.0, 0.0, 2.0]), (2,)), [[1.0, 2.0]])
    np.testing.assert_array_equal(tally(X, Labels([0, -1, 0], groups=1), (2,)), [[1.0, 1.0]])


def test_open_ended_columns_give_every_larger_code_their_last_slot(level):
    table = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_array_equal(lookup(np.array([[0], [2], [99]]), table, (3,), open_ended=True), [[1], [4], [4]])


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=60), st.sampled_from(["int8", "int16", "int64", "uint8"]))
def test_places_count_whole_numbers(values, dtype):
    y = np.array(values).astype(dtype)
    low, counts, codes = places(y)
    np.testing.assert_array_equal(low + codes, y)
    np.testing.assert_array_equal(counts, np.bincount(y.astype(int) - low))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 1000])
def test_places_equal_the_oracle(level, dtype, n, rng):
    y = rng.integers(0, 100, 2 * n).astype(dtype)[::2]  # not one after another in memory
    for mine, theirs in zip(places(y), TWINS["places"](y), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_places_far_apart_are_left_to_sorting():
    assert places(np.array([0, 2**62])) is None
    assert places(np.array([0.0, 1.0])) is None
    assert places(np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64)) is None
    assert places(np.array([], dtype=int)) is None
