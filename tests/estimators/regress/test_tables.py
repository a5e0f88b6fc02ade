"""Tables of kernel regression and conditional densities: names, kinds, missing values, and arrays of the user."""

import numpy as np
import pandas as pd
import pytest

from parzen import (
    ConditionalDensity,
    Gaussian,
    KernelRegressor,
)
from tests.libraries import polars as pl


def test_draws_have_the_index_of_the_rows(table):
    X, y = table
    some = X.sample(frac=1, random_state=0)[:3]
    assert ConditionalDensity(bandwidth="silverman").fit(X, y).sample(some, 0).index.equals(some.index)


def test_names_of_targets_are_not_compared(table):
    X, y = table
    model = ConditionalDensity(Gaussian()).fit(X, y)
    expected = model.pdf(X[:2], y[:2])
    np.testing.assert_array_equal(model.pdf(X[:2], y[:2].tolist()), expected)
    np.testing.assert_array_equal(model.pdf(X[:2], y[:2].rename("z")), expected)
    assert model.pdf(X[:1], [0.0, 1.0]).shape == (2,)
    ConditionalDensity(Gaussian()).fit(X.set_axis([0, 1], axis=1), y)
    ConditionalDensity(Gaussian(shrinkage="oas")).fit(X, np.column_stack([y, y]))
    ConditionalDensity(Gaussian()).fit(X.set_axis(["y", "(y)"], axis=1), y.rename("y"))
    frame = pl.DataFrame(X.to_dict("list"))
    polars = ConditionalDensity(Gaussian()).fit(frame, pl.Series("t", y.to_list()))
    np.testing.assert_allclose(polars.pdf(frame[:2], y[:2].to_list()), expected)


def test_missing_values_are_refused_by_every_density(table):
    X, y = table
    for density in (None, Gaussian()):
        model = ConditionalDensity(density, bandwidth="silverman")
        with pytest.raises(ValueError, match="Input y contains NaN: column 't' has missing values"):
            model.fit(X, y.mask(y > 1))
        with pytest.raises(ValueError, match="Input X contains NaN: column 'a' has missing values"):
            model.fit(X.mask(X > 1), y)
        with pytest.raises(ValueError, match="Input y contains NaN"):
            model.fit(X, y).pdf(X[:1], [np.nan])


def test_bandwidths_by_name(table):
    X, y = table
    found = ConditionalDensity(bandwidth={"a": 1.0, "t": 0.5}).fit(X, y).bandwidth_
    assert found[0] == 1.0
    assert found[2] == 0.5
    with pytest.raises(ValueError, match=r"3 numbers \(2 of X, 1 of y\), got \[1, 1\]"):
        ConditionalDensity(bandwidth=[1, 1]).fit(X, y)
    series = KernelRegressor(pd.Series({"a": 0.3, "b": 0.2})).fit(X, y).bandwidth_
    np.testing.assert_array_equal(series, [0.3, 0.2])
    np.testing.assert_array_equal(KernelRegressor(np.array(0.3)).fit(X, y).bandwidth_, 0.3)


def test_errors_say_what_was_expected(table):
    X, y = table
    with pytest.raises(ValueError, match="return_std=True needs a fit to at least two rows"):
        KernelRegressor(1.0).fit(X[:1], y[:1]).predict(X, return_std=True)
    with pytest.raises(ValueError, match="y must be numbers"):
        KernelRegressor().fit(X, ["a"] * 60)
    assert KernelRegressor(1.0, kinds=["c", "c"]).fit(X, y).kinds_ == "cc"


def test_kinds_are_not_for_joint_densities(table):
    X, y = table
    for name, letters in (("kinds", "cc"), ("y_kinds", "c")):
        with pytest.raises(ValueError, match=f"{name} must be 'auto' with a joint density"):
            ConditionalDensity(Gaussian(), **{name: letters}).fit(X, y)


def test_kinds_of_targets_and_wrong_orders():
    mixed = ConditionalDensity(bandwidth="silverman").fit([[0.0], [1.0], [2.0]], [[1.0, "a"], [2.0, "b"], [3.0, "a"]])
    assert mixed.outputs_.letters == "cu"
    with pytest.raises(ValueError, match="kinds must be 'auto'"):
        KernelRegressor(1.0, kinds=None).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="order must be 0"):
        KernelRegressor(1.0, order=np.array([0, 1])).fit([[0.0], [1.0]], [0, 1])


def test_arrays_of_the_user_stay_the_user_s(rng):
    X, w, asked = rng.normal(size=(50, 1)), np.full(50, 1.5), np.array([[1e300], [0.0]])
    asked.flags.writeable = False
    for model in (KernelRegressor(0.5), ConditionalDensity(bandwidth=[0.5, 0.5])):
        rows, y, heavy = X.copy(), X[:, 0].copy(), w.copy()
        expected = model.fit(X, X[:, 0], sample_weight=w).predict(X)
        assert np.isfinite(model.predict(asked)).all()
        model.fit(rows, y, sample_weight=heavy)
        for part in (rows, y, heavy):
            part[:] = np.arange(len(part)).reshape(part.shape) + 7.0
        np.testing.assert_array_equal(model.predict(X), expected)
