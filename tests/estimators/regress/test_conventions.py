"""Kernel regression and conditional densities in scikit-learn's manner: conventions, tables, bandwidths, bad input."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from parzen import (
    AutoColumns,
    ConditionalDensity,
    Gaussian,
    GaussianMixture,
    KernelRegressor,
)
from tests.libraries import polars as pl


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        KernelRegressor(),  # a bandwidth that a criterion searches for
        KernelRegressor(1.0),
        KernelRegressor("silverman", kernel="epanechnikov", order=1),  # a rule, local lines, a kernel that ends
        ConditionalDensity(bandwidth="silverman"),
        ConditionalDensity(Gaussian(shrinkage="oas")),  # a joint density
    ]
)
def test_scikit_learn_conventions(estimator, check):
    check(estimator)


def test_pandas_and_polars_read_alike(mixed_table, as_polars):
    table, y = mixed_table
    b = [0.5, 0.1, 0.2, 0.3]
    pandas = KernelRegressor(b).fit(table, y)
    assert pandas.kinds_ == "cuou"
    frame = as_polars(table)
    polars = KernelRegressor(b, kinds={"grade": "o"}).fit(frame, pl.Series(y.to_list()))
    assert polars.kinds_ == "cuou"
    np.testing.assert_allclose(polars.predict(frame), pandas.predict(table))
    objects = KernelRegressor(b, kinds={2: "o"}).fit(table.astype({"grade": object}).to_numpy(), y)
    assert objects.kinds_ == "cuou"
    for model, rows in ((pandas, table), (polars, frame)):
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
        np.testing.assert_array_equal(copy.deepcopy(model).predict(rows), model.predict(rows))


def test_bandwidths_in_every_form(mixed_table):
    table, y = mixed_table
    number = KernelRegressor(0.5).fit(table, y).bandwidth_
    assert number[0] == 0.5
    some = KernelRegressor({"size": 0.3, "colour": 0.0}).fit(table, y).bandwidth_
    np.testing.assert_allclose(some, [0.3, 0.0, *number[2:]])
    rule = KernelRegressor("silverman").fit(table, y).bandwidth_
    assert rule[0] > 0
    np.testing.assert_allclose(rule[1:], number[1:])
    chosen = KernelRegressor().fit(table, y)
    assert chosen.bandwidth_.shape == (4,)
    assert chosen.score(table, y) > 0.8


@pytest.mark.parametrize(
    ("bandwidth", "message"),
    [
        ("best", "a number, an array, a dict, or one of 'cv', 'aicc', 'scott'"),
        (0.0, "above 0, got 0.0 for column 'size'"),
        ([1.0, 2.0], r"4 numbers \(one for each column\)"),
        (
            [1.0, 0.9, 0.1, 0.1],
            r"2 categories of column 'colour' must be from 0 \(other categories have no weight\) to 0.5",
        ),
        ({"width": 1.0}, "there is no column 'width'"),
        ([1.0, np.nan, 0.1, 0.1], "finite numbers, got nan for column 'colour'"),
        (None, "a dict, or one of 'cv'"),
    ],
)
def test_bandwidths_that_are_wrong(mixed_table, bandwidth, message):
    table, y = mixed_table
    with pytest.raises(ValueError, match=message):
        KernelRegressor(bandwidth).fit(table, y)


def test_bad_input_changes_nothing(mixed_table):
    table, y = mixed_table
    model = KernelRegressor(0.5).fit(table, y)
    before = model.predict(table)
    for X, values, message in (
        (table, y[:-1], "inconsistent numbers of samples"),
        (table, y.where(y < 1), "Input y contains NaN"),
        (table.assign(size=np.inf), y, "infinity"),
        (table.assign(size=np.nan), y, "NaN"),
        (table.assign(colour=None), y, "NaN"),
        (table, None, "y to be passed"),
        (table, y.to_numpy()[:, None, None], "dim"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, values)
        np.testing.assert_array_equal(model.predict(table), before)
    with pytest.raises(ValueError, match="could not convert string"):
        model.fit(table, ["a"] * len(table))
    with pytest.raises(ValueError, match="'grade' holds 'd', which is none of its 3 categories"):
        model.predict(table.assign(grade="d"))
    assert np.isfinite(model.predict(table.assign(colour="blue"))).all()
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table.rename(columns={"size": "length"}))
    with pytest.raises(NotFittedError):
        KernelRegressor().predict(table)
    with pytest.raises(ValueError, match="order must be 0"):
        KernelRegressor(order=2).fit(table, y)
    with pytest.raises(ValueError, match="kinds"):
        KernelRegressor(kinds="cx").fit(table, y)
    with pytest.raises(ValueError, match="kinds must be 'c'"):
        KernelRegressor(kinds="cxuu").fit(table, y)
    with pytest.raises(TypeError, match=r"[sS]parse"):
        KernelRegressor().fit(sparse.csr_array(np.eye(4)), [1, 2, 3, 4])


def test_few_rows_and_constant_columns(rng):
    one = KernelRegressor(1.0).fit([[2.0]], [7.0])
    np.testing.assert_array_equal(one.predict([[2.0], [100.0]]), 7.0)
    with pytest.raises(ValueError, match="n_samples = 1"):
        KernelRegressor().fit([[2.0]], [7.0])
    X = np.column_stack([rng.normal(size=40), np.full(40, 3.0)])  # a constant column has any bandwidth
    for order in (0, 1):
        model = KernelRegressor(order=order).fit(X, X[:, 0])
        assert np.isfinite(model.predict([[0.0, 3.0], [0.0, 99.0]])).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flat = KernelRegressor().fit(np.ones((5, 1)), np.arange(5.0))
    np.testing.assert_allclose(flat.predict([[1.0], [5.0]]), 2.0)
    narrow = KernelRegressor(1e-3, kernel="tophat").fit(X, X[:, 0])
    at = rng.normal(size=(10, 2))
    nearest = np.abs((at[:, :1] - X[:, 0]) ** 2).argmin(axis=1)
    np.testing.assert_allclose(narrow.predict(np.column_stack([at[:, 0], np.full(10, 3.0)])), X[nearest, 0])


def test_searches_and_pipelines(rng):
    X = rng.uniform(-2, 2, (150, 2))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=150)
    search = GridSearchCV(KernelRegressor(), {"bandwidth": [0.01, 0.2, 5.0], "order": [0, 1]}).fit(X, y)
    assert search.best_params_["bandwidth"] == 0.2
    assert cross_val_score(make_pipeline(StandardScaler(), KernelRegressor(order=1)), X, y).mean() > 0.7
    assert clone(ConditionalDensity(GaussianMixture(2))).density.n_components == 2


def test_outputs_have_the_shape_of_y(rng):
    X = rng.normal(size=(50, 2))
    for y in (X[:, 0], X, X[:, :1], pd.DataFrame(X, columns=["a", "b"]), X.tolist()):
        assert KernelRegressor(1.0).fit(X, y).predict(X).shape == np.shape(y)
        assert KernelRegressor(1.0).fit(X, y).leave_one_out().shape == np.shape(y)
        model = ConditionalDensity(bandwidth="silverman").fit(X, y)
        assert model.mean(X).shape == np.shape(y)
        assert np.shape(model.sample(X, random_state=0)) == np.shape(y)
        assert model.pdf(X, y).shape == (50,)


def test_conditional_densities_and_their_errors(mixed_table, rng):
    table, y = mixed_table
    model = ConditionalDensity(bandwidth="silverman").fit(table, y)
    assert model.pdf(table[:1], [0.0, 1.0, 2.0]).shape == (3,)
    assert model.pdf(table[:3], [0.0]).shape == (3,)
    drawn = model.sample(table, random_state=0)
    assert isinstance(drawn, pd.Series)
    both = ConditionalDensity(AutoColumns()).fit(table, y)
    assert np.isfinite(both.score(table, y))
    for X, values, message in (
        (table, y[:-1], "inconsistent"),
        (table, y.where(y < 1), "NaN"),
        (table, None, "y to be passed"),
    ):
        with pytest.raises(ValueError, match=message):
            ConditionalDensity().fit(X, values)
    with pytest.raises(ValueError, match="inconsistent"):
        model.pdf(table[:3], [0.0, 1.0])
    with pytest.raises(ValueError, match="q must be"):
        model.quantile(table, 1.5)
    with pytest.raises(NotFittedError):
        ConditionalDensity().pdf(table, y)
    with pytest.raises(TypeError, match="density must be None, a family"):
        ConditionalDensity("gaussian").fit(table, y)
    several = ConditionalDensity(bandwidth="silverman").fit(table, rng.normal(size=(120, 2)))
    with pytest.raises(TypeError, match="cdf is available for y of one column"):
        several.cdf(table, np.zeros((120, 2)))
    with pytest.raises(AttributeError, match="no joint density"):
        _ = model.density_
    with pytest.raises(AttributeError, match="a joint density was given, so that there are no bandwidths"):
        _ = both.bandwidth_
    with pytest.raises(ValueError, match="n_samples = 1"):
        ConditionalDensity().fit(table[:1], y[:1])


@pytest.mark.parametrize("make", [np.asfortranarray, np.float32, lambda X: X.tolist(), lambda X: X[::-1][::-1]])
def test_arrays_of_any_kind(make, rng):
    X = rng.normal(size=(50, 2)).astype(np.float32).astype(float)
    X.flags.writeable = False
    for model, call in (
        (KernelRegressor(0.5), "predict"),
        (ConditionalDensity(bandwidth="silverman"), "mean"),
    ):
        expected = getattr(clone(model).fit(X, X[:, 0]), call)(X)
        np.testing.assert_allclose(getattr(model.fit(make(X), X[:, 0]), call)(make(X)), expected, atol=1e-5)
