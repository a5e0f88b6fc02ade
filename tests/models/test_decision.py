"""Decisions, calibration, scores and prior shift: theory, the peers, and laws."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, log_expit, logit
from sklearn import calibration as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
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
    estimate_class_priors,
    expected_cost,
    risk_coverage,
    score_probabilities,
)
from parzen.decisions.calibration import METHODS, VennAbers, calibrate, learn, log_odds, temperature


class TestDecision:
    def test_the_loss_gives_the_threshold(self, rng):
        for _ in range(50):
            loss = rng.random((2, 2)) + 1 - np.eye(2)
            decision = Decision(loss)
            t = decision.threshold()
            gain, pain = loss[1, 0] - loss[0, 0], loss[0, 1] - loss[1, 1]
            assert t == pytest.approx(gain / (gain + pain))
            p = rng.random(200)
            np.testing.assert_array_equal(decision.act(p), (p > t).astype(int))

    def test_abstaining_has_two_thresholds(self):
        decision = Decision("zero_one", abstain=0.2, abstention="ask")
        np.testing.assert_allclose(decision.threshold(), [0.2, 0.8])
        assert decision.act([0.1, 0.5, 0.9]).tolist() == [0, "ask", 1]
        assert Decision([[0, 1], [5, 0]]).threshold() == pytest.approx(5 / 6)
        assert Decision([[0, 0], [1, 1]]).threshold() == np.inf  # the first action, whatever comes
        assert Decision([[1, 1], [0, 0]]).threshold() == -np.inf

    @given(st.integers(0, 10_000))
    def test_no_action_loses_less(self, seed):
        rng = np.random.default_rng(seed)
        A, K = rng.integers(1, 6), rng.integers(2, 6)
        decision, P = Decision(rng.normal(size=(A, K))), rng.dirichlet(np.ones(K), 40)
        risk = decision.risk(P)
        np.testing.assert_allclose(risk, P @ decision.matrix(K).T)
        taken = decision.act(P)
        codes = {name: k for k, name in enumerate(decision.named_actions(K).tolist())}
        chosen = np.array([codes[one] for one in taken.tolist()])
        np.testing.assert_allclose(risk[np.arange(40), chosen], risk.min(axis=1))

    def test_losses_by_name(self, rng):
        classes = [1.0, 2.0, 5.0, 9.0]
        P = rng.dirichlet(np.ones(4), 30)
        grid = np.linspace(0, 10, 4001)
        off = np.asarray(classes) - grid[:, None]
        costs = {
            "squared": off**2,
            "absolute": np.abs(off),
            "quantile": np.where(off > 0, 0.8 * off, -0.2 * off),
        }
        for name, cost in costs.items():
            decision = Decision(name, classes=classes, level=0.8)
            best = P @ cost.T
            np.testing.assert_allclose(decision.risk(P), best.min(axis=1), atol=5e-3)
            own = np.array([np.interp(a, grid, row) for a, row in zip(decision.act(P), best, strict=True)])
            np.testing.assert_allclose(own, best.min(axis=1), atol=5e-3)
        np.testing.assert_array_equal(Decision("log").act(P), P)
        np.testing.assert_allclose(Decision("log").risk(P), -(P * np.log(P)).sum(axis=1))

    def test_every_row_may_have_its_loss(self, rng):
        P, loss = rng.dirichlet(np.ones(3), 20), rng.random((20, 2, 3))
        decision = Decision(np.zeros((2, 3)), actions=["a", "b"])
        found = decision.act(P, loss)
        for i in range(20):
            assert found[i] == ["a", "b"][int((loss[i] @ P[i]).argmin())]

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: Decision(np.eye(2), classes=["a", "b", "c"]).act(np.full((1, 3), 1 / 3)), "one column per class"),
            (lambda: Decision([[0, np.nan]]), "finite"),
            (lambda: Decision([0, 1]), "two dimensions"),
            (lambda: Decision("x"), "zero_one"),
            (lambda: Decision(abstain=-1), "abstain"),
            (lambda: Decision("squared", abstain=1), "abstain"),
            (lambda: Decision().act([[0.5, 0.6]]), "sum to 1"),
            (lambda: Decision().act([[1.5, -0.5]]), "sum to 1"),
            (lambda: Decision().act([[np.nan, 1.0]]), "sum to 1"),
            (lambda: Decision(actions=["a"]).act([[0.5, 0.5]]), "actions"),
            (lambda: Decision(classes=["a"]).act([[0.5, 0.5]]), "classes"),
            (lambda: Decision("squared", classes=["a", "b"]).act([[0.5, 0.5]]), "numbers"),
            (lambda: Decision("squared").threshold(), "threshold"),
            (lambda: Decision("quantile", level=1.0), "level"),
            (lambda: Decision().act([[0.5, 0.5]], np.ones((1, 2, 3))), "rows, actions, classes"),
        ],
    )
    def test_bad_input_is_told(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()


def overconfident(rng, n=4000, factor=4.0):
    """Log-odds that say several times as much as they know."""
    truth = rng.normal(0, 1.5, n)
    return factor * truth + 0.5, rng.random(n) < expit(truth)


class TestCalibration:
    @pytest.mark.parametrize("method", METHODS)
    def test_repairs_what_says_too_much(self, method, rng):
        z, y = overconfident(rng)
        fresh, label = overconfident(rng, 20_000)
        before = score_probabilities(label.astype(int), expit(fresh)).calibration_error().expected
        after = score_probabilities(label.astype(int), learn(method, z, y)(fresh)).calibration_error().expected
        assert before > 0.1
        assert after < 0.035

    def test_sigmoid_is_scikit_learn_s(self, rng):
        z, y = overconfident(rng)
        w = rng.random(len(z))
        for weight in (None, w):
            ours = learn("sigmoid", z, y, weight)
            a, b = theirs._sigmoid_calibration(z, y.astype(int), sample_weight=weight)
            assert ours.a == pytest.approx(-a, rel=1e-3)
            assert ours.b == pytest.approx(-b, abs=1e-3)

    def test_isotonic_is_scikit_learn_s(self, rng):
        z, y = overconfident(rng)
        w = rng.random(len(z))
        peer = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(z, y, sample_weight=w)
        fresh = rng.normal(0, 8, 500)
        np.testing.assert_allclose(learn("isotonic", z, y, w)(fresh), peer.predict(fresh), atol=1e-12)

    def test_temperature_is_scikit_learn_s(self, rng):
        logits = rng.normal(size=(3000, 4)) * 3
        y = (logits / 3 + rng.gumbel(size=logits.shape)).argmax(axis=1)
        T = temperature(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)), y)
        if hasattr(theirs, "_TemperatureScaling"):
            assert pytest.approx(theirs._TemperatureScaling().fit(logits, y).beta_, rel=1e-5) == 1 / T
        assert pytest.approx(3, rel=0.1) == T

    def test_a_temperature_does_change_something(self, rng):  # peers' 5.13
        z, y = overconfident(rng)
        logs = np.column_stack([log_expit(-z), log_expit(z)])
        assert abs(temperature(logs, y.astype(int)) - 1) > 1

    @pytest.mark.parametrize("method", ["sigmoid", "temperature", "beta", "isotonic"])
    def test_keeps_the_ranking(self, method, rng):
        z, y = overconfident(rng)
        p = learn(method, z, y)(np.sort(z))
        assert (np.diff(p) >= -1e-12).all()

    def test_tells_certainties_apart(self, rng):
        """Posteriors of 1 - 1e-30 and of 1 - 1e-20 are the same number, and different log-odds."""
        z = np.concatenate([rng.normal(60, 3, 500), rng.normal(90, 3, 500)])
        y = rng.random(1000) < np.repeat([0.6, 0.95], 500)
        assert expit(z).min() == 1.0
        for method in ("sigmoid", "isotonic", "beta", "histogram", "venn_abers"):
            p = learn(method, z, y)(np.array([60.0, 90.0]))
            np.testing.assert_allclose(p, [0.6, 0.95], atol=0.12)

    def test_venn_abers_holds_both_labels(self, rng):
        z, y = overconfident(rng, 300)
        found = learn("venn_abers", z, y)
        assert isinstance(found, VennAbers)
        for at in (-3.0, 0.1, z[7]):
            ends = found.interval(np.array([at]))
            for label, end in zip((0.0, 1.0), ends, strict=True):
                peer = IsotonicRegression(out_of_bounds="clip").fit(np.append(z, at), np.append(y, label))
                assert end[0] == pytest.approx(peer.predict([at])[0], abs=1e-12)
            assert ends[0][0] <= found(np.array([at]))[0] <= ends[1][0]

    def test_beta_is_the_identity_on_what_is_calibrated(self, rng):
        z = rng.normal(0, 2, 50_000)
        found = learn("beta", z, rng.random(50_000) < expit(z))
        np.testing.assert_allclose([found.a, found.b, found.c], [1, 1, 0], atol=0.06)

    @pytest.mark.parametrize("method", METHODS)
    def test_weights_are_repetitions(self, method, rng):
        z, y = overconfident(rng, 400)
        w = rng.integers(0, 4, 400)
        weighted = learn(method, z[w > 0], y[w > 0], w[w > 0].astype(float))
        repeated = learn(method, np.repeat(z, w), np.repeat(y, w))
        fresh = np.linspace(-8, 8, 50)
        np.testing.assert_allclose(weighted(fresh), repeated(fresh), atol=1e-5)

    def test_several_classes_sum_to_one(self, rng):
        logits = rng.normal(size=(600, 3)) * 4
        y = (logits / 4 + rng.gumbel(size=logits.shape)).argmax(axis=1)
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        for method in METHODS:
            P = calibrate(method, logs, y)(logs)
            np.testing.assert_allclose(P.sum(axis=1), 1)
            assert score_probabilities(y, P).mean_log_loss < score_probabilities(y, np.exp(logs)).mean_log_loss

    def test_one_class_is_refused(self):
        with pytest.raises(ValueError, match="both classes"):
            learn("sigmoid", np.zeros(5), np.ones(5, dtype=bool))

    def test_log_odds_of_several_classes(self, rng):
        P = rng.dirichlet(np.ones(4), 20)
        np.testing.assert_allclose(log_odds(np.log(P), 2), logit(P[:, 2]))


class TestScores:
    def test_are_scikit_learn_s(self, rng):
        P, y, w = rng.dirichlet(np.ones(3), 500), rng.integers(3, size=500), rng.random(500)
        found = score_probabilities(y, P, sample_weight=w)
        assert found.mean_log_loss == pytest.approx(log_loss(y, P, sample_weight=w))
        p, b = rng.random(500), rng.integers(2, size=500)
        assert score_probabilities(b, p, sample_weight=w).brier().score == pytest.approx(
            brier_score_loss(b, p, sample_weight=w)
        )

    @pytest.mark.parametrize("K", [2, 4])
    def test_add_and_decompose(self, K, rng):
        P = rng.dirichlet(np.ones(K), 900)
        y = (rng.random((900, 1)) > np.cumsum(P, axis=1)).sum(axis=1)
        whole, parts = (
            score_probabilities(y, P),
            sum(score_probabilities(y[i::3], P[i::3], classes=range(K)) for i in range(3)),
        )
        for name in ("log_loss", "squares", "bins", "said", "came"):
            np.testing.assert_allclose(getattr(parts, name), getattr(whole, name))
        b = whole.brier()
        assert b.score == pytest.approx(b.reliability - b.resolution + b.uncertainty + b.within)
        assert b.reliability < 0.02
        assert b.resolution > 0
        assert abs(b.within) < 0.01

    def test_the_calibration_error_is_debiased(self, rng):
        """Calibrated probabilities have a gap by chance; debiased, less of one, and the interval holds zero's side."""
        errors = []
        for _ in range(60):
            p = rng.random(300)
            errors.append(score_probabilities((rng.random(300) < p).astype(int), p).calibration_error())
        assert np.mean([e.expected for e in errors]) > 2 * np.mean([e.debiased for e in errors])
        assert all(e.low <= e.expected and e.maximum >= e.expected for e in errors)
        z, y = overconfident(rng, 20_000)
        far = score_probabilities(y.astype(int), expit(z)).calibration_error()
        assert far.low < far.debiased < far.high
        assert far.low > 0.15

    def test_expected_cost(self, rng):
        decision = Decision(rng.random((3, 2)), actions=["a", "b", "c"], classes=[0, 1])
        y, actions = rng.integers(2, size=200), rng.choice(["a", "b", "c"], 200)
        costs = decision.matrix(2)[["abc".index(a) for a in actions], y]
        assert expected_cost(y, actions, decision) == pytest.approx(costs.mean())
        with pytest.raises(ValueError, match="none of"):
            expected_cost([0], ["z"], decision)
        with pytest.raises(ValueError, match="classes"):
            expected_cost([0], [0], Decision())

    def test_risk_and_coverage(self, rng):
        z, y = overconfident(rng, 5000)
        P = np.column_stack([expit(-z), expit(z)])
        curve = risk_coverage(y.astype(int), P)
        assert curve.risk[-1] == pytest.approx(((z > 0) != y).mean())
        assert curve.risk[len(curve.risk) // 4] < curve.risk[-1]
        assert curve.coverage[-1] == 1
        assert 0 < curve.area < curve.risk[-1]
        parts = sum(risk_coverage(y[i::3].astype(int), P[i::3]) for i in range(3))
        np.testing.assert_allclose(parts.risk, curve.risk)
        order = np.argsort(-np.abs(z))
        wrong = ((z > 0) != y)[order]
        half = np.searchsorted(curve.coverage, 0.5)
        exact = wrong[: int(curve.coverage[half] * 5000)].mean()
        assert curve.risk[half] == pytest.approx(exact, abs=1e-3)

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: score_probabilities([0, 1], [[0.5, 0.5]]), "one for each row"),
            (lambda: score_probabilities([0, 2], [[0.5, 0.5]] * 2, classes=[0, 1]), "none of the classes"),
            (lambda: score_probabilities([0, 1], np.full((2, 3), 1 / 3)), "3 columns"),
            (lambda: score_probabilities([0, 1], [0.1, 0.9], sample_weight=[-1, 1]), "sample_weight"),
            (lambda: score_probabilities([0, 1], [0.1, 0.9]).reliability(of="x"), "one of the classes"),
        ],
    )
    def test_bad_input_is_told(self, call, message):
        with pytest.raises(ValueError, match=message):
            call()


class TestShift:
    def test_new_shares_are_bayes_rule(self, rng):
        x = rng.normal(size=100)
        likelihood = np.column_stack([np.exp(-0.5 * x**2), np.exp(-0.5 * (x - 1) ** 2)])

        def posterior(share):
            joint = likelihood * share
            return joint / joint.sum(axis=1, keepdims=True)

        np.testing.assert_allclose(
            adjust_class_priors(posterior([0.5, 0.5]), [0.5, 0.5], [0.9, 0.1]), posterior([0.9, 0.1])
        )

    def test_unlabelled_rows_tell_their_shares(self, rng):
        X, y = make_classification(6000, class_sep=1.5, random_state=0)
        model = GaussianNB().fit(X[:3000], y[:3000])
        model = DecisionClassifier(model, calibration="sigmoid", cv="prefit").fit(X[:3000], y[:3000])
        kept = np.concatenate([np.flatnonzero(y[3000:] == 0)[:200], np.flatnonzero(y[3000:] == 1)]) + 3000
        truth = np.bincount(y[kept]) / len(kept)
        found = estimate_class_priors(model.predict_proba(X[kept]), model.class_prior_)
        np.testing.assert_allclose(found, truth, atol=0.03)
        shifted = clone(model).set_params(estimator=model.estimator_, class_prior="estimate").fit(X[:3000], y[:3000])
        assert shifted.score(X[kept], y[kept]) >= model.score(X[kept], y[kept])

    def test_bad_shares_are_told(self):
        with pytest.raises(ValueError, match="2 shares"):
            adjust_class_priors([[0.5, 0.5]], [1.0], [0.5, 0.5])
        with pytest.raises(ValueError, match="above 0"):
            estimate_class_priors([[0.5, 0.5]], [0.0, 1.0])


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        DecisionClassifier(),
        DecisionClassifier(calibration="sigmoid", cv=3),
        DecisionClassifier(LogisticRegression(), calibration="temperature", cv=3),
    ]
)
def test_scikit_learn_is_content(estimator, check):
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
            ({"class_prior": [1.0]}, "shares"),
            ({"calibration": "sigmoid", "cv": 200}, "fewer folds"),
        ],
    )
    def test_bad_input_is_told(self, options, message):
        X, y = load_breast_cancer(return_X_y=True)
        with pytest.raises(ValueError, match=message):
            DecisionClassifier(**options).fit(X[:200], y[:200]).predict(X)
        with pytest.raises(ValueError, match=r"two classes|1 class"):
            DecisionClassifier().fit(X[:20], np.zeros(20))


class TestReviewed:
    """What a reviewer found, and must not come back."""

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("inner", [RandomForestClassifier(30, random_state=0), KNeighborsClassifier()])
    def test_certainties_of_forests_and_neighbours_are_no_ruin(self, method, inner):
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

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("scale", [1e-4, 1e4])
    def test_scores_may_have_any_scale(self, method, scale, rng):
        truth = rng.normal(0, 1.5, 3000)
        y = (rng.random(3000) < expit(truth)).astype(int)
        near, far = ([log_expit(-z), log_expit(z)] for z in (truth, truth * scale))
        p, q = (calibrate(method, np.column_stack(logs), y)(np.column_stack(logs)) for logs in (near, far))
        tolerance = 0.05 if method == "beta" else 1e-3  # beta's two slopes are one where log-odds are small
        np.testing.assert_allclose(p, q, atol=tolerance)

    def test_labels_that_a_fitted_classifier_does_not_know(self):
        X, y = load_iris(return_X_y=True)
        inner = GaussianNB().fit(X[y != 1], y[y != 1])
        with pytest.raises(ValueError, match="does not know"):
            DecisionClassifier(inner, calibration="sigmoid", cv="prefit").fit(X, y)
        with pytest.raises(TypeError, match="classifier"):
            DecisionClassifier(LinearRegression().fit(X, y), cv="prefit").fit(X, y)

    def test_shares_are_those_that_the_probabilities_speak_of(self):
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

    def test_the_interval_holds_the_truth(self, rng):
        inside = 0
        for _ in range(200):
            p = rng.random(1000)
            error = score_probabilities((rng.random(1000) < p).astype(int), p).calibration_error()
            inside += error.low == 0
            assert error.low <= error.expected <= error.high
        assert inside >= 0.9 * 200

    def test_the_overconfident_are_told_apart(self, rng):
        z, y = overconfident(rng, 4000, factor=30.0)
        P = np.column_stack([expit(-z), expit(z)])
        curve = risk_coverage(y.astype(int), P)
        order = np.argsort(-np.abs(z), kind="stable")
        exact = np.cumsum(((z > 0) != y)[order]) / np.arange(1, 4001)
        assert curve.coverage[0] < 0.2
        for share in (0.3, 0.6, 0.9):
            at = np.searchsorted(curve.coverage, share)
            assert curve.risk[at] == pytest.approx(exact[int(curve.coverage[at] * 4000) - 1], abs=0.01)

    def test_weights_have_no_unit(self, rng):
        z, y = overconfident(rng, 1000)
        plain = score_probabilities(y.astype(int), expit(z)).calibration_error()
        for scale in (1e-3, 1e3):
            scaled = score_probabilities(
                y.astype(int), expit(z), sample_weight=np.full(1000, scale)
            ).calibration_error()
            np.testing.assert_allclose(scaled, plain, rtol=1e-9)

    def test_one_class_is_no_set_to_calibrate_by(self):
        X, y = load_breast_cancer(return_X_y=True)
        inner = GaussianNB().fit(X, y)
        for method in METHODS:
            with pytest.raises(ValueError, match="both classes"):
                DecisionClassifier(inner, calibration=method, cv="prefit").fit(X[y == 1], y[y == 1])

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

    def test_names_of_actions(self):
        with pytest.raises(ValueError, match="different names"):
            Decision(abstain=0.2, classes=[-1, 1], abstention=-1).act([0.1])
        mixed = Decision([[0, 1], [1, 0], [0.3, 0.3]], actions=[0, 1, "ask"])
        assert mixed.act([0.1, 0.5]).tolist() == [0, "ask"]
        assert expected_cost([0, 1], [0, "abstain"], Decision(abstain=0.3, classes=[0, 1])) == pytest.approx(0.15)
        with pytest.raises(ValueError, match="order of the classes"):
            Decision([[1, 0], [0, 1]]).threshold()

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


class TestPictures:
    def test_are_drawn(self, rng):
        pytest.importorskip("matplotlib").use("Agg")
        from parzen.displays import CostConfusionDisplay, CostCurveDisplay, ReliabilityDisplay, RiskCoverageDisplay

        X, y = load_breast_cancer(return_X_y=True)
        model = GaussianNB().fit(X, y)
        assert ReliabilityDisplay.from_estimator(model, X, y).ax_ is not None
        curve = CostCurveDisplay.from_estimator(model, X, y, [[0, 1], [10, 0]])
        P = model.predict_proba(X)
        for t in (0.2, 0.7):
            taken = (P[:, 1] > t).astype(int)
            at = np.searchsorted(curve.thresholds, t, side="right") - 1
            decision = Decision([[0, 1], [10, 0]], classes=[0, 1])
            assert curve.cost[at] == pytest.approx(expected_cost(y, taken, decision))
        assert RiskCoverageDisplay.from_estimator(model, X, y).curve.coverage[-1] == 1
        display = CostConfusionDisplay.from_predictions(
            y, model.predict(X), Decision([[0, 1], [10, 0]], classes=[0, 1])
        )
        assert display.total == pytest.approx(expected_cost(y, model.predict(X), decision))
        with pytest.raises(ValueError, match="two classes"):
            CostCurveDisplay.from_predictions([0, 1, 2], np.eye(3), np.eye(3))
