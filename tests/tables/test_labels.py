"""Cells as text: the same for every type of column that holds them."""

import numpy as np
import pandas as pd
import pytest

from parzen.tables.features import as_labels

COLUMNS = {
    "int": (pd.Series([1, 2, 1]), ["1", "2", "1"]),
    "float": (pd.Series([1.0, 2.5, np.nan, -0.0, np.inf, 1e20]), ["1", "2.5", None, "0", "inf", "1e+20"]),
    "bool": (pd.Series([True, False]), ["True", "False"]),
    "text": (pd.Series(["a", None, "b", "a"]), ["a", None, "b", "a"]),
    "objects": (pd.Series([True, 1, 1.0, "1", None, np.nan], dtype=object), ["True", "1", "1", "1", None, None]),
    "nullable": (pd.Series([1, None, 3], dtype="Int64"), ["1", None, "3"]),
    "categories": (pd.Series(["x", None, "y"], dtype="category"), ["x", None, "y"]),
    "categories of numbers": (pd.Series([1.0, None, 2.0]).astype("category"), ["1", None, "2"]),
    "dates": (pd.Series(pd.to_datetime(["2020-01-01", None])), ["2020-01-01 00:00:00", None]),
    "nothing": (pd.Series([None, None], dtype=object), [None, None]),
    "no rows": (pd.Series([], dtype=float), []),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_cells_are_written_alike(name):
    column, words = COLUMNS[name]
    assert as_labels(column).tolist() == words
