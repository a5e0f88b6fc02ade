"""Densities with bounds or a period are sums over images, in closed form where the bandwidth is wide."""

import mpmath
import numpy as np
import pytest

from parzen import KernelDensity
from parzen.densities.folded import UNIFORM
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, NAMES
from parzen.smoothing.wrapped import wrapped, wrapped_mass, wraps

SHAPES = {
    "gaussian": lambda r: mpmath.exp(-r * r / 2),
    "tophat": lambda r: mpmath.mpf(1),
    "epanechnikov": lambda r: 1 - r * r,
    "triangular": lambda r: 1 - r,
    "biweight": lambda r: (1 - r * r) ** 2,
    "triweight": lambda r: (1 - r * r) ** 3,
    "cosine": lambda r: mpmath.cos(mpmath.pi / 2 * r),
    "exponential": lambda r: mpmath.exp(-r),
}


def folded(kernel, x, q, h, low, high, periodic):
    """Density at q by summing images one by one, in 30 digits."""
    with mpmath.workdps(30):
        q, low, high, h = (mpmath.mpf(float(one)) for one in (q, low, high, h))
        period = (high - low) * (1 if periodic else 2)
        reach = h * (1 if KERNEL_FUNCTIONS[kernel].compact else 13 if kernel == "gaussian" else 75)
        constant = mpmath.exp(KERNEL_FUNCTIONS[kernel].log_constant(1))
        total, most = mpmath.mpf(0), int(reach / period) + 2
        for point in x:
            for sign in (1,) if periodic else (1, -1):
                image = q if sign == 1 else 2 * low - q
                for n in range(-most, most + 1):
                    r = abs(image + n * period - mpmath.mpf(float(point))) / h
                    if r < 1 or not KERNEL_FUNCTIONS[kernel].compact:
                        total += SHAPES[kernel](r)
        return total * constant / h / len(x)


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("h", [0.4, 2.0, 3.3, 5.0, 9.7])
def test_a_folded_density_equals_the_sum_over_its_images(kernel, periodic, h):
    x, low, high = np.array([0.3, 1.9]), 0.0, 2.0
    where = {"period": 2.0} if periodic else {"bounds": (low, high)}
    model = KernelDensity(bandwidth=h, kernel=kernel, rtol=0, **where).fit(x[:, None])
    q = np.array([0.0, 0.77, 1.95])
    exact = np.array([float(folded(kernel, x, one, h, low, high, periodic)) for one in q])
    np.testing.assert_allclose(np.exp(model.score_samples(q[:, None])), exact, rtol=max(model.error_bound_, 4e-15))


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("where", [{"bounds": (0.0, 2.0)}, {"period": 2.0}])
def test_any_width_is_quick_and_uniform_in_the_limit(kernel, where, rng):
    x = rng.uniform(0, 2, (8, 1))
    q = np.linspace(0, 2, 9)[:, None]
    for h in (1e2, 1e5, 1e15):
        model = KernelDensity(bandwidth=h, kernel=kernel, **where).fit(x)
        np.testing.assert_allclose(np.exp(model.score_samples(q)), 0.5, rtol=5.0 / h + 1e-12)
        np.testing.assert_allclose(model.cdf(q), q[:, 0] / 2, atol=5.0 / h + 1e-12)
        np.testing.assert_allclose(model.sf(q), 1 - q[:, 0] / 2, atol=5.0 / h + 1e-12)
        np.testing.assert_allclose(model.quantile([0.1, 0.9]), [0.2, 1.8], atol=10.0 / h + 1e-12)
        np.testing.assert_allclose(model.leave_one_out(), np.log(0.5), atol=5.0 / h + 1e-12)
        drawn = model.sample(200, random_state=0)
        assert ((drawn >= 0) & (drawn <= 2)).all()


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("where", [{"bounds": (-1.0, 2.0)}, {"period": (-1.0, 3.0)}, {"bounds": (-1.0, None)}])
@pytest.mark.parametrize("adaptive", [False, True])
def test_the_distribution_function_is_the_integral_of_the_folded_density(kernel, where, adaptive, rng):
    x = rng.uniform(-1, 2, (12, 1))
    for h in (0.3, 2.0, 20.0):
        model = KernelDensity(bandwidth=h, kernel=kernel, adaptive=adaptive, rtol=0, **where).fit(x)
        edges = np.linspace(-1, 2, 1201)
        middle = 0.5 * (edges[1:] + edges[:-1])
        mass = np.exp(model.score_samples(middle[:, None])) * np.diff(edges)
        summed = np.concatenate([[0.0], np.cumsum(mass)])
        below = model.cdf(edges[:, None])
        atol = 4e-3 if kernel == "tophat" else 1e-4
        np.testing.assert_allclose(below, summed, atol=atol)
        assert (np.diff(below) >= -1e-14).all()
        np.testing.assert_allclose(below + model.sf(edges[:, None]), 1.0, atol=1e-12)


def test_a_point_left_out_of_a_wide_density_is_left_out_of_all_its_images(rng):
    x = rng.uniform(0, 1, (9, 1))
    w = rng.random(9) + 0.1
    for kernel in NAMES:
        for adaptive in (False, True):
            given = {"bandwidth": 7.0, "kernel": kernel, "bounds": (0.0, 1.0)}
            model = KernelDensity(adaptive=adaptive, **given).fit(x, sample_weight=w)
            density = model.density_
            window = density.windows[0]
            for i in range(3):
                rest = np.delete(np.arange(9), i)
                scales = None if window.scales is None else window.scales[rest]
                part = type(window)(x[rest], w[rest], window.factor, scales)
                alone = type(density)(density.kernel, (part,), density.support, density.rtol)
                np.testing.assert_allclose(model.leave_one_out()[i], alone.log_density(x[i : i + 1])[0, 0], atol=1e-11)


def test_a_gaussian_column_that_is_uniform_is_left_out_of_the_others(rng):
    X = rng.uniform(0, 1, (40, 3))
    H = np.array([[900.0, 20.0, 0.3], [20.0, 2.0, 0.1], [0.3, 0.1, 0.02]])
    model = KernelDensity(bandwidth=H, bounds=[(0.0, 1.0), None, (0.0, 1.0)]).fit(X)
    rest = KernelDensity(bandwidth=H[1:, 1:], bounds=[None, (0.0, 1.0)]).fit(X[:, 1:])
    np.testing.assert_allclose(model.score_samples(X), rest.score_samples(X[:, 1:]), atol=1e-12)
    np.testing.assert_allclose(model.leave_one_out(), rest.leave_one_out(), atol=1e-12)
    given = model.conditional([0], [0.2])
    np.testing.assert_allclose(given.score_samples(X[:, 1:]), rest.score_samples(X[:, 1:]), atol=1e-12)
    both = model.conditional([0, 1], [0.2, 0.4])
    np.testing.assert_allclose(
        both.score_samples(X[:, 2:]), rest.conditional([0], [0.4]).score_samples(X[:, 2:]), atol=1e-12
    )


def test_just_below_and_above_the_uniform_width_densities_agree(rng):
    x, q = rng.uniform(0, 1, (20, 2)), rng.uniform(0, 1, (20, 2))
    values = []
    for factor in (0.999, 1.001):
        model = KernelDensity(bandwidth=[2 * UNIFORM * factor, 0.3], bounds=[(0.0, 1.0), None], rtol=0).fit(x)
        values.append(model.score_samples(q))
    np.testing.assert_allclose(values[0], values[1], atol=1e-13)


def test_too_many_images_of_several_columns_are_refused_in_a_sentence(rng):
    X = rng.uniform(0, 1, (20, 2))
    model = KernelDensity(bandwidth=1e5, kernel="epanechnikov", bounds=[(0.0, 1.0), (0.0, 1.0)]).fit(X)
    with pytest.raises(ValueError, match=r"bandwidth 100000 of column .* narrower"):
        model.score_samples(X)


@pytest.mark.parametrize("kernel", [name for name in NAMES if name != "gaussian"])
def test_a_wrapped_kernel_is_the_sum_of_its_repetitions(kernel, rng):
    function = KERNEL_FUNCTIONS[kernel]
    assert wraps(function)
    for period, h in ((2.0, 5.3), (0.3, 10.0), (2.0, 1000.0)):
        off = rng.uniform(-period, period, 50)
        turns = period * np.arange(-int(50 * h / period) - 3, int(50 * h / period) + 4)
        density = function.at(np.abs(off[:, None] + turns) / h).sum(axis=1)
        np.testing.assert_allclose(wrapped(function, off, period, h), density, rtol=1e-13)
        mass = (function.cdf((off[:, None] + turns) / h) - function.cdf(turns / h)).sum(axis=1)
        np.testing.assert_allclose(wrapped_mass(function, off, period, h), mass, atol=1e-12)
