"""Mixtures with missing values, and in batches: stepwise EM."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from parzen import (
    GaussianMixture,
)


class TestMissingValues:
    def test_gaps_cost_little_truth(self, rng):
        X, _ = make_blobs(1500, 4, centers=3, cluster_std=1.5, random_state=3)
        gaps = np.where(rng.random(X.shape) < 0.25, np.nan, X)
        model = GaussianMixture(3, random_state=0).fit(gaps)
        whole = GaussianMixture(3, random_state=0).fit(X)
        assert adjusted_rand_score(model.predict(X), whole.predict(X)) > 0.97
        order = np.linalg.norm(whole.means_[:, None] - model.means_, axis=2).argmin(axis=1)
        np.testing.assert_allclose(model.means_[order], whole.means_, atol=0.25)

    def test_impute_is_better_than_the_mean(self, rng):
        X, _ = make_blobs(800, 3, centers=4, random_state=5)
        gaps = X.copy()
        gone = rng.random(X.shape) < 0.2
        gaps[gone] = np.nan
        filled = GaussianMixture(4, random_state=0).fit(gaps).impute(gaps)
        assert np.array_equal(filled[~gone], X[~gone])
        mean = np.broadcast_to(np.nanmean(gaps, axis=0), X.shape)
        assert np.mean((filled - X)[gone] ** 2) < 0.35 * np.mean((mean - X)[gone] ** 2)


class TestBatches:
    @pytest.mark.parametrize("forgetting", [None, 0.05])
    def test_stepwise_em_comes_close_to_em(self, forgetting, rng):
        X, _ = make_blobs(20_000, 2, centers=3, cluster_std=1.0, random_state=1)
        model = GaussianMixture(3, random_state=0, forgetting=forgetting)
        for batch in np.array_split(X, 40):
            model.partial_fit(batch)
        whole = GaussianMixture(3, random_state=0).fit(X)
        assert model.score(X) > whole.score(X) - 0.01
        assert model.n_batches_ == 40

    def test_forgetting_follows_what_moves(self, rng):
        model = GaussianMixture(1, forgetting=0.5, random_state=0)
        for step in range(30):
            model.partial_fit(rng.normal(step, 0.1, (200, 1)))
        assert model.means_[0, 0] == pytest.approx(28, abs=0.2)

    def test_a_small_batch_changes_little(self, rng):
        A = np.concatenate([rng.normal(0, 1, (5000, 2)), rng.normal(6, 1, (5000, 2))])
        model = GaussianMixture(2, random_state=0).fit(A)
        before = model.score(A)
        assert model.partial_fit(A[:3]).score(A) > before - 0.02
        for _ in range(300):
            model.partial_fit(A[rng.integers(10_000, size=1)])
        assert model.score(A) > before - 0.1
