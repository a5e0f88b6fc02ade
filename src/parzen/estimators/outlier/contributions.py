"""What makes a row unlikely: how much likelier it were with other values in a column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.tables.cells import column_of, frame_kind, is_missing, is_numeric

#: Values of a column that stand for all of them when a row is explained.
TYPICAL = 33


def typical(X: Any) -> list[NDArray[Any]]:
    """Values that stand for those of each column."""
    found: list[NDArray[Any]] = []
    for j in range(X.shape[1]):
        column = column_of(X, j)
        column = column.drop_nulls() if hasattr(column, "drop_nulls") else column
        cells = column if isinstance(column, np.ndarray) else column.to_numpy()
        if cells.dtype.kind in "iuf":
            known = np.sort(cells[~np.isnan(cells)])
            places = np.linspace(0, max(len(known) - 1, 0), TYPICAL).round().astype(np.intp)
            found.append(np.unique(known[places] if len(known) else known))
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


def replaced(
    score: Any, X: Any, instead: list[NDArray[Any]], scores: Array, dtypes: list[Any] | None
) -> tuple[Array, NDArray[Any]]:
    """How much likelier each row is with the best of the typical values in each column, (n, d), and that value."""
    n, d = X.shape
    if is_numeric(X) and any(values.dtype.kind == "f" for values in instead):
        X = X.astype(np.float64)  # whole numbers must not cut off what is put in their place
    gain, best = np.zeros((n, d)), np.empty((n, d), dtype=object)
    for j, values in enumerate(instead):
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
    """Whether a table has missing cells."""
    return not is_sparse(X) and any(_missing(column_of(X, j)).any() for j in range(X.shape[1]))


def _with(X: Any, j: int, value: Any, dtype: Any) -> Any:
    """A table in which column j holds one value, of the type that the column had when it was learnt."""
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
