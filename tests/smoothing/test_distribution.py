"""Distribution functions of kernel densities: running sums and expansions equal a sum over all points."""

import numpy as np
import pytest

from parzen import KernelDensity
from parzen.smoothing.distribution import FEW, KernelDistribution
from parzen.smoothing.kernel_functions import NAMES, KernelFunction, kernel_function


def summed(kernel, x, share, h, q):
    """The sum over all points, term by term."""
    return np.array([(share * kernel.cdf((one - x) / h)).sum() for one in q])


def points(rng, n, offset):
    x = rng.normal(size=n)
    x[::5] = np.round(x[::5], 1)  # equal ones
    return x + offset, rng.random(n) * (rng.random(n) > 0.1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("offset", "h"), [(0.0, 0.3), (1e8, 0.5), (-3.0, 8.0), (0.0, 1e-3), (0.0, 1e-9), (1e8, 1e-7)])
def test_probabilities_equal_the_sum_over_all_points(rng, name, offset, h):
    x, share = points(rng, 1200, offset)
    share /= share.sum()
    kernel = kernel_function(name)
    line = KernelDistribution.of(kernel, x, share, h)
    far = np.array([x.min() - 0.9 * h, x.max() + 0.9 * h, x.min() - 9 * h, x.max() + 9 * h])
    q = np.concatenate([offset + 1.5 * rng.normal(size=40), x[:20], x[:20] + h, x[:20] - h, far])
    for found, truth in (
        (line.below(q), summed(kernel, x, share, h, q)),
        (line.above(q), summed(kernel, -x, share, h, -q)),
    ):
        np.testing.assert_allclose(found, truth, rtol=0, atol=1e-14)
        small = (truth > 0) & (truth < 1e-4)
        np.testing.assert_allclose(found[small], truth[small], rtol=1e-12)


def test_kernels_without_such_sums_are_summed_term_by_term(rng):
    """The marginal of a disk has a half-integer power of (1 - r^2): no polynomial."""
    x, share = points(rng, 400, 0.0)
    share /= share.sum()
    kernel, q = KernelFunction("power", 0.5), rng.normal(size=30)
    found = KernelDistribution.of(kernel, x, share, 1.0).below(q)
    np.testing.assert_allclose(found, summed(kernel, x, share, 1.0, q), rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_quantiles_of_many_rows_are_where_the_distribution_function_says(rng, name):
    X = rng.gamma(2.0, 1.0, size=(20 * FEW, 1))
    model = KernelDensity(kernel=name, bandwidth=0.2).fit(X)
    levels = np.concatenate([np.linspace(0.01, 0.99, 23), [1e-6, 1 - 1e-6]])
    found = model.quantile(levels)
    np.testing.assert_allclose(model.cdf(found[:, None]), levels, rtol=1e-12)
    assert (np.diff(found[np.argsort(levels)]) > 0).all()
    np.testing.assert_allclose(model.isf(1.0 - levels[:23]), found[:23], rtol=1e-12)
