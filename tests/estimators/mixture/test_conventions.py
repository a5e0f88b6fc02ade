"""Mixtures and k-means in scikit-learn's manner: conventions, parameters, starts, searches, callbacks, tables."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    GaussianMixture,
    KMeans,
    MiniBatchKMeans,
    MixtureModel,
)

#: Rows that weigh more are drawn more often: a row that comes twice is so on average alone, as with scikit-learn's.
RANDOM_BATCHES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "batches are drawn at random" for kind in ("dense", "sparse")
}


@parametrize_with_checks(
    [
        GaussianMixture(),
        GaussianMixture(2),
        GaussianMixture(2, covariance_type="tied"),  # one covariance for all components
        GaussianMixture(2, prior="auto"),
        GaussianMixture([1, 2], init_params="k-means++"),  # chosen by a criterion
        GaussianMixture(2, warm_start=True, init_params="random"),
        KMeans(),
        KMeans(3, init="random"),
        MiniBatchKMeans(),
        MiniBatchKMeans(3, init="random", batch_size=7),
        MixtureModel(),
    ],
    expected_failed_checks=lambda estimator: RANDOM_BATCHES if isinstance(estimator, MiniBatchKMeans) else {},
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


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

    def test_copies_predict_the_same(self, X):
        for model in (GaussianMixture("auto", random_state=0).fit(X), KMeans(3, random_state=0).fit(X)):
            for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
                np.testing.assert_array_equal(again.predict(X), model.predict(X))
            assert clone(model).get_params() == model.get_params()

    @pytest.mark.parametrize("init", ["auto", "kmeans", "k-means++", "random", "random_from_data"])
    def test_every_initialisation_converges(self, init, X):
        model = GaussianMixture(3, init_params=init, random_state=0, n_init=3, max_iter=500).fit(X)
        assert model.converged_
        assert model.lower_bound_ == model.lower_bounds_[-1]
        assert model.n_iter_ >= len(model.lower_bounds_)

    def test_an_initialisation_that_is_given_takes_no_hidden_steps(self, X):
        with pytest.warns(ConvergenceWarning, match="max_iter"):
            model = GaussianMixture(3, init_params="random", max_iter=2, random_state=0).fit(X)
        assert model.lower_bound_ < GaussianMixture(3, random_state=0).fit(X).lower_bound_ - 0.05

    def test_warm_start_goes_on(self, X):
        model = GaussianMixture(3, warm_start=True, init_params="random", max_iter=3, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = [model.fit(X).lower_bound_ for _ in range(6)]
        assert (np.diff(scores) >= -1e-12).all()
        assert scores[-1] > scores[0]

    @pytest.mark.parametrize("state", [3, np.random.RandomState(3)], ids=["number", "RandomState"])
    def test_a_random_state_decides(self, state, X):
        one, again = (
            GaussianMixture(3, init_params="random", random_state=copy.deepcopy(state)).fit(X).means_ for _ in range(2)
        )
        np.testing.assert_array_equal(one, again)
        other = GaussianMixture(3, init_params="random", random_state=4).fit(X).means_
        assert (one != other).any()

    def test_a_refused_fit_changes_nothing(self, X):
        model = GaussianMixture(2, random_state=0).fit(X)
        before = model.means_.copy()
        with pytest.raises(ValueError, match="infinity"):
            model.fit(np.where(X > 5, np.inf, X))
        np.testing.assert_array_equal(model.means_, before)

    def test_progress_is_printed(self, X, capsys):
        GaussianMixture(3, verbose=1, verbose_interval=1, random_state=0).fit(X)
        assert "log-likelihood per row" in capsys.readouterr().out
        KMeans(3, verbose=1, random_state=0).fit(X)
        assert "Iteration 0, inertia" in capsys.readouterr().out

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
        likelihood, bound = (line.get_ydata() for line in model.plot_trace().lines)
        np.testing.assert_allclose(np.stack([likelihood[:-1], bound[1:]], axis=1), model.trace_)
        assert (likelihood[:-2] <= bound[1:-1] + 1e-12).all()  # at one point of the axis, it lies below the next
        assert (bound[1:-1] <= likelihood[1:-1] + 1e-12).all()
        with pytest.raises(ValueError, match="one or two"):
            model.plot(X, columns=[0, 1, 2])
        alone = GaussianMixture([2], random_state=0).fit(X)
        (line,) = alone.plot_selection().lines  # one candidate is one point
        np.testing.assert_allclose([*line.get_xdata(), *line.get_ydata()], [2, alone.bic(X)])
