"""Posteriors and decisions from log-densities of classes equal their twins, to the last digits."""

import mpmath
import numpy as np
import pytest

from parzen.compute.posterior import largest, normalise
from tests.compute.inputs import GROUPS
from tests.oracle import TWINS


@pytest.mark.parametrize("K", GROUPS)
@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 200])
def test_posteriors_equal_the_oracle(level, K, n, rng):
    values = rng.normal(scale=30.0, size=(n, K)) + rng.normal(scale=1e5, size=(n, 1))
    prior = np.log(rng.dirichlet(np.ones(K)))
    expected, log_expected, log_sums = TWINS["normalise"](values, prior)
    plain, logs, joint, sums = values.copy(), values.copy(), values.copy(), np.empty(n)
    assert normalise(plain, prior, "plain") == normalise(logs, prior, "log") == 0
    assert normalise(joint, prior, "sums", sums) == 0
    # Differences of log-densities of 1e5 are rounded at 1e-11.
    np.testing.assert_allclose(plain, expected, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(plain.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_array_equal(joint, values + prior)
    np.testing.assert_allclose(sums, np.logaddexp.reduce(values + prior, axis=1) if n else sums, rtol=1e-14)
    np.testing.assert_allclose(sums, log_sums, rtol=1e-14)
    np.testing.assert_allclose(logs, values + prior - sums[:, None], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(logs, log_expected, rtol=1e-9, atol=1e-9)
    codes = np.empty(n, dtype=np.int64)
    assert largest(values.copy(), prior, codes) == 0
    np.testing.assert_array_equal(codes, (values + prior).argmax(axis=1))


@pytest.mark.parametrize("K", GROUPS)
@pytest.mark.parametrize("n", [0, 1, 7, 33, 200])
def test_decisions_equal_the_oracle(level, K, n, rng):
    """With ties, with rows that no class explains, and with rows that are NaN."""
    values = rng.integers(-2, 3, size=(n, K)).astype(float)
    values[rng.random((n, K)) < 0.2] = -np.inf
    values[rng.random((n, K)) < 0.02] = np.nan
    values[rng.random(n) < 0.1] = -np.inf
    prior = rng.integers(-2, 1, K).astype(float)
    codes = np.empty(n, dtype=np.int64)
    odd = largest(values, prior, codes)
    expected, number = TWINS["largest"](values, prior)
    np.testing.assert_array_equal(codes, expected)
    assert odd == number


@pytest.mark.parametrize("K", [1, 2, 5, 16])
def test_posteriors_with_impossible_classes_equal_the_oracle(level, K, rng):
    values = np.where(rng.random((100, K)) < 0.6, -np.inf, rng.normal(scale=3.0, size=(100, K)))
    prior = np.log(rng.dirichlet(np.ones(K)))
    expected, log_expected, log_sums = TWINS["normalise"](values, prior)
    plain, logs, sums = values.copy(), values.copy(), np.empty(100)
    impossible = np.isneginf(values).all(axis=1).sum()
    assert normalise(plain, prior, "plain") == normalise(logs, prior, "log") == impossible
    normalise(values.copy(), prior, "sums", sums)
    np.testing.assert_allclose(plain, expected, rtol=1e-14)
    np.testing.assert_allclose(logs, log_expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(sums, log_sums, rtol=1e-14, atol=1e-15)


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
