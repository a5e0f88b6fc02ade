"""Weights and cells near the ends of float64: a result, or one sentence; never a warning of NumPy's."""

import numpy as np
import pytest

from parzen import (
    BernoulliNB,
    Collapse,
    ComplementNB,
    DensityEstimator,
    Gaussian,
    GaussianMixture,
    GaussianNB,
    KMeans,
    LinearDiscriminantAnalysis,
    MixtureModel,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    QuadraticDiscriminantAnalysis,
)

ESTIMATORS = [
    DensityEstimator(Gaussian()),
    DensityEstimator(Gaussian("diag")),
    DensityEstimator(Gaussian(estimate="bayes")),
    DensityEstimator(Gaussian(shrinkage="ledoit_wolf")),
    DensityEstimator(Poisson()),
    GaussianMixture(2, random_state=0),
    MixtureModel(Poisson(estimate="ml"), 2, random_state=0),
    KMeans(2, random_state=0),
    GaussianNB(),
    NaiveBayes(),
    BernoulliNB(),
    MultinomialNB(),
    ComplementNB(),
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(),
]


def fitted(model, X, y, w=None):
    return model.fit(X, y, sample_weight=w) if hasattr(model, "class_prior") else model.fit(X, sample_weight=w)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("weight", [1e305, 1e308, 1e-305, "of all sizes"])
def test_weights_whose_sums_would_not_be_finite_are_refused_in_a_sentence(model, weight, rng):
    X, y = rng.integers(0, 2, (40, 2)).astype(float), np.arange(40) % 2
    w = 10.0 ** rng.uniform(-300, 300, 40) if isinstance(weight, str) else np.full(40, weight)
    with pytest.raises(ValueError, match=r"sample_weight sums to .*give sample_weight / sample_weight.max\(\)"):
        fitted(model, X, y, w)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
@pytest.mark.parametrize("unit", [2.0**-300, 2.0**300])
def test_large_and_small_weights_are_fitted(model, unit, rng):
    X, y = rng.poisson(4, (40, 2)).astype(float), np.arange(40) % 2
    found = fitted(model, X % 2 if isinstance(model, BernoulliNB) else X, y, np.full(40, unit))
    scores = found.score_samples(X[:5] % 2) if hasattr(found, "score_samples") else found.transform(X)
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("size", [1e160, 1e300])
@pytest.mark.parametrize(
    "model",
    [KMeans(2), KMeans(2, init="random"), GaussianMixture(2), GaussianMixture(2, init_params="kmeans")],
    ids=repr,
)
def test_cells_too_large_to_be_squared_are_named(model, size, rng):
    with pytest.raises(ValueError, match=r"X holds .*e\+\d+, which is too large to be squared"):
        model.fit(rng.normal(size=(30, 2)) * size)


def test_a_prior_that_rounds_to_nothing_is_said_to(rng):
    X = rng.normal(size=(3, 4))
    with pytest.raises(Collapse, match="rounds to nothing beside the weight"):
        DensityEstimator(Gaussian(estimate="map")).fit(X, sample_weight=np.full(3, 1e40))
