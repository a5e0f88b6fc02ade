"""Components that collapse or are empty are named, and priors keep them alive."""

import warnings

import numpy as np
import pytest
import sklearn.mixture
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from parzen import (
    FloorWarning,
    GaussianMixture,
)
from parzen.conjugate import NormalInverseWishart

TYPES = ["full", "tied", "diag", "spherical"]


class TestCollapse:
    @pytest.mark.parametrize("shape", TYPES)
    @pytest.mark.parametrize(
        "X",
        [
            np.zeros((10, 2)),
            np.repeat([[0.0, 0], [1, 1]], 5, axis=0),
            np.arange(6.0).reshape(3, 2),
            np.column_stack([np.arange(20.0), np.full(20, 7.0)]),
            np.random.default_rng(0).normal(size=(5, 12)),
            np.repeat(np.random.default_rng(1).normal(size=(4, 3)), [50, 1, 1, 1], axis=0),
        ],
        ids=["all equal", "two points", "three rows", "constant column", "d > n", "one heavy point"],
    )
    def test_no_parameter_is_ever_nan(self, shape, X):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = GaussianMixture(3, covariance_type=shape, random_state=0).fit(X)
            believed = GaussianMixture(2, covariance_type=shape, random_state=0, prior="auto").fit(X)
        for one in (model, believed):
            for name in ("weights_", "means_", "covariances_", "precisions_"):
                assert np.isfinite(getattr(one, name)).all()
            assert np.isfinite(one.score_samples(X)).all()
            np.testing.assert_allclose(one.predict_proba(X).sum(axis=1), 1)

    @pytest.mark.filterwarnings("ignore::parzen.FloorWarning")
    @pytest.mark.parametrize("shape", TYPES)
    def test_two_groups_of_three_rows_are_found_though_each_is_flat(self, shape):
        X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
        ours, theirs = (
            one(2, covariance_type=shape, random_state=0).fit(X)
            for one in (GaussianMixture, sklearn.mixture.GaussianMixture)
        )
        assert np.sort(ours.means_[:, 0]) == pytest.approx([1, 10])
        assert ours.score(X) == pytest.approx(theirs.score(X))

    @pytest.mark.filterwarnings("ignore::parzen.FloorWarning")
    @pytest.mark.parametrize("shape", TYPES)
    def test_singular_components_are_an_error_where_nothing_is_added_to_variances(self, shape):
        X = np.repeat([[0.0, 0], [1, 1]], 5, axis=0)
        model = GaussianMixture(3, covariance_type=shape, random_state=0, reg_covar=0)
        with pytest.raises(ValueError, match="reg_covar"):
            model.fit(X)
        assert not hasattr(model, "density_")

    def test_a_collapse_on_the_way_is_named_and_kept(self):
        X = np.concatenate([np.random.default_rng(0).normal(size=(30, 1)), np.full((10, 1), 50.0)])
        start = {"weights_init": [0.5, 0.5], "means_init": [[0.0], [50.0]], "precisions_init": [1.0, 1.0]}
        model = GaussianMixture(2, covariance_type="spherical", reg_covar=0, max_iter=1, **start)
        with pytest.warns(ConvergenceWarning), pytest.warns(FloorWarning, match="components"):
            model.fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        with pytest.raises(ValueError, match="singular"), pytest.warns(FloorWarning):
            model.set_params(max_iter=100).fit(X)

    def test_an_empty_component_is_named(self, rng):
        X = rng.normal(size=(50, 1))
        start = {"weights_init": [0.5, 0.5], "means_init": [[0.0], [1e5]], "precisions_init": [1.0, 1.0]}
        with pytest.warns(FloorWarning, match=r"components \[1\] are empty"):
            model = GaussianMixture(2, covariance_type="spherical", **start).fit(X)
        assert model.weights_[1] == 0
        assert np.isfinite(model.score_samples(X)).all()

    def test_a_prior_keeps_components_alive(self):
        X = np.repeat([[0.0, 0], [1, 1], [5, 5]], 10, axis=0)
        with warnings.catch_warnings():
            warnings.simplefilter("error", FloorWarning)
            model = GaussianMixture(3, prior="auto", weight_concentration=2.0, random_state=0).fit(X)
        assert np.linalg.eigvalsh(model.covariances_).min() > 1e-3
        assert (model.weights_ > 0).all()

    def test_a_prior_is_the_mode_of_the_posterior(self, rng):
        X = rng.normal(size=(40, 2))
        prior = NormalInverseWishart([1.0, 1.0], 5.0, 6.0, np.eye(2))
        one = GaussianMixture(1, prior=prior).fit(X)
        mode = prior.posterior(X).mode()
        np.testing.assert_allclose(one.means_, mode.mean.reshape(1, 2))
        np.testing.assert_allclose(one.covariances_[0], np.reshape(mode.variance, (2, 2)))

    def test_a_row_entirely_missing_belongs_to_the_weights(self, rng):
        X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(8, 1, (30, 2)), [[np.nan, np.nan]]])
        for shape in TYPES:
            model = GaussianMixture(2, covariance_type=shape, random_state=0).fit(X)
            np.testing.assert_allclose(model.predict_proba(X[-1:])[0], model.weights_)
            assert model.score_samples(X[-1:])[0] == pytest.approx(0, abs=1e-12)
            np.testing.assert_allclose(model.impute(X[-1:])[0], model.weights_ @ model.means_)

    def test_collapsed_components_are_named_and_not_chosen(self):
        X = load_iris().data
        model = GaussianMixture("auto", random_state=0).fit(X)
        assert model.n_components_ == 2
        with pytest.warns(FloorWarning, match="collapsed"):
            GaussianMixture(3, random_state=0).fit(np.repeat([[0.0, 0], [1, 5], [2, 2.0]], 20, axis=0))
