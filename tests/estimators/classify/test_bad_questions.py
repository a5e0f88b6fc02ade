"""Questions that a classifier cannot answer are refused in the user's words."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from parzen import (
    BayesClassifier,
    BernoulliNB,
    CategoricalNB,
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


class TestBadQuestions:
    @pytest.fixture
    def model(self):
        X, y = load_iris(return_X_y=True)
        return GaussianNB().fit(X, np.array(["a", "b", "c"])[y])

    @pytest.mark.parametrize(
        ("priors", "message"),
        [
            ([0.5, 0.5], "must match number of classes"),
            ([0.5, 0.6, 0.1], "must sum to 1"),
            ([1.5, -0.5, 0.0], "not negative"),
            ([np.nan, 0.5, 0.5], "finite"),
            ([np.inf, 0.5, 0.5], "finite"),
            ({"a": 0.5, "b": 0.5}, "name each"),
            ("equal", "'uniform'"),
        ],
    )
    def test_priors(self, model, priors, message):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(ValueError, match=message):
            model.predict_proba(X, class_prior=priors)
        for one in (
            GaussianNB(priors=priors),
            BayesClassifier(class_prior=priors),
            GaussianDiscriminant(class_prior=priors),
        ):
            with pytest.raises(ValueError, match=message):
                one.fit(X, np.array(["a", "b", "c"])[y])

    def test_an_unknown_class_in_a_later_batch(self, model):
        X, _ = load_iris(return_X_y=True)
        before = model.predict_proba(X)
        with pytest.raises(ValueError, match=r"\['d'\].*not exist in the initial classes.*classes="):
            model.partial_fit(X[:2], ["a", "d"])
        with pytest.raises(ValueError, match="not the same as on last call"):
            model.partial_fit(X[:2], ["a", "b"], classes=["a", "b"])
        np.testing.assert_array_equal(model.predict_proba(X), before)
        with pytest.raises(ValueError, match="classes must be passed"):
            GaussianNB().partial_fit(X[:2], ["a", "b"])

    def test_other_questions(self, model):
        X, _ = load_iris(return_X_y=True)
        for wrong, message in (
            (lambda: model.sample(0), "n_samples"),
            (lambda: model.sample(2, label="z"), "no class 'z'"),
            (lambda: model.decision_boundary("a", "z"), "no class 'z'"),
            (lambda: model.predict(X[:, :2]), "2 features"),
            (lambda: model.merge(GaussianNB(var_smoothing=1.0).fit(X, X[:, 0] > 5)), "know the classes"),
            (lambda: model.explain(X, label="z"), "no class 'z'"),
            (lambda: model.predict(np.where(X > 7, np.inf, X)), "infin"),
        ):
            with pytest.raises(ValueError, match=message):
                wrong()

    @pytest.mark.parametrize(
        ("model", "message"),
        [
            (GaussianNB(var_smoothing=-1), "var_smoothing"),
            (MultinomialNB(alpha=-1), "alpha"),
            (MultinomialNB(alpha=[1, 2]), "n_features"),
            (MultinomialNB(alpha=[1, 0, 1, 1]), "above 0 in every column"),
            (CategoricalNB(min_categories="a"), "min_categories"),
            (LinearDiscriminantAnalysis(solver="qr"), "solver"),
            (LinearDiscriminantAnalysis(n_components=9), "n_components"),
            (LinearDiscriminantAnalysis("lsqr", shrinkage=2), "shrinkage"),
            (QuadraticDiscriminantAnalysis(reg_param=2), "reg_param"),
            (LogisticRegression(C=-1), "C must"),
            (LogisticRegression(penalty="l3"), "penalty"),
            (LogisticRegression(l1_ratio=1.5), "l1_ratio"),
            (LogisticRegression(degree=3), "degree"),
            (LogisticRegression(class_weight="equal"), "class_weight"),
            (BayesClassifier("gaussian"), "family must be"),
            (NaiveBayes("all"), "columns must be"),
            (GaussianDiscriminant("round"), "covariance_type must be"),
        ],
    )
    def test_parameters(self, model, message):
        X, y = load_iris(return_X_y=True)
        with pytest.raises((ValueError, TypeError), match=message):
            model.fit(np.round(X), y)

    def test_missing_cells_where_they_are_refused(self):
        X, y = load_iris(return_X_y=True)
        whole = X.copy()
        X[0, 0] = np.nan
        for model in (
            BayesClassifier(missing="error"),
            NaiveBayes(missing="error"),
            GaussianDiscriminant(missing="error"),
        ):
            assert not model.__sklearn_tags__().input_tags.allow_nan
            with pytest.raises(ValueError, match="contains NaN: column 0 is missing in row 0"):
                model.fit(X, y)
            with pytest.raises(ValueError, match="contains NaN"):
                model.fit(whole, y).predict(X)
        with pytest.raises(ValueError, match="NaN"):
            LogisticRegression().fit(sparse.csr_array(X), y)
        with pytest.raises(ValueError, match="NaN"):
            LinearDiscriminantAnalysis("lsqr", shrinkage="auto").fit(X, y)
        with pytest.raises(ValueError, match="NaN"):
            MultinomialNB().fit(sparse.csr_array(X), y)
        with pytest.raises(NotImplementedError, match="shrinkage"):
            LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m, X: m.decision_boundary("se"), "two different classes"),
        (lambda m, X: m.decision_boundary("se", "se"), "two different classes"),
        (lambda m, X: m.sample(3, label=["se", "ve"]), "one class, or 3 of them"),
        (lambda m, X: m.explain(X, label=["se", "ve"]), "there is no class"),
        (lambda m, X: m.explain(X, names=["a"]), "names must be 4"),
        (lambda m, X: m.partial_fit(X[:2], ["se", "ve"], classes="abc"), "list of all classes"),
        (lambda m, X: m.partial_fit(X[:2], ["se", "ve"], classes=[0]), "not the same as on last call"),
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
        (lambda m, X: m.predict(X, class_prior=["a", "b", "c"]), "must be numbers of shape"),
        (lambda m, X: LogisticRegression(class_weight={True: -1}).fit(X, X[:, 0] > 5), "class_weight"),
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


def test_a_sparse_matrix_with_a_broken_pointer_is_refused():
    X = sparse.csr_matrix(np.eye(4))
    X.indptr[2] = 100
    for model in (BernoulliNB(), MultinomialNB(), LogisticRegression()):
        with pytest.raises(ValueError, match=r"sound|indptr|index"):
            model.fit(X, [0, 1, 0, 1])
    good = BernoulliNB().fit(sparse.csr_matrix(np.eye(4)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="sound"):
        good.predict(X)
