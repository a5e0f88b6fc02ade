"""Products of families: blocks by name, one block for each column, and errors in the table's names."""

import pandas as pd
import pytest

from parzen import (
    Categorical,
    Collapse,
    DensityEstimator,
    Gaussian,
    Poisson,
    Product,
)


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
