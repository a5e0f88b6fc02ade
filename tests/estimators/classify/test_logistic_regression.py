"""Logistic regression against scikit-learn, statsmodels and published numbers; separation and convergence."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from parzen import (
    LogisticRegression,
)
from tests.estimators.classify.peers import PEERS, same
from tests.versions import has


class TestLogisticRegression:
    OPTIONS = (
        {}, {"C": 0.1}, {"C": 100.0}, {"class_weight": "balanced"}, {"class_weight": {0: 2.0, 1: 0.5}},
        {"fit_intercept": False},
    )  # fmt: skip

    @pytest.mark.parametrize("options", OPTIONS, ids=str)
    @pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_the_optimum_is_scikit_learn_s(self, options, load, weighted, rng):
        if weighted and "balanced" in options.values() and not has("scikit-learn", "1.7"):
            pytest.skip("since scikit-learn 1.7, classes are balanced by the sums of weights, not by counts")
        X, y = load(return_X_y=True)
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        w = rng.random(len(y)) if weighted else None
        theirs = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10, max_iter=1000, **options)
        ours = LogisticRegression(tol=1e-9, max_iter=2000, **options)
        ours.fit(X, y, w), theirs.fit(X, y, w)
        for name in ("coef_", "intercept_"):
            same(getattr(ours, name), getattr(theirs, name), 1e-5)
        same(ours.predict_proba(X), theirs.predict_proba(X), 1e-5)
        same(ours.decision_function(X), theirs.decision_function(X), 1e-4)

    def test_raw_columns_of_any_unit(self):
        X, y = load_breast_cancer(return_X_y=True)
        theirs = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10).fit(X, y)
        ours = LogisticRegression(tol=1e-9, max_iter=1000).fit(X, y)
        same(ours.coef_, theirs.coef_, 1e-5)
        assert ours.n_iter_[0] < 200

    def test_heart_disease_as_in_the_elements_of_statistical_learning(self, lines):
        header, *rows = lines("saheart.csv.gz")
        table = pd.DataFrame(rows, columns=header).astype(float)
        columns = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]
        model = LogisticRegression(C=np.inf, tol=1e-8).fit(table[columns], table.chd.astype(int))
        found = np.append(model.intercept_, model.coef_[0])
        np.testing.assert_allclose(found, [-4.130, 0.006, 0.080, 0.185, 0.939, -0.035, 0.001, 0.043], atol=6e-4)

    def test_no_penalty_is_statsmodels_maximum_likelihood(self, rng):
        X = rng.normal(size=(300, 3))
        y = (rng.random(300) < 1 / (1 + np.exp(-X @ [1, -2, 0.5] - 0.3))).astype(int)
        peer = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
        for model in (
            LogisticRegression(C=np.inf, tol=1e-9),
            LogisticRegression(C=np.inf, l1_ratio=1, solver="saga", tol=1e-9),
        ):
            model.fit(X, y)
            same(np.append(model.intercept_, model.coef_[0]), peer.params, 1e-5)
            assert -model.objective_ == pytest.approx(peer.llf)
        many = rng.integers(0, 3, 300)
        peer = sm.MNLogit(many, sm.add_constant(X)).fit(disp=0)
        model = LogisticRegression(C=np.inf, tol=1e-9, max_iter=500).fit(X, many)
        found = np.column_stack([model.intercept_, model.coef_])
        same((found[1:] - found[0]).T, peer.params, 1e-5)

    def test_degree_two_is_linear_in_squares_and_products(self, rng):
        X = rng.normal(size=(400, 2))
        y = (X[:, 0] ** 2 + X[:, 0] * X[:, 1] + rng.normal(size=400) > 1).astype(int)
        ours = LogisticRegression(degree=2, tol=1e-9, max_iter=1000).fit(X, y)
        terms = np.column_stack([X, X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2])
        theirs = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10).fit(terms, y)
        same(ours.coef_, theirs.coef_, 1e-5)
        assert ours.terms_ == ["x0", "x1", "x0^2", "x0 x1", "x1^2"]
        assert ours.score(X, y) > LogisticRegression().fit(X, y).score(X, y) + 0.1

    @pytest.mark.parametrize("offset", [1e4, 1e8])
    def test_an_offset_costs_no_steps(self, offset, rng):
        X = np.round(rng.normal(size=(500, 3)) * 4096) / 4096
        y = (X @ [1, 2, -1] + rng.logistic(size=500) > 0).astype(int)
        near = LogisticRegression(tol=1e-8).fit(X, y)
        far = LogisticRegression(tol=1e-8).fit(X + offset, y)
        same(far.coef_, near.coef_, 1e-5)

    @given(st.integers(0, 2**31), st.integers(2, 5), st.integers(1, 6))
    def test_the_objective_is_never_above_the_peer_s(self, seed, K, d):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, d)) * rng.exponential(size=d) * 10
        y = np.arange(60) % K
        ours = LogisticRegression(tol=1e-7, max_iter=2000).fit(X, y)
        theirs = PEERS["LogisticRegression"](max_iter=2000).fit(X, y)
        logs = theirs.predict_log_proba(X)
        peer = -logs[np.arange(60), y].sum() + 0.5 * (theirs.coef_**2).sum()
        assert ours.objective_ <= peer + 1e-6

    def test_separable_classes_get_a_warning_with_the_remedy(self, rng):
        X = rng.normal(size=(60, 2)) + 6 * (np.arange(60) % 2)[:, None]
        with pytest.warns(ConvergenceWarning, match="can be separated.*Use a penalty"):
            LogisticRegression(C=np.inf).fit(X, np.arange(60) % 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LogisticRegression().fit(X, np.arange(60) % 2)

    def test_too_few_steps_warn_and_a_warm_start_continues(self):
        X, y = load_wine(return_X_y=True)
        model = LogisticRegression(max_iter=3, warm_start=True)
        with pytest.warns(ConvergenceWarning, match="failed to converge after 3 steps"):
            first = model.fit(X, y).objective_
        model.max_iter = 500
        assert model.fit(X, y).objective_ < first
        steps = model.n_iter_[0]
        assert model.fit(X, y).n_iter_[0] < steps

    def test_collinear_and_constant_columns(self, rng):
        X = rng.normal(size=(200, 2))
        X = np.column_stack([X, X[:, 0] + X[:, 1], np.full(200, 5.0)])
        y = (X[:, 0] + rng.logistic(size=200) > 0).astype(int)
        theirs = PEERS["LogisticRegression"](solver="newton-cholesky", tol=1e-10).fit(X, y)
        ours = LogisticRegression(tol=1e-9, max_iter=1000).fit(X, y)
        same(ours.coef_, theirs.coef_, 1e-5)

    def test_progress_can_be_seen(self, capsys):
        X, y = load_iris(return_X_y=True)
        LogisticRegression(verbose=1).fit(X, y)
        assert "step 1: objective" in capsys.readouterr().out

    def test_products_of_float32_columns_are_taken_in_float64(self, rng):
        X = (rng.normal(size=(300, 2)) + np.array([50, 30])).astype(np.float32)
        y = (X[:, 0] * X[:, 1] + 40 * rng.normal(size=300) > 1500).astype(int)
        models = [LogisticRegression(degree=2, tol=1e-8, max_iter=2000).fit(rows, y) for rows in (X, X.astype(float))]
        np.testing.assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X.astype(float)), atol=1e-7)

    @pytest.mark.parametrize("kind", ["complete", "quasi", "one class of three", "none", "none, far"])
    def test_separation_of_every_degree(self, kind, rng):
        X = np.sort(rng.normal(size=(100, 1)), axis=0)
        y = (X[:, 0] > 0).astype(int)
        if kind == "quasi":
            X = np.concatenate([-np.abs(X[:49]), [[0.0], [0.0]], np.abs(X[51:])])  # both classes at the border
            y[:51], y[51:], y[49] = 0, 1, 1
        elif kind == "one class of three":
            y = np.where(X[:, 0] > 1, 2, rng.integers(0, 2, 100))
        elif kind.startswith("none"):
            y = (X[:, 0] + rng.logistic(size=100) > 0).astype(int)
            X[0], y[0] = (-60.0 if kind.endswith("far") else X[0]), 0
        model = LogisticRegression(C=np.inf, max_iter=1000)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        said = [str(one.message) for one in caught if issubclass(one.category, ConvergenceWarning)]
        assert bool(said) == (not kind.startswith("none"))
        assert all("Use a penalty" in text for text in said)


def test_weights_of_many_decades_warn_of_coefficients_that_light_rows_decide(rng):
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    with pytest.warns(ConvergenceWarning, match="eight orders of magnitude"):
        LogisticRegression().fit(X, y, sample_weight=10.0 ** rng.uniform(-6, 6, 200))
    LogisticRegression().fit(X, y, sample_weight=10.0 ** rng.uniform(-2, 2, 200))


@pytest.mark.filterwarnings("ignore:sample_weight differs")
@pytest.mark.parametrize("seed", [2, 3, 8, 9])
def test_weights_of_many_decades_do_not_stop_it_early(seed):
    """Rows with most of the weight are fitted well long before the optimum, which the others decide on."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y, w = X[:, 0] + rng.logistic(size=40) > 0, 10.0 ** rng.uniform(-6, 6, 40)
    found = LogisticRegression().fit(X, y, sample_weight=w)
    A, sign = np.column_stack([X, np.ones(40)]), np.where(y, 1.0, -1.0)
    penalised = np.diag([1.0, 1.0, 0.0])

    def objective(b):
        return (w * np.logaddexp(0.0, -sign * (A @ b))).sum() + 0.5 * b @ penalised @ b

    best = np.append(found.coef_[0], found.intercept_)
    reached = objective(best)
    for _ in range(100):  # Newton's method, with halved steps
        p = 1.0 / (1.0 + np.exp(sign * (A @ best)))
        slope = penalised @ best - A.T @ (w * sign * p)
        step = np.linalg.solve((A.T * (w * p * (1 - p))) @ A + penalised, slope)
        while objective(best - step) > objective(best) and abs(step).max() > 1e-14:
            step = step / 2
        best = best - step
    assert found.objective_ == pytest.approx(reached, rel=1e-9)
    assert reached - objective(best) <= 1e-4 * objective(best)
