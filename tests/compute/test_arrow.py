"""Codes of text that is read by Arrow's stream interface."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from parzen.compute.arrow import text_codes
from tests.oracle import TWINS

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


@pytest.mark.parametrize("make", MAKE)
@pytest.mark.parametrize("texts", TEXTS)
def test_codes_of_text_equal_the_oracle(level, make, texts):
    for cut in (0, 1):  # from the second row on: an offset into the buffers
        column = MAKE[make](TEXTS[texts])[cut:]
        codes, firsts = text_codes(column)
        assert [codes.tolist(), firsts.tolist()] == list(map(list, TWINS["text_codes"](TEXTS[texts][cut:])))


def test_chunks_have_codes_of_their_own():
    column = pa.chunked_array([["a", "b"], [], [None, "b", "c"]])
    codes, firsts = text_codes(column)
    assert codes.tolist() == [0, 1, -1, 2, 3]
    assert firsts.tolist() == [0, 1, 3, 4]


def test_what_is_no_text_has_no_codes():
    assert text_codes(pl.Series([1, 2])) is None
    assert text_codes(pa.chunked_array([pa.array([b"a"])])) is None


def test_the_column_may_be_read_again():
    column = pd.Series(["a", "b", None] * 5, dtype="str")
    first, again = text_codes(column), text_codes(column)
    np.testing.assert_array_equal(first[0], again[0])
    assert column.tolist()[:2] == ["a", "b"]
