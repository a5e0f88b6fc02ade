"""Rows with missing cells, completed by conditional means: patterns of any size, offsets, lost digits, threads."""

import numpy as np
import pytest

from parzen import Gaussian, Labels, Mixture, accumulate, threads
from parzen.compute.em import em_step_missing
from parzen.compute.gaussian import expected_moments, gaussian_log_density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from tests.compute.inputs import DTYPES, factors, with_gaps
from tests.oracle import TWINS


def both_ways(X, mean, factor):
    """A step of a mixture and one of labelled rows, each beside its twin."""
    K = len(mean)
    weight, R = np.arange(1.0, K + 1) / np.arange(1.0, K + 1).sum(), Labels(np.arange(len(X)) % K, groups=K)
    yield em_step_missing(X, None, mean, factor, np.log(weight)), TWINS["em_missing"](X, None, mean, factor, weight)
    yield expected_moments(X, R, mean, factor), TWINS["expected"](X, R, mean, factor)


def assert_alike(found, exact, rtol):
    for mine, theirs in zip((*found[0][:3], *found[1][:3], found[2]), (*exact[0], *exact[1], exact[2]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol * (1 + np.abs(theirs).max()))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("d", "share"), [(5, 0.05), (24, 0.4), (24, 0.9), (70, 0.1)])
def test_patterns_of_any_size_in_any_order_equal_the_twin(level, d, share, shared, dtype, rng):
    """Those that are kept, those of the rows of a tile, larger ones; more columns than a word has bits."""
    X = with_gaps(rng.normal(size=(45, d)), rng, share).astype(dtype)
    X[10:30] = X[rng.integers(1, 4, 20)]
    X[-3:] = np.nan
    mean, factor = rng.normal(size=(3, d)), factors(rng, 1 if shared else 3, d)
    for found, exact in both_ways(X, mean, factor):
        assert_alike(found, exact, 1e-8)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("K", [1, 3, 9])
def test_every_number_of_missing_cells_equals_the_twin(level, K, shared, rng):
    """Factors of up to eight missing cells stay in registers, of more the first columns are taken off in fours."""
    d = 21
    X = rng.normal(size=(3 * d, d))
    for r, row in enumerate(X):
        row[rng.permutation(d)[: r % (d + 1)]] = np.nan
    mean, factor = rng.normal(size=(K, d)), factors(rng, 1 if shared else K, d)
    exact = TWINS["gaussian_shared" if shared else "gaussian_separate"](X, mean, factor)
    np.testing.assert_allclose(gaussian_log_density(X, mean, factor), exact, rtol=1e-10, atol=1e-10)
    for found, theirs in both_ways(X, mean, factor):
        assert_alike(found, theirs, 1e-8)


@pytest.mark.parametrize("shared", [True, False])
def test_a_column_that_nobody_has_is_expected_and_has_no_weight(level, shared, rng):
    X = with_gaps(rng.normal(size=(40, 4)), rng)
    X[:, 2] = np.nan
    mean, factor = rng.normal(size=(2, 4)), factors(rng, 1 if shared else 2, 4)
    for found, exact in both_ways(X, mean, factor):
        assert_alike(found, exact, 1e-10)
        for part in found[1]:
            np.testing.assert_array_equal(part[:, 2], 0.0)


@pytest.mark.parametrize("shared", [True, False])
def test_an_offset_of_the_rows_changes_nothing_but_the_means(level, shared, rng):
    X = with_gaps(np.round(rng.normal(size=(60, 4)) * 2.0**20) / 2.0**20, rng)  # so that the offset changes no digit
    mean = np.round(rng.normal(size=(3, 4)) * 2.0**20) / 2.0**20
    factor, far = factors(rng, 1 if shared else 3, 4), 2.0**27
    for (near, _), (moved, _) in zip(both_ways(X, mean, factor), both_ways(X + far, mean + far, factor), strict=True):
        for a, b in zip(near[:2], moved[:2], strict=True):
            np.testing.assert_allclose(b[0], a[0], rtol=1e-7)
            np.testing.assert_allclose((b[1] - far) + b[3], a[1] + a[3], rtol=0, atol=1e-7)
            np.testing.assert_allclose(b[2], a[2], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(moved[2], near[2], rtol=1e-7)


@pytest.mark.parametrize("shared", [True, False])
def test_columns_that_nearly_agree_lose_no_digits(level, shared, rng):
    """A deviation of 1e-7 given the others: of that an inverse covariance has few digits, rotated factors have all."""
    X = rng.normal(size=(64, 3))
    X = np.column_stack([X, X[:, 2] + 1e-7 * rng.normal(size=64)])
    X[::2, 0] = np.nan
    factor = np.repeat(np.eye(4)[None], 1 if shared else 2, axis=0)
    factor[:, 3, 2], factor[:, 3, 3] = 1.0, 1e-7
    mean = np.zeros((2, 4))
    for found, _ in both_ways(X, mean, factor):
        total = found[0][2].sum(axis=0)
        assert 1e-15 < (total[3, 3] - 2 * total[3, 2] + total[2, 2]) / 64 < 1e-12
        rows = np.where(np.isnan(X), 0.0, X)  # the first column is independent of the others
        z = np.column_stack([rows[:, :3], (rows[:, 3] - rows[:, 2]) / 1e-7])
        cells = np.isfinite(X).sum()
        exact = -0.5 * (z**2).sum() - 0.5 * cells * np.log(2 * np.pi) - 64 * np.log(1e-7)
        np.testing.assert_allclose(np.sum(found[2]), exact, rtol=1e-7)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_threads_change_no_bit_of_a_step_with_missing_cells(shared, dtype, rng):
    X = with_gaps(rng.normal(size=(50_000, 8)).astype(dtype), rng, 0.1)
    density = GaussianDensity(rng.normal(size=(3, 8)), factors(rng, 1 if shared else 3, 8))
    family, R = Gaussian(shared=shared), Labels(rng.integers(0, 3, len(X)), groups=3)
    mixture, at = Mixture(family, 3), MixtureDensity(density, np.log([0.2, 0.3, 0.5]))
    first = None
    for number in (1, 2, 5):
        with threads(number):
            steps = accumulate(family, X, R, at=density), accumulate(mixture, X, at=at)
        found = [part for step in steps for part in numbers_of(step.statistic)]
        found += [step.log_likelihood for step in steps]
        first = first or found
        assert len(found) > 10
        for mine, theirs in zip(found, first, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def numbers_of(statistic):
    """All arrays of a statistic and of those within it."""
    if statistic is None or isinstance(statistic, np.ndarray):
        return [] if statistic is None else [statistic]
    parts = statistic if isinstance(statistic, tuple) else vars(statistic).values()
    return [found for part in parts for found in numbers_of(part)]
