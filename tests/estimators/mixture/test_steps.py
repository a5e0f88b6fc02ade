"""The steps of EM by hand, the bound that they raise, and covariances that are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from parzen import Gaussian, GaussianMixture, KMeans, MixtureModel, Poisson


@pytest.fixture
def X(rng):
    return np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(4, 1.5, (40, 2))])


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_steps_by_hand_are_those_of_fit(X, shape):
    options = {"covariance_type": shape, "accelerate": False, "tol": 0.0, "random_state": 0}
    begin = GaussianMixture(2, max_iter=0, **options).fit(X)
    start = {"weights_init": begin.weights_, "means_init": begin.means_, "precisions_init": begin.precisions_}
    with pytest.warns(Warning, match="step"):
        fitted = GaussianMixture(2, max_iter=4, **options, **start).fit(X)
    model = begin
    for _ in range(4):
        model = model.m_step(X, model.e_step(X))
    np.testing.assert_allclose(model.means_, fitted.means_, rtol=1e-8)
    np.testing.assert_allclose(model.covariances_, fitted.covariances_, rtol=1e-6)
    assert model.covariance_type_ == shape
    assert model.get_params() == begin.get_params()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_the_bound_is_below_the_log_likelihood_and_equal_at_the_e_step(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(30, 2)), rng.uniform(0, 2, 30)
    model = GaussianMixture(3, reg_covar=1e-2).m_step(X, rng.dirichlet(np.ones(3), 30))
    q = rng.dirichlet(np.full(3, 0.3), 30)
    assert model.lower_bound(X, model.e_step(X)) == pytest.approx(model.score(X), rel=1e-12)
    assert model.lower_bound(X, model.e_step(X), w) == pytest.approx(model.score(X, sample_weight=w), rel=1e-12)
    gap = model.score(X) - model.lower_bound(X, q)
    shares = model.e_step(X)
    divergence = np.where(q == 0, 0, q * (np.log(np.maximum(q, 1e-300)) - np.log(shares))).sum(axis=1).mean()
    assert gap == pytest.approx(divergence, rel=1e-6, abs=1e-12)
    after = GaussianMixture(3, reg_covar=0).m_step(X, q)
    assert after.lower_bound(X, q) >= model.lower_bound(X, q) - 1e-12  # the M-step maximises it over parameters
    assert after.score(X) >= after.lower_bound(X, q) - 1e-12


def test_the_m_step_maximises_the_expected_log_likelihood_of_any_family(rng):
    X = rng.poisson(4, (50, 1))
    q = rng.dirichlet([1, 1], 50)
    model = MixtureModel(Poisson(estimate="ml"), 2).m_step(X, q)
    np.testing.assert_allclose(model.density_.components.rate, q.T @ X / q.sum(axis=0)[:, None])
    np.testing.assert_allclose(model.weights_, q.mean(axis=0))
    assert model.lower_bound(X, model.e_step(X)) == pytest.approx(model.score(X))


def test_weights_are_repetitions_in_both(X, rng):
    q, w = rng.dirichlet([1, 1], 100), rng.integers(0, 3, 100)
    one = GaussianMixture(2).m_step(X, q, sample_weight=w)
    other = GaussianMixture(2).m_step(np.repeat(X, w, axis=0), np.repeat(q, w, axis=0))
    np.testing.assert_allclose(one.means_, other.means_)
    np.testing.assert_allclose(one.covariances_, other.covariances_)
    assert one.lower_bound(X, q, w) == pytest.approx(
        other.lower_bound(np.repeat(X, w, axis=0), np.repeat(q, w, axis=0))
    )


def test_missing_cells_of_full_covariances_need_a_fitted_model(X):
    X[0, 1] = np.nan
    with pytest.raises(ValueError, match="fit the model first"):
        GaussianMixture(2).m_step(X, np.full((100, 2), 0.5))
    model = GaussianMixture(2, random_state=0).fit(X)
    better = model.m_step(X, model.e_step(X))
    assert better.score(X) >= model.score(X) - 1e-9


def test_wrong_responsibilities_are_refused(X):
    model = GaussianMixture(2, random_state=0).fit(X)
    for q, words in (
        (np.full((100, 2), 0.4), "sum to 1"),
        (np.full(100, 1.0), "matrix"),
        (np.full((99, 2), 0.5), "99|shape"),
        (np.stack([np.full(100, 1.5), np.full(100, -0.5)], axis=1), "negative"),
    ):
        for step in (model.m_step, model.lower_bound):
            with pytest.raises(ValueError, match=words):
                step(X, q)
    with pytest.raises(ValueError, match="components"):
        MixtureModel(Gaussian(), 3).m_step(X, np.full((100, 2), 0.5))


class TestKnownCovariance:
    def test_k_means_is_the_limit_of_small_variances(self, X):
        clusters = KMeans(2, random_state=0).fit(X)
        start = clusters.cluster_centers_ + 0.3
        model = GaussianMixture(
            2, covariance_type="spherical", fixed_covariance=1e-3, means_init=start, tol=1e-10, random_state=0
        ).fit(X)
        np.testing.assert_allclose(model.means_, clusters.cluster_centers_, atol=1e-6)
        np.testing.assert_allclose(model.covariances_, 1e-3)
        assert (model.predict(X) == clusters.labels_).all()

    @pytest.mark.parametrize(
        ("shape", "known"), [("full", [[2, 0.5], [0.5, 1]]), ("tied", 1.5), ("diag", [1.0, 2.0]), ("spherical", 1.5)]
    )
    def test_only_weights_and_means_are_learnt(self, X, shape, known):
        model = GaussianMixture(
            2, covariance_type=shape, fixed_covariance=known, tol=1e-12, max_iter=500, random_state=0
        )
        model.fit(X)
        wide = np.asarray(known) * np.eye(2) if np.ndim(known) < 2 else np.asarray(known)
        np.testing.assert_allclose(model.density_.components.covariance, [wide, wide], rtol=1e-12)
        assert model.n_parameters_ == 2 * 2 + 1

        def loss(theta):
            share = 1 / (1 + np.exp(-theta[0]))
            other = GaussianMixture.from_parameters([share, 1 - share], theta[1:].reshape(2, 2), [wide, wide])
            return -other.score(X)

        at = np.concatenate([[np.log(model.weights_[0] / model.weights_[1])], model.means_.ravel()])
        best = optimize.minimize(
            loss, at, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 400}
        )
        assert model.score(X) == pytest.approx(-best.fun, abs=1e-8)

    def test_what_contradicts_it_is_refused(self, X):
        for options in ({"prior": "auto"}, {"covariance_type": "diag", "fixed_covariance": np.eye(2)}):
            with pytest.raises(ValueError, match="fixed_covariance"):
                GaussianMixture(2, **{"fixed_covariance": 1.0, **options}).fit(X)
        with pytest.raises(ValueError, match="above 0"):
            GaussianMixture(2, fixed_covariance=-1.0).fit(X)
