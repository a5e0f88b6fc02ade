"""Classifiers at the door: scikit-learn's conventions, tables of every kind, and bad input that changes nothing."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    BayesClassifier,
    BernoulliNB,
    Categorical,
    CategoricalNB,
    ComplementNB,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    NaiveBayes,
    Poisson,
    QuadraticDiscriminantAnalysis,
)

MODELS = [
    BayesClassifier(),
    BayesClassifier(Gaussian("diag"), missing="error"),
    NaiveBayes(),
    GaussianDiscriminant(),
    GaussianDiscriminant("diag"),
    GaussianDiscriminant("spherical", shared=True),
    GaussianNB(),
    BernoulliNB(),
    MultinomialNB(),
    ComplementNB(),
    CategoricalNB(),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    LogisticRegression(),
    LogisticRegression(degree=2),
]


@pytest.mark.filterwarnings("ignore::parzen.FloorWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_tags_say_who_takes_missing_cells():
    for model in MODELS:
        tags = model.__sklearn_tags__()
        refuses = isinstance(model, LogisticRegression) or getattr(model, "missing", "allow") == "error"
        assert tags.input_tags.allow_nan == (not refuses)
        assert tags.estimator_type == "classifier"


def mixed(n=200, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.choice(["no", "yes"], n)
    on = label == "yes"
    table = pd.DataFrame(
        {
            "age": rng.normal(40 + 10 * on, 8),
            "city": np.where(rng.random(n) < 0.3 + 0.4 * on, "Oslo", rng.choice(["Lund", "Graz"], n)),
            "visits": rng.poisson(1 + 2 * on),
            "member": rng.random(n) < 0.2 + 0.5 * on,
            "grade": pd.Categorical(rng.choice(["a", "b", "c"], n), categories=["a", "b", "c", "d"]),
        }
    )
    return table, label


def holes(table, seed=1):
    rng = np.random.default_rng(seed)
    return table.astype({"visits": "Int64", "member": "boolean"}).mask(rng.random(table.shape) < 0.2)


class TestTables:
    def test_kinds_choose_families(self):
        X, y = mixed()
        blocks = NaiveBayes().fit(X, y).family_.blocks
        kinds = {X.columns[j]: type(family).__name__ for key, family in blocks.items() for j in key}
        assert kinds == {
            "age": "Gaussian", "city": "Categorical", "visits": "Poisson", "member": "Bernoulli",
            "grade": "Categorical",
        }  # fmt: skip

    def test_pandas_polars_and_objects_agree(self):
        X, y = mixed()
        expected = NaiveBayes().fit(X, y).predict_proba(X)
        other = pl.DataFrame({name: X[name].to_list() for name in X}).with_columns(
            pl.col("grade").cast(pl.Enum(list("abcd")))
        )
        np.testing.assert_allclose(NaiveBayes().fit(other, pl.Series(y)).predict_proba(other), expected, rtol=1e-12)
        objects = X.drop(columns="grade").to_numpy(dtype=object)
        expected = NaiveBayes().fit(X.drop(columns="grade"), y).predict_proba(X.drop(columns="grade"))
        np.testing.assert_allclose(NaiveBayes().fit(objects, y).predict_proba(objects), expected, rtol=1e-12)

    def test_missing_cells_of_every_kind(self):
        X, y = mixed()
        table = holes(X)
        model = NaiveBayes().fit(table, y)
        assert model.score(table, y) > 0.8
        rows = [[None if pd.isna(cell) else cell for cell in row] for row in table.to_numpy(dtype=object)]
        other = pl.DataFrame(rows, schema=list(X.columns), orient="row").with_columns(
            pl.col("grade").cast(pl.Enum(list("abcd")))
        )
        np.testing.assert_allclose(
            NaiveBayes().fit(other, y).predict_proba(other), model.predict_proba(table), rtol=1e-9
        )

    def test_families_by_name_and_the_rest_chosen(self):
        X, y = mixed()
        given = {"age": Gaussian(estimate="bayes"), "visits": Poisson(), "city": Categorical(unseen="missing")}
        model = NaiveBayes(given).fit(X, y)
        assert model.score(X, y) > 0.8
        unseen = X[:1].assign(city="Rome")
        np.testing.assert_allclose(model.predict_proba(unseen), model.predict_proba(unseen.assign(city=None)))
        with pytest.raises(ValueError, match="no column 'wage'"):
            NaiveBayes({"wage": Gaussian()}).fit(X, y)

    def test_feature_names_are_kept_and_compared(self):
        X, y = mixed()
        model = NaiveBayes().fit(X, y)
        assert model.feature_names_in_.tolist() == list(X.columns)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(X[X.columns[::-1]])
        with pytest.raises(ValueError, match="feature names"):
            model.predict(X.drop(columns="age"))

    def test_samples_come_back_as_tables_with_labels(self):
        X, y = mixed()
        rows, labels = NaiveBayes().fit(X, y).sample(50, random_state=0)
        assert isinstance(rows, pd.DataFrame)
        assert list(rows.columns) == list(X.columns)
        assert rows.dtypes["member"].kind == "b"
        assert set(labels) == {"no", "yes"}

    def test_explanations_as_table_text_and_picture(self):
        import matplotlib

        matplotlib.use("Agg")
        X, y = mixed()
        X = X.rename(columns={"city": "ci$t$y"})
        model = NaiveBayes().fit(X, y)
        explanation = model.explain(X[:3])
        table = pd.DataFrame(explanation.table())
        assert list(table.columns) == ["label", "against", "prior", *X.columns, "total"]
        np.testing.assert_allclose(table[["prior", *X.columns]].sum(axis=1), table["total"])
        assert f"ci$t$y = {X.iloc[0]['ci$t$y']}" in str(explanation)
        ax = explanation.plot(row=2)
        assert any(r"ci\$t\$y" in label.get_text() for label in ax.get_yticklabels())
        assert "missing" in model.explain(X[:1].assign(age=np.nan)).text()


class TestScikitLearn:
    def test_pipelines_search_calibration_and_cross_validation(self):
        X, y = load_iris(return_X_y=True, as_frame=True)
        search = GridSearchCV(
            GaussianDiscriminant(), {"covariance_type": ["full", "diag"], "shared": [False, True]}, cv=3
        )
        assert search.fit(X, y).best_score_ > 0.95
        family = GridSearchCV(BayesClassifier(Gaussian()), {"family__shrinkage": [0.0, 0.5]}, cv=3).fit(X, y)
        assert family.best_score_ > 0.95
        for model in (LogisticRegression(), LinearDiscriminantAnalysis(), NaiveBayes()):
            assert cross_val_score(make_pipeline(StandardScaler(), model), X, y).mean() > 0.9
        calibrated = CalibratedClassifierCV(GaussianNB(), cv=3).fit(X, y)
        assert calibrated.score(X, y) > 0.9

    def test_transformed_columns_have_names(self):
        X, y = load_iris(return_X_y=True, as_frame=True)
        model = LinearDiscriminantAnalysis().set_output(transform="pandas").fit(X, y)
        assert list(model.transform(X).columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]
        assert model.fit_transform(X, y).shape == (150, 2)

    @pytest.mark.parametrize("model", MODELS, ids=str)
    def test_models_pickle_copy_and_clone(self, model):
        X, y = load_iris(return_X_y=True)
        X = np.round(X)
        model = clone(model).fit(X, y)
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
        assert not hasattr(clone(model), "classes_")

    @pytest.mark.parametrize("model", MODELS, ids=str)
    def test_types_and_layouts_of_labels(self, model):
        X, y = load_iris(return_X_y=True)
        X = np.round(X)
        expected = clone(model).fit(X, y).predict(X)
        names = np.array(["x", "y", "z"])
        for labels in (
            pd.Series(y, index=np.arange(150)[::-1]), pd.Series(y, dtype="Int64"), pl.Series(y), y.tolist(),
            y.astype("u1"),
        ):  # fmt: skip
            np.testing.assert_array_equal(clone(model).fit(X, labels).predict(X), expected)
        for labels in (
            names[y].astype(object),
            pd.Series(names[y], dtype="category"),
            pd.Series(names[y], dtype="string"),
        ):
            np.testing.assert_array_equal(clone(model).fit(X, labels).predict(X), names[expected])
        two = clone(model).fit(X, y > 0)
        assert two.classes_.tolist() == [False, True]


def broken():
    """What may be wrong, and how the error says it."""
    X, y = load_iris(return_X_y=True)
    X = np.round(X)
    hole = X.copy()
    hole[3, 1] = np.inf
    ones = np.where(y == 2, 0.0, 1.0)
    return {
        "labels of another length": (X, y[:-1], {}, "149"),
        "no labels": (X, None, {}, "requires y"),
        "one class only": (X, np.zeros(150, dtype=int), {}, "one class only"),
        "a class of weight zero": (X, y, {"sample_weight": ones}, "class 2 has no weight"),
        "infinity": (hole, y, {}, "infin"),
        "fractions as labels": (X, y + 0.5, {}, "Unknown label type"),
        "infinite labels": (X, np.where(y == 1, np.inf, y), {}, "infinity"),
        "labels of two kinds": (X, np.array(["a", 1] * 75, dtype=object), {}, "one kind"),
        "labels in two columns": (X, np.stack([y, y], axis=1), {}, "1d array"),
        "negative weights": (X, y, {"sample_weight": -np.ones(150)}, "[Nn]egative"),
        "weights of another length": (X, y, {"sample_weight": np.ones(3)}, "sample_weight"),
        "one dimension": (X[:, 0], y, {}, "Reshape"),
        "no rows": (X[:0], y[:0], {}, "0 sample"),
    }


@pytest.mark.parametrize("case", broken())
@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("fitted", [False, True])
def test_bad_input_is_named_and_changes_nothing(model, case, fitted):
    X, y, options, message = broken()[case]
    good = [np.round(part) for part in load_iris(return_X_y=True)]
    model = clone(model)
    if fitted:
        model.fit(*good)
    before = copy.deepcopy(vars(model))
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X, y, **options)
    assert vars(model).keys() == before.keys()
    if fitted:
        other = clone(model).fit(*good)
        np.testing.assert_array_equal(model.predict_proba(good[0]), other.predict_proba(good[0]))


class TestBadQuestions:
    @pytest.fixture
    def model(self):
        X, y = load_iris(return_X_y=True)
        return GaussianNB().fit(X, np.array(["a", "b", "c"])[y])

    @pytest.mark.parametrize(
        ("priors", "message"),
        [
            ([0.5, 0.5], "Number of priors"),
            ([0.5, 0.6, 0.1], "sum of the priors"),
            ([1.5, -0.5, 0.0], "non-negative"),
            ([np.nan, 0.5, 0.5], "finite"),
            ([np.inf, 0.5, 0.5], "finite"),
            ({"a": 0.5, "b": 0.5}, "name each once"),
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
        with pytest.raises(ValueError, match=r"\['d'\].*none of the classes.*classes="):
            model.partial_fit(X[:2], ["a", "d"])
        with pytest.raises(ValueError, match="first call named"):
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
            (LogisticRegression(penalty="l1"), "penalty"),
            (LogisticRegression(l1_ratio=0.5), "l1_ratio"),
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
            LogisticRegression().fit(X, y)
        with pytest.raises(ValueError, match="NaN"):
            LinearDiscriminantAnalysis("lsqr", shrinkage="auto").fit(X, y)
        with pytest.raises(ValueError, match="NaN"):
            MultinomialNB().fit(sparse.csr_array(X), y)
        with pytest.raises(NotImplementedError, match="shrinkage"):
            LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
