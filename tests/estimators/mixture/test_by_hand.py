"""Models that are built or changed by hand, and steps that are counted as in scikit-learn."""

import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import sklearn.mixture
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import parzen
from parzen import BayesianGaussianMixture, GaussianMixture, MixtureModel
from tests.versions import has

SHAPES = ("full", "tied", "diag", "spherical")
SPREADS = ("covariances_", "precisions_", "precisions_cholesky_")
BOTH = (GaussianMixture, BayesianGaussianMixture)


def _fitted(shape, cls=sklearn.mixture.GaussianMixture, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (90, 3)), rng.normal(4, 2, (60, 3))]).astype(dtype)
    return X, cls(n_components=2, covariance_type=shape, random_state=0).fit(X)


class TestParameters:
    @pytest.mark.parametrize("spread", SPREADS)
    @pytest.mark.parametrize("shape", SHAPES)
    def test_a_model_built_by_hand_is_scikit_learns(self, shape, spread):
        X, theirs = _fitted(shape)
        ours = GaussianMixture(n_components=2, covariance_type=shape)
        for name in ("means_", spread, "weights_"):
            with pytest.raises(NotFittedError):
                ours.predict(X)
            setattr(ours, name, getattr(theirs, name))
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X))
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
        assert ours.bic(X) == pytest.approx(theirs.bic(X))
        for name in SPREADS:
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-12)
        drawn, labels = ours.sample(50_000)
        np.testing.assert_allclose(drawn[labels == 1].mean(axis=0), theirs.means_[1], atol=0.1)

    @pytest.mark.parametrize("cls", BOTH)
    def test_means_are_moved(self, cls):
        X, model = _fitted("full", cls)
        before, spread = model.predict(X), model.covariances_
        model.means_ = model.means_[::-1] + 0.0
        model.covariances_ = spread[::-1]
        model.weights_ = model.weights_[::-1]
        np.testing.assert_array_equal(model.predict(X), 1 - before)
        with pytest.raises(ValueError, match="not fitted to rows"):
            model.partial_fit(X)
        assert model.fit(X).converged_

    def test_another_number_of_components_needs_all_of_them(self):
        X, model = _fitted("diag", GaussianMixture)
        model.means_ = np.zeros((3, 3))
        with pytest.raises(NotFittedError):
            model.predict(X)
        model.weights_, model.covariances_ = np.full(3, 1 / 3), np.ones((3, 3))
        assert model.predict_proba(X).shape == (150, 3)
        assert model.n_components_ == 3

    def test_parameters_that_none_can_have_are_refused_and_change_nothing(self):
        X, model = _fitted("full", GaussianMixture)
        before = model.score_samples(X)
        for name, wrong in (
            ("weights_", [0.5, 0.6]), ("means_", np.full((2, 3), np.nan)), ("covariances_", -np.ones((2, 3, 3))),
            ("precisions_cholesky_", np.ones((2, 3, 3))),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=r"must|sum"):
                setattr(model, name, wrong)
        np.testing.assert_array_equal(model.score_samples(X), before)

    def test_a_model_that_is_built_by_hand_is_saved(self, tmp_path):
        X, theirs = _fitted("full")
        model = GaussianMixture(2)
        model.weights_, model.means_, model.covariances_ = theirs.weights_, theirs.means_, theirs.covariances_
        model.save(tmp_path / "hand.parzen")
        np.testing.assert_array_equal(parzen.load(tmp_path / "hand.parzen").predict(X), model.predict(X))


class TestSteps:
    @pytest.mark.parametrize("init", ["auto", "kmeans", "k-means++", "random", "random_from_data"])
    @pytest.mark.parametrize("cls", BOTH)
    def test_no_step_is_the_start_without_a_warning(self, cls, init):
        X, _ = _fitted("full")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = cls(n_components=2, max_iter=0, init_params=init, random_state=0).fit(X)
        assert (model.n_iter_, model.converged_, model.lower_bounds_) == (0, False, [])
        assert model.predict(X).shape == (150,)
        assert MixtureModel(n_components=2, max_iter=0, random_state=0).fit(X).n_iter_ == 0

    def test_no_step_keeps_what_was_given(self):
        X, _ = _fitted("diag")
        given = {"weights_init": [0.3, 0.7], "means_init": X[:2], "precisions_init": np.full((2, 3), 0.5)}
        model = GaussianMixture(2, covariance_type="diag", max_iter=0, **given).fit(X)
        np.testing.assert_allclose(model.weights_, [0.3, 0.7])
        np.testing.assert_array_equal(model.means_, X[:2])
        np.testing.assert_allclose(model.precisions_, 0.5)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    @pytest.mark.parametrize("options", [{}, {"prior": "auto"}, {"weight_concentration": 2.0}])
    def test_a_warm_start_is_compared_with_the_fit_before_it(self, options):
        X, _ = _fitted("full")
        step = GaussianMixture(
            2, warm_start=True, max_iter=1, tol=1e-7, init_params="random", random_state=0, **options
        )
        scores = []
        for _ in range(2000):
            scores.append(step.fit(X).objective_)
            if step.converged_:
                break
        assert step.converged_
        assert len(scores) > 3
        assert (np.diff(scores) >= -1e-12).all()
        whole = GaussianMixture(
            2, tol=1e-7, max_iter=2000, accelerate=False, init_params="random", random_state=0, **options
        ).fit(X)
        assert whole.n_iter_ == len(scores)
        np.testing.assert_allclose(whole.means_, step.means_, rtol=1e-6)

    @pytest.mark.parametrize("cls", BOTH)
    def test_rows_are_drawn_component_by_component(self, cls):
        _, model = _fitted("full", cls)
        rows, labels = model.sample(500)
        assert (np.diff(labels) >= 0).all()
        assert rows.shape == (500, 3)
        assert rows.dtype == np.float64


class TestDtypes:
    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("cls", BOTH)
    def test_are_those_of_the_rows(self, cls, shape):
        if cls is GaussianMixture and not has("scikit-learn", "1.7"):
            pytest.skip("since scikit-learn 1.7, what GaussianMixture has fitted keeps the rows' precision")
        theirs = getattr(sklearn.mixture, cls.__name__)
        X, ours = _fitted(shape, cls, np.float32)
        _, other = _fitted(shape, theirs, np.float32)
        for name in ("weights_", "means_", *SPREADS):
            assert getattr(ours, name).dtype == getattr(other, name).dtype, name
        for method in ("score_samples", "predict_proba"):
            for rows in (X, X.astype(np.float64)):
                assert getattr(ours, method)(rows).dtype == getattr(other, method)(rows).dtype
        wide = _fitted(shape, cls)[1]
        assert wide.means_.dtype == wide.predict_proba(X).dtype == np.float64

    def test_of_a_frame_are_those_of_its_columns(self, tmp_path):
        X, _ = _fitted("full")
        model = GaussianMixture(2, random_state=0).fit(pd.DataFrame(X.astype(np.float32), columns=list("abc")))
        assert model.means_.dtype == np.float32
        model.save(tmp_path / "m.parzen")
        assert parzen.load(tmp_path / "m.parzen").means_.dtype == np.float32
        mixed = pd.DataFrame(X, columns=list("abc")).astype({"a": np.float32})
        assert GaussianMixture(2, random_state=0).fit(mixed).means_.dtype == np.float64


@pytest.mark.parametrize("shape", SHAPES)
def test_given_means_keep_the_covariances_of_what_lies_there(shape):
    X, y = load_iris(return_X_y=True)
    means = np.array([X[y == k].mean(axis=0) for k in range(3)])
    order = [2, 0, 1]
    options = {"covariance_type": shape, "random_state": 0, "tol": 1e-9, "max_iter": 500}
    first, second = (GaussianMixture(3, means_init=given, **options).fit(X) for given in (means, means[order]))
    np.testing.assert_allclose(second.means_, first.means_[order], atol=1e-3)
    theirs = sklearn.mixture.GaussianMixture(3, means_init=means, **options).fit(X)
    assert min(first.score(X), second.score(X)) > theirs.score(X) - 1e-6


class TestPartsOfAStart:
    """Given weights or precisions belong to those components of the start that they fit best."""

    @pytest.fixture
    def apart(self, rng):
        sizes, places = (400, 150, 250), ((0.0, 0.0), (40.0, 0.0), (0.0, 40.0))
        spreads = ((1.0, 6.0), (5.0, 0.5), (0.2, 0.2))
        clusters = [rng.normal(place, spread, (n, 2)) for n, place, spread in zip(sizes, places, spreads, strict=True)]
        return np.concatenate(clusters)

    @pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
    @pytest.mark.parametrize("shape", ["full", "diag", "spherical"])
    def test_the_order_of_given_precisions_does_not_matter(self, shape, order, apart):
        options = {"covariance_type": shape, "random_state": 0}
        own = GaussianMixture(3, **options).fit(apart)
        begun = GaussianMixture(3, max_iter=0, precisions_init=own.precisions_[list(order)], **options).fit(apart)
        np.testing.assert_allclose(begun.precisions_, own.precisions_, rtol=1e-8, atol=1e-12)
        again = GaussianMixture(3, precisions_init=own.precisions_[list(order)], **options).fit(apart)
        np.testing.assert_allclose(again.means_, own.means_, rtol=1e-6, atol=1e-6)
        assert again.n_iter_ <= own.n_iter_

    @pytest.mark.parametrize("spread", [False, True], ids=["alone", "with precisions"])
    @pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
    def test_given_weights_name_the_components(self, order, spread, apart):
        own = GaussianMixture(3, random_state=0).fit(apart)
        order = list(order)
        given = {"weights_init": own.weights_[order]} | ({"precisions_init": own.precisions_[order]} if spread else {})
        begun = GaussianMixture(3, random_state=0, max_iter=0, **given).fit(apart)
        np.testing.assert_allclose(begun.weights_, own.weights_[order], rtol=1e-12)
        np.testing.assert_allclose(begun.means_, own.means_[order], atol=0.1)
        np.testing.assert_allclose(begun.precisions_, own.precisions_[order], rtol=1e-1, atol=1e-1)

    def test_one_precision_of_all_components_is_taken_as_it_is(self, apart):
        given = np.array([[2.0, 0.5], [0.5, 1.0]])
        begun = GaussianMixture(3, covariance_type="tied", precisions_init=given, max_iter=0, random_state=0).fit(apart)
        np.testing.assert_allclose(begun.precisions_, given, rtol=1e-12)
