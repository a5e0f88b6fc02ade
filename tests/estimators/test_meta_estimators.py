"""scikit-learn's tools over estimators make of ours what they make of its own, number for number."""

import numpy as np
import pandas as pd
import pytest
import sklearn
import sklearn.cluster
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
import sklearn.neighbors
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import VotingClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_predict, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, OneHotEncoder
from sklearn.semi_supervised import SelfTrainingClassifier

import parzen
from tests.versions import has, scatter_over_n

#: Parameters that are searched over, by classifier; a tolerance, where the original stops before its optimum.
SEARCHED = {
    "GaussianNB": {"var_smoothing": [1e-9, 1e-7]},
    "BernoulliNB": {"binarize": [0.0, 0.3]},
    "MultinomialNB": {"alpha": [0.1, 10.0]},
    "ComplementNB": {"norm": [False, True]},
    "CategoricalNB": {"alpha": [0.1, 10.0]},
    "LinearDiscriminantAnalysis": {"shrinkage": ["auto", 0.5]},
    "QuadraticDiscriminantAnalysis": {"reg_param": [0.01, 0.5]},
    "LogisticRegression": {"C": [0.1, 1.0]},
}
OPTIONS = {
    "LogisticRegression": {"tol": 1e-8, "max_iter": 1000},
    "LinearDiscriminantAnalysis": {"solver": "lsqr"},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.01},
    "CategoricalNB": {"min_categories": 4},
}
MODULES = (sklearn.naive_bayes, sklearn.discriminant_analysis, sklearn.linear_model)
COMPARED = [pytest.param(name, marks=scatter_over_n if name.startswith("Quadratic") else ()) for name in SEARCHED]
#: Before 1.7 there is one method only, and no name for it.
QUANTILES = {"quantile_method": "averaged_inverted_cdf"} if has("scikit-learn", "1.7") else {}
WEIGHTED = [name for name in SEARCHED if "Discriminant" not in name]


def twins(name):
    """Our classifier and the original."""
    theirs = next(getattr(module, name) for module in MODULES if hasattr(module, name))
    return [one(**OPTIONS.get(name, {})) for one in (getattr(parzen, name), theirs)]


def same(name, found, expected):
    tolerance = 1e-4 if name == "LogisticRegression" else 1e-7
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.fixture(scope="module")
def table():
    """Two classes, eight columns between 0 and 1; and the same in four codes."""
    X, y = load_breast_cancer(return_X_y=True)
    X = MinMaxScaler(clip=True).fit_transform(X[::4, :8])
    codes = KBinsDiscretizer(4, encode="ordinal", **QUANTILES).fit_transform(X)
    return X, codes, y[::4]


def rows_of(name, table):
    X, codes, y = table
    return (codes if name == "CategoricalNB" else X), y


def tools(model, name):
    """Tools that fit a classifier in their own way, and that have `predict_proba`."""
    yield CalibratedClassifierCV(model, cv=2)
    yield CalibratedClassifierCV(model, cv=2, method="isotonic", ensemble=False)
    yield TunedThresholdClassifierCV(model, scoring="f1", cv=2, thresholds=9)
    yield GridSearchCV(model, SEARCHED[name], cv=2, scoring="neg_log_loss")
    yield VotingClassifier([("one", model), ("other", sklearn.naive_bayes.GaussianNB())], voting="soft", weights=[2, 1])
    yield make_pipeline(MinMaxScaler(), model) if name != "CategoricalNB" else make_pipeline(model)


@pytest.mark.parametrize("name", COMPARED)
def test_tools_over_a_classifier(name, table):
    X, y = rows_of(name, table)
    for ours, theirs in zip(*(tools(one, name) for one in twins(name)), strict=True):
        ours.fit(X, y), theirs.fit(X, y)
        same(name, ours.predict_proba(X), theirs.predict_proba(X))
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        for attribute in ("best_params_", "best_threshold_"):
            if hasattr(theirs, attribute) and name != "LogisticRegression":
                assert getattr(ours, attribute) == pytest.approx(getattr(theirs, attribute))
        if hasattr(theirs, "cv_results_") and "mean_test_score" in theirs.cv_results_:
            same(name, ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


@pytest.mark.parametrize("name", COMPARED)
def test_half_of_the_labels(name, table):
    X, y = rows_of(name, table)
    some = np.where(np.arange(len(y)) % 2, y, -1)
    ours, theirs = (SelfTrainingClassifier(one, threshold=0.9).fit(X, some) for one in twins(name))
    np.testing.assert_array_equal(ours.labeled_iter_, theirs.labeled_iter_)
    np.testing.assert_array_equal(ours.transduction_, theirs.transduction_)
    same(name, ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize("name", COMPARED)
def test_calibration_of_a_fitted_classifier(name, table):
    X, y = rows_of(name, table)
    found = []
    for one in twins(name):
        fitted = one.fit(X[::2], y[::2])
        curve = IsotonicRegression(out_of_bounds="clip").fit(fitted.predict_proba(X[1::2])[:, 1], y[1::2])
        frozen = CalibratedClassifierCV(FrozenEstimator(fitted), method="isotonic").fit(X[1::2], y[1::2])
        found.append((curve.predict(fitted.predict_proba(X)[:, 1]), frozen.predict_proba(X)))
    for ours, theirs in zip(*found, strict=True):
        same(name, ours, theirs)


@pytest.mark.parametrize("name", COMPARED)
def test_columns_of_several_kinds(name, table):
    X, codes, y = table
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(
        kind=np.array(["low", "some", "much", "all"])[codes[:, 0].astype(int)]
    )
    numbers = KBinsDiscretizer(4, encode="ordinal", **QUANTILES) if name == "CategoricalNB" else MinMaxScaler()
    kept = OneHotEncoder(drop="first", sparse_output=False)
    found = []
    for one in twins(name):
        columns = ColumnTransformer([("numbers", numbers, list("bcd")), ("kinds", kept, ["kind"])])
        model = make_pipeline(columns.set_output(transform="pandas"), one).fit(frame, y)
        assert list(model[-1].feature_names_in_) == list(columns.fit_transform(frame).columns)
        found.append((model.predict_proba(frame), cross_val_predict(model, frame, y, cv=3)))
    same(name, found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_are_routed(name, table):
    X, y = rows_of(name, table)
    w = 1.0 + np.arange(len(y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        found = []
        for one in twins(name):
            one.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
            search = GridSearchCV(one, SEARCHED[name], cv=2).fit(X, y, sample_weight=w)
            ignored = make_pipeline(one.set_fit_request(sample_weight=False)).fit(X, y)
            scores = cross_validate(one.set_fit_request(sample_weight=True), X, y, params={"sample_weight": w}, cv=2)
            found.append(
                (
                    search.cv_results_["mean_test_score"],
                    search.predict_proba(X),
                    ignored.predict_proba(X),
                    scores["test_score"],
                )
            )
    for ours, theirs in zip(*found, strict=True):
        same(name, ours, theirs)


@pytest.mark.parametrize("name", ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_weights_that_the_original_does_not_take_are_routed_where_asked_for(name, table):
    X, y = rows_of(name, table)
    w = 1.0 + np.arange(len(y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        ours = make_pipeline(twins(name)[0].set_fit_request(sample_weight=True)).fit(X, y, sample_weight=w)
    same(name, ours.predict_proba(X), twins(name)[0].fit(X, y, w).predict_proba(X))


@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
def test_outputs_have_the_container_that_is_asked_for(container):
    if container == "polars":
        pytest.importorskip("polars", reason="polars is not installed")
    X, y = load_iris(return_X_y=True, as_frame=True)
    pairs = [
        [module.LinearDiscriminantAnalysis() for module in (parzen, sklearn.discriminant_analysis)],
        [module.KMeans(3, random_state=0, n_init=1) for module in (parzen, sklearn.cluster)],
    ]
    for ours, theirs in pairs:
        shown = [one.set_output(transform=container).fit(X, y).transform(X) for one in (ours, theirs)]
        assert type(shown[0]) is type(shown[1])
        if container != "default":
            assert list(shown[0].columns) == list(shown[1].columns)
        assert np.shape(shown[0]) == np.shape(shown[1])
        np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


def test_the_container_of_the_configuration_is_used():
    X, y = load_iris(return_X_y=True, as_frame=True)
    with sklearn.config_context(transform_output="pandas"):
        for module in (parzen, sklearn.discriminant_analysis):
            shown = module.LinearDiscriminantAnalysis().fit_transform(X, y)
            assert list(shown.columns) == ["lineardiscriminantanalysis0", "lineardiscriminantanalysis1"]


def test_a_bandwidth_is_searched_for():
    X = load_iris().data
    grid = {"bandwidth": [0.1, 0.3, 0.6, 1.0], "kernel": ["gaussian", "exponential"]}
    ours, theirs = (GridSearchCV(m.KernelDensity(), grid, cv=5).fit(X) for m in (parzen, sklearn.neighbors))
    assert ours.best_params_ == theirs.best_params_
    same("", ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


@pytest.mark.parametrize("name", ["GaussianNB", "LinearDiscriminantAnalysis"])
def test_features_are_selected_and_several_targets_learnt(name, table):
    X, y = rows_of(name, table)
    chosen = [SequentialFeatureSelector(one, n_features_to_select=2, cv=2).fit(X[:, :4], y) for one in twins(name)]
    np.testing.assert_array_equal(chosen[0].get_support(), chosen[1].get_support())
    targets = np.stack([y, X[:, 0] > 0.3], axis=1).astype(int)
    found = [MultiOutputClassifier(one).fit(X[:, 1:], targets).predict_proba(X[:, 1:]) for one in twins(name)]
    for ours, theirs in zip(*found, strict=True):
        same(name, ours, theirs)
