"""Bias and variance of a kernel density: closed forms, simulation, and truths of any kind."""

import numpy as np
import pytest
from scipy import integrate, stats

from parzen import (
    KernelDensity,
    bias_variance,
)


def closed_form(h, n):
    root = np.sqrt
    return (1 / (n * h) + (1 - 1 / n) / root(1 + h**2) - 2 * root(2) / root(2 + h**2) + 1) / (2 * root(np.pi))


def test_bias_and_variance_of_a_normal_density_are_known():
    # Fryer (1976): the mean integrated squared error of a Gaussian kernel for a normal density.
    h = np.array([1e-3, 0.05, 0.4, 3.0, 300.0])
    found = bias_variance(stats.norm(), h, n=100)
    np.testing.assert_allclose(found.error, closed_form(h, 100), rtol=1e-6)
    assert found.best == 0.4


@pytest.mark.parametrize("kernel", ["epanechnikov", "exponential"])
def test_bias_and_variance_by_simulation(kernel, rng):
    truth, places = stats.gamma(3), np.linspace(0, 12, 600)
    found = bias_variance(truth, [0.8], n=50, kernel=kernel)
    estimates = []
    for _ in range(300):
        model = KernelDensity(bandwidth=0.8, kernel=kernel).fit(truth.rvs(50, random_state=rng)[:, None])
        estimates.append(np.exp(model.score_samples(places[:, None])))
    variance = integrate.trapezoid(np.var(estimates, axis=0), places)
    np.testing.assert_allclose(found.variance[0], variance, rtol=0.15)
    bias = integrate.trapezoid((np.mean(estimates, axis=0) - truth.pdf(places)) ** 2, places)
    np.testing.assert_allclose(found.bias[0], bias, rtol=0.5, atol=3e-4)


def test_bias_and_variance_of_other_truths(rng):
    model = KernelDensity(bandwidth=0.5).fit(rng.normal(size=(50, 1)))
    h = [0.2, 0.5]
    one = bias_variance(model, h, n=50).error
    other = bias_variance(lambda x: np.exp(model.score_samples(x[:, None])), h, n=50, bounds=(-8, 8)).error
    np.testing.assert_allclose(one, other, rtol=1e-5)
    with pytest.raises(ValueError, match="bounds must be given"):
        bias_variance(lambda x: x, h, n=50)
    with pytest.raises(ValueError, match="integrates to 2"):
        bias_variance(lambda x: 2 * stats.norm.pdf(x), h, n=50, bounds=(-9, 9))


def test_the_picture_of_bias_and_variance():
    import matplotlib

    matplotlib.use("Agg")
    ax = bias_variance(stats.norm(), np.geomspace(0.05, 2, 20), n=100).plot()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "squared bias",
        "variance",
        "error (their sum)",
    ]
