"""Bad input to mixtures and k-means is named, in the user's words."""

import numpy as np
import pytest

from parzen import (
    Gaussian,
    GaussianMixture,
    KMeans,
    MixtureModel,
)

TYPES = ["full", "tied", "diag", "spherical"]


class TestBadInput:
    @pytest.mark.parametrize(
        ("model", "message"),
        [
            (GaussianMixture(5), "n_samples >= n_components"),
            (GaussianMixture(0), "n_components"),
            (GaussianMixture("many"), "n_components"),
            (GaussianMixture([50, 60]), "fewer components"),
            (GaussianMixture(2, covariance_type=None), "covariance_type"),
            (GaussianMixture(2, covariance_type=["full", "auto"]), "covariance_type"),
            (GaussianMixture(2, init_params="foo"), "init_params"),
            (GaussianMixture(2, n_init=0), "n_init"),
            (GaussianMixture(2, reg_covar=-1), "reg_covar"),
            (GaussianMixture(2, weight_concentration=-1), "weight_concentration"),
            (GaussianMixture(2, forgetting=2.0), "forgetting"),
            (GaussianMixture(2, trace="x"), "trace"),
            (GaussianMixture(2, criterion="x"), "criterion"),
            (GaussianMixture(2, prior="x"), "prior"),
            (GaussianMixture(2, fixed=0), "fixed"),
            (GaussianMixture(2, means_init=[[0.0]]), "means_init"),
            (GaussianMixture(2, weights_init=[0.5, 0.6]), "sum to 1"),
            (GaussianMixture(2, precisions_init=np.ones((2, 2, 2))), "positive definite"),
            (GaussianMixture(2, covariance_type="diag", precisions_init=-np.ones((2, 2))), "positive"),
            (GaussianMixture([1, 2], means_init=[[0.0, 0.0]]), "one number of components"),
            (GaussianMixture(2, max_iter=-1), "max_iter"),
            (KMeans(9), "n_clusters"),
            (KMeans(2, init=[[0.0]]), "initial centers"),
            (KMeans(2, init="x"), "init"),
            (KMeans(2, n_init=0), "n_init"),
            (KMeans(2, algorithm="x"), "algorithm"),
            (MixtureModel(Gaussian(), 0), "n_components"),
            (MixtureModel([Gaussian()], 2), "families"),
            (MixtureModel("x"), "family"),
        ],
        ids=str,
    )
    def test_errors_name_the_parameter(self, model, message):
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(np.arange(8.0).reshape(4, 2))

    def test_weights(self, X):
        for model in (GaussianMixture(2), KMeans(2)):
            with pytest.raises(ValueError, match=r"[Nn]egative"):
                model.fit(X, sample_weight=np.full(300, -1.0))
            with pytest.raises(ValueError, match="zero"):
                model.fit(X, sample_weight=np.zeros(300))

    def test_labels(self, X):
        model = GaussianMixture(2, random_state=0)
        for labels, message in (
            ([0] * 5, "300 whole numbers"),
            ([0.5] * 300, "whole"),
            ([2] * 300, "between -1 and 1"),
        ):
            with pytest.raises(ValueError, match=message):
                model.fit(X, labels=labels)
        known = (X[:, 0] > 0).astype(np.uint8)
        for kind in (np.uint8, np.float64, bool):
            assert (model.fit(X, labels=known.astype(kind)).weights_ > 0).all()
        with pytest.raises(ValueError, match="trace"):
            GaussianMixture(2, trace=True).fit(X, labels=known)

    def test_a_column_without_values_is_named(self, X):
        gone = X.copy()
        gone[:, 1] = np.nan
        for model in (*(GaussianMixture(2, covariance_type=shape) for shape in TYPES), KMeans(2)):
            with pytest.raises(ValueError, match="no value"):
                model.fit(gone)

    def test_an_array_of_infinities(self, X):
        with pytest.raises(ValueError, match="infinity"):
            KMeans(2).fit(np.where(X > 5, np.inf, X))

    def test_changed_parameters_ask_for_a_fit(self, X):
        with pytest.raises(ValueError, match="call fit"):
            KMeans(3).fit(X).set_params(n_clusters=5).partial_fit(X)
        for change in ({"n_components": 5}, {"covariance_type": "diag"}):
            with pytest.raises(ValueError, match="call fit"):
                GaussianMixture(2).fit(X).set_params(**change).partial_fit(X)
