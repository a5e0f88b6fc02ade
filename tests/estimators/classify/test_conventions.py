"""Classifiers in scikit-learn's manner: conventions, labels of every type, and bad input that changes nothing."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    AODE,
    BayesClassifier,
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    LogisticRegressionCV,
    MultinomialNB,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    TreeAugmentedNB,
)
from tests.libraries import polars as pl
from tests.versions import has

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
    LinearDiscriminantAnalysis(solver="eigen"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
    LogisticRegression(),
    LogisticRegression(degree=2),
    LogisticRegression(standardise=True, C=0.1),
    TreeAugmentedNB(),
    AODE(),
]
#: One of them for each code path: covariance types and amounts of shrinkage differ in their family alone.
CHECKED = [
    model
    for model in MODELS
    if getattr(model, "covariance_type", "full") == "full" and getattr(model, "shrinkage", None) in (None, 0.0)
] + [LogisticRegressionCV(Cs=2, cv=2, l1_ratios=(0,), scoring="neg_log_loss", use_legacy_attributes=False)]


#: Checks of weights, which scikit-learn's own class does not take, on rows with singular classes, which both refuse.
SINGULAR = dict.fromkeys(
    [
        "check_sample_weights_shape",
        "check_sample_weights_not_overwritten",
        "check_sample_weight_equivalence_on_dense_data",
    ],
    "a class is singular",
)
#: Until 1.7 scikit-learn's own quadratic discriminant only warned of a singular class, and checks had rows with one.
QUADRATIC = SINGULAR | dict.fromkeys(
    [] if has("scikit-learn", "1.8") else ["check_n_features_in_after_fitting", "check_dtype_object"],
    "a class is singular, which scikit-learn refuses since 1.8",
)


def refusals(estimator):
    if isinstance(estimator, QuadraticDiscriminantAnalysis):
        return QUADRATIC
    return SINGULAR if getattr(estimator, "solver", None) == "eigen" else {}


@pytest.mark.filterwarnings("ignore::parzen.FloorWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=refusals)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_tags_tell_which_models_take_missing_cells():
    for model in MODELS:
        tags = model.__sklearn_tags__()
        refuses = getattr(model, "missing", "allow") == "error"
        assert tags.input_tags.allow_nan == (not refuses)
        assert tags.estimator_type == "classifier"


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
    if case == "a class of weight zero" and isinstance(model, LogisticRegression):
        pytest.skip("as in scikit-learn, its probability is then near zero")
    if case in ("one class only", "a class of weight zero") and not getattr(model, "_several_classes", True):
        pytest.skip("fitted, as scikit-learn does")
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
