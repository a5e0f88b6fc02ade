"""Kernel functions: they integrate to one, and have the variance and roughness of the textbooks."""

import numpy as np
import pytest

from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, NAMES, kernel_function
from tests import oracle


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_kernel_integrates_to_one_and_its_draws_have_its_variance(name, d, rng):
    kernel = KERNEL_FUNCTIONS[name]
    r, w = np.polynomial.legendre.leggauss(400)
    end = 1.0 if kernel.compact else 60.0
    r, w = (r + 1) * end / 2, w * end / 2
    sphere = {1: 2.0, 2: 2 * np.pi, 3: 4 * np.pi}[d]
    density = np.exp(kernel.log_constant(d)) * oracle.KERNELS[name](r) * sphere * r ** (d - 1)
    np.testing.assert_allclose(density @ w, 1.0, rtol=1e-9)
    np.testing.assert_allclose(density @ (w * r**2) / d, kernel.variance(d), rtol=1e-9)
    draws = kernel.sample(100_000, d, rng)
    np.testing.assert_allclose((draws**2).mean(), kernel.variance(d), rtol=0.03)
    np.testing.assert_allclose(draws.mean(axis=0), 0, atol=0.03 * np.sqrt(kernel.variance(d)))


def test_roughness_of_kernels_of_unit_variance_as_in_R():
    # R's bw and density documentation: (gaussian, epanechnikov, rectangular, triangular, biweight).
    published = {
        "gaussian": 0.2820948,
        "epanechnikov": 0.2683282,
        "tophat": 0.2886751,
        "triangular": 0.2721655,
        "biweight": 0.2699746,
    }
    for name, value in published.items():
        kernel = KERNEL_FUNCTIONS[name]
        np.testing.assert_allclose(kernel.roughness(1) * np.sqrt(kernel.variance(1)), value, rtol=2e-7)
    # Marron and Nolan (1988): 15^(1/5) for the Epanechnikov kernel, (4 pi)^(-1/10) for the Gaussian.
    np.testing.assert_allclose(KERNEL_FUNCTIONS["epanechnikov"].canonical(1), 15**0.2 * (4 * np.pi) ** 0.1, rtol=1e-12)


def test_ones_own_kernel_is_checked():
    def logistic(u):
        return np.exp(-np.abs(u)) / (1 + np.exp(-np.abs(u))) ** 2

    own = kernel_function(logistic)
    np.testing.assert_allclose(own.log_constant(1), 0.0, atol=1e-9)
    np.testing.assert_allclose(own.variance(1), np.pi**2 / 3, rtol=1e-6)
    for bad, message in (
        (lambda u: np.exp(-np.abs(u - 1)) / 2, "symmetric"),
        (lambda u: np.exp(-(u**2)), "divide it by that"),
        (lambda u: np.where(np.abs(u) < 1, 0.6, -0.1 * (np.abs(u) < 2)), "negative"),
        (lambda u: 1.0, "one finite number each"),
    ):
        with pytest.raises(ValueError, match=message):
            kernel_function(bad)
    with pytest.raises(ValueError, match="'gaussian', 'tophat'"):
        kernel_function("gausian")
