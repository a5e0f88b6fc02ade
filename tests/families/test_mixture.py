"""Mixtures of any family: objectives that never fall, groups, noise, fixed components, and collapses."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import parzen
from parzen import (
    BayesClassifier,
    Bernoulli,
    Categorical,
    Collapse,
    DensityEstimator,
    Fixed,
    Gaussian,
    GaussianMixture,
    Labels,
    Mixture,
    Multinomial,
    NaiveBayes,
    Poisson,
    Product,
    Uniform,
    accumulate,
    fit,
)
from parzen.conjugate import Dirichlet, NormalInverseGamma, NormalInverseWishart
from parzen.densities.factors import least_variances
from parzen.densities.gaussian import GaussianDensity
from parzen.statistics import ExpectedStatistic
from parzen.statistics.statistic import arrays_of


def test_nothing_is_read_after_it_was_freed(rng):
    V = np.concatenate([rng.normal(0, 1, (60_000, 3)), rng.normal(2, 1, (60_000, 3))])
    gaps = V.copy()
    gaps[::50, 1] = np.nan
    mixture = Mixture(Gaussian(), 2)
    density = fit(mixture, V[::100], rng=0, max_iter=3, tol=1e-2).density
    centres = parzen.KMeans(5, random_state=0, max_iter=3, n_init=1).fit(V[::100])
    for family, rows, at in ((mixture, gaps, density), (centres.family_, V, centres.density_)):
        with parzen.threads(1):
            alone = accumulate(family, rows, at=at)
        for _ in range(10):
            with parzen.threads(2):
                together = accumulate(family, rows, at=at)
            for mine, theirs in zip(arrays_of(alone), arrays_of(together), strict=True):
                np.testing.assert_array_equal(mine, theirs)


def test_tied_moments_with_and_without_gaps_add(rng):
    X = np.concatenate([rng.normal(0, 1, (400, 2)), rng.normal(6, 1, (400, 2))])[rng.permutation(800)]
    gaps = X.copy()
    gaps[500:][rng.random((300, 2)) < 0.2] = np.nan
    family = Mixture(Gaussian(shared=True), 2)
    start = family.start(X, None, np.random.default_rng(0))
    together, apart = fit(family, gaps, start=start), fit(family, [gaps[:500], gaps[500:]], start=start)
    np.testing.assert_allclose(apart.density.components.factor, together.density.components.factor, rtol=1e-5)
    assert (np.diff(apart.log_likelihoods) >= -1e-9).all()
    model = GaussianMixture(2, covariance_type="tied", random_state=0).fit(X).partial_fit(gaps).partial_fit(X)
    np.testing.assert_allclose(np.diagonal(model.covariances_), 1, atol=0.2)


@pytest.mark.parametrize(
    "family",
    [
        Gaussian(estimate="map"),
        Gaussian(shared=True, estimate="map"),
        Gaussian("diag", estimate="map"),
        Gaussian("spherical", estimate="map"),
        Gaussian("diag", shared=True, estimate="map"),
        Gaussian("spherical", shared=True, estimate="map"),
        Gaussian(prior=NormalInverseWishart([1.0, 1.0], 2.0, 5.0, np.eye(2)), estimate="map"),
        Gaussian("diag", prior=NormalInverseGamma([1.0, 1.0], 2.0, 3.0, 1.0), estimate="map"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("accelerate", [False, True])
def test_the_log_posterior_never_falls(family, accelerate, rng):
    X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(2, 1, (40, 2))])
    found = fit(Mixture(family, 3, 2.0, init="random"), X, rng=1, tol=0, max_iter=60, accelerate=accelerate)
    assert (np.diff(found.objective) >= -1e-8).all()


@pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Product({0: Bernoulli(), (1, 2): Poisson()})], ids=repr)
def test_the_log_posterior_of_counts_never_falls(family, rng):
    X = (rng.random((150, 3)) < rng.choice([0.2, 0.8], (150, 1))).astype(float)
    found = fit(Mixture(family, 2, init="random"), X, rng=1, tol=0, max_iter=60)
    assert (np.diff(found.objective) >= -1e-8).all()


def test_groups_have_bounds_of_their_own(rng):
    X, y = make_blobs(200, 2, centers=4, cluster_std=3, random_state=0)
    found = fit(Mixture(Gaussian(), 2, init="random"), X, Labels(y % 2), rng=0, trace=True, max_iter=10, tol=0)
    scores, bounds = np.array(found.log_likelihoods), np.array(found.elbos)
    assert (bounds >= scores[:-1] - 1e-9).all()
    assert (bounds < scores[1:]).any()
    assert (bounds <= scores[1:] + 1e-9).all()


def test_a_box_of_one_value_far_away_has_a_density():
    X = np.array([[1e8], [1e8], [1e8 + 1], [1e8 + 2]])
    assert np.isfinite(fit(Uniform(), X, Labels([0, 0, 1, 1])).density.log_density(X)[0, 0])


def test_noise_begins_everywhere():
    rng = np.random.default_rng(2)
    Z = np.concatenate([rng.normal(size=(100, 2)), rng.uniform(-20, 20, (30, 2))])
    learnt = fit(Mixture([Gaussian(), Uniform()]), Z, rng=0).log_likelihoods[-1]
    given = fit(Mixture([Gaussian(), Uniform(Z.min(axis=0), Z.max(axis=0))]), Z, rng=0).log_likelihoods[-1]
    assert learnt == pytest.approx(given, abs=1e-3)


def test_no_weight_is_a_collapse():
    family = Mixture(Gaussian(), 2)
    X = np.arange(6.0)[:, None]
    at = fit(family, X, rng=0, max_iter=2).density
    seen = accumulate(family, X, np.zeros(6), at=at)
    assert isinstance(seen, ExpectedStatistic)
    with pytest.raises(Collapse, match="weight"):
        family.maximise(seen.statistic)


def test_a_known_component_stays(rng):
    X = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(5, 1, (200, 1))])
    known = GaussianDensity(np.zeros((1, 1)), np.ones((1, 1)))
    density = fit(Mixture([Fixed(known), Gaussian()]), X, rng=0).density
    assert density.components.parts[0] is known
    assert density.components.parts[1].mean[0, 0] == pytest.approx(5, abs=0.2)


def test_a_class_can_be_a_mixture(rng):
    X = rng.normal(size=(600, 2)) * 0.5 + 4 * (np.arange(600) % 4)[:, None]
    y = np.arange(600) % 2
    assert BayesClassifier(Gaussian()).fit(X, y).score(X, y) < 0.8
    model = BayesClassifier(Mixture(Gaussian(), 2), random_state=0).fit(X, y)
    assert model.score(X, y) > 0.99
    column = NaiveBayes({0: Mixture(Gaussian(), 2), 1: Gaussian()}).fit(X, y)
    assert np.isfinite(column.predict_proba(X)).all()


def test_a_mixture_of_mixtures(rng):
    X = np.concatenate([rng.normal(m, 0.3, (200, 1)) for m in (0, 2, 10, 12)])
    nested = DensityEstimator(Mixture(Mixture(Gaussian(), 2), 2), random_state=0).fit(X)
    flat = GaussianMixture(4, random_state=0).fit(X)
    assert nested.score(X) == pytest.approx(flat.score(X), abs=0.02)


def test_predictives_become_their_point(rng):
    X = (rng.random((200, 4)) < 0.3).astype(float)
    one = fit(Mixture(Bernoulli(), 1), X, rng=0).density
    np.testing.assert_allclose(one.components.probability, fit(Bernoulli(), X).density.probability)
    counts = rng.poisson(3, (100, 2)).astype(float)
    prior = Dirichlet([0.5, 2.0])
    one = fit(Mixture(Multinomial(prior=prior), 1), counts, rng=0).density
    expected = fit(Multinomial(prior=prior, estimate="mean"), counts).density
    np.testing.assert_allclose(one.components.log_probability, expected.log_probability)


def test_what_keeps_its_rows_is_refused():
    from parzen import Kernel

    with pytest.raises(ValueError, match="keeps its rows"):
        fit(Mixture(Kernel(1.0), 2), np.zeros((5, 1)))


def test_no_start_is_a_collapse():
    with pytest.raises(Collapse, match="floor"):
        fit(Mixture(Gaussian(floor=0.0), 2), np.zeros((10, 1)))


def _rows_of(family, rng):
    z = rng.integers(3, size=120)
    counts = rng.poisson(np.array([[1, 8, 3], [5, 2, 0.2], [12, 12, 3]])[z]).astype(float)
    if isinstance(family, Poisson | Multinomial):
        return counts
    if isinstance(family, Bernoulli | Categorical):
        return (counts > 2).astype(float)
    gaps = counts + rng.normal(0, 0.5, counts.shape)
    gaps[rng.random(gaps.shape) < 0.2] = np.nan
    return gaps


@pytest.mark.parametrize("concentration", [1.0, 2.0])
@pytest.mark.parametrize("estimate", ["ml", "map", "bayes"])
@pytest.mark.parametrize(
    "family",
    [
        Poisson(), Bernoulli(), Categorical(), Multinomial(), Gaussian(), Gaussian("diag"), Gaussian("spherical"),
        Gaussian(shared=True),
    ],
    ids=repr,
)  # fmt: skip
def test_the_objective_never_falls_under_default_priors(family, estimate, concentration):
    for seed in range(2):
        X = _rows_of(family, np.random.default_rng(seed))
        mixture = Mixture(replace(family, estimate=estimate), 5, weight_concentration=concentration, init="kmeans")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = fit(mixture, X, rng=seed, max_iter=60)
        floored = any("floor=" in str(one.message) for one in caught)  # whose unit moves with the other components
        assert floored or np.diff(found.objective).min(initial=0.0) >= -1e-9 * abs(found.objective[-1])


@pytest.mark.parametrize("seed", range(6))
def test_the_default_prior_of_counts_empties_no_component(seed):
    X = np.random.default_rng(seed).poisson(3, (200, 1)).astype(float)  # one component would do
    found = fit(Mixture(Poisson(), 5), X, rng=seed, max_iter=500, tol=1e-6)
    assert (found.density.weight > 1e-6).all()
    assert np.diff(found.objective).min(initial=0.0) >= -1e-9 * abs(found.objective[-1])


def test_a_component_that_loses_its_rows_has_the_rate_of_all_rows():
    seen = accumulate(Poisson(), np.array([[1.0], [2.0], [6.0]]), np.array([[1.0, 0.0], [1.0, 1e-300], [1.0, 0.0]]))
    assert Poisson(estimate="map").maximise(seen).rate[1, 0] == pytest.approx((9 + 0.5) / 3)


def test_least_variances_are_those_of_singular_values_where_they_matter(rng):
    factor = np.linalg.cholesky([np.cov(rng.normal(size=(4, 40))) + np.eye(4) for _ in range(3)])
    least = np.linalg.svd(factor, compute_uv=False)[:, -1] ** 2
    bound = least_variances(factor, 1e-3)
    assert (bound <= least).all()
    assert (bound > 1e-3).all()
    np.testing.assert_allclose(least_variances(factor, least.max()), least, rtol=1e-12)
    factor[1, 2, 2] = 0
    np.testing.assert_allclose(least_variances(factor, 1e-3)[1], 0, atol=1e-30)
