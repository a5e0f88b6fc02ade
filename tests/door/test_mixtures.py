"""Mixtures and k-means at scikit-learn's door, and what reviewers found there."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import parzen
from parzen import (
    Bernoulli,
    Collapse,
    FloorWarning,
    Gaussian,
    GaussianMixture,
    KMeans,
    Labels,
    Mixture,
    MixtureModel,
    Poisson,
    Product,
    Uniform,
    accumulate,
    fit,
)
from parzen.conjugate import NormalInverseGamma, NormalInverseWishart
from parzen.statistics import ExpectedStatistic
from parzen.statistics.statistic import arrays_of

TYPES = ["full", "tied", "diag", "spherical"]


@parametrize_with_checks(
    [
        GaussianMixture(),
        *[GaussianMixture(2, covariance_type=shape) for shape in TYPES],
        GaussianMixture(2, prior="auto"),
        GaussianMixture([1, 2], init_params="k-means++"),
        GaussianMixture(2, warm_start=True, init_params="random"),
        KMeans(),
        KMeans(3, init="random"),
        MixtureModel(),
    ]
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


@pytest.fixture
def X():
    return make_blobs(300, 3, centers=3, cluster_std=1.5, random_state=0)[0]


class TestDropIn:
    def test_every_parameter_and_attribute_of_theirs_is_here(self, X):
        for ours, theirs in ((GaussianMixture(2), TheirMixture(2)), (KMeans(2), TheirKMeans(2))):
            assert set(theirs.get_params()) <= set(ours.get_params())
            ours.fit(X), theirs.fit(X)
            for name in (name for name in vars(theirs) if name.endswith("_") and name != "lower_bounds_"):
                assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name

    def test_works_in_pipelines_and_searches(self, X):
        options = {"n_components": [1, 3], "covariance_type": ["full", "diag"]}
        search = GridSearchCV(GaussianMixture(random_state=0), options)
        assert search.fit(X).best_params_["n_components"] == 3
        assert make_pipeline(StandardScaler(), KMeans(3, random_state=0)).fit(X).predict(X).shape == (300,)
        named = KMeans(3).set_output(transform="pandas").fit(X)
        assert named.transform(X).columns.tolist() == ["kmeans0", "kmeans1", "kmeans2"]

    def test_copies_say_the_same(self, X):
        for model in (GaussianMixture("auto", random_state=0).fit(X), KMeans(3, random_state=0).fit(X)):
            for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
                np.testing.assert_array_equal(again.predict(X), model.predict(X))
            assert clone(model).get_params() == model.get_params()

    @pytest.mark.parametrize("init", ["auto", "kmeans", "k-means++", "random", "random_from_data"])
    def test_every_start_leads_somewhere(self, init, X):
        model = GaussianMixture(3, init_params=init, random_state=0, n_init=3, max_iter=500).fit(X)
        assert model.converged_
        assert model.lower_bound_ == model.lower_bounds_[-1]
        assert model.n_iter_ >= len(model.lower_bounds_)

    def test_a_start_that_is_asked_for_takes_no_hidden_steps(self, X):
        with pytest.warns(ConvergenceWarning):
            model = GaussianMixture(3, init_params="random", max_iter=2, random_state=0).fit(X)
        assert model.lower_bound_ < GaussianMixture(3, random_state=0).fit(X).lower_bound_ - 0.05

    def test_warm_start_goes_on(self, X):
        model = GaussianMixture(3, warm_start=True, init_params="random", max_iter=3, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = [model.fit(X).lower_bound_ for _ in range(6)]
        assert (np.diff(scores) >= -1e-12).all()
        assert scores[-1] > scores[0]

    @pytest.mark.parametrize("state", [3, np.random.RandomState(3)])
    def test_a_random_state_decides(self, state, X):
        first = GaussianMixture(3, random_state=3).fit(X)
        assert (first.means_ == GaussianMixture(3, random_state=3).fit(X).means_).all()
        assert np.isfinite(GaussianMixture(3, random_state=state).fit(X).means_).all()

    def test_a_refused_fit_changes_nothing(self, X):
        model = GaussianMixture(2, random_state=0).fit(X)
        before = model.means_.copy()
        with pytest.raises(ValueError, match="infinity"):
            model.fit(np.where(X > 5, np.inf, X))
        np.testing.assert_array_equal(model.means_, before)

    def test_progress_is_told(self, X, capsys):
        GaussianMixture(3, verbose=1, verbose_interval=1, random_state=0).fit(X)
        assert "log-likelihood per row" in capsys.readouterr().out
        KMeans(3, verbose=1, random_state=0).fit(X)
        assert "minus inertia" in capsys.readouterr().out

    def test_scikit_learn_s_callbacks_are_called(self, X):
        pytest.importorskip("sklearn.callback")

        class Counting:
            def __init__(self):
                self.begun, self.steps, self.ended = 0, 0, 0

            def setup(self, estimator, context):
                self.begun += 1

            def on_fit_task_begin(self, estimator, context, **told):
                pass

            def on_fit_task_end(self, estimator, context, **told):
                self.steps += context.task_name == "iteration"
                return self.steps >= 3

            def teardown(self, estimator, context):
                self.ended += 1

        for model in (
            GaussianMixture(3, init_params="random", tol=0, random_state=0),
            KMeans(3, tol=0, random_state=0),
        ):
            counting = Counting()
            model.set_callbacks(counting).fit(X)
            assert 2 <= counting.steps <= 3
            assert counting.ended == 1
        assert model.n_iter_ <= 3
        for model in (GaussianMixture([1, 2], random_state=0), KMeans(3, init="random", n_init=4, random_state=0)):
            counting = Counting()
            model.set_callbacks(counting).fit(X)
            assert (counting.begun, counting.ended) == (1, 1)  # however many runs a fit takes

    def test_pandas_keeps_its_names_and_its_index(self, X):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(300) + 1000)
        frame.iloc[5, 1] = np.nan
        model = GaussianMixture(3, random_state=0).fit(frame)
        filled = model.impute(frame)
        assert filled.index.equals(frame.index)
        assert not filled.isna().any().any()
        assert frame.fillna(filled).isna().sum().sum() == 0
        part = model.conditional(["c", "a"], {"a": 1.0, "c": 2.0})
        assert part.feature_names_in_.tolist() == ["b"]
        assert part.means_.shape == (3, 1)


class TestBadInput:
    @pytest.mark.parametrize(
        ("model", "message"),
        [
            (GaussianMixture(5), "n_samples >= n_components"),
            (GaussianMixture(0), "n_components"),
            (GaussianMixture("many"), "n_components"),
            (GaussianMixture([50, 60]), "fewer components"),
            (GaussianMixture(2, covariance_type=None), "covariance_type"),
            (GaussianMixture(2, covariance_type=["full", "auto"]), "covariance_type"),
            (GaussianMixture(2, init_params="foo"), "init_params"),
            (GaussianMixture(2, n_init=0), "n_init"),
            (GaussianMixture(2, reg_covar=-1), "reg_covar"),
            (GaussianMixture(2, weight_concentration=-1), "weight_concentration"),
            (GaussianMixture(2, forgetting=2.0), "forgetting"),
            (GaussianMixture(2, trace="x"), "trace"),
            (GaussianMixture(2, criterion="x"), "criterion"),
            (GaussianMixture(2, prior="x"), "prior"),
            (GaussianMixture(2, fixed=0), "fixed"),
            (GaussianMixture(2, means_init=[[0.0]]), "means_init"),
            (GaussianMixture(2, weights_init=[0.5, 0.6]), "sum to 1"),
            (GaussianMixture(2, precisions_init=np.ones((2, 2, 2))), "positive definite"),
            (GaussianMixture(2, covariance_type="diag", precisions_init=-np.ones((2, 2))), "positive"),
            (GaussianMixture([1, 2], means_init=[[0.0, 0.0]]), "one number of components"),
            (GaussianMixture(2, max_iter=0), "max_iter"),
            (KMeans(9), "n_clusters"),
            (KMeans(2, init=[[0.0]]), "initial centers"),
            (KMeans(2, init="x"), "init"),
            (KMeans(2, n_init=0), "n_init"),
            (KMeans(2, algorithm="x"), "algorithm"),
            (MixtureModel(Gaussian(), 0), "n_components"),
            (MixtureModel([Gaussian()], 2), "families"),
            (MixtureModel("x"), "family"),
        ],
        ids=str,
    )
    def test_is_told_what_was_expected(self, model, message):
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(np.arange(8.0).reshape(4, 2))

    def test_weights(self, X):
        for model in (GaussianMixture(2), KMeans(2)):
            with pytest.raises(ValueError, match=r"[Nn]egative"):
                model.fit(X, sample_weight=np.full(300, -1.0))
            with pytest.raises(ValueError, match="zero"):
                model.fit(X, sample_weight=np.zeros(300))

    def test_labels(self, X):
        model = GaussianMixture(2, random_state=0)
        for labels, message in (
            ([0] * 5, "300 whole numbers"),
            ([0.5] * 300, "whole"),
            ([2] * 300, "between -1 and 1"),
        ):
            with pytest.raises(ValueError, match=message):
                model.fit(X, labels=labels)
        known = (X[:, 0] > 0).astype(np.uint8)
        for kind in (np.uint8, np.float64, bool):
            assert (model.fit(X, labels=known.astype(kind)).weights_ > 0).all()
        with pytest.raises(ValueError, match="trace"):
            GaussianMixture(2, trace=True).fit(X, labels=known)

    def test_a_column_without_values_is_named(self, X):
        gone = X.copy()
        gone[:, 1] = np.nan
        for model in (*(GaussianMixture(2, covariance_type=shape) for shape in TYPES), KMeans(2)):
            with pytest.raises(ValueError, match="no value"):
                model.fit(gone)

    def test_an_array_of_infinities(self, X):
        with pytest.raises(ValueError, match="infinity"):
            KMeans(2).fit(np.where(X > 5, np.inf, X))


class TestPictures:
    def test_show_what_was_fitted(self, X):
        pytest.importorskip("matplotlib").use("Agg")
        model = GaussianMixture([1, 3], covariance_type=["full", "diag"], trace=True, random_state=0).fit(X)
        rows = [line for line in model.plot(X, columns=[2, 0]).lines if line.get_linestyle() == "None"]
        assert sum(len(line.get_xdata()) for line in rows[:3]) == 300  # every row, in the colour of its component
        drawn = model.plot(X, columns=[1]).lines[-1]
        expected = np.exp(model.marginal([1]).score_samples(drawn.get_xdata()[:, None]))
        np.testing.assert_allclose(drawn.get_ydata(), expected)
        full = model.plot_selection().lines[0]
        values = {one["n_components"]: one["bic"] for one in model.selection_ if one["covariance_type"] == "full"}
        np.testing.assert_allclose(full.get_ydata(), [values[1], values[3]])
        np.testing.assert_allclose(
            np.stack([line.get_ydata() for line in model.plot_trace().lines], axis=1), model.trace_
        )
        with pytest.raises(ValueError, match="one or two"):
            model.plot(X, columns=[0, 1, 2])
        assert GaussianMixture([2], random_state=0).fit(X).plot_selection() is not None


class TestReviewed:
    """What reviewers found, and must not come back."""

    def test_nothing_is_read_after_it_was_freed(self, rng):
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

    def test_tied_moments_with_and_without_gaps_add(self, rng):
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

    def test_map_climbs_its_posterior_to_the_end(self):
        rng = np.random.default_rng(28)
        Z = np.concatenate([rng.normal(0, 1, (40, 1)), rng.normal(3, 1, (20, 1))])
        start = {"weights_init": [0.9, 0.1], "means_init": [[0.0], [3.0]], "precisions_init": [[[4.0]], [[4.0]]]}
        options = {"prior": "auto", "tol": 1e-9, "max_iter": 20_000}
        for accelerate in (True, False):
            model = GaussianMixture(2, accelerate=accelerate, **options, **start).fit(Z)
            np.testing.assert_allclose(model.means_.ravel(), [0.483, 3.849], atol=2e-3)

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
    def test_the_posterior_never_falls(self, family, accelerate, rng):
        X = np.concatenate([rng.normal(0, 1, (60, 2)), rng.normal(2, 1, (40, 2))])
        found = fit(Mixture(family, 3, 2.0, init="random"), X, rng=1, tol=0, max_iter=60, accelerate=accelerate)
        assert (np.diff(found.objective) >= -1e-8).all()

    @pytest.mark.parametrize("family", [Bernoulli(), Poisson(), Product({0: Bernoulli(), (1, 2): Poisson()})], ids=repr)
    def test_the_posterior_of_counts_never_falls(self, family, rng):
        X = (rng.random((150, 3)) < rng.choice([0.2, 0.8], (150, 1))).astype(float)
        found = fit(Mixture(family, 2, init="random"), X, rng=1, tol=0, max_iter=60)
        assert (np.diff(found.objective) >= -1e-8).all()

    def test_labels_leave_priors_and_fixed_components_alone(self, rng):
        X = np.concatenate([rng.normal(0, 1, (90, 1)), rng.normal(5, 1, (10, 1))])
        y = np.full(100, -1)
        y[0], y[-1] = 0, 1
        even = GaussianMixture(2, weight_concentration=200.0, random_state=0).fit(X, labels=y)
        assert abs(np.diff(even.weights_)[0]) < 0.2
        start = {"weights_init": [0.5, 0.5], "means_init": [[-1.0], [5.0]], "precisions_init": [[[1.0]], [[1.0]]]}
        assert GaussianMixture(2, fixed=[0], **start).fit(X, labels=y).means_[0, 0] == -1

    def test_labels_choose_among_sizes_that_have_them(self, X):
        labels = np.full(300, -1)
        labels[:10] = 2
        model = GaussianMixture([1, 2, 3, 4], random_state=0).fit(X, labels=labels)
        assert {one["n_components"] for one in model.selection_} == {3, 4}

    def test_a_box_of_one_value_far_away_has_a_density(self):
        X = np.array([[1e8], [1e8], [1e8 + 1], [1e8 + 2]])
        assert np.isfinite(fit(Uniform(), X, Labels([0, 0, 1, 1])).density.log_density(X)[0, 0])

    def test_noise_begins_everywhere(self):
        rng = np.random.default_rng(2)
        Z = np.concatenate([rng.normal(size=(100, 2)), rng.uniform(-20, 20, (30, 2))])
        learnt = fit(Mixture([Gaussian(), Uniform()]), Z, rng=0).log_likelihoods[-1]
        given = fit(Mixture([Gaussian(), Uniform(Z.min(axis=0), Z.max(axis=0))]), Z, rng=0).log_likelihoods[-1]
        assert learnt == pytest.approx(given, abs=1e-3)

    def test_labels_have_a_place_for_every_row(self, X):
        w = (np.arange(300) >= 50).astype(float)
        for model in (MixtureModel(Gaussian(), 3, random_state=0), KMeans(3, random_state=0)):
            assert model.fit(X, sample_weight=w).labels_.shape == (300,)
            assert model.fit_predict(X, sample_weight=w).shape == (300,)

    def test_equal_rows_are_enough_for_random_centres(self):
        with pytest.warns(ConvergenceWarning, match="distinct"):
            KMeans(3, init="random", random_state=0).fit(np.repeat([[0.0, 0], [1, 1]], 10, axis=0))

    def test_a_centre_without_rows_begins_again_where_cells_are_missing(self):
        X = np.array([[5.0, 100.0], [5.1, 101.0], [5.2, 99.0], [80.0, np.nan]])
        model = KMeans(2, init=np.array([[5.0, 100.0], [1e9, 1e9]])).fit(X)
        lone = model.cluster_centers_[model.labels_[3]]
        np.testing.assert_allclose(lone, [80.0, 100.0])  # what is not known of it is what all have

    def test_heavy_and_light_rows_in_float32(self, X):
        rows = X.astype(np.float32)
        plain = GaussianMixture(3, random_state=0).fit(rows)
        for scale in (1e40, 1e-50):
            scaled = GaussianMixture(3, random_state=0).fit(rows, sample_weight=np.full(300, scale))
            np.testing.assert_allclose(np.sort(scaled.weights_), np.sort(plain.weights_), atol=5e-3)

    def test_collapsed_components_are_named_and_not_chosen(self):
        X = load_iris().data
        model = GaussianMixture("auto", random_state=0).fit(X)
        assert model.n_components_ == 2
        with pytest.warns(FloorWarning, match="collapsed"):
            GaussianMixture(3, random_state=0).fit(np.repeat([[0.0, 0], [1, 5], [2, 2.0]], 20, axis=0))

    def test_a_small_batch_changes_little(self, rng):
        A = np.concatenate([rng.normal(0, 1, (5000, 2)), rng.normal(6, 1, (5000, 2))])
        model = GaussianMixture(2, random_state=0).fit(A)
        before = model.score(A)
        assert model.partial_fit(A[:3]).score(A) > before - 0.02
        for _ in range(300):
            model.partial_fit(A[rng.integers(10_000, size=1)])
        assert model.score(A) > before - 0.1

    def test_changed_parameters_ask_for_a_fit(self, X):
        with pytest.raises(ValueError, match="call fit"):
            KMeans(3).fit(X).set_params(n_clusters=5).partial_fit(X)
        for change in ({"n_components": 5}, {"covariance_type": "diag"}):
            with pytest.raises(ValueError, match="call fit"):
                GaussianMixture(2).fit(X).set_params(**change).partial_fit(X)

    def test_centres_may_come_from_a_function(self, X):
        from sklearn.cluster import kmeans_plusplus

        model = KMeans(3, init=lambda X, k, random_state: kmeans_plusplus(X, k, random_state=random_state)[0]).fit(X)
        assert model.n_iter_ >= 1

    def test_known_parameters_have_criteria(self, X):
        model = GaussianMixture.from_parameters([0.3, 0.7], [[0, 0, 0], [5, 5, 5]], np.stack([np.eye(3)] * 2))
        assert np.isfinite([model.bic(X), model.aic(X), model.icl(X)]).all()
        with pytest.raises(ValueError, match="not learnt"):
            model.partial_fit(X)
        assert model.fit(X).n_components_ == 2

    def test_groups_have_bounds_of_their_own(self, rng):
        X, y = make_blobs(200, 2, centers=4, cluster_std=3, random_state=0)
        found = fit(Mixture(Gaussian(), 2, init="random"), X, Labels(y % 2), rng=0, trace=True, max_iter=10, tol=0)
        scores, bounds = np.array(found.log_likelihoods), np.array(found.bounds)
        assert (bounds >= scores[:-1] - 1e-9).all()
        assert (bounds < scores[1:]).any()
        assert (bounds <= scores[1:] + 1e-9).all()

    def test_no_weight_is_a_collapse(self):
        family = Mixture(Gaussian(), 2)
        X = np.arange(6.0)[:, None]
        at = fit(family, X, rng=0, max_iter=2).density
        seen = accumulate(family, X, np.zeros(6), at=at)
        assert isinstance(seen, ExpectedStatistic)
        with pytest.raises(Collapse, match="weight"):
            family.maximise(seen.statistic)
