"""k-means: published numbers, scikit-learn's, the limit of a mixture, sparse rows, missing values, batches."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
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


FORMS = {"dense": np.asarray, "CSR matrix": sparse.csr_matrix, "CSR array": sparse.csr_array}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("tol", [0, 1e-4, 1e-2])
def test_steps_and_inertia_are_scikit_learn_s_from_the_same_centres(form, dtype, tol, rng):
    X = np.maximum(rng.normal(size=(400, 6)) * 5, 0).astype(dtype)
    start = X[:7] + rng.random((7, 6))  # no row of whole numbers is as near to two of them
    options = {"init": start, "n_init": 1, "tol": tol, "max_iter": 500}
    ours, theirs = KMeans(7, **options).fit(FORMS[form](X)), TheirKMeans(7, **options).fit(FORMS[form](X))
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-5 if dtype == np.float32 else 1e-10)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    for name in ("cluster_centers_", "labels_"):
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
    assert type(ours.inertia_) is float
    assert ours.transform(FORMS[form](X)).dtype == theirs.transform(FORMS[form](X)).dtype


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_cluster_is_moved_as_scikit_learn_moves_it(form, rng):
    X = rng.normal(size=(60, 2))
    options = {"init": np.concatenate([X[:3], [[50.0, 50], [60, 60]]]), "n_init": 1}
    ours, theirs = KMeans(5, **options).fit(FORMS[form](X)), TheirKMeans(5, **options).fit(FORMS[form](X))
    assert (ours.n_iter_, ours.inertia_) == (theirs.n_iter_, pytest.approx(theirs.inertia_))


@pytest.mark.parametrize("seed", range(3))
def test_sparse_rows_have_the_clusters_of_dense_ones(seed):
    X, _ = make_blobs(300, 5, centers=4, random_state=seed)
    X[X < 0] = 0
    w = np.random.default_rng(seed).random(300)
    dense = KMeans(4, random_state=seed).fit(X, sample_weight=w)
    for rows in (sparse.csr_array(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        model = KMeans(4, random_state=seed).fit(rows, sample_weight=w)
        np.testing.assert_array_equal(model.labels_, dense.labels_)
        np.testing.assert_allclose(model.cluster_centers_, dense.cluster_centers_, rtol=1e-12)
        np.testing.assert_allclose(model.transform(rows), dense.transform(X), rtol=1e-9)
        assert model.score(rows, sample_weight=w) == pytest.approx(-dense.inertia_)


@pytest.mark.parametrize("form", FORMS)
def test_no_digit_is_lost_far_from_the_origin(form):
    X, _ = make_blobs(400, 3, centers=4, random_state=2)
    X = X.round(2)
    near, far = KMeans(4, random_state=0).fit(X), KMeans(4, random_state=0).fit(FORMS[form](X + 1e8))
    assert far.inertia_ == pytest.approx(near.inertia_, rel=1e-8)
    assert adjusted_rand_score(far.labels_, near.labels_) == 1.0
    best = np.sort(far.transform(FORMS[form](X + 1e8)).min(axis=1))
    np.testing.assert_allclose(best, np.sort(near.transform(X).min(axis=1)), atol=1e-6)


def test_sparse_rows_are_never_made_dense():
    X = sparse.random_array((3000, 100_000), density=1e-4, random_state=np.random.default_rng(0), format="csr")
    tracemalloc.start()
    KMeans(2, random_state=0, max_iter=2).fit(X).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3000 * 100_000 * 8 / 40


def test_cells_that_are_stored_twice_add_and_the_matrix_stays_as_it_was(rng):
    X = rng.normal(size=(50, 3))
    twice = sparse.csr_array((50, 3))
    twice.data, twice.indices = np.repeat(X / 2, 2, axis=1).ravel(), np.tile(np.repeat(np.arange(3), 2), 50)
    twice.indptr = 6 * np.arange(51)
    model, plain = KMeans(3, random_state=0).fit(twice), KMeans(3, random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(plain.inertia_)
    assert twice.nnz == 300


def test_missing_and_infinite_cells_of_sparse_rows_are_refused(rng):
    for bad in (np.nan, np.inf):
        X = sparse.csr_array(rng.random((20, 3)))
        X.data[4] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            KMeans(2).fit(X)


class TestCentresThatAreSet:
    def test_decide_predictions(self, rng):
        X = rng.normal(size=(50, 2))
        model = KMeans(3, random_state=0).fit(X)
        before = model.predict(X)
        model.cluster_centers_ = model.cluster_centers_[[2, 0, 1]]
        np.testing.assert_array_equal(np.array([2, 0, 1])[model.predict(X)], before)
        model.cluster_centers_[:] = [[0.0, 0.0], [100.0, 100.0], [-100.0, 0.0]]
        assert not model.predict(X).any()
        np.testing.assert_allclose(model.transform([[3.0, 4.0]])[0, 0], 5.0)

    def test_may_be_float32_or_read_only(self, rng):
        X = rng.normal(size=(50, 2)).astype(np.float32)
        model = KMeans(3, random_state=0).fit(X)
        before = model.predict(X)
        model.cluster_centers_.flags.writeable = False
        np.testing.assert_array_equal(model.predict(X), before)
        assert model.transform(X).dtype == np.float32
        assert model.transform(X.astype(float)).dtype == np.float64

    def test_must_be_a_matrix_of_numbers(self, rng):
        model = KMeans(2, random_state=0).fit(rng.normal(size=(9, 2)))
        for bad in ([1.0, 2.0], [["a", "b"]]):
            with pytest.raises(ValueError, match="must be numbers of shape"):
                model.cluster_centers_ = bad

    def test_are_absent_before_a_fit(self):
        assert not hasattr(KMeans(), "cluster_centers_")


def test_what_scikit_learn_warns_of(rng):
    X = rng.normal(size=(30, 2))
    with pytest.warns(RuntimeWarning, match="only one init"):
        KMeans(3, init=X[:3], n_init=4).fit(X)
    with pytest.warns(RuntimeWarning, match="single cluster"):
        KMeans(1, algorithm="elkan").fit(X)


def test_the_first_of_runs_that_find_the_same_clusters_is_kept(rng):
    X, _ = make_blobs(60, 2, centers=[[0, 0], [50, 0], [0, 50]], random_state=0)
    model = KMeans(3, init="random", n_init=30, random_state=1).fit(X)
    assert model.inertia_ == pytest.approx(KMeans(3, random_state=0).fit(X).inertia_)


def test_rows_that_weigh_nothing_have_a_cluster_and_move_none(rng):
    X, w = rng.normal(size=(40, 2)), np.ones(40)
    X[5], w[5] = 1e3, 0.0
    for rows in (X, sparse.csr_array(X)):
        model = KMeans(3, random_state=0).fit(rows, sample_weight=w)
        assert np.abs(model.cluster_centers_).max() < 10
        assert model.labels_.shape == (40,)
        assert model.labels_[5] == model.predict(X[5:6])[0]


def test_batches_of_sparse_float32_rows(rng):
    X, _ = make_blobs(600, 4, centers=3, random_state=3)
    X = sparse.csr_array(X.astype(np.float32))
    model = KMeans(3, random_state=0)
    for begin in range(0, 600, 100):
        model.partial_fit(X[begin : begin + 100])
    assert model.cluster_centers_.dtype == np.float32
    assert -model.score(X) < 1.05 * KMeans(3, random_state=0).fit(X).inertia_
