"""Where pictures are drawn: places over the rows of a table, and tables of places."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.tables.cells import column_of, frame_kind


def as_table(X: Any) -> Any:
    """A table as it is, anything else as an array of rows and columns."""
    if frame_kind(X):
        return X
    rows = np.asarray(X)
    if rows.ndim != 2:
        raise ValueError(f"X must have rows and columns, got shape {rows.shape}; use X.reshape(-1, 1) for one column.")
    return rows


def places_of(X: Any, columns: Any) -> list[int]:
    """Positions of one or two columns, or an error."""
    if columns is None:
        if X.shape[1] > 2:
            raise ValueError(f"a picture is of one or two columns, and X has {X.shape[1]}; choose some by columns=.")
        return list(range(X.shape[1]))
    several = columns if isinstance(columns, list | tuple | np.ndarray) else [columns]
    names = list(X.columns) if frame_kind(X) else []
    out = []
    for one in several:
        if one in names:
            out.append(names.index(one))
        elif isinstance(one, int | np.integer) and -X.shape[1] <= one < X.shape[1]:
            out.append(int(one) % X.shape[1])
        else:
            raise ValueError(f"X has no column {one!r}; there are {names or X.shape[1]}.")
    if len(out) not in (1, 2):
        raise ValueError(f"columns must be one or two, got {columns!r}.")
    return out


def label_of(X: Any, place: int) -> Any:
    """What a column is asked for by."""
    return X.columns[place] if frame_kind(X) else place


def name_of(X: Any, place: int) -> str:
    """What a column is called in a picture."""
    return str(X.columns[place]) if frame_kind(X) else f"column {place}"


def is_number(X: Any, place: int) -> bool:
    """Whether a column holds numbers."""
    return bool(np.asarray(column_of(X, place)).dtype.kind in "iuf")


def numbers_of(X: Any, places: Sequence[int]) -> Array:
    """Columns as numbers, (n, columns)."""
    try:
        return np.stack([np.asarray(column_of(X, place), dtype=np.float64) for place in places], axis=1)
    except (TypeError, ValueError):
        raise ValueError("the columns of a picture must be numbers.") from None


def rows_like(X: Any, places: Sequence[int], rows: Array) -> Any:
    """Rows as a table like X, of some of its columns."""
    if frame_kind(X) == "pandas":
        import pandas

        return pandas.DataFrame(rows, columns=[X.columns[place] for place in places])
    if frame_kind(X) == "polars":
        import polars

        return polars.DataFrame({X.columns[place]: rows[:, j] for j, place in enumerate(places)})
    return rows


def held(X: Any, places: Sequence[int], mesh: Array, missing: bool) -> Any:
    """Places as rows of X, whose other columns are missing, or held at what is usual."""
    n, d = len(mesh), X.shape[1]
    columns = []
    for j in range(d):
        if j in places:
            columns.append(mesh[:, list(places).index(j)])
            continue
        cells = column_of(X, j)
        values = np.asarray(cells)
        if missing:
            columns.append(np.full(n, np.nan if values.dtype.kind in "biuf" else None))
        elif values.dtype.kind in "iuf":
            there = values[~np.isnan(values.astype(np.float64))]
            columns.append(np.full(n, np.median(there) if len(there) else 0.0))
        else:
            known, counts = np.unique([str(cell) for cell in values.tolist() if cell is not None], return_counts=True)
            usual = next(cell for cell in values.tolist() if str(cell) == known[counts.argmax()])
            columns.append(np.full(n, usual, dtype=object))
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


def spaced(values: Array, size: int, margin: float = 0.1) -> Array:
    """Evenly spaced places over the rows, and a margin."""
    if not len(values):
        raise ValueError("there are no rows without missing cells to draw.")
    low, high = float(values.min()), float(values.max())
    wide = (high - low) or abs(low) or 1.0
    return np.linspace(low - margin * wide, high + margin * wide, size)


def bin_count(values: Array) -> int:
    """Bins by the rule of Freedman and Diaconis, but at least a dozen, and at most 120."""
    low, quarter, most, high = np.quantile(values, [0, 0.25, 0.75, 1])
    width = 2 * (most - quarter) / max(len(values), 1) ** (1 / 3)
    return int(np.clip((high - low) / width, 12, 120)) if width > 0 else 20
