"""What holds of every mixture: integrals, recovery, equivariance, posteriors far away, and the mode of a prior."""

import numpy as np
import pytest
from scipy import integrate
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from parzen import (
    GaussianMixture,
)

EXACT = {"reg_covar": 0.0, "tol": 1e-10, "max_iter": 5000, "random_state": 0}


class TestTheorems:
    def test_a_mixture_integrates_to_one_and_so_does_what_is_left_of_it(self):
        model = GaussianMixture.from_parameters(
            [0.3, 0.7], [[0, 1], [2, -1]], [[[1, 0.8], [0.8, 2]], [[0.5, 0], [0, 1]]]
        )
        nodes, weights = np.polynomial.legendre.leggauss(200)
        cells = np.stack(np.meshgrid(1 + 9 * nodes, 9 * nodes, indexing="ij"), axis=-1).reshape(-1, 2)
        total = 81 * np.outer(weights, weights).ravel() @ np.exp(model.score_samples(cells))
        assert total == pytest.approx(1, abs=1e-4)
        given = model.conditional([0], [1.5])
        line, _ = integrate.quad(lambda y: np.exp(given.score_samples([[y]])[0]), -9, 9)
        joint, _ = integrate.quad(lambda y: np.exp(model.score_samples([[1.5, y]])[0]), -9, 9)
        assert line == pytest.approx(1, abs=1e-6)
        assert joint == pytest.approx(np.exp(model.marginal([0]).score_samples([[1.5]])[0]), rel=1e-6)
        assert np.exp(given.score_samples([[0.3]])[0]) == pytest.approx(
            np.exp(model.score_samples([[1.5, 0.3]])[0]) / joint, rel=1e-6
        )
        mean, _ = integrate.quad(lambda y: y * np.exp(given.score_samples([[y]])[0]), -9, 9)
        assert model.impute([[1.5, np.nan]])[0, 1] == pytest.approx(mean, abs=1e-6)

    def test_sample_then_fit_recovers(self):
        model = GaussianMixture.from_parameters([0.25, 0.75], [[-3.0, 0], [3, 1]], [[1.0, 2], [2, 0.5]], "diag")
        X, labels = model.sample(20_000, random_state=0)
        assert np.bincount(labels)[0] / 20_000 == pytest.approx(0.25, abs=0.01)
        found = GaussianMixture(2, covariance_type="diag", random_state=0, tol=1e-6).fit(X)
        order = np.argsort(found.weights_)
        np.testing.assert_allclose(found.means_[order], model.means_, atol=0.06)
        np.testing.assert_allclose(found.covariances_[order], model.covariances_, atol=0.1)

    @pytest.mark.parametrize("shape", ["full", "tied", "diag"])
    def test_units_and_offsets_don_t_matter(self, shape, rng):
        X, _ = make_blobs(300, 3, centers=3, cluster_std=2, random_state=2)
        scale, shift = np.array([1e-3, 1.0, 1e4]), np.array([1e3, -1e6, 1e8])
        near = GaussianMixture(3, covariance_type=shape, **EXACT).fit(X)
        far = GaussianMixture(3, covariance_type=shape, **EXACT).fit(X * scale + shift)
        assert adjusted_rand_score(near.predict(X), far.predict(X * scale + shift)) == pytest.approx(1)
        assert far.score(X * scale + shift) + np.log(scale).sum() == pytest.approx(near.score(X), abs=1e-4)

    def test_far_rows_have_finite_posteriors(self):
        model = GaussianMixture.from_parameters([0.5, 0.5], [[0.0], [1.0]], [1.0, 1.0], "spherical")
        shares = model.predict_proba([[1e6], [-1e6]])
        np.testing.assert_allclose(shares, [[0, 1], [1, 0]], atol=1e-300)
        assert np.isfinite(model.score_samples([[1e6]])).all()

    @pytest.mark.parametrize("seed", range(5))
    def test_parallel_long_clusters_are_found_by_default(self, seed):  # scikit-learn's 34842, 34845
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(600, 2)) * [10.0, 0.3] + np.arange(3)[rng.integers(3, size=600), None] * [0.0, 3.0]
        truth = np.round(X[:, 1] / 3).clip(0, 2)
        turn = np.array([[np.cos(seed), -np.sin(seed)], [np.sin(seed), np.cos(seed)]])
        found = GaussianMixture(3, random_state=seed).fit_predict(X @ turn)
        assert adjusted_rand_score(truth, found) > 0.98

    def test_map_reaches_the_mode_of_its_posterior(self):
        rng = np.random.default_rng(28)
        Z = np.concatenate([rng.normal(0, 1, (40, 1)), rng.normal(3, 1, (20, 1))])
        start = {"weights_init": [0.9, 0.1], "means_init": [[0.0], [3.0]], "precisions_init": [[[4.0]], [[4.0]]]}
        options = {"prior": "auto", "tol": 1e-9, "max_iter": 20_000}
        for accelerate in (True, False):
            model = GaussianMixture(2, accelerate=accelerate, **options, **start).fit(Z)
            np.testing.assert_allclose(model.means_.ravel(), [0.483, 3.849], atol=2e-3)

    def test_heavy_and_light_rows_in_float32(self, X):
        rows = X.astype(np.float32)
        plain = GaussianMixture(3, random_state=0).fit(rows)
        for scale in (1e40, 1e-50):
            scaled = GaussianMixture(3, random_state=0).fit(rows, sample_weight=np.full(300, scale))
            np.testing.assert_allclose(np.sort(scaled.weights_), np.sort(plain.weights_), atol=5e-3)

    def test_known_parameters_have_criteria(self, X):
        model = GaussianMixture.from_parameters([0.3, 0.7], [[0, 0, 0], [5, 5, 5]], np.stack([np.eye(3)] * 2))
        assert np.isfinite([model.bic(X), model.aic(X), model.icl(X)]).all()
        with pytest.raises(ValueError, match="not fitted to rows"):
            model.partial_fit(X)
        assert model.fit(X).n_components_ == 2
