"""Lloyd's iteration and batches of it: how they end, clusters without rows, missing cells, sparse rows, threads."""

import numpy as np
import pytest
from scipy import sparse

import parzen
from parzen.families.kmeans import Centroids
from parzen.families.lloyd import assigned, lloyd
from parzen.families.mini_batch import Batches
from parzen.families.seeding import each_once, plus_plus

FORMS = [np.ascontiguousarray, sparse.csr_array]


@pytest.mark.parametrize("form", FORMS)
def test_the_iteration_ends_where_no_row_changes_its_cluster(form, rng):
    X = rng.normal(size=(300, 3))
    run = lloyd(form(X), None, X[:5], 300)
    assert (run.outcome, run.shift) == ("converged", 0.0)
    means = np.stack([X[run.found.codes == k].mean(axis=0) for k in range(5)])
    np.testing.assert_allclose(run.found.centre, means, rtol=1e-12)
    again = lloyd(form(X), None, run.found.centre, 300)
    assert again.n_iter <= 2
    assert run.found.inertia == pytest.approx(((X - means[run.found.codes]) ** 2).sum())


def test_inertia_never_rises(rng):
    X, told = rng.normal(size=(400, 2)), []
    lloyd(X, rng.random(400), X[:8], 300, watch=lambda step, inertia: told.append(inertia))
    assert (np.diff(told) <= 1e-12 * told[0]).all()
    assert len(told) > 3


def test_it_is_what_the_family_iterates(rng):
    X, w = rng.normal(size=(200, 3)), rng.random(200)
    run = lloyd(X, w, X[:4], 300)
    start = parzen.families.kmeans.CentroidDensity(X[:4])
    found = parzen.fit(Centroids(4), X, w, start=start, tol=0.0, accelerate=False)
    np.testing.assert_allclose(run.found.centre, found.density.centre, rtol=1e-10)
    assert run.found.inertia == pytest.approx(-found.log_likelihoods[-1], rel=1e-10)


def test_a_watch_may_stop_it(rng):
    X = rng.normal(size=(300, 3))
    run = lloyd(X, None, X[:5], 300, watch=lambda step, inertia: step == 1)
    assert (run.n_iter, run.outcome) == (2, "stopped")
    np.testing.assert_array_equal(run.found.codes, assigned(X, None, run.found.centre).codes)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [False, True])
def test_empty_clusters_take_the_farthest_rows_from_the_others(form, weighted):
    X = np.array([[0.0], [1.0], [2.0], [50.0], [90.0]])
    w = np.array([1.0, 2.0, 1.0, 3.0, 0.3]) if weighted else None
    run = lloyd(form(X), w, np.array([[0.0], [1e3], [2e3]]), 1)
    own = np.ones(3) if w is None else w[:3]
    np.testing.assert_allclose(run.found.centre, [[np.average(X[:3, 0], weights=own)], [90.0], [50.0]])


def test_a_cluster_that_gives_its_last_row_goes_where_the_heaviest_is():
    X = np.array([[0.0], [0.0], [0.0], [7.0]])
    run = lloyd(X, np.array([0.1, 0.2, 0.3, 0.7]), np.array([[0.0], [6.0], [1e3]]), 1)
    np.testing.assert_allclose(run.found.centre, [[0.0], [0.0], [7.0]], atol=1e-15)


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_lie_on_their_centres_are_left_there(form):
    X = np.array([[0.0, 1.0], [0.0, 1.0], [2.0, 0.0]])
    run = lloyd(form(X), None, X.copy(), 10)
    assert run.found.inertia == 0
    assert run.n_iter == 1  # no centre has moved
    np.testing.assert_array_equal(run.found.codes, [0, 0, 2])


def test_missing_cells_in_some_blocks_alone(rng):
    X = rng.normal(size=(300_000, 4))
    X[-1, 2] = np.nan
    found = assigned(X, None, X[:3])
    assert found.weight.shape == (3, 4)
    np.testing.assert_array_equal(found.weight.sum(axis=0), [300_000, 300_000, 299_999, 300_000])
    assert found.inertia == pytest.approx(np.nansum((X - X[found.codes.clip(0, 2)]) ** 2), rel=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_any_number_of_threads_finds_the_same(form, rng):
    X = form(np.maximum(rng.normal(size=(200_000, 6)), 0.5) - 0.5)
    runs = []
    for n in (1, 3):
        with parzen.threads(n):
            centre = plus_plus(X, None, 5, np.random.default_rng(1))
            runs.append((centre, lloyd(X, None, centre, 4).found.centre))
    np.testing.assert_array_equal(runs[0][0], runs[1][0])
    np.testing.assert_array_equal(runs[0][1], runs[1][1])


class TestSeeds:
    @pytest.mark.parametrize("form", FORMS)
    def test_are_rows_far_from_each_other(self, form, rng):
        corners = np.array([[0.0, 0], [0, 50], [50, 0], [50, 50]])
        X = np.repeat(corners, 200, axis=0) + rng.random((800, 2))
        found = plus_plus(form(X), None, 4, rng)
        assert sorted((found // 25).astype(int).tolist()) == [[0, 0], [0, 2], [2, 0], [2, 2]]
        assert all((one == X).all(axis=1).any() for one in found)

    @pytest.mark.parametrize("form", FORMS)
    def test_find_a_few_rows_among_many(self, form, rng):
        X = rng.random((60_000, 2)) + 1
        X[[5, 17, 40_000]] = 500.0
        found = plus_plus(form(X), None, 3, rng)
        assert (found == 500.0).all(axis=1).sum() == 1

    @pytest.mark.parametrize("form", FORMS)
    def test_never_lie_on_a_row_that_weighs_nothing(self, form, rng):
        X, w = rng.normal(size=(40, 3)), np.tile([0.0, 1.0], 20)
        found = plus_plus(form(X), w, 12, rng)
        assert not (found[:, None] == X[::2]).all(axis=2).any()

    @pytest.mark.parametrize("form", FORMS)
    def test_equal_rows_are_one_in_whatever_order(self, form, rng):
        X = rng.normal(size=(30, 2)).round(1)
        order = rng.permutation(30)
        twice = np.concatenate([X, X])[np.concatenate([order, order + 30])]
        rows, w = each_once(form(X), np.full(30, 2.0))
        again, weight = each_once(form(twice), None)
        dense = [one.toarray() if sparse.issparse(one) else one for one in (rows, again)]
        np.testing.assert_array_equal(*dense)
        np.testing.assert_array_equal(w, weight)
        assert len(np.unique(dense[0], axis=0)) == len(dense[0])


class TestBatches:
    @pytest.mark.parametrize("form", FORMS)
    def test_a_centre_is_the_mean_of_the_rows_that_it_was_nearest_to(self, form, rng):
        X = np.where(rng.random((60, 200)) < 0.02, rng.normal(size=(60, 200)), 0.0)  # few columns hold cells
        w = rng.random(60)
        state, seen = Batches(X[:3].copy(), np.zeros((3, 1))), np.full(60, -1)
        for batch in (slice(0, 20), slice(20, 25), slice(25, 60)):
            seen[batch] = assigned(X[batch], None, state.centre).codes
            before = ((X[batch] - state.centre[seen[batch]]) ** 2).sum(axis=1) @ w[batch]
            assert state.step(form(X[batch]), w[batch]) == pytest.approx(before, rel=1e-9)
        for k in np.unique(seen):
            np.testing.assert_allclose(
                state.centre[k], np.average(X[seen == k], axis=0, weights=w[seen == k]), atol=1e-12
            )
            assert state.counts[k] == pytest.approx(w[seen == k].sum())

    @pytest.mark.parametrize("form", FORMS)
    def test_far_from_the_origin(self, form, rng):
        X = np.zeros((40, 300))
        X[:, 7:12] = rng.normal(size=(40, 5)) + 1e8
        near, far = (Batches(X[:4] - shift, np.zeros((4, 1))) for shift in (np.where(X[0] > 0, 1e8, 0.0), 0.0))
        plain = np.where(X > 0, X - 1e8, 0.0)
        assert far.step(form(X), None) == pytest.approx(near.step(plain, None), rel=1e-6)
        np.testing.assert_allclose(far.centre[:, 7:12] - 1e8, near.centre[:, 7:12], atol=1e-6)

    def test_centres_of_little_weight_move_to_rows_at_most_half_as_many(self, rng):
        X = rng.normal(size=(6, 2))
        state = Batches(np.zeros((5, 2)), np.array([[100.0], [0.5], [40.0], [0.2], [0.1]]))
        assert state.reassign(X, 0.01, rng) == 3
        np.testing.assert_array_equal(state.counts[:, 0], [100, 40, 40, 40, 40])
        moved = state.centre[[1, 3, 4]]
        assert all((one == X).all(axis=1).any() for one in moved)
        assert not state.centre[[0, 2]].any()
        state.counts[:] = [[9.0], [0.0], [0.0], [0.0], [0.0]]
        assert state.reassign(X[:4], 0.01, rng) == 2
        assert state.reassign(X, 0.0, rng) == 0
