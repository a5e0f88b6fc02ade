"""Explanation of outliers: how much higher the log-density of a row is with a typical value in a column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.tables.cells import column_of, frame_kind, is_missing, is_numeric

#: Number of typical values of a column.
TYPICAL = 33


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
    counts: dict[Any, int] = {}
    for cell in cells.tolist():
        if not is_missing(cell):
            counts[cell] = counts.get(cell, 0) + 1
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
        for value in values:
            found = score(_with(X, j, value, None if dtypes is None else dtypes[j]))
            better = found > top
            top[better], best[better, j] = found[better], value
        with np.errstate(invalid="ignore"):
            more = np.where(np.isneginf(scores) & np.isneginf(top), 0.0, top - scores)
        gain[:, j] = np.where(missing | ~(more > 0), 0.0, more)
    return gain, best


def _missing(column: Any) -> NDArray[np.bool_]:
    cells = column if isinstance(column, np.ndarray) else column.to_numpy()
    if cells.dtype.kind == "f":
        return np.isnan(cells)
    return np.array([is_missing(cell) for cell in cells.tolist()], dtype=bool)


def any_missing(X: Any) -> bool:
    """Whether a table has missing values."""
    return not is_sparse(X) and any(_missing(column_of(X, j)).any() for j in range(X.shape[1]))


def _with(X: Any, j: int, value: Any, dtype: Any) -> Any:
    """A table in which column j holds one value, of the type that the column had in the fit."""
    kind = frame_kind(X)
    if kind == "pandas":
        import pandas

        copy = X.copy()
        copy.isetitem(j, pandas.Series([value] * len(X), index=X.index, dtype=dtype))
        return copy
    if kind == "polars":
        import polars

        return X.with_columns(polars.Series(X.columns[j], [value] * len(X), dtype=dtype))
    copy = np.array(X)
    copy[:, j] = value
    return copy
