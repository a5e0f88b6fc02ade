"""The classifier that decides by a loss: conventions, calibration in folds, prefitted classifiers, and bad input."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    Decision,
    DecisionClassifier,
    GaussianNB,
    adjust_class_priors,
    cost_scorer,
    expected_cost,
    risk_coverage,
    score_probabilities,
)
from parzen.decisions.calibration import METHODS


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        DecisionClassifier(),
        DecisionClassifier(calibration="sigmoid", cv=3),
        DecisionClassifier(LogisticRegression(), calibration="temperature", cv=3),
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


class TestClassifier:
    def test_costs_less_after_calibration(self):
        X, y = load_breast_cancer(return_X_y=True)
        names = np.array(["malignant", "benign"])[y]
        loss = [[0, 10], [1, 0]]  # classes sorted: benign, malignant; to call a malignant one benign costs ten
        train, test, a, b = train_test_split(X, names, random_state=0, stratify=names)
        cost = {}
        for method in (None, "sigmoid", "isotonic", "beta"):
            model = DecisionClassifier(GaussianNB(), loss=loss, calibration=method).fit(train, a)
            cost[method] = -model.score(test, b)
            assert set(model.predict(test)) <= set(names)
        assert min(cost["sigmoid"], cost["beta"]) < cost[None]

    def test_actions_may_have_any_name(self, rng):
        X, y = load_iris(return_X_y=True)
        loss = np.concatenate([1 - np.eye(3), np.full((1, 3), 0.2)])
        model = DecisionClassifier(loss=loss, actions=["s", "c", "g", "look again"]).fit(X, y)
        assert "look again" in model.predict(X)
        np.testing.assert_allclose(model.risk(X).min(axis=1) <= 0.2 + 1e-12, True)
        ask = DecisionClassifier(abstain=0.05).fit(X, y)
        assert {0, 1, 2, "abstain"} == set(ask.predict(X).tolist())
        other = ask.decide(X, 1 - np.eye(3))
        assert other.dtype.kind == "i"
        rows = rng.random((150, 2, 3))
        assert ask.decide(X, rows, actions=["yes", "no"]).shape == (150,)

    def test_takes_theirs(self):
        X, y = load_iris(return_X_y=True)
        for inner in (LinearSVC(), make_pipeline(StandardScaler(), LogisticRegression())):
            model = DecisionClassifier(inner, calibration="sigmoid", cv=3).fit(X, y)
            assert model.score(X, y) > 0.9
            np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        model = DecisionClassifier(LinearRegression()).fit(X, y)
        with pytest.raises(TypeError, match="probabilities"):
            model.predict(X)

    def test_works_in_searches(self):
        X, y = load_breast_cancer(return_X_y=True)
        scorer = cost_scorer([[0, 1], [10, 0]])
        search = GridSearchCV(DecisionClassifier(GaussianNB()), {"calibration": [None, "sigmoid"]}, scoring=scorer).fit(
            X, y
        )
        assert search.best_params_["calibration"] == "sigmoid"
        assert (cross_val_score(GaussianNB(), X, y, scoring=scorer) <= 0).all()

    def test_a_fitted_classifier_stays(self):
        X, y = load_breast_cancer(return_X_y=True)
        inner = GaussianNB().fit(X[:300], y[:300])
        model = DecisionClassifier(inner, calibration="isotonic", cv="prefit").fit(X[300:], y[300:])
        assert model.estimator_ is inner
        frozen = DecisionClassifier(FrozenEstimator(inner), calibration="isotonic", cv=5).fit(X[300:], y[300:])
        np.testing.assert_allclose(frozen.predict_proba(X), model.predict_proba(X), atol=1e-12)

    def test_weights_reach_both(self, rng):
        X, y = load_breast_cancer(return_X_y=True)
        w = rng.integers(1, 3, len(y)).astype(float)
        folds = [(np.arange(300), np.arange(300, 569)), (np.arange(300, 569), np.arange(300))]
        weighted = DecisionClassifier(calibration="sigmoid", cv=folds).fit(X, y, sample_weight=w)
        plain = DecisionClassifier(calibration="sigmoid", cv=folds).fit(X, y)
        assert abs(weighted.predict_proba(X) - plain.predict_proba(X)).max() > 1e-4

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"calibration": "x"}, "calibration"),
            ({"loss": [[0, 1, 2]]}, "one column per class"),
            ({"loss": [[0, np.nan]]}, "finite"),
            ({"abstain": -1}, "abstain"),
            ({"class_prior": "x"}, "class_prior"),
            ({"class_prior": [1.0]}, "class_prior must be 2 class priors"),
            ({"calibration": "sigmoid", "cv": 200}, "fewer folds"),
        ],
    )
    def test_bad_input_is_named(self, options, message):
        X, y = load_breast_cancer(return_X_y=True)
        with pytest.raises(ValueError, match=message):
            DecisionClassifier(**options).fit(X[:200], y[:200]).predict(X)
        with pytest.raises(ValueError, match=r"two classes|1 class"):
            DecisionClassifier().fit(X[:20], np.zeros(20))


class TestCalibrated:
    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("inner", [RandomForestClassifier(10, random_state=0), KNeighborsClassifier()])
    def test_calibration_of_probabilities_of_0_and_1_costs_little(self, method, inner):
        X, y = make_classification(2000, 20, n_informative=5, flip_y=0.1, random_state=0)
        a, b, c, d = train_test_split(X, y, random_state=0)
        before = score_probabilities(d, clone(inner).fit(a, c).predict_proba(b)).brier().score
        after = (
            score_probabilities(d, DecisionClassifier(inner, calibration=method).fit(a, c).predict_proba(b))
            .brier()
            .score
        )
        assert after < before + 0.01

    def test_a_new_fit_forgets_the_old_calibration(self):
        X, y = load_breast_cancer(return_X_y=True)
        model = DecisionClassifier(calibration="sigmoid").fit(X, y).set_params(calibration=None).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), DecisionClassifier().fit(X, y).predict_proba(X))

    def test_labels_that_a_fitted_classifier_does_not_know(self):
        X, y = load_iris(return_X_y=True)
        inner = GaussianNB().fit(X[y != 1], y[y != 1])
        with pytest.raises(ValueError, match="does not know"):
            DecisionClassifier(inner, calibration="sigmoid", cv="prefit").fit(X, y)
        with pytest.raises(TypeError, match="classifier"):
            DecisionClassifier(LinearRegression().fit(X, y), cv="prefit").fit(X, y)

    def test_folds_that_lack_a_class_are_refused_and_others_are_not(self):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match="stratified"):
            DecisionClassifier(calibration="sigmoid", cv=KFold(3)).fit(X, y)
        few = np.concatenate([np.arange(100), np.arange(100, 104)])
        splits = KFold(10, shuffle=True, random_state=0)
        assert DecisionClassifier(calibration="sigmoid", cv=splits).fit(X[few], y[few]).score(X, y) > 0.6

    def test_pairs_of_classes_are_no_classes(self):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match="ovr"):
            DecisionClassifier(SVC(decision_function_shape="ovo"), calibration="sigmoid").fit(X, y)

    def test_one_class_is_no_set_to_calibrate_by(self):
        X, y = load_breast_cancer(return_X_y=True)
        inner = GaussianNB().fit(X, y)
        for method in METHODS:
            with pytest.raises(ValueError, match="both classes"):
                DecisionClassifier(inner, calibration=method, cv="prefit").fit(X[y == 1], y[y == 1])

    def test_class_priors_replace_those_of_the_classifier(self):
        X, y = load_breast_cancer(return_X_y=True)
        even = np.concatenate([np.flatnonzero(y == 0)[:150], np.flatnonzero(y == 1)[:150]])
        inner = GaussianNB().fit(X[even], y[even])
        model = DecisionClassifier(inner, cv="prefit", class_prior=[0.1, 0.9]).fit(X[y == 1][:50], y[y == 1][:50])
        np.testing.assert_allclose(
            model.predict_proba(X), adjust_class_priors(inner.predict_proba(X), [0.5, 0.5], [0.1, 0.9])
        )
        heavy = LogisticRegression(class_weight={0: 1, 1: 50}, max_iter=5000)
        scaled = StandardScaler().fit_transform(X)[:, :3]
        share = np.bincount(y) / len(y)
        undone = DecisionClassifier(heavy, class_prior=share).fit(scaled, y).predict_proba(scaled)
        raw = DecisionClassifier(heavy).fit(scaled, y).predict_proba(scaled)
        assert abs(undone[:, 1].mean() - share[1]) < 0.5 * abs(raw[:, 1].mean() - share[1])


class TestActions:
    def test_bad_weights_are_refused_everywhere(self):
        X, y = load_breast_cancer(return_X_y=True)
        decision = Decision(classes=[0, 1])
        with pytest.raises(ValueError, match=r"[Nn]egative"):
            DecisionClassifier(calibration="sigmoid").fit(X, y, sample_weight=-np.ones(len(y)))
        for w in ([-1, 2], [np.nan, 1], [0, 0], [1], [1, 1, 1]):
            with pytest.raises(ValueError, match="sample_weight"):
                expected_cost([0, 1], [1, 1], decision, w)
            with pytest.raises(ValueError, match="sample_weight"):
                risk_coverage([0, 1], [[0.5, 0.5], [0.2, 0.8]], decision, w)

    def test_losses_of_numbers_have_scores(self):
        X, y = load_iris(return_X_y=True)
        for loss in ("squared", "absolute", "quantile", "log"):
            model = DecisionClassifier(loss=loss, level=0.7).fit(X, y)
            assert -1 < model.score(X, y) <= 0
            assert np.isfinite(cross_val_score(model, X, y)).all()
        with pytest.raises(ValueError, match="numbers"):
            DecisionClassifier(loss="squared").fit(X, np.array(["a", "b", "c"])[y])

    def test_a_scorer_can_be_kept(self):
        X, y = load_breast_cancer(return_X_y=True)
        search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, scoring=cost_scorer([[0, 1], [9, 0]])).fit(
            X, y
        )
        assert pickle.loads(pickle.dumps(search)).best_params_ == search.best_params_

    @pytest.mark.parametrize("dtype", [np.int8, np.float32, object])
    def test_actions_keep_the_type_of_the_classes(self, dtype):
        X, y = load_iris(return_X_y=True)
        names = np.array(["a", "b", "c"], dtype=object) if dtype is object else np.arange(3, dtype=dtype)
        assert DecisionClassifier().fit(X, names[y]).predict(X).dtype == dtype

    def test_logs_are_the_classifier_s_own(self):
        X, y = load_breast_cancer(return_X_y=True)
        inner = GaussianNB().fit(X, y)
        ours = DecisionClassifier().fit(X, y).predict_log_proba(X)
        np.testing.assert_allclose(ours, inner.predict_log_proba(X), atol=1e-12)

    def test_losses_of_rows_beside_abstaining(self, rng):
        X, y = load_iris(return_X_y=True)
        model = DecisionClassifier().fit(X, y)
        assert "abstain" in model.decide(X, rng.random((150, 2, 3)), actions=["x", "y"], abstain=0.1).tolist()
        with pytest.raises(ValueError, match="NaN"):
            Decision(np.zeros((2, 2))).act([[0.5, 0.5]], np.full((1, 2, 2), np.nan))
        with pytest.raises(ValueError, match="matrix"):
            Decision("squared").risk([[0.5, 0.5]], np.ones((1, 2, 2)))
