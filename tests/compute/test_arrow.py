"""Codes of text that is read by Arrow's stream interface."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from parzen.compute.arrow import number_rows, text_codes
from tests.libraries import polars as pl
from tests.oracle import TWINS
from tests.versions import since

columns_of_pandas = since("pandas", "3.0", "a Series gives Arrow's stream")
columns_of_arrow = since("pyarrow", "16.0", "a column gives Arrow's stream")

TEXTS = {
    "none": [],
    "missing": [None, None],
    "one": ["a"],
    "short and long": [
        "",
        "a",
        None,
        "exactly 12 b",
        "exactly 13 by",
        "",
        "é",
        "a" * 40,
        "a" * 39 + "b",
        "a",
        None,
        "a" * 40,
    ],
    "many": [None if i % 11 == 3 else f"row {i * i % 331} of {'many ' * (i % 3)}" for i in range(700)],
}
MAKE = {
    "pandas": lambda texts: pd.Series(texts, dtype=pd.StringDtype("pyarrow")),
    "pandas default": lambda texts: pd.Series(texts, dtype="str"),
    "polars": lambda texts: pl.Series(texts, dtype=pl.String),
    "arrow": lambda texts: pa.chunked_array([pa.array(texts, pa.string())]),
    "large": lambda texts: pa.chunked_array([pa.array(texts, pa.large_string())]),
    "view": lambda texts: pa.chunked_array([pa.array(texts, pa.string_view())]),
}

MARKS = dict.fromkeys(["pandas", "pandas default"], columns_of_pandas) | dict.fromkeys(
    ["arrow", "large", "view"], columns_of_arrow
)


@pytest.mark.parametrize("make", [pytest.param(make, marks=MARKS.get(make, ())) for make in MAKE])
@pytest.mark.parametrize("texts", TEXTS)
def test_codes_of_text_equal_the_oracle(level, make, texts):
    for cut in (0, 1):  # from the second row on: an offset into the buffers
        column = MAKE[make](TEXTS[texts])[cut:]
        codes, different = text_codes(column)
        assert [codes.tolist(), different] == list(map(list, TWINS["text_codes"](TEXTS[texts][cut:])))


@columns_of_arrow
def test_chunks_have_codes_of_their_own():
    column = pa.chunked_array([["a", "b"], [], [None, "b", "c"]])
    codes, different = text_codes(column)
    assert codes.tolist() == [0, 1, -1, 2, 3]
    assert different == ["a", "b", "b", "c"]


@columns_of_arrow
def test_what_is_no_text_has_no_codes():
    assert text_codes(pl.Series([1, 2])) is None
    assert text_codes(pa.chunked_array([pa.array([b"a"])])) is None


@columns_of_pandas
def test_the_column_may_be_read_again():
    column = pd.Series(["a", "b", None] * 5, dtype="str")
    first, again = text_codes(column), text_codes(column)
    np.testing.assert_array_equal(first[0], again[0])
    assert column.tolist()[:2] == ["a", "b"]


FORMATS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


@pytest.mark.parametrize("kinds", [["float32"] * 3, FORMATS, ["float64"] * 700, ["uint8"]])
def test_rows_of_numbers_equal_the_oracle(level, kinds):
    rng = np.random.default_rng(0)
    columns = [
        [None if j % 2 and rng.random() < 0.3 else cell for cell in rng.integers(0, 100, 53).tolist()]
        for j in range(len(kinds))
    ]
    whole = pa.table(
        {f"x{j}": pa.array(cells, kind) for j, (cells, kind) in enumerate(zip(columns, kinds, strict=True))}
    )
    for begin, end in ((0, 53), (0, 0), (3, 50), (17, 18)):  # offsets into bytes of the bitmaps
        rows = [cells[begin:end] for cells in columns]
        table = pa.concat_tables([whole.slice(begin, end - begin), whole.slice(0, 11)])  # two chunks
        found = number_rows(table, table.num_rows)
        dtype = np.float32 if set(kinds) == {"float32"} else np.float64
        assert found.dtype == dtype
        wanted = [some + cells[:11] for some, cells in zip(rows, columns, strict=True)]
        np.testing.assert_array_equal(found, TWINS["side_by_side"](wanted, dtype))


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("gap", [None, 0, 5])
def test_columns_that_need_no_conversion_equal_the_oracle(level, kind, gap):
    rng = np.random.default_rng(1)
    for d, n in ((4, 1), (9, 3), (11, 4097)):
        columns = [rng.standard_normal(n).astype(kind).tolist() for _ in range(d)]
        if gap is not None and gap < d:
            columns[gap][n // 2] = None
        table = pa.table({f"x{j}": pa.array(cells, kind) for j, cells in enumerate(columns)}).slice(n // 3)
        wanted = TWINS["side_by_side"]([cells[n // 3 :] for cells in columns], np.dtype(kind))
        np.testing.assert_array_equal(number_rows(table, table.num_rows), wanted)


def test_whole_numbers_of_64_bits_are_rounded_once():
    cells = [2**63 - 1, -(2**63), 2**53 + 1]
    np.testing.assert_array_equal(number_rows(pa.table({"a": cells}), 3)[:, 0], np.array(cells).astype(float))


def test_tables_of_anything_else_are_left_to_others():
    assert number_rows(pa.table({"a": [1.0], "b": ["text"]}), 1) is None
    assert number_rows(pa.table({"a": pa.array(["x"]).dictionary_encode()}), 1) is None
    assert number_rows(pa.table({"a": np.ones(2, dtype=np.float16)}), 2) is None
