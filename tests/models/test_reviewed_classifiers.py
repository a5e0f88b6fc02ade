"""What reviewers of the classifiers broke, so that it stays mended."""

import decimal
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.discriminant_analysis
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from parzen import (
    BayesClassifier,
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    Multinomial,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    QuadraticDiscriminantAnalysis,
    compare_learning,
)


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["se", "ve", "vi"])[y]


class TestNumbers:
    @pytest.mark.parametrize("far", [1e2, 1e4, 1e6, 1e7])
    def test_linear_models_keep_their_digits_far_from_the_data(self, iris, far):
        X, y = iris
        model = LinearDiscriminantAnalysis().fit(X, y)
        weights = model.as_linear()
        along = np.linalg.svd(weights.coef - weights.coef.mean(axis=0))[2][-1]  # the odds don't change along it
        rows = X[70:90] + far * along
        tolerance = max(1e-10, 5e-16 * far)  # scores of 1e7 are rounded to 1e-9
        np.testing.assert_allclose(model.predict_proba(rows), weights.predict_proba(rows), rtol=0, atol=tolerance)
        np.testing.assert_allclose(model.predict_proba(rows), model.predict_proba(X[70:90]), atol=1e-13 * far)

    def test_a_column_constant_at_fitting_says_nothing_later(self, rng):
        y = np.repeat([0, 1, 2], 20)
        X = rng.normal(size=(60, 2)) + np.eye(3, 2)[y]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearDiscriminantAnalysis().fit(np.column_stack([X, np.full(60, 3.0)]), y)
        expected = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)
        for value in (3.0, 4.0, 1000.0):
            np.testing.assert_allclose(
                model.predict_proba(np.column_stack([X, np.full(60, value)])), expected, atol=1e-8
            )

    @pytest.mark.parametrize("q", [1e6, 1e8, 1e9, 1e12])
    def test_log_posteriors_of_far_rows_sum_to_one(self, q):
        model = GaussianNB(var_smoothing=0.1).fit([[-1.0, 0], [1, 0], [-1, 1], [1, 1]], [0, 0, 1, 1])
        np.testing.assert_allclose(model.predict_log_proba([[q, 0.5]]), np.log([[0.5, 0.5]]))
        counts = MultinomialNB().fit([[3, 1, 1], [1, 3, 1]], [0, 1])
        np.testing.assert_allclose(counts.predict_log_proba([[1e15, 1e15, 1]]), np.log([[0.5, 0.5]]))

    def test_classes_far_apart_and_outliers_leave_sound_covariances_alone(self, rng):
        X = np.concatenate([rng.normal(size=(20, 1)), rng.normal(size=(20, 1)) + 1e7])
        y = np.repeat([0, 1], 20)
        theirs = sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
        ours = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
        np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-6)
        np.testing.assert_allclose(
            GaussianNB(var_smoothing=0).fit(X, y).var_[:, 0], np.ravel(theirs.covariance_), rtol=1e-6
        )
        X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
        X[0, 0] = 3e7
        ours = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
        for k in (1, 2):
            np.testing.assert_allclose(ours.covariance_[k], np.cov(X[y == k].T, bias=True), rtol=1e-9)

    def test_float32_is_compared_with_a_threshold_as_float32(self):
        X, y = np.array([[0.1, 0.3], [0.2, 0], [0.05, 0.1], [0, 0.4]], np.float32), [0, 0, 1, 1]
        for rows in (X, sparse.csr_array(X)):
            np.testing.assert_array_equal(BernoulliNB(binarize=0.1).fit(rows, y).feature_count_, [[1, 1], [0, 1]])

    def test_covariances_of_given_priors_and_shares_of_directions(self):
        rng = np.random.default_rng(0)
        y = np.repeat([0, 1], [12, 14])
        X = rng.normal(size=(26, 2)) @ rng.normal(size=(2, 2)) * [1, 20]
        for options in ({"priors": [0.5, 0.5], "store_covariance": True}, {"solver": "eigen", "shrinkage": "auto"}):
            ours = LinearDiscriminantAnalysis(**options).fit(X, y)
            theirs = sklearn.discriminant_analysis.LinearDiscriminantAnalysis(**options).fit(X, y)
            np.testing.assert_allclose(ours.covariance_, theirs.covariance_)
            np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)

    def test_directions_given_are_as_many_as_there_are_names(self):
        X = np.random.default_rng(0).normal(size=(50, 3))
        y = np.arange(50) % 3
        X[:, 0] = y  # constant within each class
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearDiscriminantAnalysis().fit(X, y)
        assert model.transform(X).shape[1] == len(model.get_feature_names_out())

    def test_certainty_is_no_finite_weight(self):
        model = BernoulliNB(alpha=0).fit([[1, 0], [1, 1], [0, 1], [1, 1]], [0, 0, 1, 1])
        with pytest.raises(ValueError, match="smooth it"):
            model.as_linear()

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
        model = LogisticRegression(penalty=None, max_iter=1000)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        said = [str(one.message) for one in caught if issubclass(one.category, ConvergenceWarning)]
        assert bool(said) == (not kind.startswith("none"))
        assert all("Use a penalty" in text for text in said)

    def test_a_sparse_matrix_with_a_broken_pointer_is_refused(self):
        X = sparse.csr_matrix(np.eye(4))
        X.indptr[2] = 100
        for model in (BernoulliNB(), MultinomialNB(), LogisticRegression()):
            with pytest.raises(ValueError, match=r"sound|indptr|index"):
                model.fit(X, [0, 1, 0, 1])
        good = BernoulliNB().fit(sparse.csr_matrix(np.eye(4)), [0, 1, 0, 1])
        with pytest.raises(ValueError, match="sound"):
            good.predict(X)


class TestTables:
    def test_a_value_that_training_lacked_does_not_silence_the_row(self):
        table = pd.DataFrame({"children": [0, 1, 0, 1, 0, 0], "n": [0, 1, 2, 3, 1, 2], "city": list("ppqqpq")})
        model = NaiveBayes().fit(table, list("aabbab"))
        new = pd.DataFrame({"children": [2, 0, 0], "n": [1, 1.5, -1], "city": ["p"] * 3})
        assert (model.predict(new) == "a").all()
        assert np.isfinite(model.explain(new).contributions).all()
        unknown = model.predict_proba(new.assign(n=None))[1:]
        np.testing.assert_allclose(model.predict_proba(new)[1:], unknown)

    def test_columns_that_depend_on_each_other_speak_together(self, rng):
        X = rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], size=200)
        X[100:] += [1, -1]
        y = np.repeat(["a", "b"], 100)
        model = NaiveBayes({(0, 1): Gaussian()}).fit(X, y)
        explanation = model.explain(X[:5], "b", "a")
        logs = model.predict_log_proba(X[:5])
        np.testing.assert_allclose(explanation.total, logs[:, 1] - logs[:, 0])
        words = NaiveBayes({(0, 1): Multinomial(estimate="mean")}).fit(np.abs(X).round(), y)
        assert words.explain(np.abs(X[:5]).round()).contributions.shape == (5, 2)

    def test_what_a_complement_says_is_what_it_does(self, iris):
        X, y = np.floor(iris[0]), iris[1]
        for norm in (False, True):
            model = ComplementNB(norm=norm).fit(X, y)
            np.testing.assert_allclose(model.as_linear().predict_proba(X), model.predict_proba(X), atol=1e-10)
            logs = model.predict_log_proba(X)
            np.testing.assert_allclose(model.decision_boundary("ve", "vi")(X), logs[:, 2] - logs[:, 1], atol=1e-9)

    def test_a_list_of_labels_with_a_nan(self, iris):
        X, y = iris
        labels = [float("nan") if label == "vi" else label for label in y]
        assert BayesClassifier(Gaussian("diag")).fit(X, labels).classes_.tolist() == ["se", "ve"]
        with pytest.raises(ValueError, match="without a label"):
            LogisticRegression().fit(X, labels)
        masked = np.ma.masked_array(np.arange(150) % 3, mask=np.arange(150) < 5)
        assert GaussianNB().fit(X, masked).class_count_.sum() == pytest.approx(150)

    def test_priors_in_a_series_are_by_name(self, iris):
        X, y = iris
        shares = pd.Series({"vi": 0.5, "se": 0.2, "ve": 0.3})
        assert GaussianNB(priors=shares).fit(X, y).class_prior_.tolist() == [0.2, 0.3, 0.5]
        expected = GaussianNB(priors=[0.2, 0.3, 0.5]).fit(X, y).predict_proba(X)
        np.testing.assert_array_equal(GaussianNB().fit(X, y).predict_proba(X, class_prior=shares), expected)
        assert GaussianNB(priors=pd.Series([0.2, 0.3, 0.5])).fit(X, y).class_prior_.tolist() == [0.2, 0.3, 0.5]
        with pytest.raises(ValueError, match="indexed by"):
            GaussianNB(priors=pd.Series({"x": 0.5, "se": 0.2, "ve": 0.3})).fit(X, y)

    def test_explanations_of_nullable_cells_lists_and_odd_names(self):
        table = pd.DataFrame({"i": pd.array([1, 2, None, 40], dtype="Int64"), "label": list("pqpq")})
        explanation = NaiveBayes().fit(table, list("abab")).explain(table)
        assert "i missing" in explanation.text(2)
        assert explanation.text(-1) == explanation.text(3)
        assert list(explanation.table()) == ["(label)", "against", "prior", "i", "label", "total"]
        rows = [["red", "x"], ["blue", "y"], ["red", None]]
        model = CategoricalNB().fit(rows, ["s", "g", "s"])
        assert "0 = red" in str(model.explain([["red", "y"]]))
        words = MultinomialNB().fit(sparse.csr_array([[1, 2], [3, 0]]), [0, 1])
        assert "prize = 2" in words.explain(sparse.csr_array([[1, 2]]), names=["call", "prize"]).text()

    def test_pictures_of_infinite_odds(self):
        import matplotlib

        matplotlib.use("Agg")
        model = CategoricalNB(alpha=0).fit([[0], [1]], ["a", "b"])
        explanation = model.explain([[0]])
        explanation.plot(-1).figure.canvas.draw()
        assert "+inf" in explanation.text()
        alone = GaussianNB().partial_fit([[0.0], [1.0]], ["se", "se"], classes=["se", "ve"])
        assert alone.explain([[0.0]]).against.tolist() == ["ve"]

    def test_decimals_are_numbers(self, iris):
        X, y = iris
        prices = [decimal.Decimal(f"{value:.1f}") for value in X[:, 2]]
        expected = NaiveBayes().fit(pd.DataFrame({"p": X[:, 2]}), y).predict_proba(pd.DataFrame({"p": X[:, 2]}))
        for table in (pd.DataFrame({"p": prices}), pl.DataFrame({"p": prices})):
            np.testing.assert_allclose(NaiveBayes().fit(table, y).predict_proba(table), expected, rtol=1e-9)

    def test_columns_called_by_numbers_are_named_by_them(self):
        table = pd.DataFrame({10: [0.5, 3, 1, 9, 2, 8], 0: [5, 5, 6, 7, 8, 2]})
        blocks = NaiveBayes({0: Poisson()}).fit(table, list("ababab")).family_.blocks
        assert {key: type(family).__name__ for key, family in blocks.items()} == {(0,): "Gaussian", (1,): "Poisson"}
        with pytest.raises(ValueError, match="one family each"):
            NaiveBayes({0: Gaussian(), -2: Poisson()}).fit(table.to_numpy(), list("ababab"))

    def test_a_column_without_a_value_says_nothing(self):
        table = pd.DataFrame({"a": [None] * 6, "b": [1.5, 2, 3, 4, 5, 6], "c": pd.Categorical([None] * 6)})
        model = NaiveBayes().fit(table, list("ababab"))
        later = pd.DataFrame({"a": ["x"], "b": [2.0], "c": ["q"]})
        expected = NaiveBayes().fit(table[["b"]], list("ababab")).predict_proba(later[["b"]])
        np.testing.assert_allclose(model.predict_proba(later), expected)
        other = pl.DataFrame({"a": [None] * 6, "b": [1.5, 2, 3, 4, 5, 6]})
        assert np.isfinite(NaiveBayes().fit(other, list("ababab")).predict_proba(other)).all()

    def test_boundaries_and_softmax_compare_names(self, iris):
        X, y = iris
        table = pd.DataFrame(X, columns=list("abcd"))
        model = LinearDiscriminantAnalysis().fit(table, y)
        with pytest.raises(ValueError, match="in this order"):
            model.as_linear().predict(table[list("dcba")])
        with pytest.raises(ValueError, match="in this order"):
            model.decision_boundary("se", "ve")(table[list("dcba")])
        assert "'a'" in str(model.decision_boundary("se", "ve"))


class TestState:
    def test_parameters_set_after_fitting_wait_for_the_next(self, iris):
        X, y = iris
        for model, change in (
            (LogisticRegression(), {"degree": 2}),
            (GaussianNB(), {"var_smoothing": "x"}),
            (BayesClassifier(), {"family": "oops"}),
            (LinearDiscriminantAnalysis(), {"solver": "eigen", "n_components": 9}),
        ):
            model.fit(X, y)
            before = model.predict_proba(X)
            extra = model.transform(X) if hasattr(model, "transform") else getattr(model, "epsilon_", 0.0)
            model.set_params(**change)
            np.testing.assert_array_equal(model.predict_proba(X), before)
            after = model.transform(X) if hasattr(model, "transform") else getattr(model, "epsilon_", 0.0)
            np.testing.assert_array_equal(after, extra)

    def test_what_was_found_by_iteration_does_not_add(self, iris):
        X, y = iris
        model = GaussianNB().fit(X, np.where(np.arange(150) % 2 == 0, y, None))
        with pytest.raises(ValueError, match="don't add"):
            model.partial_fit(X, y)

    def test_shards_with_other_priors_or_of_another_kind_do_not_merge(self, iris):
        X, y = iris
        with pytest.raises(ValueError, match="different priors"):
            GaussianNB().fit(X, y).merge(GaussianNB(priors="uniform").fit(X, y))
        with pytest.raises(TypeError, match="only a GaussianNB"):
            GaussianNB().fit(X, y).merge(LogisticRegression().fit(X, y))

    def test_a_family_for_each_class_needs_rows_of_each(self, iris):
        X, y = iris
        model = BayesClassifier(dict.fromkeys(["se", "ve", "vi"], Gaussian()))
        with pytest.raises(ValueError, match=r"classes \['vi'\] have no rows yet"):
            model.partial_fit(X[:100], y[:100], classes=["se", "ve", "vi"])

    def test_warnings_name_the_classes(self):
        with pytest.warns(UserWarning, match=r"classes \['p', 'q'\] is singular"):
            GaussianDiscriminant().fit([[0.0, 1], [0, 1], [2, 3], [4, 1]], ["p", "p", "q", "q"])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m, X: m.decision_boundary("se"), "two different classes"),
        (lambda m, X: m.decision_boundary("se", "se"), "two different classes"),
        (lambda m, X: m.sample(3, label=["se", "ve"]), "one class, or 3 of them"),
        (lambda m, X: m.explain(X, label=["se", "ve"]), "there is no class"),
        (lambda m, X: m.explain(X, names=["a"]), "names must be 4"),
        (lambda m, X: m.partial_fit(X[:2], ["se", "ve"], classes="abc"), "list of all classes"),
        (lambda m, X: m.partial_fit(X[:2], ["se", "ve"], classes=[0]), "at least two"),
        (
            lambda m, X: GaussianDiscriminant(unlabelled=-1).partial_fit(X[:3], [0, 1, -1], classes=[0, 1]),
            "lacks some labels",
        ),
        (lambda m, X: BayesClassifier(Gaussian).fit(X, X[:, 0] > 5), r"give an instance: Gaussian\(\)"),
        (lambda m, X: NaiveBayes().fit(pd.DataFrame(index=range(150)), X[:, 0] > 5), "no columns"),
        (lambda m, X: CategoricalNB(min_categories=[1, 2]).fit(np.floor(X), X[:, 0] > 5), "one for each column"),
        (lambda m, X: BernoulliNB(binarize="x").fit(X, X[:, 0] > 5), "binarize must be"),
        (lambda m, X: MultinomialNB(alpha=[]).fit(X, X[:, 0] > 5), "alpha must be"),
        (lambda m, X: LinearDiscriminantAnalysis(n_components=1.5).fit(X, np.arange(150) % 3), "n_components"),
        (lambda m, X: m.predict(X, class_prior=["a", "b", "c"]), "priors must be numbers"),
        (lambda m, X: LogisticRegression(class_weight={True: 0}).fit(X, X[:, 0] > 5), "class_weight"),
        (lambda m, X: LinearDiscriminantAnalysis().fit(X, X[:, 0] > 5).transform(np.where(X > 7, np.inf, X)), "infin"),
        (lambda m, X: m.explain(np.where(X > 7, np.inf, X)), "infin"),
        (lambda m, X: compare_learning(m, m, X, np.zeros(100)), "150 rows"),
        (lambda m, X: compare_learning(m, m, X, [None, *([0, 1, 2] * 49), 0, 1]), "lacks some labels"),
        (lambda m, X: compare_learning(m, m, X, np.arange(150) % 2, sizes=50), "sizes must be a list"),
        (lambda m, X: compare_learning(m, m, X, np.arange(150) % 2, names=("a",)), "names must be two"),
    ],
)
def test_questions_are_answered_in_the_user_s_words(iris, ask, message):
    X, y = iris
    with pytest.raises((ValueError, TypeError), match=message):
        ask(GaussianNB().fit(X, y), X)
