"""Log-densities of Gaussians and expected moments equal their twins, with missing cells and without."""

import numpy as np
import pytest

from parzen.compute.arrays import as_floats
from parzen.compute.gaussian import expected_moments, gaussian_log_density, mahalanobis
from parzen.compute.memberships import Labels
from tests import oracle
from tests.compute.inputs import DTYPES, KINDS, LAYOUTS, SHAPES, factors, laid_out, memberships, with_gaps
from tests.oracle import TWINS

#: A triangular solve and the twin's solve with the covariance differ by rounding times a condition number of up to 1e3.
DIGITS = 1e-12


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shared", [True, False])
def test_gaussian_log_densities_equal_the_oracle(level, dtype, shared, rng):
    twin = TWINS["gaussian_shared"] if shared else TWINS["gaussian_separate"]
    for n, d in SHAPES:
        K = 4
        X = (3 * rng.normal(size=(n, d))).astype(dtype)
        mean, factor = rng.normal(size=(K, d)), factors(rng, 1 if shared else K, d)
        for rows in (X, with_gaps(X, rng, 0.25)):
            exact = twin(rows, mean, factor)
            np.testing.assert_allclose(gaussian_log_density(rows, mean, factor), exact, rtol=DIGITS, atol=DIGITS)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_layout_gives_the_same(level, dtype, layout, rng):
    """To the last bit: a routine reads the same numbers, wherever they lie."""
    X, mean = rng.normal(size=(70, 5)).astype(dtype), rng.normal(size=(3, 5))
    for factor in (factors(rng, 3, 5), factors(rng, 1, 5), rng.random((3, 5)) + 0.1):
        for rows in (X, with_gaps(X, rng)):
            other = gaussian_log_density(as_floats(laid_out(rows, layout)), mean, factor)
            np.testing.assert_array_equal(other, gaussian_log_density(rows, mean, factor))


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonal_gaussians_equal_the_oracle(level, dtype, rng):
    for n, d in SHAPES:
        X = (3 * rng.normal(size=(n, d))).astype(dtype)
        X[::3, 0] = np.nan
        X[1::5] = np.nan
        mean, deviation = rng.normal(size=(5, d)), rng.random((5, d)) + 0.1
        exact = TWINS["gaussian_diagonal"](X, mean, deviation)
        np.testing.assert_allclose(gaussian_log_density(X, mean, deviation), exact, rtol=1e-13, atol=1e-13)
        whole = oracle.gaussian_log_density(X, mean, oracle.covariances(deviation, 5))
        np.testing.assert_allclose(exact, whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shared", [True, False])
def test_squared_distances_over_observed_cells_equal_the_oracle(level, dtype, shared, rng):
    for n, d in SHAPES:
        X = (3 * rng.normal(size=(n, d))).astype(dtype)
        mean, factor = rng.normal(size=(4, d)), factors(rng, 1 if shared else 4, d)
        for rows in (X, with_gaps(X, rng)):
            found, exact = mahalanobis(rows, mean, factor), TWINS["missing_squares"](rows, mean, factor)
            np.testing.assert_allclose(found[0], exact[0], rtol=DIGITS, atol=DIGITS)
            # Of complete rows the last two are given once for all of them.
            np.testing.assert_allclose(np.broadcast_to(found[1], (n, 4)), exact[1], rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(np.broadcast_to(found[2], (n, 1)), exact[2])


@pytest.mark.parametrize("d", [3, 9, 20])  # patterns of one byte, two and three
@pytest.mark.parametrize("many", [1, 7, 8, 9, 33, 40])
def test_rows_of_a_pattern_fill_tiles_of_any_length(level, many, d, rng):
    X = rng.normal(size=(3 * many + 5, d))
    X[:many, 0] = X[many : 2 * many, 1:] = np.nan
    X = X[rng.permutation(len(X))]
    mean, factor = rng.normal(size=(3, d)), factors(rng, 3, d)
    squares, halves, observed = TWINS["missing_squares"](X, mean, factor)
    exact = -0.5 * squares - halves - 0.5 * np.log(2 * np.pi) * observed
    np.testing.assert_allclose(gaussian_log_density(X, mean, factor), exact, rtol=1e-11, atol=1e-11)


def test_a_condition_number_of_1e12_keeps_six_digits(level, rng):
    d = 6
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    scales = np.logspace(-6, 0, d)
    factor = np.linalg.qr((turn * scales).T)[1].T
    factor = np.ascontiguousarray(factor * np.sign(np.diag(factor)))[None]
    X = (rng.normal(size=(200, d)) * scales) @ turn.T
    # In the rotated frame the columns stand alone, so the exact answer needs no solving.
    exact = -0.5 * ((X @ turn / scales) ** 2).sum(1) - np.log(scales).sum() - d / 2 * np.log(2 * np.pi)
    for two in (factor, np.repeat(factor, 2, axis=0)):
        mean = np.zeros((len(two), d))
        np.testing.assert_allclose(gaussian_log_density(X, mean, two)[:, 0], exact, rtol=0, atol=1e-8)


@pytest.mark.parametrize("shared", [True, False])
def test_missing_cells_of_nearly_dependent_columns_cost_no_digits(level, shared, rng):
    """Seen from the mean of the missing cell such rows lie 1e6 deviations away: squares of 1e12 would be subtracted."""
    L = np.array([[1.0, 0.0, 0.0], [1.0, 1e-6, 0.0], [0.5, 0.25, 1.0]])
    factor, mean = (L[None] if shared else np.repeat(L[None], 5, axis=0)), rng.normal(size=(5, 3))
    X = rng.normal(size=(60, 3))
    X[:, 0] = np.nan
    rest = np.repeat((L @ L.T)[None, 1:, 1:], 5, axis=0)
    exact = oracle.gaussian_log_density(X[:, 1:], mean[:, 1:], rest)
    np.testing.assert_allclose(gaussian_log_density(X, mean, factor), exact, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [9, 70])  # patterns that are kept, and those of more columns than a word has bits
@pytest.mark.parametrize("shared", [True, False])
def test_rows_in_any_order_of_their_patterns_have_the_same_log_densities(level, shared, d, rng):
    X = with_gaps(rng.normal(size=(400, d)), rng, 0.1)
    X[5:9, :] = np.nan
    X[9:300, 2] = np.nan
    mean, factor = rng.normal(size=(5, d)), factors(rng, 1 if shared else 5, d)
    found = gaussian_log_density(X, mean, factor)
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(gaussian_log_density(X[order], mean, factor), found[order])
    np.testing.assert_array_equal(found[5:9], 0.0)
    some = slice(0, 400, 40)
    exact = TWINS["gaussian_shared"](X[some], mean, factor)
    np.testing.assert_allclose(found[some], exact, rtol=1e-10, atol=1e-10)


def test_an_offset_far_from_zero_leaves_log_densities_exact(level, rng):
    X, mean, factor = rng.normal(size=(50, 3)), np.zeros((3, 3)), factors(rng, 3, 3)
    X = np.round(X * 2.0**20) / 2.0**20  # so that the offset changes no digit
    near = gaussian_log_density(X, mean, factor)
    far = gaussian_log_density(X + 2.0**27, mean + 2.0**27, factor)
    np.testing.assert_allclose(far, near, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        gaussian_log_density(X + 2.0**27, mean + 2.0**27, factor[:1])[:, 0], near[:, 0], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shared", [True, False])
def test_expected_moments_equal_the_oracle(level, dtype, kind, shared, rng):
    for (n, d), layout in zip([(0, 3), (1, 2), (30, 3), (90, 5)], LAYOUTS, strict=True):
        X = with_gaps(rng.normal(size=(n, d)).astype(dtype), rng)
        R = memberships(kind, n, rng)
        K = oracle.dense(R, n).shape[1]
        mean, factor = rng.normal(size=(K, d)), factors(rng, 1 if shared else K, d)
        exact, cells, exact_likelihood = TWINS["expected"](X, R, mean, factor)
        whole, observed, likelihood = expected_moments(as_floats(laid_out(X, layout)), R, mean, factor)
        for _, means, _, carry in (whole, observed):
            assert np.abs(carry).max() <= np.spacing(np.abs(means).max())
        pairs = zip((*whole[:3], *observed[:3], likelihood), (*exact, *cells, exact_likelihood), strict=True)
        for mine, theirs in pairs:
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)  # sums of up to 90 of them


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shared", [True, False])
def test_expected_moments_where_columns_nearly_agree_equal_the_oracle(level, dtype, shared, rng):
    """Conditional means are then found by rotated factors: a deviation of 1e-5 beside one of 1."""
    X = with_gaps(rng.normal(size=(60, 4)).astype(dtype), rng)
    X[:, 3] = X[:, 2]
    factor = np.repeat(np.eye(4)[None], 1 if shared else 2, axis=0)
    factor[:, 3, 2], factor[:, 3, 3] = 1.0, 1e-5
    R, mean = Labels(np.arange(60) % 2), rng.normal(size=(2, 4)) * [1, 1, 0, 0]
    exact = TWINS["missing_expected"](X, R, mean, factor)
    whole, observed, likelihood = expected_moments(X, R, mean, factor)
    for mine, theirs in zip((*whole[:3], likelihood), exact, strict=True):  # the oracle inverts a condition of 1e10
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(observed[0], TWINS["expected"](X, R, mean, factor)[1][0])
