"""Products of families: blocks by name, one block for each column, and errors in the table's names."""

import numpy as np
import pandas as pd
import pytest

from parzen import (
    Categorical,
    Collapse,
    DensityEstimator,
    Gaussian,
    Histogram,
    Poisson,
    Product,
    fit,
)
from parzen.compute.steps import MANY_ROWS
from tests.compute.inputs import KINDS, memberships


def test_a_block_can_be_replaced_by_its_name():
    family = Product({"a": Gaussian(), "b": Poisson()})
    family.set_params(a=Gaussian("diag"), b__estimate="ml")
    assert family.blocks["a"].covariance_type == "diag"
    assert family.blocks["b"].estimate == "ml"
    assert vars(family).keys() == {"blocks"}


@pytest.mark.parametrize(
    ("blocks", "match"),
    [
        ({"a": Gaussian(), 0: Poisson(), "b": Poisson()}, "one block each"),
        ({"a": Gaussian()}, r"no family for \['b'\]"),
        ({"a": Gaussian(), "b": Poisson(), "c": Poisson()}, "no column 'c'"),
        ({"a": "gauss", "b": Poisson()}, "must be a family"),
    ],
)
def test_blocks_cover_every_column_once(blocks, match):
    with pytest.raises((TypeError, ValueError), match=match):
        DensityEstimator(Product(blocks)).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}))


def test_errors_of_blocks_name_the_table_s_columns():
    table = pd.DataFrame({"a": [0.0, 1.0], "b": [0, -2]})
    with pytest.raises(ValueError, match="column 'b' holds -2"):
        DensityEstimator(Product({"a": Gaussian(), "b": Poisson()})).fit(table)
    table = pd.DataFrame({"a": [0.0, 1.0], "b": [None, None]})
    with pytest.raises(Collapse, match="column 'b' has no value"):
        DensityEstimator(Product({"a": Gaussian(), "b": Categorical()})).fit(table)


def test_values_that_are_repeated_are_compared_as_any_others(rng):
    n = 3 * MANY_ROWS
    X = np.column_stack([rng.integers(0, 9, n) / 2, rng.normal(size=n), rng.choice([0.0, 7.0, 12.5, np.nan], n)])
    labels = np.eye(2)[rng.integers(0, 2, n)]
    edges = [np.array([0.0, 5.0, 10.0, 13.0])]
    density = fit(Product({0: Gaussian(), 1: Gaussian(), 2: Histogram(edges, estimate="ml")}), X, labels).density
    X[::7, 2] = 40.0  # outside of all bins: it tells nothing about the classes
    X[0, 0], X[1, 2] = np.inf, np.nan
    at_once, apart = np.empty((n, 2)), np.empty((n, 2))
    density.compare(X, at_once)
    for begin in range(0, n, MANY_ROWS - 1):  # too few rows for repeated values to be looked for
        density.compare(X[begin : begin + MANY_ROWS - 1], apart[begin : begin + MANY_ROWS - 1])
    np.testing.assert_array_equal(at_once, apart)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_values_that_are_repeated_are_observed_as_any_others(kind, order, rng):
    n = 3 * MANY_ROWS
    X = np.column_stack([rng.integers(0, 9, n) / 2, rng.normal(size=n), rng.choice([0.0, 7.0, 12.5, np.nan], n)])
    X = np.array(X, order=order)
    R, edges = memberships(kind, n, rng), [np.array([0.0, 5.0, 10.0, 13.0])]
    parts = {0: Gaussian("diag"), 1: Gaussian("diag"), 2: Histogram(edges)}
    found = Product(parts).observe(X, R)
    for j, family in parts.items():
        apart = family.observe(X[:, [j]], R)
        for name, value in vars(apart).items():
            if isinstance(value, np.ndarray):
                np.testing.assert_allclose(getattr(found.parts[j], name), value, rtol=1e-11, atol=1e-9)
