"""Kernel regression: published numbers, statsmodels, hat matrices, and queries far away."""

import warnings

import numpy as np
import pandas as pd
import pytest
from statsmodels.nonparametric.kernel_regression import KernelReg

from parzen import (
    ConditionalDensity,
    KernelRegressor,
)
from parzen.smoothing.bandwidth.regression import search
from parzen.smoothing.bandwidth.regression_columns import RegressionColumns
from parzen.smoothing.kernel_functions import kernel_function
from parzen.smoothing.regression import Regression

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


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


def test_an_irrelevant_column_is_smoothed_out(rng):
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


def test_the_direction_of_the_farthest_queries(rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    model = KernelRegressor(0.3).fit(X, y)
    np.testing.assert_allclose(model.predict([[1e300, 0.5e300]]), model.predict([[1e100, 0.5e100]]))
    np.testing.assert_array_equal(model.derivative([[1e12, 0.5e12], [1e300, 0.5e300]]), 0.0)
    density = ConditionalDensity(bandwidth=[0.05, 0.1]).fit(X[:, :1], y)
    assert density.quantile([[1.7e308]], 0.5)[0] == pytest.approx(y[X[:, 0].argmax()])


def test_a_constant_column_that_is_far_off():
    x = np.linspace(0, 1, 50)
    found = [
        KernelRegressor([1.0, 0.1], order=1).fit(np.column_stack([np.full(50, u), x]), x**2).predict([[0.0, 0.5]])[0]
        for u in (0.0, 1e6, 1e12)
    ]
    np.testing.assert_allclose(found, found[0], rtol=1e-9)


def test_differences_at_an_offset(rng):
    X = rng.normal(size=(100, 1)) * 1e-2
    y = np.sin(100 * X[:, 0])
    near = KernelRegressor(4e-4, kernel="triangular").fit(X, y).derivative(X[:4])
    far = KernelRegressor(4e-4, kernel="triangular").fit(1e8 + X, y).derivative(1e8 + X[:4])
    np.testing.assert_allclose(far, near, rtol=1e-3)  # an offset of 1e8 leaves four digits of a step


def test_a_row_alone_in_its_category(rng):
    frame = pd.DataFrame({"x": [0.0, 1, 2, 3, 4], "g": list("aaaab")})
    y = np.arange(5.0)
    for kernel in ("gaussian", "epanechnikov", lambda u: np.exp(-np.abs(u)) / 2):
        for order in (0, 1):
            model = KernelRegressor([1.0, 0.0], kernel=kernel, order=order).fit(frame, y)
            assert np.isfinite(model.leave_one_out()).all()
            assert np.isfinite(model.predict(frame, return_std=True)).all()
    assert KernelRegressor([0.0]).fit(frame[["g"]], y).leave_one_out()[4] == pytest.approx(1.5)
    many = pd.DataFrame({"g": ["c", *rng.choice(["a", "b"], 99)], "x": rng.normal(size=100)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ConditionalDensity().fit(many, rng.normal(size=100))


def test_lines_through_rows_of_very_different_weight():
    x, w = np.linspace(0, 1, 50)[:, None], np.ones(50)
    w[0] = 1e6
    model = KernelRegressor(1.0, order=1).fit(x, x[:, 0], sample_weight=w)
    np.testing.assert_allclose(model.predict([[0.5], [1.0]]), [0.5, 1.0], rtol=1e-6)


def test_lines_are_followed_for_about_ten_bandwidths():
    x = np.linspace(0, 1, 50)[:, None]
    model = KernelRegressor(0.1, order=1).fit(x, x[:, 0])
    np.testing.assert_allclose(model.predict([[1.5], [1e6]]), [1.5, 1.0], rtol=1e-6)


def test_a_wide_minimum_that_fewer_rows_don_t_see():
    rng = np.random.default_rng(3)
    x = rng.uniform(size=(9000, 1))
    model = KernelRegressor(order=1).fit(x, x[:, 0] + 0.3 * rng.normal(size=9000))
    rows = model.fitted_.rows
    assert rows.squared_error(model.bandwidth_) <= rows.squared_error(np.array([5.0])) + 1e-5


def test_too_few_rows_for_a_criterion(rng):
    X, y = rng.normal(size=(5, 2)), rng.normal(size=5)
    with pytest.warns(UserWarning, match="5 rows are too few"):
        found = KernelRegressor("aicc", order=1).fit(X, y).bandwidth_
    assert (found > 0.2).all()


@pytest.mark.parametrize("wide", [1e3, 1e6, 1e12, 1e100, 1e300])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov", "exponential"])
def test_a_local_line_keeps_the_slope_of_a_column_with_a_wide_bandwidth(wide, kernel, rng):
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, 2.0, -3.0] + 5.0
    for h in ([0.9, wide, 0.9], [wide, 0.9, wide], [wide, wide, wide], [0.9, wide, 1e-2 * wide]):
        model = KernelRegressor(h, kernel=kernel, order=1).fit(X, y)
        near = np.abs(X).max(axis=1) < 1  # a compact kernel needs rows around
        np.testing.assert_allclose(model.predict(X[near]), y[near], atol=1e-10)
        slopes = model.derivative(X[near])
        np.testing.assert_allclose(slopes, np.broadcast_to([1.0, 2.0, -3.0], slopes.shape), rtol=1e-8)


def test_a_local_line_is_the_same_in_any_units_of_a_column(rng):
    X = rng.normal(size=(150, 2))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2
    found = KernelRegressor([0.5, 0.8], order=1).fit(X, y).predict(X)
    for scale in (1e-9, 1e9):
        moved = KernelRegressor([0.5, 0.8 * scale], order=1).fit(X * [1.0, scale], y).predict(X * [1.0, scale])
        np.testing.assert_allclose(moved, found, atol=1e-11)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_predictions_are_weighted_sums_of_the_targets(rng, order, kernel):
    X, y, Q = rng.normal(size=(90, 2)), rng.normal(size=(90, 2)), 4 * rng.normal(size=(20, 2))
    model = KernelRegressor(bandwidth=1.2, order=order, kernel=kernel).fit(X, y, rng.uniform(0.5, 2, 90))
    weights = model.weights(Q)
    np.testing.assert_allclose(weights @ y, model.predict(Q), atol=1e-9)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-9)
    assert order or (weights >= -1e-12).all()
