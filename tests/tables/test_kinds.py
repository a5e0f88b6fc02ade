"""Kinds of columns: one description, whatever library the column is from, and what is derived from it."""

from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from parzen import AutoColumns, DensityEstimator, KernelRegressor
from parzen.tables.coded import MANY_ROWS, object_codes
from parzen.tables.kinds import Column, family_kind, few_levels, kernel_letter
from tests.libraries import polars as pl

N = 60
DAYS = [date(2020, 1, 1) + timedelta(days=i % 20) for i in range(N)]
#: Values, and their kind, kernel and role.
COLUMNS = {
    "fractions": (np.linspace(-1, 1, N), "continuous", "continuous", "continuous"),
    "gaps": (np.where(np.arange(N) % 7 == 0, np.nan, np.linspace(-1, 1, N)), "continuous", "continuous", "continuous"),
    "large whole numbers": (np.arange(N) * 7 % 59, "continuous", "continuous", "continuous"),
    "counts": (np.array([0, 1, 1, 2, 3] * (N // 5)), "count", "continuous", "count"),
    "zeros and ones": (np.array([0, 1, 1] * (N // 3)), "categorical", "continuous", "binary"),
    "two numbers": (np.array([2.5, 7.0] * (N // 2)), "continuous", "continuous", "binary"),
    "row numbers": (np.arange(N), "continuous", "continuous", "identifier"),
    "huge": (np.linspace(-1, 1, N) * 1e200, "continuous", "continuous", "extreme"),
    "one number": (np.full(N, 3.5), "continuous", "continuous", "constant"),
    "no number": (np.full(N, np.nan), "empty", "continuous", "empty"),
    "booleans": (np.arange(N) % 3 == 0, "binary", "unordered", "binary"),
    "words": (["red", "green", "blue"] * (N // 3), "categorical", "unordered", "categorical"),
    "words and gaps": (["red", "green", None] * (N // 3), "categorical", "unordered", "binary"),
    "names": ([f"row {i}" for i in range(N)], "categorical", "unordered", "identifier"),
    "sentences": ([f"this is a whole sentence {i}" for i in range(N)], "categorical", "unordered", "text"),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("make", [pd.Series, pl.Series, np.asarray], ids=["pandas", "polars", "numpy"])
def test_every_library_gives_the_same_kinds(make, name):
    values, kind, kernel, role = COLUMNS[name]
    column = Column(np.array(values, dtype=object) if make is np.asarray and isinstance(values, list) else make(values))
    assert (column.kind, column.kernel, column.role) == (kind, kernel, role)


@pytest.mark.parametrize(
    ("values", "kind", "kernel", "role"),
    [
        (pd.Series(["a", "b", "c"] * 20, dtype="category"), "categorical", "unordered", "categorical"),
        (pd.Series(pd.Categorical(["a", "b", "c"] * 20, ordered=True)), "ordinal", "ordered", "ordinal"),
        (pl.Series(["a", "b", "c"] * 20, dtype=pl.Enum(["a", "b", "c"])), "categorical", "unordered", "categorical"),
        (pd.Series([0, 1, 1, 2, None] * 12, dtype="Int64"), "count", "continuous", "count"),
        (pd.Series([True, False, None] * 20, dtype="boolean"), "binary", "unordered", "binary"),
        (pd.Series([True, False, None] * 20, dtype=object), "binary", "unordered", "binary"),
        (pd.Series([Decimal(i) / 3 for i in range(N)]), "continuous", "continuous", "identifier"),
        (pd.Series([1, "a", 2] * 20), "categorical", "unordered", "categorical"),
        (pd.Series([None] * N, dtype=object), "empty", "unordered", "empty"),
        (pd.Series(pd.to_datetime(DAYS)), "date", "none", "date"),
        (pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"), "date", "none", "date"),
    ],
)
def test_types_of_columns(values, kind, kernel, role):
    column = Column(values)
    assert (column.kind, column.kernel, column.role) == (kind, kernel, role)


def test_missing_and_distinct_values():
    column = Column(pd.Series(["a", None, "b", float("nan"), "a"], dtype=object))
    assert column.known.tolist() == ["a", "b", "a"]
    assert column.distinct == 2
    assert column.numbers is None


def test_dates_are_refused_by_name():
    dates = pd.DataFrame({"since": DAYS})
    for ask in (family_kind, kernel_letter):
        with pytest.raises(ValueError, match="column 'since' holds dates or times"):
            ask(Column(dates["since"]), "since")
    with pytest.raises(ValueError, match="column 'since' holds dates or times"):
        DensityEstimator(AutoColumns()).fit(dates)
    with pytest.raises(ValueError, match="column 'since' holds dates or times"):
        KernelRegressor().fit(dates, np.arange(N))


def test_orders_have_letters_but_no_family_of_their_own():
    ordered = pd.Series(pd.Categorical(["low", "high"] * 30, categories=["low", "high"], ordered=True))
    assert kernel_letter(Column(ordered), "x") == "o"
    assert family_kind(Column(ordered), "x") == "categorical"


def test_a_few_whole_numbers_are_levels():
    np.testing.assert_array_equal(few_levels(np.array([3.0, 1.0, 2.0] * 50)), [1.0, 2.0, 3.0])
    assert few_levels(np.array([0.0, 1.0] * 50)) is None
    assert few_levels(np.arange(13.0)) is None
    assert few_levels(np.array([0.5, 1.0, 2.0] * 50)) is None


def test_a_declared_role_counts_unless_there_is_nothing_to_learn_from():
    numbers = np.arange(40)
    assert Column(numbers).role == "identifier"
    assert Column(numbers, "continuous").role == "continuous"
    assert Column(np.array([0, 1] * 20), "continuous").role == "continuous"
    assert Column(np.zeros(40), "continuous").role == "constant"
    assert Column(np.full(40, np.nan), "categorical").role == "empty"


@pytest.mark.parametrize("make", [pd.Series, np.asarray], ids=["pandas", "numpy"])
def test_objects_have_the_same_codes_whether_cells_share_them_or_not(make):
    words = ["a long word", "b", None, 2.5, float("nan"), "a long " + "word"]  # two objects are equal
    shared = np.array([words[i % 6] for i in range(2 * MANY_ROWS)], dtype=object)
    own = np.array([one[:1] + one[1:] if isinstance(one, str) else one for one in shared], dtype=object)
    for cells in (shared, own):
        found = object_codes(cells, make(cells))
        assert found.values == ["a long word", "b", 2.5]
        np.testing.assert_array_equal(found.codes[:12], [0, 1, -1, 2, -1, 0] * 2)
