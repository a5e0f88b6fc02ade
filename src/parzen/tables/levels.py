"""Tables whose columns are numbers, or else categories: the schema that a design matrix is made by."""

from dataclasses import replace
from typing import Any

import numpy as np

from parzen.compute.arrays import is_sparse
from parzen.tables.categories import categories_of
from parzen.tables.cells import NUMBERS, is_numeric
from parzen.tables.kinds import Column, Columns, undated
from parzen.tables.schema import Schema, bare_schema


def schema_with_levels(X: Any) -> Schema:
    """The schema of a table, or of `Columns`: columns of numbers and booleans are numbers, all others are categories.

    Dates are an error. A column of a category type holds categories, whatever these are; so does an empty column,
    unless its type is one of numbers.
    """
    table = X if isinstance(X, Columns) else None
    X = X if table is None else table.X
    bare = bare_schema(X)
    if is_sparse(X) or is_numeric(X):
        return bare
    table = Columns(X) if table is None else table
    alphabets = tuple(
        categories_of(table[j], j) if not _plainly_number(dtype) and _has_levels(table[j], label) else None
        for j, (label, dtype) in enumerate(zip(bare.labels, bare.dtypes, strict=True))
    )
    return bare if all(one is None for one in alphabets) else replace(bare, alphabets=alphabets)


def _plainly_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in NUMBERS


def _has_levels(column: Column, label: Any) -> bool:
    if column.storage in ("number", "boolean"):
        return False
    kind = undated(column.kind, "date", label)
    return column.storage == "category" or kind == "empty" or column.numbers is None
