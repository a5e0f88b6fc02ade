"""k-means over batches: scikit-learn's, one step for each batch, weights, sparse rows, missing values, files."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import MiniBatchKMeans as Theirs
from sklearn.datasets import make_blobs

import parzen
from parzen import KMeans, MiniBatchKMeans

FORMS = {"dense": np.asarray, "CSR": sparse.csr_array}


@pytest.fixture
def X():
    return make_blobs(2000, 4, centers=5, cluster_std=1.5, random_state=1)[0]


def test_every_parameter_and_attribute_of_theirs_is_here(X):
    ours, theirs = MiniBatchKMeans(3, random_state=0), Theirs(3, random_state=0)
    assert ours.get_params() == theirs.get_params()
    ours.fit(X), theirs.fit(X)
    for name in (name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")):
        assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name
        assert np.asarray(getattr(ours, name)).dtype == np.asarray(getattr(theirs, name)).dtype, name


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_batch_moves_centres_as_scikit_learn_moves_them(form, dtype, X, rng):
    options = {"init": X[:5], "n_init": 1, "reassignment_ratio": 0.0}
    ours, theirs = MiniBatchKMeans(5, **options), Theirs(5, **options)
    rows = X.astype(dtype)
    for begin in range(0, 600, 150):
        w = rng.random(150)
        part = FORMS[form](rows[begin : begin + 150])
        ours.partial_fit(part, sample_weight=w), theirs.partial_fit(part, sample_weight=w)
        np.testing.assert_allclose(
            ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-4 if dtype == np.float32 else 1e-10
        )
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    assert ours.n_steps_ == theirs.n_steps_ == 4
    assert ours.cluster_centers_.dtype == dtype
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-4)
    np.testing.assert_allclose(ours.counts_, theirs._counts, rtol=1e-5)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"init": "random"}, {"batch_size": 100, "n_init": 3}, {"tol": 1e-3}])
def test_it_ends_near_k_means(form, options, X):
    least = KMeans(5, n_init=5, random_state=0).fit(X).inertia_
    model = MiniBatchKMeans(5, random_state=0, **options).fit(FORMS[form](X))
    assert least <= model.inertia_ * (1 + 1e-9)
    assert model.inertia_ < 1.1 * least
    assert model.score(FORMS[form](X)) == pytest.approx(-model.inertia_)
    np.testing.assert_array_equal(model.predict(FORMS[form](X)), model.labels_)


def test_weights_count(X, rng):
    w = np.where(rng.random(2000) < 0.5, 0.0, 3.0)
    model = MiniBatchKMeans(5, random_state=0, batch_size=200).fit(X, sample_weight=w)
    alone = MiniBatchKMeans(5, random_state=0, batch_size=200).fit(X[w > 0])
    np.testing.assert_allclose(model.cluster_centers_, alone.cluster_centers_)  # three times a row is any row
    assert model.inertia_ == pytest.approx(3 * alone.inertia_)
    assert model.labels_.shape == (2000,)


def test_steps_are_counted_in_passes_over_the_rows(X):
    options = {"batch_size": 300, "max_iter": 3, "tol": 0, "max_no_improvement": None, "random_state": 0}
    model = MiniBatchKMeans(5, **options).fit(X)
    assert (model.n_steps_, model.n_iter_) == (20, 3)
    assert model.outcome_ == "too many steps"
    short = MiniBatchKMeans(5, **{**options, "max_no_improvement": 2, "max_iter": 100}).fit(X)
    assert short.n_steps_ < 600
    assert short.outcome_ == "converged"


def test_without_labels_the_inertia_is_an_estimate(X):
    model = MiniBatchKMeans(5, compute_labels=False, random_state=0).fit(X)
    assert not hasattr(model, "labels_")
    assert model.inertia_ == pytest.approx(-model.score(X), rel=0.2)
    again = MiniBatchKMeans(5, random_state=0).fit(X).set_params(compute_labels=False).fit(X)
    assert not hasattr(again, "labels_")  # none of an earlier fit


def test_a_later_batch_goes_on_from_a_fit_and_from_centres_that_are_set(X):
    model = MiniBatchKMeans(5, random_state=0).fit(X)
    heavy = model.counts_.sum()
    model.partial_fit(X[:100])
    assert model.counts_.sum() == pytest.approx(heavy + 100)
    model.cluster_centers_ = np.zeros((5, 4)) + np.arange(5)[:, None]
    assert model.partial_fit(X[:50]).cluster_centers_[4].mean() == pytest.approx(4.0, abs=0.5)


def test_missing_cells_weigh_nothing(X, rng):
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    model = MiniBatchKMeans(5, random_state=0, n_init=3).fit(gaps)
    assert np.isfinite(model.cluster_centers_).all()
    whole = MiniBatchKMeans(5, random_state=0, n_init=3).fit(X)
    assert -model.score(X) < 1.2 * whole.inertia_
    model.partial_fit(gaps[:200]).partial_fit(X[:200])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_model_that_comes_from_a_file_goes_on_as_it_would_have(dtype, X, tmp_path):
    model = MiniBatchKMeans(5, random_state=0, reassignment_ratio=0.5).partial_fit(X[:100].astype(dtype))
    model.save(tmp_path / "model.parzen")
    again = parzen.load(tmp_path / "model.parzen")
    for one in (model, again):
        for begin in range(100, 500, 50):
            one.partial_fit(X[begin : begin + 50].astype(dtype))
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert again.n_steps_ == 9


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch_size": 0}, {"max_no_improvement": -1}, {"init_size": 0}, {"reassignment_ratio": -0.1}, {"tol": -1},
        {"compute_labels": "yes"}, {"n_init": 0}, {"init": "best"}, {"n_clusters": 3000}, {"init": np.zeros((2, 4))},
    ],
    ids=lambda wrong: next(iter(wrong)),
)  # fmt: skip
def test_what_it_refuses_changes_nothing(wrong, X):
    model = MiniBatchKMeans(5, n_init=1, random_state=0).fit(X)
    before = model.cluster_centers_.copy()
    model.set_params(**wrong)
    with pytest.raises(ValueError, match=next(iter(wrong)) if "init" not in wrong else "init"):
        model.fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, before)


def test_an_init_size_below_the_clusters_is_raised_with_a_warning(X):
    with pytest.warns(RuntimeWarning, match="init_size"):
        MiniBatchKMeans(5, init_size=2, random_state=0).fit(X)


def test_centres_of_two_models_don_t_add(X):
    one, other = (MiniBatchKMeans(5, random_state=s).fit(X) for s in (0, 1))
    with pytest.raises(ValueError, match="don't add"):
        one.merge(other)


def test_progress_is_printed_as_scikit_learn_prints_it(X, capsys):
    MiniBatchKMeans(5, verbose=1, n_init=2, random_state=0, batch_size=50).fit(X)
    said = capsys.readouterr().out
    assert "Inertia for init 2/2" in said
    assert "Minibatch step 2/4000: mean batch inertia:" in said
    assert "Converged (lack of improvement in inertia)" in said
