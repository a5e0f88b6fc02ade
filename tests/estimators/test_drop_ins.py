"""Drop-ins beside their namesakes: what other code looks for is there where the original has it, and nowhere else."""

import inspect
import re
from pathlib import Path

import matplotlib
import matplotlib.figure
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.metrics import log_loss
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.utils import all_estimators

import parzen
from parzen import GaussianNB
from tests.libraries import hmm
from tests.versions import legacy_attributes, scatter_over_n

matplotlib.use("Agg")

THEIRS = {
    name: one
    for name, one in [*all_estimators(), *inspect.getmembers(hmm, inspect.isclass)]
    if isinstance(getattr(parzen, name, None), type) and hasattr(one, "fit")
}
CLASSIFIERS = [name for name, one in THEIRS.items() if hasattr(one, "predict_log_proba")]

#: Names that scikit-learn looks for and that ours have beyond the original. None of them changes a number: it opens
#: a way that is closed with the original.
KNOWN = {
    "partial_fit": "more batches, where the original has none (MultiOutputClassifier, learning_curve)",
    "score_samples": "passed on by pipelines and searches, asked for by nobody",
    "random_state": "asked of splitters of rows; a class attribute, no parameter, where the original has none",
    "set_callbacks": "progress, where a caller asks for it",
    "n_features_in_": "scikit-learn's convention, which hmmlearn does not follow",
}


def looked_for():
    """Names that scikit-learn's own code looks for on other objects, by their text."""
    asked = (
        r'(?:hasattr|getattr)\(\s*(?!self\s*,)[\w.\[\]()]+,\s*"(\w+)"',
        r'_has\(\s*"(\w+)"',
        r'delegate_?to[^"\n]*"(\w+)"',
    )
    names = {"decision_function", "predict_proba", "predict_log_proba", "transform", "coef_", "feature_importances_"}
    for path in Path(sklearn.__file__).parent.rglob("*.py"):
        if "tests" not in path.parts:
            text = path.read_text(encoding="utf-8")
            names |= {name for pattern in asked for name in re.findall(pattern, text)}
    return {name for name in names if not name.startswith("_")}


@pytest.fixture(scope="module")
def names_looked_for():
    return looked_for()


def test_there_are_fourteen_drop_ins_or_more():
    assert len(THEIRS) >= 13
    assert len(CLASSIFIERS) == 9


#: Options without which scikit-learn's, and so ours, warn of defaults that will change; and small grids and folds.
OPTIONS = {
    "LogisticRegressionCV": {
        "Cs": [0.1, 1.0], "cv": 3, "l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False,
        "max_iter": 1000, "tol": 1e-8,
    },
}  # fmt: skip


def named(names, **marks):
    """Names as parameters of tests, with marks of those that an older scikit-learn has otherwise."""
    return [pytest.param(name, marks=marks.get(name, ())) for name in names]


CLASSIFIERS_ALIKE = named(
    CLASSIFIERS,
    LogisticRegressionCV=legacy_attributes,
    LinearDiscriminantAnalysis=scatter_over_n,
    QuadraticDiscriminantAnalysis=scatter_over_n,
)


def rows_for(name):
    """A small table that both take, and its classes."""
    X, y = load_iris(return_X_y=True)
    if name in ("CategoricalHMM", "PoissonHMM", "MultinomialHMM"):
        return np.round(X[:, :1] - 4).astype(int), y
    return ((X % 2 > 1).astype(float) if name in ("BernoulliNB", "CategoricalNB") else X), y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("name", named(THEIRS, LogisticRegressionCV=legacy_attributes))
def test_a_drop_in_has_no_name_that_others_look_for_unless_the_original_has_it(name, fitted, names_looked_for):
    options = OPTIONS.get(name, {})
    ours, theirs = getattr(parzen, name)(**options), THEIRS[name](**options)
    if fitted:
        X, y = rows_for(name)
        for one in (ours, theirs):
            one.fit(X, y) if name in CLASSIFIERS else one.fit(X)
    assert "decision_function" in names_looked_for
    extra = {one for one in names_looked_for if hasattr(ours, one) and not hasattr(theirs, one)}
    assert extra <= set(KNOWN)
    assert all(
        hasattr(ours, one) for one in ("predict_proba", "decision_function", "transform") if hasattr(theirs, one)
    )


def combined(model):
    """A classifier in the hands of others that choose by what they find on it."""
    yield CalibratedClassifierCV(model, cv=3)
    yield OneVsRestClassifier(model)
    yield OneVsOneClassifier(model)
    yield OutputCodeClassifier(model, code_size=3, random_state=0)
    yield StackingClassifier([("one", model), ("other", sklearn.naive_bayes.GaussianNB())], cv=3)
    yield VotingClassifier([("one", model), ("other", sklearn.naive_bayes.GaussianNB())], voting="soft")
    yield BaggingClassifier(model, n_estimators=3, random_state=0)


@pytest.mark.parametrize("name", CLASSIFIERS_ALIKE)
def test_what_others_make_of_a_drop_in_is_what_they_make_of_the_original(name):
    options = OPTIONS.get(name, {})
    if name.startswith("LogisticRegression"):
        options = options | {"max_iter": 1000, "tol": 1e-8}
    X, y = rows_for(name)
    for ours, theirs in zip(combined(getattr(parzen, name)(**options)), combined(THEIRS[name](**options)), strict=True):
        ours.fit(X, y), theirs.fit(X, y)
        for method in ("predict_proba", "decision_function", "predict"):
            if hasattr(theirs, method):
                found, expected = getattr(ours, method)(X), getattr(theirs, method)(X)
                tolerance = 1e-4 if options else 1e-7  # the original stops at 1e-8 of its own gradient
                np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=repr(ours))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", [one for one in CLASSIFIERS_ALIKE if one.values != ("CategoricalNB",)])
def test_regions_are_drawn_from_what_the_original_has(name, classes):
    X, y = rows_for(name)
    X, y = X[:, :2], np.minimum(y, classes - 1)
    axes = matplotlib.figure.Figure().subplots()
    drawn = [
        DecisionBoundaryDisplay.from_estimator(model.fit(X, y), X, grid_resolution=12, ax=axes).response
        for model in (made(**OPTIONS.get(name, {})) for made in (getattr(parzen, name), THEIRS[name]))
    ]
    np.testing.assert_allclose(*drawn, rtol=1e-3, atol=1e-3)


def test_calibration_of_naive_bayes_has_scikit_learns_log_loss():
    X, y = load_iris(return_X_y=True)
    losses = [
        log_loss(y, CalibratedClassifierCV(model).fit(X, y).predict_proba(X))
        for model in (GaussianNB(), sklearn.naive_bayes.GaussianNB())
    ]
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_log_odds_are_there_under_our_own_word(name):
    X, y = rows_for(name)
    for labels in (y, y == 1):
        model = clone(getattr(parzen, name)(**OPTIONS.get(name, {}))).fit(X, labels)
        P = model.predict_proba(X).clip(1e-300)
        with np.errstate(divide="ignore"):
            odds = np.log(P) - np.log1p(-P.clip(max=1 - 1e-16))
        found = model.log_odds(X)
        expected = odds[:, 1] if len(model.classes_) == 2 else odds
        inner = np.abs(expected) < 20
        np.testing.assert_allclose(found[inner], expected[inner], rtol=1e-5, atol=1e-5)
