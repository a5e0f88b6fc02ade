"""Cells of a column: numbers, categories and missing values, in arrays, pandas and polars alike."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device import is_device, routine

#: Kinds of NumPy's types that are numbers.
NUMBERS = "biuf"


def frame_kind(X: Any) -> str | None:
    """Return "pandas" or "polars" for a table of theirs (or of a class derived from it), None for anything else."""
    if not hasattr(X, "columns"):
        return None
    modules = {kind.__module__.partition(".")[0] for kind in type(X).__mro__}
    return next((name for name in ("pandas", "polars") if name in modules), None)


def column_of(X: Any, j: int) -> Any:
    """Column j of an array, a pandas or a polars table; of an array on a device, its different values."""
    if is_device(X):
        return routine("distinct")(X[:, j])[0]
    if isinstance(X, np.ndarray):
        return X[:, j]
    return X.iloc[:, j] if frame_kind(X) == "pandas" else X.to_series(j)


def is_numeric(X: Any) -> bool:
    """Whether X is an array of numbers or booleans."""
    return (isinstance(X, np.ndarray) or is_device(X)) and X.dtype.kind in NUMBERS


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA, none of which is equal to itself."""
    return cell is None or type(cell).__name__ == "NAType" or (np.ndim(cell) == 0 and bool(cell != cell))


def cells_of(column: Any) -> NDArray[Any]:
    """A column as an array of numbers, else of objects; dates as Python's datetimes."""
    array = column if isinstance(column, np.ndarray) else column.to_numpy()
    if array.dtype.kind in "mM":  # microseconds, whatever the unit was: the resolution of Python's own datetimes
        return array.astype(f"{array.dtype.kind}8[us]").astype(object)
    return array if array.dtype.kind in NUMBERS else array.astype(object, copy=False)


def distinct_cells(cells: list[Any]) -> list[Any]:
    """The different cells, in the order in which they first appear."""
    try:
        return list(dict.fromkeys(cells))
    except TypeError:
        kind = next(type(cell).__name__ for cell in cells if _unhashable(cell))
        raise TypeError(
            f"argument must be a string or a number: categories can't be cells like a {kind}; make them text."
        ) from None


def _unhashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return True
    return False


def as_numbers(column: Any) -> Array:
    """A column as float64, NaN where missing; an error where it holds anything but numbers."""
    if type(column).__module__.startswith("polars"):
        import polars

        if not (column.dtype.is_numeric() or column.dtype in (polars.Boolean, polars.Null)):
            raise TypeError("not numbers")
        return column.cast(polars.Float64).to_numpy().astype(np.float64)
    if not isinstance(column, np.ndarray):  # pandas: NumPy's types and nullable ones have a kind alike
        if getattr(column.dtype, "kind", "O") not in (*NUMBERS, "O"):
            raise TypeError("not numbers")
        plain = isinstance(column.dtype, np.dtype) or column.dtype.kind == "O"
        column = column.to_numpy() if plain else column.to_numpy(np.float64, na_value=np.nan)
    if column.dtype == object:
        column = np.array([np.nan if is_missing(cell) else _plain_number(cell) for cell in column])
    if column.dtype.kind not in NUMBERS:
        raise TypeError("not numbers")
    return column.astype(np.float64)


def columns_of(X: Any) -> Any:
    """All columns of a table, by position: those of pandas are made at once, which takes a third of the time."""
    return [column for _, column in X.items()] if frame_kind(X) == "pandas" else _EachColumn(X)


@dataclass(frozen=True)
class _EachColumn:
    """The columns of an array or a polars table."""

    X: Any

    def __getitem__(self, j: int) -> Any:
        return column_of(self.X, j)


def plain_numbers(X: Any) -> Array | None:
    """A pandas table of NumPy's numbers as float64, all columns at once; None for other tables."""
    if frame_kind(X) != "pandas" or not all(isinstance(one, np.dtype) and one.kind in NUMBERS for one in X.dtypes):
        return None
    return np.ascontiguousarray(X.to_numpy(dtype=np.float64))


def _plain_number(cell: Any) -> Any:
    return float(cell) if isinstance(cell, Decimal) else cell


def holds_numbers(X: Any) -> bool:
    """Whether every cell of a table is a number or missing."""
    if isinstance(X, np.ndarray):
        return is_numeric(X)
    try:
        for j in range(X.shape[1]):
            as_numbers(column_of(X, j))
    except (TypeError, ValueError):
        return False
    return True
