"""BayesianGaussianMixture against scikit-learn's, at the same optimum, and its bound."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn.mixture
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

import parzen
from parzen import BayesianGaussianMixture

SHAPES = ("full", "tied", "diag", "spherical")
KINDS = ("dirichlet_process", "dirichlet_distribution")


def _rows(seed=0, n=300, d=2):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(0, 1, (n, d)), rng.normal(6, 1, (n // 3, d))]) + np.arange(d)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("d", [1, 3])
def test_posterior_and_bound_are_scikit_learns(shape, kind, d):
    X = _rows(d=d)
    options = {
        "n_components": 2, "covariance_type": shape, "weight_concentration_prior_type": kind, "tol": 1e-9,
        "max_iter": 2000, "random_state": 0, "init_params": "kmeans", "mean_precision_prior": 0.5,
        "degrees_of_freedom_prior": d + 1.5,
    }  # fmt: skip
    ours = BayesianGaussianMixture(**options).fit(X)
    for seed in range(10):  # until theirs has the same component first: the order matters to the process
        theirs = sklearn.mixture.BayesianGaussianMixture(**(options | {"random_state": seed})).fit(X)
        if (np.diff(theirs.means_[:, 0]) > 0) == (np.diff(ours.means_[:, 0]) > 0):
            break
    assert ours.lower_bound_ == pytest.approx(np.ravel(theirs.lower_bound_)[0], rel=1e-8)
    names = ["weights_", "means_", "mean_precision_"]
    names += [] if shape == "tied" else ["covariances_", "precisions_", "degrees_of_freedom_"]
    for name in names:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, err_msg=name)
    if shape == "tied":
        for name in ("covariances_", "precisions_", "precisions_cholesky_", "degrees_of_freedom_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    for name in ("weight_concentration_prior_", "mean_prior_", "covariance_prior_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(SHAPES),
    st.sampled_from(KINDS),
    st.integers(1, 5),
    st.booleans(),
    st.floats(1e-4, 1e4),
)
def test_the_bound_never_falls(seed, shape, kind, C, accelerate, concentration):
    X = _rows(seed, n=60)
    model = BayesianGaussianMixture(
        n_components=C, covariance_type=shape, weight_concentration_prior_type=kind, random_state=seed, tol=1e-6,
        max_iter=300, weight_concentration_prior=concentration, accelerate=accelerate, init_params="random_from_data",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    bounds = np.array(model.lower_bounds_)
    assert (np.diff(bounds) >= -1e-9 * np.abs(bounds).max()).all()


def test_components_that_are_not_needed_have_no_weight():
    model = BayesianGaussianMixture(n_components=8, weight_concentration_prior=1e-2, max_iter=2000, random_state=0)
    model.fit(_rows(n=900))
    assert (np.sort(model.weights_)[:-2] < 0.01).all()


def test_weights_count_rows():
    X = _rows()
    w = np.random.default_rng(0).integers(0, 3, len(X))
    options = {"n_components": 2, "tol": 1e-9, "max_iter": 1000, "random_state": 0}
    weighted = BayesianGaussianMixture(**options).fit(X, sample_weight=w)
    repeated = BayesianGaussianMixture(**options).fit(np.repeat(X, w, axis=0))
    assert weighted.lower_bound_ == pytest.approx(repeated.lower_bound_, rel=1e-8)


def test_an_offset_costs_no_digits():
    X = _rows()
    options = {"n_components": 2, "tol": 1e-8, "max_iter": 1000, "random_state": 0}
    near, far = (BayesianGaussianMixture(**options).fit(X + off) for off in (0.0, 1e8))
    np.testing.assert_allclose(np.sort(near.weights_), np.sort(far.weights_), rtol=1e-4)


def test_rows_are_drawn_and_tables_kept():
    frame = pd.DataFrame(_rows(), columns=["a", "b"])
    model = BayesianGaussianMixture(n_components=2, random_state=0).fit(frame)
    drawn, components = model.sample(500)
    assert list(drawn.columns) == ["a", "b"]
    assert np.bincount(components, minlength=2).min() > 50
    model.partial_fit(frame)
    assert model.n_batches_ == 2


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 0},
        {"covariance_type": "round"},
        {"weight_concentration_prior": 0.0},
        {"weight_concentration_prior_type": "process"},
        {"degrees_of_freedom_prior": 0.5},
        {"mean_precision_prior": -1.0},
        {"mean_prior": [0.0]},
        {"covariance_prior": np.eye(3)},
        {"covariance_prior": -np.eye(2)},
        {"tol": -1.0},
        {"n_components": 1000},
    ],
)
def test_wrong_parameters_are_refused_and_change_nothing(options):
    model = BayesianGaussianMixture(**options)
    with pytest.raises(ValueError, match=next(iter(options))):
        model.fit(_rows())
    assert not hasattr(model, "statistic_")


def test_missing_values_are_refused():
    X = _rows()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        BayesianGaussianMixture(n_components=2).fit(X)


@pytest.mark.filterwarnings("ignore")
def test_it_keeps_scikit_learns_conventions():
    check_estimator(BayesianGaussianMixture(), on_skip=None)


def test_it_is_saved(tmp_path):
    model = BayesianGaussianMixture(n_components=2, random_state=0).fit(_rows())
    model.save(tmp_path / "m.parzen")
    again = parzen.load(tmp_path / "m.parzen")
    np.testing.assert_array_equal(again.predict_proba(_rows()), model.predict_proba(_rows()))
    np.testing.assert_array_equal(again.weights_, model.weights_)


@pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weighted rows"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_random_start_is_the_posterior_of_random_responsibilities(shape, weighted):
    X = _rows()
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(X)) if weighted else np.ones(len(X))
    model = BayesianGaussianMixture(
        n_components=4, covariance_type=shape, init_params="random", random_state=0, max_iter=300, n_init=3
    )
    model.fit(X, sample_weight=w)
    assert (np.diff(model.lower_bounds_) >= -1e-6).all()
    begun = replace(model.family_, n_init=1).start(X, w if weighted else None, np.random.default_rng(7))
    order = np.lexsort(X.T[::-1])
    shares = np.random.default_rng(7).random((len(X), 4))
    shares *= (w[order] / shares.sum(axis=1))[:, None]
    sums = model.mean_precision_prior_ * model.mean_prior_ + shares.T @ X[order]
    expected = sums / (model.mean_precision_prior_ + shares.sum(axis=0))[:, None]
    np.testing.assert_allclose(begun.components.mean, expected, rtol=1e-10)


def test_a_random_start_of_many_rows_counts_all_of_them():
    X = _rows(n=6000)
    model = BayesianGaussianMixture(n_components=3, init_params="random", random_state=0, max_iter=2)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    begun = model.family_.start(X, None, np.random.default_rng(0))
    # Of 8,000 rows the prior of a mean, worth one, moves it by next to nothing; of a sample of them it would by more.
    alone = replace(model.family_, mean_precision=1e-9).start(X, None, np.random.default_rng(0))
    off = np.abs(begun.components.mean - alone.components.mean) / np.abs(alone.components.mean - X.mean(axis=0))
    np.testing.assert_allclose(off, 1 / (1 + len(X) / 3), rtol=0.1)
