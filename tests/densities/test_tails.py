"""Distribution functions and quantiles have all their digits in both tails, against sums in 40 digits."""

import mpmath
import numpy as np
import pytest

from parzen import ConditionalDensity, Gaussian, HistogramDensity, Kernel, KernelDensity, Mixture
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, NAMES

TAILED = ("gaussian", "exponential")


def kernel_below(kernel, u):
    """Distribution function of a kernel on the line, in 40 digits."""
    if kernel == "gaussian":
        return mpmath.ncdf(u)
    if kernel == "exponential":
        return mpmath.exp(u) / 2 if u < 0 else 1 - mpmath.exp(-u) / 2
    if abs(u) >= 1:
        return mpmath.mpf(u > 0)
    if kernel == "triangular":
        return (1 + u) ** 2 / 2 if u < 0 else 1 - (1 - u) ** 2 / 2
    if kernel == "cosine":
        return (1 + mpmath.sin(mpmath.pi * u / 2)) / 2
    power = {"tophat": 0, "epanechnikov": 1, "biweight": 2, "triweight": 3}[kernel]
    return mpmath.betainc(power + 1, power + 1, 0, (1 + u) / 2, regularized=True)


def exact_below(kernel, x, w, h, q):
    with mpmath.workdps(40):
        q, h = mpmath.mpf(float(q)), mpmath.mpf(float(h))
        terms = [
            mpmath.mpf(float(b)) * kernel_below(kernel, (q - mpmath.mpf(float(a))) / h)
            for a, b in zip(x, w, strict=True)
        ]
        return mpmath.fsum(terms) / mpmath.fsum(mpmath.mpf(float(b)) for b in w)


def test_the_issue_one_normal_kernel():
    model = KernelDensity(bandwidth=1.0).fit(np.zeros((1, 1)))
    with mpmath.workdps(40):
        exact = [float(-mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(q))) for q in ("1e-15", "1e-16", "1e-17")]
    np.testing.assert_allclose(model.quantile([1e-15, 1e-16, 1e-17]), exact, rtol=1e-12)
    np.testing.assert_allclose(model.isf([1e-15, 1e-16, 1e-17]), -np.array(exact), rtol=1e-12)
    np.testing.assert_allclose(model.cdf([[-9.0]]), float(mpmath.ncdf(-9)), rtol=1e-13)
    np.testing.assert_allclose(model.sf([[9.0]]), float(mpmath.ncdf(-9)), rtol=1e-13)
    np.testing.assert_allclose(model.logcdf([[-300.0]]), float(mpmath.log(mpmath.ncdf(-300))), rtol=1e-13)


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_both_tails_of_every_kernel(kernel, weighted, rng):
    x = rng.normal(size=7)
    w = 10.0 ** rng.uniform(-6, 0, 7) if weighted else np.ones(7)
    h = 0.5
    model = KernelDensity(bandwidth=h, kernel=kernel).fit(x[:, None], sample_weight=w)
    far = np.array([-30.0, -12.0, -5.0]) if kernel in TAILED else x.min() - h * (1 - np.array([1e-6, 1e-3, 0.3]))
    q = np.concatenate([far, np.linspace(-2, 2, 7)])
    exact = [exact_below(kernel, x, w, h, one) for one in q]
    # Next to the edge of a compact kernel, the distance itself is rounded at 1e-16 of its coordinates.
    rtol = 1e-12 if kernel in TAILED else 1e-9 if kernel != "triweight" else 2e-9
    np.testing.assert_allclose(model.cdf(q[:, None]), [float(one) for one in exact], rtol=rtol)
    logs = [float(mpmath.log(one)) for one in exact]
    np.testing.assert_allclose(model.logcdf(q[:, None]), logs, rtol=1e-9, atol=1e-12)
    mirrored = KernelDensity(bandwidth=h, kernel=kernel).fit(-x[:, None], sample_weight=w)
    np.testing.assert_allclose(mirrored.sf(-q[:, None]), model.cdf(q[:, None]), rtol=1e-14)
    np.testing.assert_allclose(mirrored.logsf(-q[:, None]), model.logcdf(q[:, None]), rtol=1e-14)
    # The lower end of a compact kernel has the digits of a coordinate of size 1.
    levels = np.array([1e-300, 1e-100, 1e-30, 1e-17, 1e-9, 0.01, 0.5, 0.9])[0 if kernel in TAILED else 5 :]
    found = model.quantile(levels)
    np.testing.assert_allclose(
        model.logcdf(found[:, None]), np.log(levels), rtol=1e-5 if kernel not in TAILED else 1e-12
    )
    assert (np.diff(found) >= 0).all()
    np.testing.assert_allclose(mirrored.isf(levels), -found, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", NAMES)
@pytest.mark.parametrize("where", [{}, {"bounds": (-3.0, None)}, {"bounds": (None, 3.0)}, {"bounds": (-3.0, 3.0)}])
def test_distribution_functions_are_monotone_and_both_sides_add_to_one(kernel, where, rng):
    x = rng.uniform(-2, 2, (30, 1))
    model = KernelDensity(bandwidth=0.4, kernel=kernel, **where).fit(x)
    q = np.linspace(-3, 3, 301)[:, None]
    below, above = model.cdf(q), model.sf(q)
    np.testing.assert_allclose(below + above, 1.0, atol=1e-13)
    assert (np.diff(below) >= -1e-15).all()
    assert (np.diff(above) <= 1e-15).all()
    inside = below > 1e-300
    assert (np.diff(model.logcdf(q[inside])) >= -1e-13).all()
    np.testing.assert_allclose(np.exp(model.logcdf(q[inside])), below[inside], rtol=1e-12)


@pytest.mark.parametrize("kernel", NAMES)
def test_next_to_a_bound_the_probability_has_its_digits(kernel):
    """Between low and low + t there is t f(low), up to t^2: no difference of numbers near 1/2."""
    x = np.array([[0.05], [0.1], [0.6]])
    low = KernelDensity(bandwidth=0.5, kernel=kernel, bounds=(0.0, None), rtol=0).fit(x)
    both = KernelDensity(bandwidth=0.5, kernel=kernel, bounds=(0.0, 2.0), rtol=0).fit(x)
    for t in (1e-9, 1e-15, 1e-30):
        for model in (low, both):
            density = np.exp(model.score_samples([[0.0]])[0])
            np.testing.assert_allclose(model.cdf([[t]]), t * density, rtol=1e-8)
    np.testing.assert_allclose(low.cdf([[low.quantile(1e-20)]]), 1e-20, rtol=1e-7)
    high = KernelDensity(bandwidth=0.5, kernel=kernel, bounds=(None, 0.0), rtol=0).fit(-x)
    np.testing.assert_allclose(high.sf([[-1e-20]]), low.cdf([[1e-20]]), rtol=1e-13)


def test_upper_tails_of_a_bounded_gaussian_are_finite_logarithms():
    model = KernelDensity(bandwidth=0.5, bounds=(0.0, None)).fit(np.array([[0.1], [0.7]]))
    with mpmath.workdps(40):
        masses = [
            mpmath.ncdf(-(mpmath.mpf(60) - s * x) * 2) for x in (mpmath.mpf(0.1), mpmath.mpf(0.7)) for s in (1, -1)
        ]
        exact = float(mpmath.log(mpmath.fsum(masses) / 2))
    np.testing.assert_allclose(model.logsf([[60.0]]), exact, rtol=1e-12)


def test_many_points_are_summed_by_cells_and_tails_by_pairs(rng):
    x = rng.normal(size=(20_000, 1))
    model = KernelDensity(bandwidth=0.3).fit(x)
    q = np.concatenate([np.linspace(-9, 9, 400), rng.normal(size=400)])
    together = model.cdf(q[:, None])
    alone = np.array([model.cdf(np.array([[one]]))[0] for one in q[::40]])
    np.testing.assert_allclose(together[::40], alone, rtol=1e-8)
    np.testing.assert_allclose(together, 1 - model.sf(q[:, None]), atol=1e-12)


def test_both_tails_of_an_adaptive_density():
    x, w = np.array([-1.0, 0.0, 3.0]), np.ones(3)
    model = KernelDensity(bandwidth=0.5, adaptive=True).fit(x[:, None])
    window = model.density_.windows[0]
    q = np.array([-20.0, -3.0, 0.4])
    with mpmath.workdps(40):
        exact = [
            float(mpmath.fsum(mpmath.ncdf((a - b) / (0.5 * s)) for b, s in zip(x, window.scales, strict=True)) / 3)
            for a in q
        ]
    np.testing.assert_allclose(model.cdf(q[:, None]), exact, rtol=1e-12)
    assert w.sum() == 3


def test_several_columns_have_a_logarithm_of_their_joint_distribution_function(rng):
    X = rng.normal(size=(6, 2))
    model = KernelDensity(bandwidth=0.5).fit(X)
    q = np.array([[-40.0, 0.0], [0.2, 0.4]])
    with mpmath.workdps(40):
        exact = [
            float(mpmath.log(mpmath.fsum(mpmath.ncdf((a - x) * 2) * mpmath.ncdf((b - y) * 2) for x, y in X) / 6))
            for a, b in q
        ]
    np.testing.assert_allclose(model.logcdf(q), exact, rtol=1e-12)
    with pytest.raises(TypeError, match="one column"):
        model.sf(q)


def test_a_histogram_has_both_tails():
    model = HistogramDensity(bins=[0, 1, 2, 3], estimate="ml").fit(np.array([[0.1], [0.2], [0.9], [2.5]]))
    np.testing.assert_allclose(
        model.sf([[1.0], [2.5], [3 - 1e-9], [4.0], [-1.0]]), [0.25, 0.125, 0.25e-9, 0, 1], rtol=1e-6
    )
    np.testing.assert_allclose(model.quantile([1e-30, 0.3]), [1e-30 / 0.75, 0.4], rtol=1e-12)
    np.testing.assert_allclose(3 - model.isf(1e-12), 4e-12, rtol=1e-3)
    np.testing.assert_allclose(model.logcdf([[0.5], [2.5]]), np.log([0.375, 0.875]), rtol=1e-12)
    np.testing.assert_allclose(model.logsf([[2.5]]), np.log(0.125), rtol=1e-12)


@pytest.mark.parametrize("family", [None, Gaussian(), Mixture(Gaussian(), 2), Kernel(0.4)])
def test_conditional_densities_have_both_tails(family, rng):
    X = rng.normal(size=(60, 1))
    y = X[:, 0] + 0.3 * rng.normal(size=60)
    model = ConditionalDensity(family, bandwidth=[0.5, 0.4]).fit(X, y)
    at = X[:3]
    for level in (1e-12, 1e-18, 1e-40):
        low = model.quantile(at, level)
        np.testing.assert_allclose(model.cdf(at, low), level, rtol=1e-8)
    high = model.quantile(at, 1 - 1e-12)
    np.testing.assert_allclose(model.sf(at, high), 1e-12, rtol=1e-3)
    np.testing.assert_allclose(model.cdf(at, y[:3]) + model.sf(at, y[:3]), 1.0, atol=1e-13)


@pytest.mark.parametrize("kernel", NAMES)
def test_the_mass_between_two_values_has_its_digits(kernel):
    function = KERNEL_FUNCTIONS[kernel]
    for a, b in ((-0.3, -0.3 + 1e-12), (0.5, 0.5001), (-0.1, 0.1), (-0.7, 0.9), (-0.001, 1e-5)):
        with mpmath.workdps(40):
            width = mpmath.mpf(float(np.float64(b) - a))
            exact = float(kernel_below(kernel, mpmath.mpf(a) + width) - kernel_below(kernel, mpmath.mpf(a)))
        np.testing.assert_allclose(function.mass(np.array([a]), np.array([b]) - a), exact, rtol=1e-13)
