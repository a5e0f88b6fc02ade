"""Conditional distribution functions and quantiles of many queries at once equal those of one query at a time."""

import numpy as np
import pandas as pd
import pytest
from scipy import special

from parzen import ConditionalDensity, Gaussian, GaussianMixture
from parzen.estimators.regress.joint import _quantile
from parzen.smoothing.quantiles import mixture_quantiles
from parzen.smoothing.queries import Queries

LEVELS = np.array([0.0, 1e-12, 1e-3, 0.05, 0.5, 0.9, 1 - 1e-9, 1.0])


def problem(rng, n=800, d=2, offset=0.0):
    X = rng.normal(size=(n, d)) + offset
    y = np.sin(2 * (X[:, 0] - offset)) + 0.5 * rng.standard_t(4, size=n) + offset
    y[::7] = np.round(y[::7], 1)
    return X, y


def one_by_one(model, Q, codes=None):
    """Weights of the rows around each query, by the definition, (m, n)."""
    given = model.given
    return np.concatenate(
        [
            np.exp(given.log_weights(Queries(Q[i : i + 1], None if codes is None else codes[i : i + 1])))
            for i in range(len(Q))
        ]
    )


@pytest.mark.parametrize(("offset", "h"), [(0.0, 0.3), (1e8, 0.5), (0.0, 3.0), (0.0, 1e-3)])
def test_kernels_equal_the_sums_of_each_query(rng, offset, h):
    X, y = problem(rng, offset=offset)
    model = ConditionalDensity(bandwidth=[0.4, 0.7, h]).fit(X, y)
    assert (model.model_._cells is None) == (h == 1e-3)  # few rows in a cell: they are summed one by one
    Q = np.concatenate([X[:25], X[:3] + 30.0])  # far from all rows, too
    at = np.concatenate([y[:12], y[12:25] + 5 * h, y[:3]])
    shares, order = one_by_one(model.model_, Q), np.argsort(y, kind="stable")
    u = (at[:, None] - y) / h
    np.testing.assert_allclose(model.cdf(Q, at), (shares * special.ndtr(u)).sum(axis=1), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(model.sf(Q, at), (shares * special.ndtr(-u)).sum(axis=1), rtol=1e-11, atol=1e-300)
    truth = np.stack([mixture_quantiles(y[order] - offset, one[order], h, LEVELS) for one in shares]) + offset
    found = model.quantile(Q, LEVELS)
    np.testing.assert_allclose(found, truth, rtol=1e-13, atol=1e-11)
    assert (np.diff(found, axis=1) > 0).all()


def test_the_distribution_function_of_a_quantile_is_its_level(rng):
    X, y = problem(rng, d=1)
    for density in (None, GaussianMixture(3, random_state=0)):
        model = ConditionalDensity(density, bandwidth=[0.3, 0.2]).fit(X, y)
        found = model.quantile(X[:40], LEVELS[1:-1])
        for j, level in enumerate(LEVELS[1:-1]):
            np.testing.assert_allclose(model.cdf(X[:40], found[:, j]), level, rtol=1e-10)


def test_categories_and_weights_count_as_they_do_one_by_one(rng):
    X, y = problem(rng, d=1)
    table = pd.DataFrame({"x": X[:, 0], "c": rng.choice(["a", "b", "c"], len(X))})
    model = ConditionalDensity(bandwidth={"x": 0.4, "c": 0.3}).fit(table, y, sample_weight=rng.integers(0, 3, len(X)))
    Q, codes = model.inputs_.read(table[:20])
    shares, rows = one_by_one(model.model_, Q, codes), model.model_.rows.Y[:, 0]
    truth = (shares * special.ndtr((y[:20, None] - rows) / model.model_.h[0])).sum(axis=1)
    np.testing.assert_allclose(model.cdf(table[:20], y[:20]), truth, rtol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize(
    "density",
    [
        Gaussian(),
        Gaussian("diag"),
        GaussianMixture(3, random_state=0),
        GaussianMixture(2, covariance_type="tied", random_state=0),
        GaussianMixture(2, covariance_type="diag", random_state=0),
    ],
)
def test_gaussian_joint_densities_equal_the_conditional_of_each_query(rng, density, offset):
    X, y = problem(rng, n=300, offset=offset)
    model = ConditionalDensity(density).fit(X, y)
    each = list(model.model_._each(X[:8], None))
    for upper, found in ((False, model.cdf(X[:8], y[:8])), (True, model.sf(X[:8], y[:8]))):
        truth = [one.cdf(np.array([[at]]), upper)[0, 0] for one, at in zip(each, y, strict=False)]
        np.testing.assert_allclose(found, truth, rtol=1e-11)
    levels = [0.0, 1e-3, 0.3, 0.5, 0.99, 1.0]
    truth = np.array([[_quantile(one, level) for level in levels] for one in each])
    np.testing.assert_allclose(model.quantile(X[:8], levels), truth, rtol=1e-12, atol=1e-12)
