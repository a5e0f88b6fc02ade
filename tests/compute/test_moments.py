"""Sums and centred moments equal their twins, and keep their digits at any offset."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parzen import Gaussian
from parzen.compute.arrays import as_floats
from parzen.compute.memberships import Labels, take
from parzen.compute.moments import moments, sums
from tests import oracle
from tests.compute.inputs import DTYPES, KINDS, LAYOUTS, SHAPES, laid_out, memberships, with_gaps
from tests.oracle import TWINS


def twin(full):
    return TWINS["moments_full"] if full else TWINS["moments_diagonal"]


def assert_moments(mine, theirs, rtol=1e-12, atol=1e-12):
    """Weight, mean and scatter; and what the mean's rounding lost, together with the mean that it belongs to."""
    for one, other in zip(mine[:3], theirs[:3], strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)
    # Mean plus carry have the digits of the deviations from the mean, not those of the mean.
    spread = np.sqrt(np.abs(np.nan_to_num(theirs[2])).max(initial=0)) + np.finfo(float).tiny
    np.testing.assert_allclose((mine[1] - theirs[1]) + mine[3], theirs[3], rtol=0, atol=1e-15 * spread)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("full", [True, False])
def test_moments_equal_the_oracle(level, dtype, kind, full, layout, rng):
    for n, d in SHAPES:
        X = laid_out(rng.normal(size=(n, d)).astype(dtype), layout)
        R = memberships(kind, n, rng)
        assert_moments(moments(as_floats(X), R, full), twin(full)(X, R))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_equal_the_oracle(level, dtype, kind, layout, rng):
    for n, d in SHAPES:
        X = laid_out(rng.normal(size=(n, d)).astype(dtype), layout)
        R = memberships(kind, n, rng)
        for mine, theirs in zip(sums(as_floats(X), R), TWINS["sums"](X, R), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_missing_cells_weigh_nothing_in_columns_that_stand_alone(level, dtype, kind, rng):
    for n, d in SHAPES:
        X = with_gaps(rng.normal(size=(n, d)).astype(dtype), rng)
        R = memberships(kind, n, rng)
        assert_moments(moments(X, R, full=False), TWINS["moments_diagonal"](X, R))
        for mine, theirs in zip(sums(X, R), TWINS["sums"](X, R), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_cell_makes_its_column_of_a_scatter_matrix_nan(level, kind, rng):
    X, R = rng.normal(size=(40, 3)), memberships(kind, 40, rng)
    X[7, 1] = np.nan
    for mine, theirs in zip(moments(X, R), TWINS["moments_full"](X, R), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("full", [True, False])
def test_an_offset_of_1e8_costs_no_digit(level, full, rng):
    X = rng.normal(size=(5000, 4)) + 1e8
    codes = rng.integers(0, 2, 5000)
    X[codes == 1] -= 3e8
    exact = twin(full)(X, Labels(codes))
    for mine, theirs in zip(moments(X, Labels(codes), full)[:3], exact[:3], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=2e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("first", [1.0, 1e-30])
def test_first_rows_far_from_the_rest_cost_no_digit(level, full, first, rng):
    """Sums are first taken about the mean of the first rows: here that is 1e9 deviations off."""
    X, w = rng.normal(size=(3000, 5)), np.ones(3000)
    X[:300] += 1e9
    w[:300] = first
    exact = twin(full)(X, w)
    for mine, theirs in zip(moments(X, w, full)[:3], exact[:3], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("family", [Gaussian(), Gaussian("diag")])
def test_adding_many_blocks_at_an_offset_costs_no_digit(family, rng):
    X, codes = rng.normal(size=(60_000, 3)) + 1e8, rng.integers(0, 3, 60_000)
    for R in (None, Labels(codes), np.ones((60_000, 2))):
        found = sum(family.observe(X[i : i + 500], take(R, slice(i, i + 500))) for i in range(0, 60_000, 500))
        exact = oracle.moments(X, R, family.covariance_type == "full")
        scale = np.abs(exact[2]).max()
        np.testing.assert_allclose(found.scatter, exact[2], rtol=0, atol=1e-13 * scale)
        np.testing.assert_array_equal(found.mean, exact[1])
        np.testing.assert_allclose(
            found.pooled().scatter,
            oracle.moments(X, np.full(60_000, group_weight(R)), exact[2].ndim == 3)[2],
            rtol=0,
            atol=3e-13 * scale,
        )


def group_weight(R):
    return 2.0 if isinstance(R, np.ndarray) else 1.0


def test_an_offset_in_float32_keeps_what_the_rows_hold(level, rng):
    X = (rng.normal(size=(5000, 3)) + 1e4).astype(np.float32)
    for mine, theirs in zip(moments(X)[:3], oracle.moments(X, None, True), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11 * np.abs(theirs).max())


@given(
    rows=st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=2, max_size=2), min_size=1, max_size=30),
    seed=st.integers(0, 1000),
)
def test_moments_of_any_rows(rows, seed):
    X = np.array(rows)
    R = memberships("weighted labels", len(X), np.random.default_rng(seed), K=2)
    for mine, theirs in zip(moments(X, R, full=False)[:3], oracle.moments(X, R, False), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-9 * max(1, np.abs(theirs).max()))
