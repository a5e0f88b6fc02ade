"""Explanation of outliers: how much higher the log-density of a row is with a typical value in a column."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.tables.cells import column_of, frame_kind, is_missing, is_numeric

#: Number of typical values of a column, and most rows that are scored together while they are tried.
TYPICAL, TOGETHER = 33, 2_000


def typical_values(X: Any) -> list[NDArray[Any]]:
    """Typical values of each column: quantiles of numbers, the most frequent categories."""
    found: list[NDArray[Any]] = []
    for j in range(X.shape[1]):
        column = column_of(X, j)
        column = column.drop_nulls() if hasattr(column, "drop_nulls") else column
        cells = column if isinstance(column, np.ndarray) else column.to_numpy()
        if cells.dtype.kind in "iuf":
            known = np.sort(cells[~np.isnan(cells)])
            positions = np.linspace(0, max(len(known) - 1, 0), TYPICAL).round().astype(np.intp)
            found.append(np.unique(known[positions] if len(known) else known))
        else:
            values, counts = _counted(cells)
            found.append(values[np.argsort(-counts, kind="stable")[:TYPICAL]])
    return found


def _counted(cells: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    counts = {cell: count for cell, count in Counter(cells.tolist()).items() if not is_missing(cell)}
    values = np.empty(len(counts), dtype=object)
    values[:] = list(counts)
    return values, np.array(list(counts.values()), dtype=np.int64)


def contributions(
    score: Any, X: Any, typical: list[NDArray[Any]], scores: Array, dtypes: list[Any] | None
) -> tuple[Array, NDArray[Any]]:
    """Contribution of each column to the low log-density of each row, (n, d), and the value that would be likely.

    A contribution is the rise of the log-density when the column's value is replaced by the most likely of its typical
    values. A missing value contributes nothing.

    Parameters
    ----------
    score : function that gives the log-densities of a table
    scores : the log-densities of X
    dtypes : types of the columns of a frame
    """
    n, d = X.shape
    if is_numeric(X) and any(values.dtype.kind == "f" for values in typical):
        X = X.astype(np.float64)  # typical values may be fractions
    gain, best = np.zeros((n, d)), np.empty((n, d), dtype=object)
    for j, values in enumerate(typical):
        missing = _missing(column_of(X, j))
        top = np.full(n, -np.inf)
        each = max(TOGETHER // max(n, 1), 1)
        for some in (values[first : first + each] for first in range(0, len(values), each)):
            found = score(_with(X, j, some, None if dtypes is None else dtypes[j])).reshape(len(some), n)
            for value, own in zip(some, found, strict=True):
                better = own > top
                top[better], best[better, j] = own[better], value
        with np.errstate(invalid="ignore"):
            more = np.where(np.isneginf(scores) & np.isneginf(top), 0.0, top - scores)
        gain[:, j] = np.where(missing | ~(more > 0), 0.0, more)
    return gain, best


def _missing(column: Any) -> NDArray[np.bool_]:
    cells = column if isinstance(column, np.ndarray) else column.to_numpy()
    if cells.dtype.kind == "f":
        return np.isnan(cells)
    listed = cells.tolist()
    missing = {cell: is_missing(cell) for cell in set(listed)}
    return np.array([missing[cell] for cell in listed], dtype=bool)


def any_missing(X: Any) -> bool:
    """Whether a table has missing values."""
    return not is_sparse(X) and any(_missing(column_of(X, j)).any() for j in range(X.shape[1]))


def _with(X: Any, j: int, values: NDArray[Any], dtype: Any) -> Any:
    """A table as often as there are values, each time with one of them in column j, of the type of the fit."""
    kind = frame_kind(X)
    rows = np.tile(np.arange(len(X)), len(values))
    cells = [value for value in values for _ in range(len(X))]
    if kind == "pandas":
        import pandas

        copy = X.iloc[rows].reset_index(drop=True)
        copy.isetitem(j, pandas.Series(cells, index=copy.index, dtype=dtype))
        return copy
    if kind == "polars":
        import polars

        return X[rows].with_columns(polars.Series(X.columns[j], cells, dtype=dtype))
    copy = np.array(X[rows])
    copy[:, j] = cells
    return copy
