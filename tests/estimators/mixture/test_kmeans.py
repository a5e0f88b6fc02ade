"""k-means: published numbers, scikit-learn's, the limit of a mixture, empty clusters, missing values, batches."""

import numpy as np
import pytest
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from parzen import (
    Gaussian,
    KMeans,
    Mixture,
    fit,
)
from parzen.conjugate import NormalMean


def test_iris_by_k_means():
    model = KMeans(3, n_init=5, random_state=0).fit(load_iris().data)
    assert model.inertia_ == pytest.approx(78.851441426146, rel=1e-12)
    assert sorted(np.bincount(model.labels_)) == [38, 50, 62]


@pytest.mark.parametrize("weighted", [False, True])
def test_k_means_from_the_same_centres(weighted, rng):
    X, _ = make_blobs(500, 4, centers=6, cluster_std=2.0, random_state=1)
    w = rng.random(500) if weighted else None
    options = {"init": X[:6], "n_init": 1, "tol": 0, "max_iter": 1000}
    ours, theirs = KMeans(6, **options).fit(X, sample_weight=w), TheirKMeans(6, **options).fit(X, sample_weight=w)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-10)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, sample_weight=w) == pytest.approx(theirs.score(X, sample_weight=w))


@pytest.mark.parametrize("seed", range(5))
def test_k_means_by_default_is_no_worse(seed):
    X, _ = make_blobs(2000, 5, centers=12, cluster_std=1.5, random_state=seed)
    ours = min(KMeans(12, random_state=s).fit(X).inertia_ for s in range(3))
    theirs = min(TheirKMeans(12, random_state=s).fit(X).inertia_ for s in range(3))
    assert ours <= 1.02 * theirs


def test_k_means_is_a_mixture_whose_variance_goes_to_zero(rng):
    X, _ = make_blobs(300, 2, centers=3, random_state=4)
    hard = KMeans(3, random_state=0, tol=0).fit(X)
    distance = []
    for noise in (3.0, 1.0, 0.3, 0.1):
        family = Mixture(
            Gaussian("spherical", prior=NormalMean(0, 1e6, noise), estimate="map"), 3, weight_concentration=1e9
        )
        at = fit(family, X, rng=0, tol=1e-12, max_iter=5000).density
        order = np.linalg.norm(hard.cluster_centers_[:, None] - at.components.mean, axis=2).argmin(axis=1)
        distance.append(np.abs(at.components.mean[order] - hard.cluster_centers_).max())
        share = at.posterior(X)
    assert distance[0] > distance[-1]
    assert distance[-1] < 1e-6
    assert ((share < 1e-9) | (share > 1 - 1e-9)).mean() > 0.99  # memberships are labels
    np.testing.assert_array_equal(order.argsort()[share.argmax(axis=1)], hard.labels_)


def test_k_means_with_fewer_points_than_clusters():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    with pytest.warns(Warning, match="distinct clusters"):
        model = KMeans(3, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert np.isfinite(model.cluster_centers_).all()


def test_k_means_finds_rows_for_an_empty_cluster():
    X = np.array([[0.0], [0.1], [10.0], [10.1], [20.0], [20.2]])
    model = KMeans(3, init=np.array([[0.0], [10.0], [1e6]])).fit(X)
    assert model.inertia_ == pytest.approx(0.005 + 0.005 + 0.02)


def test_k_means_with_gaps(rng):
    X, z = make_blobs(600, 4, centers=3, random_state=3)
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = KMeans(3, n_init=3, random_state=0).fit(gaps)
    assert adjusted_rand_score(model.labels_, z) > 0.95
    assert np.isfinite(model.transform(gaps)).all()


def test_k_means_in_batches(rng):
    X, _ = make_blobs(6000, 2, centers=3, random_state=1)
    model = KMeans(3, random_state=0)
    for batch in np.array_split(X, 30):
        model.partial_fit(batch)
    assert model.counts_.sum() == 6000
    assert -model.score(X) < 1.05 * KMeans(3, random_state=0).fit(X).inertia_


def test_equal_rows_are_enough_for_random_centres():
    with pytest.warns(ConvergenceWarning, match="distinct"):
        KMeans(3, init="random", random_state=0).fit(np.repeat([[0.0, 0], [1, 1]], 10, axis=0))


def test_a_centre_without_rows_begins_again_where_cells_are_missing():
    X = np.array([[5.0, 100.0], [5.1, 101.0], [5.2, 99.0], [80.0, np.nan]])
    model = KMeans(2, init=np.array([[5.0, 100.0], [1e9, 1e9]])).fit(X)
    lone = model.cluster_centers_[model.labels_[3]]
    np.testing.assert_allclose(lone, [80.0, 100.0])  # what is not known of it is what all have


def test_centres_may_come_from_a_function(X):
    asked = []

    def first_rows(rows, k, random_state):
        asked.append((rows.shape, k))
        return rows[:k]

    model, given = KMeans(3, init=first_rows, n_init=1).fit(X), KMeans(3, init=X[:3], n_init=1).fit(X)
    assert asked == [(X.shape, 3)]
    np.testing.assert_allclose(model.cluster_centers_, given.cluster_centers_)
    assert model.n_iter_ == given.n_iter_
