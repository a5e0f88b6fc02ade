"""Types of Arrow's columns, where the files of a folder differ in them: what holds the cells of all."""

from typing import Any

import numpy as np


def joined(one: Any, other: Any) -> Any:
    """The type that holds the cells of both, as the same rows in memory would have it; None where there is none.

    Whole numbers beside fractions are fractions, a file without a cell of a column says nothing of it, text is text
    however it is stored, and of two times the finer unit is kept.
    """
    import pyarrow as pa

    one, other = _plain(one, other), _plain(other, one)
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if _is_number(one) and _is_number(other):
        return pa.from_numpy_dtype(np.result_type(one.to_pandas_dtype(), other.to_pandas_dtype()))
    if _is_text(one) and _is_text(other):
        return pa.large_string()
    if pa.types.is_timestamp(one) and pa.types.is_timestamp(other) and one.tz == other.tz:
        return max(one, other, key=lambda kind: ("s", "ms", "us", "ns").index(kind.unit))
    return None


def as_type(column: Any, kind: Any) -> Any:
    """A column of Arrow as one of a type that holds its cells; numbers are rounded as NumPy rounds them."""
    return column if column.type == kind else column.cast(kind, safe=False)


def _plain(kind: Any, other: Any) -> Any:
    """A type; of a dictionary, whose codes may be stored differently in each file, that of what it holds."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) and kind != other else kind


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    view = getattr(pa.types, "is_string_view", lambda kind: False)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or view(kind))
