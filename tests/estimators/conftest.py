"""A table with columns of every kind, for estimators that read tables."""

import pandas as pd
import pytest

from tests.libraries import polars as pl


@pytest.fixture
def mixed_table(rng):
    n = 120
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "green"], n),
            "grade": pd.Categorical(rng.choice(["c", "b", "a"], n), ["c", "b", "a"], ordered=True),
            "old": rng.random(n) < 0.5,
        }
    )
    y = table["size"] + (table.colour == "red") + table.grade.cat.codes + 0.2 * rng.normal(size=n)
    return table, y


@pytest.fixture
def as_polars():
    """The table above in polars, its ordered column as an Enum."""

    def convert(table):
        grade = pl.Series("grade", table.grade.astype(str).to_list(), dtype=pl.Enum(["c", "b", "a"]))
        others = pl.DataFrame(table.drop(columns="grade").to_dict("list"))
        return others.with_columns(grade).select(table.columns.to_list())

    return convert
