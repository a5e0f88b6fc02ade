"""LogisticRegressionCV beside scikit-learn's, a grid search, and fits of the folds by hand."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer, log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold
from sklearn.preprocessing import scale

import parzen
from parzen import LogisticRegression, LogisticRegressionCV
from tests.estimators.classify.peers import PEERS, same
from tests.estimators.classify.test_logistic_drop_in import SOLVERS, outcome
from tests.versions import has, legacy_attributes, since, warnings_of_penalties

NEW = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}


def table(K):
    X, y = (load_breast_cancer if K == 2 else load_wine)(return_X_y=True)
    return scale(X)[:: 2 if K == 2 else 1, :5], y[:: 2 if K == 2 else 1]


GRID = {
    "penalty": ("deprecated", "l1", "l2", "elasticnet"),
    "l1_ratios": ("warn", None, (0,), (1,), (0.5, 1)),
    "scoring": ("warn", "accuracy"),
}


class TestBesideScikitLearn:
    @legacy_attributes
    @pytest.mark.parametrize("legacy", [False, True])
    @pytest.mark.parametrize("refit", [True, False])
    @pytest.mark.parametrize("ratios", [None, (0,)], ids=["no axis", "l2"])
    @pytest.mark.parametrize("K", [2, 3])
    def test_every_attribute_is_the_same(self, K, ratios, refit, legacy):
        if ratios and not refit and not legacy and not has("scikit-learn", "1.9"):
            pytest.skip("since scikit-learn 1.9, its own takes these options")
        X, y = table(K)
        names = np.array(["a", "b", "c"])[y]
        options = {
            "Cs": [0.01, 0.3, 10.0], "l1_ratios": ratios, "refit": refit, "use_legacy_attributes": legacy, "cv": 3,
            "scoring": "neg_log_loss", "tol": 1e-9, "solver": "newton-cholesky",
        }  # fmt: skip
        ours, theirs = LogisticRegressionCV(**options), PEERS["LogisticRegressionCV"](**options)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "'l1_ratios=None' was deprecated")
            ours.fit(X, names), theirs.fit(X, names)
        for name in ("coef_", "intercept_", "Cs_", "C_", "scores_", "coefs_paths_"):
            mine, other = getattr(ours, name), getattr(theirs, name)
            assert type(mine) is type(other), name
            if isinstance(mine, dict):
                assert list(mine) == list(other)
                mine, other = list(mine.values()), list(other.values())
            assert np.shape(mine) == np.shape(other), name
            same(mine, other, 1e-4)
        assert ours.n_iter_.shape == theirs.n_iter_.shape
        assert np.shape(ours.l1_ratio_) == np.shape(theirs.l1_ratio_)
        same(ours.score(X, names), theirs.score(X, names), 1e-5)

    @legacy_attributes
    def test_elastic_nets_have_an_axis_of_their_own(self):
        X, y = table(3)
        options = {
            "Cs": [0.05, 1.0],
            "l1_ratios": [0.2, 1.0],
            "cv": 2,
            "solver": "saga",
            "max_iter": 10_000,
            "tol": 1e-8,
        }
        options |= {"scoring": "neg_log_loss", "use_legacy_attributes": True}
        ours = LogisticRegressionCV(**options).fit(X, y)
        theirs = PEERS["LogisticRegressionCV"](**options, random_state=0).fit(X, y)
        for label in range(3):
            same(ours.scores_[label], theirs.scores_[label], 1e-4)
            same(ours.coefs_paths_[label][..., :-1], theirs.coefs_paths_[label][..., :-1], 1e-3)
        assert ours.l1_ratio_.tolist() == theirs.l1_ratio_.tolist()
        assert ours.C_.tolist() == theirs.C_.tolist()
        assert ours.n_iter_.shape == (1, 2, 2, 2)

    @warnings_of_penalties
    @pytest.mark.parametrize("solver", SOLVERS)
    def test_combinations_are_refused_or_warned_of_as_by_scikit_learn(self, solver, rng):
        X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
        for values in itertools.product(*GRID.values()):
            options = dict(zip(GRID, values, strict=True)) | {"max_iter": 1, "solver": solver, "Cs": 1, "cv": 2}
            options["use_legacy_attributes"] = "warn" if options["scoring"] == "warn" else False
            expected = outcome(PEERS["LogisticRegressionCV"], X, y, options)
            assert outcome(LogisticRegressionCV, X, y, options) == expected, options

    @pytest.mark.parametrize(
        "options",
        [
            {"Cs": 0}, {"Cs": "ten"}, {"Cs": [1.0, -1.0]}, {"l1_ratios": [0.5, 2.0]}, {"refit": "no"}, {"cv": 1},
            {"scoring": "best"}, {"class_weight": {7: 1.0}}, {"use_legacy_attributes": 3}, {"penalty": "none"},
        ],
        ids=str,
    )  # fmt: skip
    def test_parameters_out_of_range(self, options, rng):
        X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
        with pytest.raises(ValueError, match="|".join(options) if "cv" not in options else "fold|split"):
            LogisticRegressionCV(**(NEW | {"solver": "saga"} | options)).fit(X, y)

    @warnings_of_penalties
    def test_parameters_and_defaults_are_scikit_learn_s(self):
        defaults = PEERS["LogisticRegressionCV"]().get_params()
        assert {k: v for k, v in LogisticRegressionCV().get_params().items() if k in defaults} == defaults


def test_it_chooses_what_a_grid_search_chooses():
    X, y = table(3)
    Cs = [0.01, 0.1, 1.0, 10.0]
    chosen = LogisticRegressionCV(Cs=Cs, cv=4, tol=1e-7, **NEW).fit(X, y)
    searched = GridSearchCV(LogisticRegression(tol=1e-7), {"C": Cs}, cv=4, scoring="neg_log_loss").fit(X, y)
    assert searched.best_params_ == {"C": chosen.C_}
    same(chosen.scores_[:, 0].mean(axis=0), searched.cv_results_["mean_test_score"], 1e-5)
    same(chosen.coef_, searched.best_estimator_.coef_, 1e-3)


def test_a_fold_fills_missing_cells_and_standardises_by_its_own_rows(rng):
    X = pd.DataFrame({"age": 40 + 10 * rng.normal(size=120), "town": np.tile(["a", "b", "c"], 40)})
    y = (X.age + 10 * (X.town == "b") + 10 * rng.logistic(size=120) > 40).astype(int)
    X.loc[::5, "age"] = np.nan
    options = {"standardise": True, "tol": 1e-9}
    model = LogisticRegressionCV(Cs=[0.5], cv=KFold(3), **options, **NEW).fit(X, y)
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        alone = LogisticRegression(C=0.5, **options).fit(X.iloc[train], y.iloc[train])
        same(model.coefs_paths_[fold, 0, 0], np.column_stack([alone.coef_, alone.intercept_]), 1e-5)
        same(model.scores_[fold, 0, 0], -log_loss(y.iloc[test], alone.predict_proba(X.iloc[test])), 1e-5)
    whole = LogisticRegression(C=0.5, **options).fit(X, y)
    same(model.coef_, whole.coef_, 1e-5)
    assert model.terms_ == whole.terms_ == ["age", "age missing", "town = a", "town = b", "town = c"]


def test_quadratic_terms_and_sparse_rows():
    X, y = table(2)
    assert LogisticRegressionCV(Cs=[0.1], degree=2, **NEW).fit(X, y).coef_.shape == (1, 20)
    dense, csr = (LogisticRegressionCV(Cs=2, tol=1e-8, **NEW).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    same(csr.coef_, dense.coef_, 1e-4)
    same(csr.scores_, dense.scores_, 1e-5)


@since("scikit-learn", "1.7", "the Brier score is there for several classes")
@pytest.mark.parametrize("K", [2, 3])
def test_a_fold_that_lacks_a_class_has_weights_for_it(K, rng):
    y = np.repeat(np.array(["a", "b", "c"])[:K], 10)
    model = LogisticRegressionCV(cv=KFold(K), Cs=[1e-3, 1.0], **NEW | {"scoring": "neg_brier_score"})
    model.fit(rng.normal(size=(10 * K, 2)), y)
    assert model.coefs_paths_.shape[3] == (1 if K == 2 else 3)
    assert np.isfinite(model.scores_).all()
    assert model.classes_.tolist() == ["a", "b", "c"][:K]


class TestScoring:
    def test_weights_and_groups_are_routed(self, rng):
        X, y = table(2)
        groups, w = np.arange(len(y)) % 4, rng.random(len(y)) + 0.1
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = get_scorer("accuracy").set_score_request(sample_weight=True)
            model = LogisticRegressionCV(Cs=[1.0], cv=GroupKFold(4), **NEW | {"scoring": scorer})
            model.fit(X, y, sample_weight=w, groups=groups)
            weighted = model.score(X, y, sample_weight=w)
        folds = list(GroupKFold(4).split(X, y, groups))
        for found, (train, test) in zip(model.scores_[:, 0, 0], folds, strict=True):
            alone = LogisticRegression().fit(X[train], y[train], sample_weight=w[train])
            same(found, alone.score(X[test], y[test], sample_weight=w[test]))
        same(weighted, ((model.predict(X) == y) * w).sum() / w.sum())
        with pytest.raises(ValueError, match="enable_metadata_routing"):
            model.fit(X, y, groups=groups)

    def test_accuracy_is_weighted_without_routing(self, rng):
        X, y = table(2)
        w = rng.random(len(y)) + 0.1
        model = LogisticRegressionCV(Cs=[1.0], cv=2, **NEW | {"scoring": None}).fit(X, y, sample_weight=w)
        train, test = next(iter(StratifiedKFold(2).split(X, y)))
        alone = LogisticRegression().fit(X[train], y[train], sample_weight=w[train])
        same(model.scores_[0, 0, 0], alone.score(X[test], y[test], sample_weight=w[test]))

    def test_a_scorer_sees_a_logistic_regression(self):
        def heard(model, X, y):
            seen.append((type(model), X.shape, len(y)))
            return -len(seen)

        seen = []
        X, y = table(2)
        model = LogisticRegressionCV(Cs=[1.0, 2.0], cv=2, **NEW | {"scoring": heard}).fit(X, y)
        assert len(seen) == 4
        assert {kind for kind, _, _ in seen} == {LogisticRegression}
        assert model.C_ == 1.0

    def test_a_metric_that_takes_labels_hears_of_all(self, rng):
        X, y = rng.normal(size=(30, 2)), np.repeat([0, 1, 2], 10)
        scorer = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
        model = LogisticRegressionCV(Cs=[1.0], cv=KFold(3), **NEW | {"scoring": scorer}).fit(X, y)
        assert (model.scores_ < 0).all()


def test_class_weights_are_those_of_all_rows(rng):
    X, y = table(2)
    counts = np.bincount(y)
    balanced, named = (
        LogisticRegressionCV(Cs=[0.1], cv=3, class_weight=weight, **NEW).fit(X, y)
        for weight in ("balanced", {0: len(y) / (2 * counts[0]), 1: len(y) / (2 * counts[1])})
    )
    same(balanced.coefs_paths_, named.coefs_paths_)


def test_too_few_steps_warn_once():
    X, y = table(2)
    with pytest.warns(ConvergenceWarning, match="failed to converge in 2 of 2 fits") as caught:
        LogisticRegressionCV(Cs=[1.0], cv=2, max_iter=1, refit=False, **NEW).fit(X, y)
    assert len(caught) == 1


def test_it_is_saved_and_read_back(tmp_path):
    X, y = table(3)
    model = LogisticRegressionCV(Cs=2, cv=2, **NEW | {"use_legacy_attributes": True}).fit(X, y)
    model.save(tmp_path / "cv.parzen")
    again = parzen.load(tmp_path / "cv.parzen")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.scores_[1], model.scores_[1])


def test_folds_at_once_are_the_same():
    X, y = table(2)
    one, two = (LogisticRegressionCV(Cs=2, cv=3, n_jobs=jobs, **NEW).fit(X, y) for jobs in (1, 2))
    np.testing.assert_array_equal(one.coefs_paths_, two.coefs_paths_)
