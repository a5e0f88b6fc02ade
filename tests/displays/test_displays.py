"""Displays of densities: what they hold is right, and odd tables are drawn or refused with a sentence."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import trapezoid
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as Theirs

from parzen import (
    DensityEstimator,
    Gaussian,
    GaussianDiscriminant,
    GaussianMixture,
    GaussianNB,
    KernelDensity,
    LogisticRegression,
    NaiveBayes,
)
from parzen.conjugate import Beta, Dirichlet, Gamma, NormalInverseGamma, NormalMean
from parzen.displays import (
    BandwidthDisplay,
    DecisionRegionDisplay,
    DensityDisplay,
    LearningCurveDisplay,
    MixtureDisplay,
    PosteriorDisplay,
)
from tests.libraries import polars as pl


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture
def table(rng):
    frame = pd.DataFrame(rng.normal(size=(200, 2)), columns=["$a_1$", "_b"])
    frame.loc[3, "_b"] = np.nan
    return frame


def test_a_density_of_one_column_integrates_to_one(table):
    model = KernelDensity(bandwidth="silverman").fit(table[["$a_1$"]])
    display = DensityDisplay.from_estimator(model, table[["$a_1$"]], grid_resolution=600)
    assert trapezoid(display.density, display.grid[0]) == pytest.approx(1.0, abs=0.01)
    assert display.ax_.get_xlabel() == r"\$a_1\$"


def test_regions_of_two_columns_have_their_probability(table):
    model = DensityEstimator(Gaussian()).fit(table)
    display = DensityDisplay.from_estimator(model, table)
    own = np.exp(model.score_samples(table.dropna()))
    np.testing.assert_allclose([(own >= level).mean() for level in display.levels], [0.95, 0.8, 0.5], atol=0.01)
    wide = table.assign(c=1.0 + table["_b"].fillna(0) ** 2)
    part = DensityDisplay.from_estimator(DensityEstimator(Gaussian()).fit(wide), wide, columns=["c", "_b"])
    assert part.names == ("c", "_b")
    with pytest.raises(ValueError, match="X has 3; choose some"):
        DensityDisplay.from_estimator(DensityEstimator(Gaussian()).fit(wide), wide)
    with pytest.raises(ValueError, match="no column 'zzz'"):
        DensityDisplay.from_estimator(model, table, columns=["zzz"])


def test_arrays_polars_and_constant_columns(rng):
    X = rng.normal(size=(50, 2))
    for one in (X, pl.DataFrame(X, schema=["a", "b"])):
        assert DensityDisplay.from_estimator(DensityEstimator(Gaussian()).fit(one), one).density.max() > 0
    flat = np.column_stack([X[:, 0], np.full(50, 3.0)])
    with pytest.warns(UserWarning, match="singular"):
        model = DensityEstimator(Gaussian()).fit(flat)
    display = DensityDisplay.from_estimator(model, flat)
    cells = np.stack(np.meshgrid(*display.grid, indexing="ij"), axis=-1).reshape(-1, 2)
    np.testing.assert_allclose(display.density.ravel(), np.exp(model.score_samples(cells)))
    assert display.grid[1][0] < 3.0 < display.grid[1][-1]  # a constant column is shown around its value
    one = KernelDensity(bandwidth=1.0).fit(X[:1, :1])
    assert DensityDisplay.from_estimator(one, X[:1, :1]).density.max() == pytest.approx(0.3989, abs=1e-3)


def test_regions_are_the_classifier_s_decisions():
    data = load_iris(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    pair = ["petal length (cm)", "petal width (cm)"]
    model = GaussianDiscriminant().fit(X, y)
    display = DecisionRegionDisplay.from_estimator(model, X, y, columns=pair, grid_resolution=20)
    missing = X.iloc[[0]].assign(**dict.fromkeys(X.columns, np.nan))
    cell = missing.assign(**{pair[0]: display.grid[0][4], pair[1]: display.grid[1][7]})
    assert model.classes_[display.predicted[4, 7]] == model.predict(cell)[0]
    assert display.probability[4, 7] == pytest.approx(model.predict_proba(cell).max())
    # A classifier that takes no missing cells gets the medians.
    theirs = Theirs(max_iter=500).fit(X, y)
    display = DecisionRegionDisplay.from_estimator(theirs, X, y, columns=pair, grid_resolution=20)
    usual = X.median().to_frame().T.assign(**{pair[0]: display.grid[0][4], pair[1]: display.grid[1][7]})
    assert theirs.classes_[display.predicted[4, 7]] == theirs.predict(usual)[0]
    mixed = X.assign(kind=np.where(data.target > 0, "x", None))
    shown = DecisionRegionDisplay.from_estimator(NaiveBayes().fit(mixed, y), mixed, y)
    assert shown.names == ("sepal length (cm)", "sepal width (cm)")
    assert (shown.codes >= 0).all()
    with pytest.raises(ValueError, match="must be numbers"):
        DecisionRegionDisplay.from_estimator(NaiveBayes().fit(mixed, y), mixed, y, columns=["kind", pair[0]])
    with pytest.raises(ValueError, match="X has none"):
        DecisionRegionDisplay.from_estimator(NaiveBayes().fit(mixed[["kind"]], y), mixed[["kind"]], y)


def test_regions_of_one_column_have_class_curves_a_posterior_and_roots():
    X, y = load_iris(return_X_y=True)
    two = y > 0
    X, y = X[two][:, [0]], y[two]
    model = GaussianDiscriminant().fit(X, y)
    display = DecisionRegionDisplay.from_estimator(model, X, y)
    x = display.grid[0]
    boundary = model.decision_boundary()
    inside = boundary.roots()[(boundary.roots() > x[0]) & (boundary.roots() < x[-1])]
    assert len(inside) > 0
    np.testing.assert_allclose(display.roots, inside, atol=1e-9)
    np.testing.assert_allclose(np.log(display.joint), model.log_joint(x[:, None]))
    np.testing.assert_allclose(display.joint / display.joint.sum(axis=1, keepdims=True), display.posterior)
    above, below = display.ax_
    np.testing.assert_allclose([line.get_ydata() for line in above.lines if len(line.get_xdata()) == len(x)],
                               display.joint.T)  # fmt: skip
    np.testing.assert_allclose([line.get_ydata() for line in below.lines if len(line.get_xdata()) == len(x)],
                               display.posterior.T)  # fmt: skip
    for panel in display.ax_:  # a dashed line at each root
        shown = [line.get_xdata()[0] for line in panel.lines if line.get_linestyle() == "--"]
        np.testing.assert_allclose(shown, display.roots)
    theirs = DecisionRegionDisplay.from_estimator(Theirs(max_iter=500).fit(X, y), X, y)  # it has no density
    assert theirs.joint is None
    assert len(np.atleast_1d(theirs.ax_)) == 1
    with pytest.raises(ValueError, match="two axes"):
        DecisionRegionDisplay.from_estimator(model, X, y, ax=theirs.ax_)


def test_one_column_of_several_is_drawn_with_the_others_marginalised():
    X, y = load_iris(return_X_y=True)
    both = DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(X, y), X, y, columns=2)
    alone = DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(X[:, [2]], y), X[:, [2]], y)
    np.testing.assert_allclose(both.roots, alone.roots)
    np.testing.assert_allclose(both.joint, alone.joint)
    assert len(both.roots) == 2  # three classes, in order of length


@pytest.mark.parametrize("shared", [True, False])
def test_regions_of_two_columns_have_the_line_of_one_half_and_contours(shared):
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0][:, :2], y[y > 0]
    model = GaussianDiscriminant(shared=shared).fit(X, y)
    display = DecisionRegionDisplay.from_estimator(model, X, y, levels=[0.8])
    drawn = [np.concatenate(one.get_segments()) if hasattr(one, "get_segments") else one.get_paths()[0].vertices
             for one in display.ax_.collections]  # fmt: skip
    halves = [p for p in drawn if abs(model.predict_proba(p)[:, 0] - 0.5).max() < 0.01]
    contours = [p for p in drawn if abs(model.predict_proba(p).max(axis=1) - 0.8).max() < 0.01]
    assert (len(halves), len(contours)) == (1, 2)  # one line, and a contour on each side of it


def test_mixtures_and_bandwidths(rng):
    X = np.concatenate([rng.normal(0, 1, (100, 2)), rng.normal(6, 1, (100, 2))])
    model = GaussianMixture(2, random_state=0).fit(X)
    assert len(MixtureDisplay.from_estimator(model, X).ax_.lines) >= 4
    assert MixtureDisplay.from_estimator(model, columns=[1]).ax_.get_ylabel() == "density"
    line = KernelDensity(bandwidth="sj").fit(X[:, :1])
    display = BandwidthDisplay.from_estimator(line, X[:, :1], factors=(0.5, 2))
    np.testing.assert_allclose(display.bandwidths / float(line.bandwidth_), [0.5, 1.0, 2.0])
    np.testing.assert_allclose(
        display.densities[1], np.exp(line.score_samples(display.grid[:, None])), rtol=1e-6, atol=1e-12
    )
    with pytest.raises(ValueError, match="one column, got 2"):
        BandwidthDisplay.from_estimator(KernelDensity().fit(X), X)


@pytest.mark.parametrize(
    ("prior", "data"),
    [
        (Beta(2, 3), [1, 1, 0]),
        (Beta(1.2, 1.5), [1]),
        (Gamma(2, 1), [3, 5, 2]),
        (NormalMean(0.0, 2.0, 1.0), [1.0, 2.5]),
        (NormalInverseGamma(0, 1, 2, 2), [1.0, 2.5, 3.0]),
    ],
)
def test_prior_times_likelihood_is_the_posterior(prior, data):
    display = PosteriorDisplay.from_prior(prior, data)
    assert trapezoid(display.posterior, display.grid) == pytest.approx(1.0, abs=0.005)
    # What is proportional to prior times likelihood is the posterior.
    product = display.prior * display.likelihood
    inside = display.posterior > 1e-3 * display.posterior.max()
    ratio = (product / display.posterior)[inside]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)
    low, high = display.interval
    between = (display.grid >= low) & (display.grid <= high)
    assert trapezoid(display.posterior[between], display.grid[between]) == pytest.approx(0.95, abs=0.005)
    if isinstance(prior, Beta):
        assert display.predictive.sum() == pytest.approx(1.0)
        assert display.predictive[1] == pytest.approx(prior.posterior(data).mean())


def test_posteriors_of_several_parameters_are_refused():
    with pytest.raises(TypeError, match="one parameter"):
        PosteriorDisplay.from_prior(Dirichlet([1.0, 1.0]), [0, 1])
    with pytest.raises(ValueError, match="two axes"):
        PosteriorDisplay.from_prior(Beta(1, 1), [1]).plot(plt.gca())


def test_learning_curves():
    X, y = load_iris(return_X_y=True)
    options = {"sizes": [12, 60], "repeats": 2, "random_state": 0}
    display = LearningCurveDisplay.from_estimators(GaussianNB(), LogisticRegression(), X, y, **options)
    assert display.comparison.error.shape == (2, 2, 2)
    assert len(display.ax_) == 2


@pytest.mark.parametrize(
    ("prior", "data"),
    [
        (NormalMean(0, 10, 5), [3.0]),
        (NormalMean(0, 1000, 1), [3.0, 4.0]),
        (NormalInverseGamma(0, 1, 2, 2), [1.0, 2.0, 9.0]),
        (Gamma(1, 1), [3, 4, 20]),
    ],
)
def test_the_posterior_and_the_predictive_are_drawn_nearly_whole(prior, data):
    display = PosteriorDisplay.from_prior(prior, data)
    assert trapezoid(display.posterior, display.grid) == pytest.approx(1, abs=0.01)
    counts = isinstance(prior, Gamma)
    mass = display.predictive.sum() if counts else trapezoid(display.predictive, display.outcomes)
    assert 0.99 < mass < 1.001


@pytest.mark.parametrize(
    ("prior", "data"), [(NormalMean(0, 10, 5), [3.0]), (Gamma(1, 1), [3, 4, 20]), (Beta(2, 2), [1, 1, 0])]
)
def test_prior_likelihood_posterior_and_predictive_may_share_an_axis(prior, data):
    display = PosteriorDisplay.from_prior(prior, data, together=True)
    *three, ahead = display.ax_.lines
    np.testing.assert_allclose([line.get_ydata() for line in three],
                               [display.prior, display.likelihood, display.posterior])  # fmt: skip
    if isinstance(prior, Beta):
        assert ahead.get_xdata()[0] == pytest.approx((2 + 2) / (4 + 3))
        return
    np.testing.assert_allclose(ahead.get_xdata(), display.outcomes)
    rows = display.outcomes[:, None]
    np.testing.assert_allclose(ahead.get_ydata(), np.exp(prior.posterior(data).predictive().log_density(rows)[:, 0]))


def test_bandwidths_and_the_true_density_may_be_given(rng):
    X = rng.normal(size=(100, 1))
    model = KernelDensity(bandwidth=0.4).fit(X)
    display = BandwidthDisplay.from_estimator(model, X, bandwidths=[0.1, 1.0], truth=stats.norm())
    np.testing.assert_allclose(display.bandwidths, [0.1, 0.4, 1.0])
    assert display.chosen == 1
    np.testing.assert_allclose(display.truth, stats.norm.pdf(display.grid))
    line = display.ax_.lines[-1]
    np.testing.assert_allclose(line.get_ydata(), display.truth)
    with pytest.raises(ValueError, match="above 0"):
        BandwidthDisplay.from_estimator(model, X, bandwidths=[0.0])
