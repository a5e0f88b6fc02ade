"""Columns of categories and of text are read as codes of the values that occur."""

import pytest

from parzen.tables.coded import coded

pl = pytest.importorskip("polars")


def cells(column):
    """Cells of a column by its codes."""
    found = coded(column)
    return [None if code < 0 else found.values[code] for code in found.codes.tolist()]


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.String, pl.Enum(["z", "a", "b"])])
@pytest.mark.parametrize("given", [["a", None, "b", "a"], [None, None], [], ["b"] * 3000])
def test_codes_of_a_column_say_its_cells(dtype, given):
    assert cells(pl.Series(given, dtype=dtype)) == given


def test_chunks_of_a_column_share_their_codes():
    parts = [pl.Series(part, dtype=pl.Categorical) for part in (["a", None], ["b", "a"])]
    assert cells(pl.concat(parts, rechunk=False)) == ["a", None, "b", "a"]


def test_most_cells_may_differ():
    given = [f"k{i}" for i in range(5000)] + [None, "k3"]
    column = pl.Series(given, dtype=pl.Categorical)
    assert cells(column) == given
    assert coded(column[10:12]).present() == ["k10", "k11"]  # of all categories those that occur
