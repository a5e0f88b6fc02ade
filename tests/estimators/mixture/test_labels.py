"""Mixtures with some labels known, and with components that stay fixed."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from parzen import (
    Gaussian,
    GaussianMixture,
    KMeans,
    MixtureModel,
)


class TestLabels:
    def test_known_labels_name_the_components(self, rng):
        X = np.concatenate([rng.normal(m, 1, (200, 2)) for m in (0, 3, 6)])
        labels = np.full(600, -1)
        labels[:5], labels[200:205], labels[400:405] = 2, 0, 1
        model = GaussianMixture(3, random_state=0).fit(X, labels=labels)
        np.testing.assert_allclose(model.means_[:, 0], [3, 6, 0], atol=0.4)
        scores = np.array(model.lower_bounds_)
        assert (np.diff(scores) >= -1e-9).all()

    def test_a_component_without_labels_is_found(self, rng):
        X = np.concatenate([rng.normal(m, 0.5, (200, 1)) for m in (0, 5, 10)])
        labels = np.full(600, -1)
        labels[:5], labels[400:405] = 0, 2
        model = GaussianMixture(3, random_state=0).fit(X, labels=labels)
        np.testing.assert_allclose(model.means_.ravel(), [0, 5, 10], atol=0.2)

    def test_all_labels_are_a_classifier(self, rng):
        X, z = make_blobs(300, 2, centers=3, random_state=0)
        model = GaussianMixture(3, reg_covar=0).fit(X, labels=z)
        np.testing.assert_allclose(model.means_, [X[z == k].mean(axis=0) for k in range(3)])
        np.testing.assert_allclose(model.weights_, np.bincount(z) / 300)

    def test_labels_leave_priors_and_fixed_components_alone(self, rng):
        X = np.concatenate([rng.normal(0, 1, (90, 1)), rng.normal(5, 1, (10, 1))])
        y = np.full(100, -1)
        y[0], y[-1] = 0, 1
        even = GaussianMixture(2, weight_concentration=200.0, random_state=0).fit(X, labels=y)
        assert abs(np.diff(even.weights_)[0]) < 0.2
        start = {"weights_init": [0.5, 0.5], "means_init": [[-1.0], [5.0]], "precisions_init": [[[1.0]], [[1.0]]]}
        assert GaussianMixture(2, fixed=[0], **start).fit(X, labels=y).means_[0, 0] == -1

    def test_labels_choose_among_sizes_that_have_them(self, X):
        labels = np.full(300, -1)
        labels[:10] = 2
        model = GaussianMixture([1, 2, 3, 4], random_state=0).fit(X, labels=labels)
        assert {one["n_components"] for one in model.selection_} == {3, 4}

    def test_every_row_has_a_label(self, X):
        w = (np.arange(300) >= 50).astype(float)
        for model in (MixtureModel(Gaussian(), 3, random_state=0), KMeans(3, random_state=0)):
            assert model.fit(X, sample_weight=w).labels_.shape == (300,)
            assert model.fit_predict(X, sample_weight=w).shape == (300,)


class TestFixed:
    def test_components_stay_where_they_are(self, rng):
        X = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(6, 2, (200, 1))])
        model = GaussianMixture(
            2, covariance_type="diag", fixed=[0], means_init=[[0.5], [5.0]], precisions_init=[[4.0], [1.0]]
        ).fit(X)
        assert model.means_[0, 0] == 0.5
        assert model.covariances_[0, 0] == pytest.approx(0.25)
        assert model.means_[1, 0] != 5.0
        assert model.n_parameters_ == 2 + 1

    def test_need_to_be_known(self, rng):
        with pytest.raises(ValueError, match="means_init"):
            GaussianMixture(2, fixed=[0]).fit(rng.normal(size=(20, 1)))
