"""Fitted attributes that are set, single classes, classes of no weight, and float32: as scikit-learn has them."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import parzen
from tests.estimators.classify.peers import PEERS, same, twins
from tests.versions import scatter_over_n, since

NAIVE = ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")


@pytest.fixture(scope="module")
def codes():
    X, y = load_iris(return_X_y=True)
    return np.round(X), y


@pytest.mark.parametrize("by_batches", [False, True])
@pytest.mark.parametrize("name", NAIVE)
def test_a_single_class_is_always_predicted(name, by_batches, codes):
    X, _ = codes
    y = np.full(len(X), "only")
    for one in twins(name):
        fitted = one.partial_fit(X, y, classes=["only"]) if by_batches else one.fit(X, y)
        assert fitted.classes_.tolist() == ["only"]
        assert (fitted.predict(X) == "only").all()
        np.testing.assert_array_equal(fitted.predict_proba(X), np.ones((len(X), 1)))


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_a_single_class_of_the_linear_discriminant(solver, codes):
    X, _ = load_iris(return_X_y=True)
    ours, theirs = twins("LinearDiscriminantAnalysis", solver=solver)
    ours.fit(X, np.zeros(150))
    assert (ours.predict(X) == 0).all()
    np.testing.assert_array_equal(ours.predict_proba(X), np.ones((150, 1)))
    if solver != "eigen":  # whose ratio is zero by zero
        theirs.fit(X, np.zeros(150))
        same(ours.coef_, theirs.coef_)
        same(ours.decision_function(X), theirs.decision_function(X), 1e-8)
    if solver != "lsqr":
        assert ours.transform(X).shape == (150, 0)


@pytest.mark.parametrize("name", NAIVE)
def test_a_class_of_weight_zero_is_never_predicted(name, codes):
    X, y = codes
    w = (y != 1).astype(float)
    ours, theirs = (one.fit(X, y, w) for one in twins(name))
    assert ours.classes_.tolist() == [0, 1, 2]
    if name != "ComplementNB":  # which looks at no prior
        assert 1 not in ours.predict(X)
        two = type(ours)().fit(X[y != 1], y[y != 1])
        same(ours.predict_proba(X)[:, [0, 2]], two.predict_proba(X))
    same(ours.class_count_, theirs.class_count_)


@pytest.mark.parametrize("name", [*NAIVE, "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"])
def test_a_model_copied_by_its_attributes_is_the_model(name, codes):
    X, y = load_iris(return_X_y=True) if "Discriminant" in name else codes
    fitted = getattr(parzen, name)().fit(X, y)
    names = {
        "GaussianNB": ["theta_", "var_", "class_prior_"],
        "LinearDiscriminantAnalysis": ["coef_", "intercept_"],
        "QuadraticDiscriminantAnalysis": ["means_", "rotations_", "scalings_", "priors_"],
    }.get(name, ["feature_log_prob_", "class_log_prior_"])
    other = getattr(parzen, name)().fit(np.roll(X, 75, axis=0), y)
    assert not np.allclose(other.predict_proba(X), fitted.predict_proba(X))
    for one in names:
        setattr(other, one, copy.deepcopy(getattr(fitted, one)))
    same(other.predict_proba(X), fitted.predict_proba(X), 1e-8)
    same(pickle.loads(pickle.dumps(other)).predict_proba(X), fitted.predict_proba(X), 1e-8)
    again = other.fit(np.roll(X, 75, axis=0), y)
    assert not np.allclose(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("name", [*NAIVE, "LinearDiscriminantAnalysis"])
def test_a_model_can_be_built_of_attributes_alone(name, codes, tmp_path):
    X, y = codes
    theirs = PEERS[name]().fit(X, y)
    ours = getattr(parzen, name)()
    with pytest.raises(NotFittedError):
        ours.predict(X)
    names = {
        "GaussianNB": ["theta_", "var_", "class_prior_"],
        "LinearDiscriminantAnalysis": ["coef_", "intercept_"],
    }.get(name, ["feature_log_prob_", "class_log_prior_"])
    for one in ("classes_", *names):
        setattr(ours, one, getattr(theirs, one))
    same(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    ours.save(tmp_path / "model.parzen")
    same(parzen.load(tmp_path / "model.parzen").predict_proba(X), theirs.predict_proba(X))
    with pytest.raises(ValueError, match=r"not fitted to rows|classes must be passed"):
        ours.partial_fit(X, y)


def test_what_can_not_be_set_changes_nothing(codes):
    model = parzen.GaussianNB().fit(*codes)
    before = model.predict_proba(codes[0])
    for name, value in (("var_", -model.var_), ("theta_", model.theta_[:, :2])):
        with pytest.raises(ValueError, match="theta_ and var_"):
            setattr(model, name, value)
        np.testing.assert_array_equal(model.predict_proba(codes[0]), before)
    model.partial_fit(*codes)


def test_coefficients_that_do_not_fit_together_are_refused_when_they_are_used():
    X, y = load_iris(return_X_y=True)
    model = parzen.LinearDiscriminantAnalysis().fit(X, y)
    for wrong in (model.coef_[:2], model.coef_[0]):
        model.coef_ = wrong
        with pytest.raises(ValueError, match=r"coef_ and intercept_ must have the shapes \(3, d\)"):
            model.predict(X)
    assert model.fit(X, y).score(X, y) > 0.97


@scatter_over_n
def test_coefficients_that_are_set_decide(codes):
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 1):
        ours, theirs = (one.fit(X, labels) for one in twins("LinearDiscriminantAnalysis"))
        for one in (ours, theirs):
            one.intercept_ = one.intercept_ + np.arange(len(one.intercept_)) - 1.5
            one.coef_ = 2 * one.coef_
        same(ours.decision_function(X), theirs.decision_function(X), 1e-8)
        same(ours.predict_proba(X), theirs.predict_proba(X), 1e-8)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("GaussianNB", marks=since("scikit-learn", "1.8", "GaussianNB keeps the rows' precision")),
        "LinearDiscriminantAnalysis",
        "QuadraticDiscriminantAnalysis",
    ],
)
def test_parameters_have_the_precision_of_the_rows(name):
    X, y = load_iris(return_X_y=True)
    attributes = {
        "GaussianNB": ("theta_", "var_", "class_prior_"),
        "LinearDiscriminantAnalysis": ("means_", "coef_", "intercept_", "xbar_", "scalings_"),
        "QuadraticDiscriminantAnalysis": ("means_",),
    }[name]
    for dtype in (np.float32, np.float64):
        ours, theirs = (one.fit(X.astype(dtype), y) for one in twins(name))
        for one in attributes:
            assert getattr(ours, one).dtype == getattr(theirs, one).dtype == dtype
        if name == "LinearDiscriminantAnalysis":
            assert ours.transform(X.astype(dtype)).dtype == theirs.transform(X.astype(dtype)).dtype == dtype
    assert ours.fit(X, y).means_.dtype == np.float64 if hasattr(ours, "means_") else True


def test_numbers_of_categories_are_whole_codes_as_in_scikit_learn():
    X, y = load_iris(return_X_y=True)  # fractions, which are cut off
    ours, theirs = (one.fit(X, y) for one in twins("CategoricalNB"))
    np.testing.assert_array_equal(ours.n_categories_, theirs.n_categories_)
    same(ours.predict_proba(X), theirs.predict_proba(X))
    for one in (ours, theirs):
        with pytest.raises(ValueError, match="Negative values in data passed to CategoricalNB"):
            one.predict(-X)
    first = parzen.CategoricalNB().partial_fit(X[:, :2], y, classes=[0, 1, 2])
    np.testing.assert_array_equal(first.partial_fit(X[:, :2] + 5, y).n_categories_, [13, 10])


@pytest.mark.parametrize("name", ["MultinomialNB", pytest.param("QuadraticDiscriminantAnalysis", marks=scatter_over_n)])
def test_priors_that_do_not_sum_to_one_are_divided_by_their_sum(name):
    X, y = load_iris(return_X_y=True)
    key = "class_prior" if name == "MultinomialNB" else "priors"
    given = np.array([2.0, 1.0, 1.0])
    ours, theirs = twins(name, **{key: given})
    with pytest.warns(UserWarning, match="do not sum to 1"):
        ours.fit(X, y)
    same(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X))
    given[0] = 9
    np.testing.assert_array_equal(ours.class_prior_, [0.5, 0.25, 0.25])
