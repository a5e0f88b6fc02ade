"""Grids over the rows of a table, and tables of grid points."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.tables.cells import as_numbers, column_of, frame_kind
from parzen.tables.kinds import Column


def as_table(X: Any) -> Any:
    """A pandas or polars table as it is, anything else as an array of rows and columns."""
    if frame_kind(X):
        return X
    rows = np.asarray(X)
    if rows.ndim != 2:
        raise ValueError(f"X must have rows and columns, got shape {rows.shape}; use X.reshape(-1, 1) for one column.")
    return rows


def column_positions(X: Any, columns: Any) -> list[int]:
    """Positions of one or two columns, or an error."""
    if columns is None:
        if X.shape[1] > 2:
            raise ValueError(f"a display is of one or two columns, and X has {X.shape[1]}; choose some by columns=.")
        return list(range(X.shape[1]))
    several = columns if isinstance(columns, list | tuple | np.ndarray) else [columns]
    names = list(X.columns) if frame_kind(X) else []
    positions = []
    for one in several:
        if one in names:
            positions.append(names.index(one))
        elif isinstance(one, int | np.integer) and -X.shape[1] <= one < X.shape[1]:
            positions.append(int(one) % X.shape[1])
        else:
            raise ValueError(f"X has no column {one!r}; there are {names or X.shape[1]}.")
    if len(positions) not in (1, 2):
        raise ValueError(f"columns must be one or two, got {columns!r}.")
    return positions


def column_name(X: Any, position: int) -> str:
    """The name of a column on an axis."""
    return str(X.columns[position]) if frame_kind(X) else f"column {position}"


def numeric_positions(X: Any) -> list[int]:
    """Positions of the columns of numbers."""
    return [j for j in range(X.shape[1]) if Column(column_of(X, j)).storage == "number"]


def numeric_columns(X: Any, positions: Sequence[int]) -> Array:
    """Columns as numbers, (n, columns), NaN where missing."""
    try:
        return np.stack([as_numbers(column_of(X, j)) for j in positions], axis=1)
    except (TypeError, ValueError):
        names = [column_name(X, j) for j in positions]
        raise ValueError(f"the columns of a display must be numbers, got {names}.") from None


def evenly_spaced(values: Array, size: int, margin: float = 0.1) -> Array:
    """Evenly spaced points from the least value to the largest, with a margin in units of their range."""
    if not len(values):
        raise ValueError("there are no rows without missing values to draw; give at least one.")
    low, high = float(values.min()), float(values.max())
    wide = (high - low) or abs(low) or 1.0
    return np.linspace(low - margin * wide, high + margin * wide, size)


def mesh_of(grid: Sequence[Array]) -> Array:
    """All points of a grid as rows, (points, columns), the last column fastest."""
    return np.stack([axis.ravel() for axis in np.meshgrid(*grid, indexing="ij")], axis=1)


def bin_count(values: Array) -> int:
    """Number of bins of a histogram by the rule of Freedman and Diaconis, from 12 to 120."""
    low, lower, upper, high = np.quantile(values, [0, 0.25, 0.75, 1])
    width = 2 * (upper - lower) / max(len(values), 1) ** (1 / 3)
    return int(np.clip((high - low) / width, 12, 120)) if width > 0 else 20


def table_of_columns(X: Any, positions: Sequence[int], rows: Array) -> Any:
    """Rows of some columns of X as a table of X's kind."""
    if frame_kind(X) == "pandas":
        import pandas

        return pandas.DataFrame(rows, columns=[X.columns[j] for j in positions])
    if frame_kind(X) == "polars":
        import polars

        return polars.DataFrame({X.columns[j]: rows[:, k] for k, j in enumerate(positions)})
    return rows


def complete_rows(X: Any, positions: Sequence[int], mesh: Array, missing: bool) -> Any:
    """Points of a grid as rows of a table like X, whose other columns are missing or have their typical value."""
    columns = []
    for j in range(X.shape[1]):
        if j in positions:
            columns.append(mesh[:, list(positions).index(j)])
        else:
            columns.append(_constant(np.asarray(column_of(X, j)), len(mesh), missing))
    if frame_kind(X) == "pandas":
        import pandas

        frame = pandas.DataFrame(dict(enumerate(columns)))
        frame.columns = X.columns
        return frame.astype(
            {name: kind for name, kind in X.dtypes.items() if not pandas.api.types.is_numeric_dtype(kind)}
        )
    if frame_kind(X) == "polars":
        import polars

        return polars.DataFrame({name: column.tolist() for name, column in zip(X.columns, columns, strict=True)})
    return np.stack(columns, axis=1)


def _constant(values: Any, n: int, missing: bool) -> Any:
    """A column of n missing values, of medians, or of the most frequent category."""
    if missing:
        return np.full(n, np.nan if values.dtype.kind in "biuf" else None)
    if values.dtype.kind in "iuf":
        known = values[~np.isnan(values.astype(np.float64))]
        return np.full(n, np.median(known) if len(known) else 0.0)
    names, counts = np.unique([str(cell) for cell in values.tolist() if cell is not None], return_counts=True)
    mode = next(cell for cell in values.tolist() if str(cell) == names[counts.argmax()])
    return np.full(n, mode, dtype=object)
