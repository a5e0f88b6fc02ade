"""LogisticRegression in the place of scikit-learn's: penalties, solvers, dtypes, starts, and what is refused."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import scale

import parzen
from parzen import LogisticRegression
from tests.estimators.classify.peers import PEERS, same, share_of_l1
from tests.versions import has, one_penalty, warnings_of_penalties

SOLVERS = ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
TIGHT = {"tol": 1e-10, "max_iter": 20_000}


def two_classes():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[::3, :12], y[::3]


def three_classes():
    X, y = load_wine(return_X_y=True)
    return scale(X)[:, :6], y


class TestPenalties:
    @pytest.mark.parametrize("rows", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
    @pytest.mark.parametrize("C", [0.05, 1.0])
    @pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
    @pytest.mark.parametrize("table", [two_classes, three_classes])
    def test_l1_and_elastic_net_are_at_scikit_learn_s_optimum(self, table, l1_ratio, C, rows):
        X, y = table()
        theirs = PEERS["LogisticRegression"](C=C, solver="saga", random_state=0, **share_of_l1(l1_ratio), **TIGHT)
        theirs.fit(X, y)
        ours = LogisticRegression(C=C, l1_ratio=l1_ratio, solver="saga", **TIGHT).fit(rows(X), y)
        same(ours.coef_, theirs.coef_, 1e-5)
        same(ours.intercept_ - ours.intercept_.mean(), theirs.intercept_ - theirs.intercept_.mean(), 1e-5)
        np.testing.assert_array_equal(ours.coef_ == 0.0, theirs.coef_ == 0.0)
        assert (ours.coef_ == 0.0).any() or C == 1.0

    @pytest.mark.parametrize("scaling", [0.5, 1.0, 100.0])
    @pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
    def test_liblinear_s_objective_penalises_the_intercept(self, l1_ratio, scaling):
        X, y = two_classes()
        options = {"C": 0.1, "intercept_scaling": scaling, "solver": "liblinear"}
        theirs = PEERS["LogisticRegression"](**options, **share_of_l1(l1_ratio), **TIGHT, random_state=0).fit(
            X + 0.5, y
        )
        ours = LogisticRegression(**options, l1_ratio=l1_ratio, **TIGHT).fit(X + 0.5, y)
        same(ours.coef_, theirs.coef_, 1e-4)
        same(ours.intercept_, theirs.intercept_, 1e-4)

    def test_an_elastic_net_with_missing_cells_and_categories(self, rng):
        X = pd.DataFrame({"age": rng.normal(size=200), "town": rng.choice(["a", "b", "c"], 200)})
        y = (X.age + (X.town == "b") + rng.logistic(size=200) > 0).astype(int)
        X.loc[::7, "age"] = np.nan
        ours = LogisticRegression(C=0.3, l1_ratio=0.7, solver="saga", **TIGHT).fit(X, y)
        columns = np.column_stack(
            [X.age.fillna(X.age.mean()), X.age.isna(), *(X.town == town for town in "abc")]
        ).astype(float)
        theirs = PEERS["LogisticRegression"](C=0.3, solver="saga", random_state=0, **share_of_l1(0.7), **TIGHT)
        same(ours.coef_, theirs.fit(columns, y).coef_, 1e-5)

    def test_a_penalty_by_its_old_name_is_the_same_one(self):
        X, y = three_classes()
        for old, new in (({"penalty": "l1"}, 1.0), ({"penalty": "l2"}, 0.0), ({"penalty": "elasticnet"}, 0.4)):
            with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
                found = LogisticRegression(**old, l1_ratio=new, solver="saga").fit(X, y)
            np.testing.assert_array_equal(found.coef_, LogisticRegression(l1_ratio=new, solver="saga").fit(X, y).coef_)


def outcome(make, X, y, options):
    """What a fit ends with: an error of a kind, or warnings of some kinds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            make(**options).fit(X, y)
        except (ValueError, TypeError) as error:
            return next(kind for kind in (ValueError, TypeError) if isinstance(error, kind))
    return {one.category for one in caught if not issubclass(one.category, ConvergenceWarning | RuntimeWarning)}


GRID = {
    "penalty": ("deprecated", None, "l1", "l2", "elasticnet"),
    "l1_ratio": (0, 0.5, 1, None),
    "C": (1.0, np.inf),
    "dual": (False, True),
}


class TestWhatIsRefused:
    @warnings_of_penalties
    @pytest.mark.parametrize("solver", SOLVERS)
    def test_combinations_are_refused_or_warned_of_as_by_scikit_learn(self, solver, rng):
        X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
        for values in itertools.product(*GRID.values()):
            options = dict(zip(GRID, values, strict=True)) | {"max_iter": 1, "solver": solver}
            if solver == "liblinear" and np.isinf(options["C"]) and options["penalty"] in ("l1", "l2"):
                continue  # scikit-learn's never ends
            if solver in ("sag", "saga") and np.isinf(options["C"]) and options["l1_ratio"] is None:
                continue  # scikit-learn's computes with None
            expected = outcome(PEERS["LogisticRegression"], X, y, options)
            assert outcome(LogisticRegression, X, y, options) == expected, options

    @pytest.mark.parametrize(
        "options",
        [
            {"C": 0}, {"C": -1.0}, {"C": "1"}, {"l1_ratio": -0.1}, {"l1_ratio": 1.1}, {"tol": -1e-3}, {"max_iter": -1},
            {"max_iter": 1.5}, {"solver": "newton"}, {"penalty": "l3"}, {"intercept_scaling": 0}, {"verbose": -1},
            {"class_weight": "even"}, {"class_weight": {0: 1.0, 7: 2.0}}, {"dual": "yes"}, {"warm_start": 3},
            {"fit_intercept": 2},
        ],
        ids=str,
    )  # fmt: skip
    def test_parameters_out_of_range_are_errors_of_the_same_kind(self, options, rng):
        X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
        assert outcome(PEERS["LogisticRegression"], X, y, options) is ValueError
        model = LogisticRegression().fit(X, y)
        before = vars(model.set_params(**options)).copy()
        with pytest.raises(ValueError, match=next(iter(options))):
            model.fit(X[:, :1], y)
        assert vars(model) == before

    def test_several_classes_are_not_for_liblinear(self):
        with pytest.raises(ValueError, match="does not support multiclass"):
            LogisticRegression(solver="liblinear").fit(*load_iris(return_X_y=True))


class TestClassWeights:
    def test_a_name_that_is_no_class_is_taken_where_all_classes_are_named(self, rng):
        X, y = rng.normal(size=(60, 2)), np.array(["a", "b"])[np.arange(60) % 2]
        weighted = LogisticRegression(class_weight={"a": 2.0, "b": 0.5, "c": 9.0}).fit(X, y)
        same(weighted.coef_, LogisticRegression(class_weight={"a": 2.0, "b": 0.5}).fit(X, y).coef_)
        with pytest.raises(ValueError, match=r"names \['c'\], which is no class, and has no weight for \['b'\]"):
            LogisticRegression(class_weight={"a": 2.0, "c": 9.0}).fit(X, y)

    @pytest.mark.parametrize("K", [2, 3])
    def test_a_class_without_weight_is_not_predicted(self, K, rng):
        X, y = rng.normal(size=(90, 2)), np.arange(90) % K
        for model in (
            LogisticRegression(class_weight={K - 1: 0.0}).fit(X, y),
            LogisticRegression().fit(X, y, sample_weight=(y < K - 1).astype(float)),
        ):
            assert model.classes_.tolist() == list(range(K))
            assert model.predict_proba(X)[:, K - 1].max() < 0.01
            assert K - 1 not in model.predict(X)
            assert model.class_prior_[K - 1] == 0.0
            assert np.isfinite(model.predict_proba(X, class_prior="uniform")).all()


class TestDtypes:
    @pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.int32, np.float16, bool])
    @pytest.mark.parametrize("solver", SOLVERS)
    @pytest.mark.parametrize("rows", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
    def test_weights_and_predictions_have_scikit_learn_s(self, rows, solver, kind, rng):
        if rows is sparse.csr_array and kind is np.float16:
            pytest.skip("SciPy has no sparse float16")
        if solver == "lbfgs" and kind is np.float32 and not has("scikit-learn", "1.9"):
            pytest.skip("since scikit-learn 1.9, weights by lbfgs have the rows' precision")
        X, y = rows((4 * rng.normal(size=(50, 3))).astype(kind)), np.arange(50) % 2
        ours, theirs = LogisticRegression(solver=solver).fit(X, y), PEERS["LogisticRegression"](solver=solver)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.fit(X, y)
        for name in ("coef_", "intercept_", "n_iter_"):
            assert getattr(ours, name).dtype == getattr(theirs, name).dtype, name
        for name in ("decision_function", "predict_proba", "predict_log_proba"):
            for later in (X, X.astype(np.float64)):
                assert getattr(ours, name)(later).dtype == getattr(theirs, name)(later).dtype, name

    def test_float32_rows_give_float64_s_weights(self, rng):
        X, y = three_classes()
        single, double = (LogisticRegression(tol=1e-8).fit(X.astype(kind), y) for kind in (np.float32, np.float64))
        same(single.coef_, double.coef_, 1e-5)
        assert single.predict_proba(X.astype(np.float32)).dtype == np.float32


class TestStarts:
    @pytest.mark.parametrize("solver", SOLVERS)
    def test_no_step_is_the_model_before_the_first(self, solver):
        X, y = load_iris(return_X_y=True)
        with pytest.warns(ConvergenceWarning, match="after 0 steps"):
            model = LogisticRegression(solver=solver, max_iter=0).fit(X, y == 2)
        assert model.n_iter_.tolist() == [0]
        np.testing.assert_array_equal(model.coef_, np.zeros((1, 4)))
        np.testing.assert_array_equal(model.predict_proba(X), np.full((150, 2), 0.5))

    def test_a_warm_start_goes_on_from_weights_that_were_set(self):
        X, y = three_classes()
        best = LogisticRegression(tol=1e-9, max_iter=1000).fit(X, y)
        model = LogisticRegression(max_iter=0, warm_start=True)
        with pytest.warns(ConvergenceWarning):
            model.fit(X, y)
        model.coef_, model.intercept_ = best.coef_, best.intercept_
        model.fit(X, y)
        np.testing.assert_array_equal(model.coef_, best.coef_)
        assert model.n_iter_[0] == 0

    def test_a_warm_start_from_sparse_weights(self):
        X, y = three_classes()
        model = LogisticRegression(warm_start=True, l1_ratio=1, C=0.1, solver="saga", tol=1e-6, max_iter=1000)
        found = clone(model).fit(X, y).coef_
        same(model.fit(X, y).sparsify().fit(X, y).coef_, found, 1e-3)


class TestByHand:
    def test_weights_that_are_set_are_used(self):
        X, y = two_classes()
        model = LogisticRegression().fit(X, y)
        model.coef_[:], model.intercept_[:] = 0.0, 0.0
        np.testing.assert_array_equal(model.decision_function(X), np.zeros(len(X)))

    @pytest.mark.parametrize("K", [2, 3])
    def test_a_model_is_made_of_weights_and_classes(self, K):
        X, y = (two_classes, three_classes)[K - 2]()
        fitted = LogisticRegression().fit(X, y)
        made = LogisticRegression()
        made.coef_, made.intercept_, made.classes_ = fitted.coef_, fitted.intercept_, fitted.classes_
        for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
            np.testing.assert_array_equal(getattr(made, name)(X), getattr(fitted, name)(X))
        np.testing.assert_array_equal(made.predict(sparse.csr_array(X)), fitted.predict(X))

    def test_sparse_weights_predict_save_and_turn_back(self, tmp_path):
        X, y = three_classes()
        model = LogisticRegression(l1_ratio=1, C=0.1, solver="saga").fit(X, y)
        dense, expected = model.coef_, model.predict_proba(X)
        assert sparse.issparse(model.sparsify().coef_)
        assert model.coef_.nnz == np.count_nonzero(dense)
        np.testing.assert_array_equal(model.predict_proba(X), expected)
        model.save(tmp_path / "sparse.parzen")
        again = parzen.load(tmp_path / "sparse.parzen")
        same(again.decision_function(sparse.coo_array(X)), model.decision_function(X))
        np.testing.assert_array_equal(again.densify().coef_, dense)


class TestCallbacks:
    class Notes:
        """Notes each call of scikit-learn's hooks."""

        def __init__(self):
            self.calls, self.models = [], []

        def setup(self, estimator, context):
            self.calls.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.calls.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            self.calls.append(f"end {context.task_name}")
            if context.task_name != "fit":
                self.models.append(fitted_estimator)

        def teardown(self, estimator, context):
            self.calls.append("teardown")

    @pytest.mark.parametrize("options", [{}, {"solver": "saga", "l1_ratio": 1, "C": 0.1}], ids=str)
    def test_each_step_is_told_with_the_model_as_it_is_then(self, options):
        pytest.importorskip("sklearn.callback")
        X, y = three_classes()
        notes = self.Notes()
        model = LogisticRegression(**options).set_callbacks(notes).fit(X, y)
        steps = int(model.n_iter_[0])
        assert notes.calls[:2] == ["setup", "begin fit"]
        assert notes.calls[-2:] == ["end fit", "teardown"]
        assert sum(call.startswith("begin") for call in notes.calls) == 1 + steps + 1
        assert notes.models[-1] is None
        np.testing.assert_array_equal(notes.models[-2].coef_, model.coef_)
        assert notes.models[0].predict(X).shape == y.shape
        scores = [one.score(X, y) for one in notes.models[:-1]]
        assert scores[-1] >= scores[0]
        with pytest.warns(ConvergenceWarning):
            after_two = LogisticRegression(**options, max_iter=2).fit(X, y)
        np.testing.assert_array_equal(notes.models[1].coef_, after_two.coef_)
        assert not [name for name in vars(model) if name.startswith("_callback")]

    def test_what_was_begun_is_ended_when_a_fit_fails(self, rng):
        pytest.importorskip("sklearn.callback")

        class Failing(self.Notes):
            def on_fit_task_begin(self, estimator, context):
                raise RuntimeError("stop here")

        notes = Failing()
        with pytest.raises(RuntimeError, match="stop here"):
            LogisticRegression().set_callbacks(notes).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)
        assert notes.calls == ["setup", "teardown"]


@one_penalty
def test_it_is_a_linear_model_to_scikit_learn():
    assert LogisticRegression().get_params().keys() >= sklearn.linear_model.LogisticRegression().get_params().keys()
    defaults = sklearn.linear_model.LogisticRegression().get_params()
    assert {name: value for name, value in LogisticRegression().get_params().items() if name in defaults} == defaults
