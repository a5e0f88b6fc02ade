"""Columns of numbers as a table of the user's own kind: arrays, pandas, polars."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.tables.cells import NUMBERS


def as_table(columns: Sequence[NDArray[Any]], labels: Sequence[Any], dtypes: Sequence[Any], frame: str | None) -> Any:
    """Columns as one table.

    Parameters
    ----------
    columns : arrays of shape (n,)
    labels : what the columns are called
    dtypes : the types that the columns had; they are restored where the values allow it
    frame : "pandas", "polars", or None for an array
    """
    if frame == "pandas":
        return _pandas_table(columns, labels, dtypes)
    if frame == "polars":
        return _polars_table(columns, labels, dtypes)
    if all(column.dtype.kind in NUMBERS for column in columns):
        return np.stack(columns, axis=1).astype(np.result_type(*(_whole(column) for column in columns)), copy=False)
    return np.stack([column.astype(object) for column in columns], axis=1)


def _pandas_table(columns: Sequence[NDArray[Any]], labels: Sequence[Any], dtypes: Sequence[Any]) -> Any:
    import pandas

    pairs = zip(columns, dtypes, strict=True)
    table = pandas.concat(
        [_pandas_column(pandas, _whole(column), _restored(column, dtype)) for column, dtype in pairs], axis=1
    )
    table.columns = list(labels)
    return table


def _pandas_column(pandas: Any, column: NDArray[Any], dtype: Any) -> Any:
    if dtype == np.dtype(object) and column.dtype == object:
        return pandas.Series(column, dtype=object)
    return pandas.Series(column).astype(dtype)


def _polars_table(columns: Sequence[NDArray[Any]], labels: Sequence[Any], dtypes: Sequence[Any]) -> Any:
    import polars

    return polars.DataFrame(
        [
            polars.Series(label, _whole(column).tolist()).cast(_restored(column, dtype))
            for label, column, dtype in zip(labels, columns, dtypes, strict=True)
        ]
    )


def _whole(column: NDArray[Any]) -> NDArray[Any]:
    """A column as integers where all of its numbers are whole."""
    return column.astype(np.int64) if column.dtype.kind == "f" and _all_whole(column) else column


def _all_whole(column: NDArray[Any]) -> bool:
    return bool(np.all(np.abs(column) < 2**53) and np.all(column == np.floor(column)))


def _restored(column: NDArray[Any], dtype: Any) -> Any:
    """The type that a column had, unless it was one of whole numbers (or booleans) and these are not."""
    fractions = column.dtype.kind == "f" and not _all_whole(column)
    if not fractions or not str(dtype).lower().startswith(("int", "uint", "bool")):
        return dtype
    if type(dtype).__module__.startswith("polars"):
        import polars

        return polars.Float64
    return np.float64
