"""k-means over small batches of a source: its steps are those of the same batches, one after another."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from parzen import MiniBatchKMeans, scan

N = 3000


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(N, 3)) + 6 * rng.integers(0, 4, N)[:, None]


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(1).integers(0, 3, N).astype(float)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_one_pass_is_partial_fit_of_its_batches_in_their_order(rows, kind):
    options = {"init": rows[:4], "n_init": 1, "random_state": 0}
    source = scan(kind(rows), batch_rows=900)
    model = MiniBatchKMeans(4, max_iter=1, batch_size=300, max_no_improvement=None, **options).fit(source)
    same = MiniBatchKMeans(4, **options)
    for begin in range(0, N, 300):
        same.partial_fit(kind(rows)[begin : begin + 300])
    assert_allclose(model.cluster_centers_, same.cluster_centers_, rtol=1e-12)
    assert_allclose(model.counts_, same.counts_)
    assert (model.n_iter_, model.n_steps_) == (1, 10)


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_clusters_are_found_in_few_passes_and_every_row_counts_for_the_inertia(rows, init):
    source = scan(rows, batch_rows=900)
    model = MiniBatchKMeans(4, init=init, random_state=0).fit(source)
    in_memory = MiniBatchKMeans(4, init=init, random_state=0).fit(rows)
    assert_allclose(model.inertia_, in_memory.inertia_, rtol=0.01)
    assert_allclose(model.inertia_, -model.score(rows))
    assert model.outcome_ == "converged"
    assert model.n_iter_ < 30
    assert not hasattr(model, "labels_")
    assert_array_equal(np.concatenate(list(model.predict(source))), model.predict(rows))


def test_weights_are_a_column_and_rows_of_weight_zero_are_left_out(rows, weights):
    source = scan(np.column_stack([rows, weights]), batch_rows=900)
    model = MiniBatchKMeans(4, max_iter=1, random_state=0).fit(source, weight=3)
    assert_allclose(model.counts_.sum(), weights.sum())
    assert_allclose(model.inertia_, -model.score(rows, sample_weight=weights))


def test_cells_may_be_missing(rows):
    gaps = rows.copy()
    gaps[::7, 1] = np.nan
    model = MiniBatchKMeans(4, random_state=0).fit(scan(gaps, batch_rows=900))
    assert_allclose(model.inertia_, MiniBatchKMeans(4, random_state=0).fit(gaps).inertia_, rtol=0.01)


def test_without_labels_the_inertia_is_an_estimate_and_a_fit_begins_anew(rows):
    model = MiniBatchKMeans(4, random_state=0, compute_labels=False).fit(rows)
    model.fit(scan(rows, batch_rows=900))
    assert_allclose(model.inertia_, -model.score(rows), rtol=0.1)
    again = MiniBatchKMeans(4, random_state=0).fit(scan(rows, batch_rows=900))
    assert_array_equal(model.cluster_centers_, again.cluster_centers_)


def test_a_checkpoint_is_refused(rows, tmp_path):
    with pytest.raises(TypeError, match="checkpoint keeps the EM of mixtures"):
        MiniBatchKMeans(4).fit(scan(rows), checkpoint=tmp_path / "kept.parzen")


def test_partial_fit_takes_one_batch_and_no_source(rows):
    with pytest.raises(TypeError, match="one batch of rows"):
        MiniBatchKMeans(4).partial_fit(scan(rows))
