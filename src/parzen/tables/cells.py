"""Cells of a column: numbers, categories, missing ones; of arrays, pandas and polars alike."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array

NUMBERS = "biuf"


def holds_codes(X: Any) -> bool:
    """Whether every cell of a table is a whole number (or missing)."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "biu" or (X.dtype.kind == "f" and bool(((np.floor(X) == X) | np.isnan(X)).all()))
    try:
        columns = [as_numbers(column_of(X, j)) for j in range(X.shape[1])]
    except (TypeError, ValueError):
        return False
    return all(holds_codes(column) for column in columns)


def frame_kind(X: Any) -> str | None:
    """Say "pandas" or "polars" of a table of theirs (or of a class derived from it)."""
    if not hasattr(X, "columns"):
        return None
    modules = {kind.__module__.partition(".")[0] for kind in type(X).__mro__}
    return next((name for name in ("pandas", "polars") if name in modules), None)


def column_of(X: Any, j: int) -> Any:
    """Column j of an array, a pandas or a polars table."""
    if isinstance(X, np.ndarray):
        return X[:, j]
    return X.iloc[:, j] if frame_kind(X) == "pandas" else X.to_series(j)


def declared(part: Any) -> NDArray[Any]:
    """An alphabet as an array: without missing values, each category once."""
    if np.ndim(part) == 0 and not isinstance(part, set | frozenset):
        if not isinstance(part, int | np.integer) or part < 1:
            raise ValueError(f"categories must be alphabets, or how many there are (at least 1), got {part!r}.")
        return np.arange(int(part))
    values = [value for value in part if not is_missing(value)]
    if len(set(values)) < len(values) or not values:
        raise ValueError(f"categories must be different from each other, at least one, got {list(part)!r}.")
    numeric = np.asarray(values)
    return numeric if numeric.dtype.kind in NUMBERS else _objects(values)


def is_numeric(X: Any) -> bool:
    """Whether X is an array of numbers or booleans."""
    return isinstance(X, np.ndarray) and X.dtype.kind in NUMBERS


def as_numbers(cells: Any) -> Array:
    """A column as float64, NaN where missing; an error where it holds anything but numbers."""
    if type(cells).__module__.startswith("polars"):
        import polars

        if not (cells.dtype.is_numeric() or cells.dtype in (polars.Boolean, polars.Null)):
            raise TypeError("not numbers")
        return cells.cast(polars.Float64).to_numpy().astype(np.float64)
    if not isinstance(cells, np.ndarray):  # pandas: NumPy's types and nullable ones have a kind alike
        if getattr(cells.dtype, "kind", "O") not in (*NUMBERS, "O"):
            raise TypeError("not numbers")
        cells = cells.to_numpy() if cells.dtype.kind == "O" else cells.to_numpy(np.float64, na_value=np.nan)
    if cells.dtype == object:
        cells = np.array([np.nan if is_missing(cell) else _plain_number(cell) for cell in cells])
    if cells.dtype.kind not in NUMBERS:
        raise TypeError("not numbers")
    return cells.astype(np.float64)


def _plain_number(cell: Any) -> Any:
    return float(cell) if isinstance(cell, Decimal) else cell


def kind_of(column: Any, label: Any) -> str:
    """What a column holds: "number", "count", "bit", "symbol" or "nothing"."""
    cells = cells_of(column)
    if all(map(is_missing, cells.tolist())):
        return "nothing"
    if type(column.dtype).__name__ in ("CategoricalDtype", "Categorical", "Enum"):
        return "symbol"
    if cells.dtype.kind == "O":
        known = [cell for cell in cells.tolist() if not is_missing(cell)]
        if known and all(isinstance(cell, datetime | date | timedelta) for cell in known):
            raise ValueError(
                f"column {label!r} holds moments in time; make it a number first, such as days since one of them."
            )
        if not all(isinstance(cell, Real | np.bool_ | Decimal) for cell in known):
            return "symbol"
    numbers = as_numbers(column)
    numbers = numbers[~np.isnan(numbers)]
    if (
        not len(numbers)
        or not np.isfinite(numbers).all()
        or (numbers < 0).any()
        or (numbers != np.floor(numbers)).any()
    ):
        return "number"
    if numbers.max() <= 1:  # a later table may hold a 2, unless these are booleans
        return "bit" if _all_booleans(column) else "symbol"
    # A Poisson's variance is its mean; where that is large, a Gaussian says the same and more.
    return "count" if numbers.mean() < 10 and 0.5 <= numbers.var() / numbers.mean() <= 2 else "number"


def letter_of(column: Any, label: Any) -> str:
    """What a column's type says that it is: "c" numbers, "u" categories, "o" categories with an order."""
    if type(column.dtype).__name__ in ("CategoricalDtype", "Categorical", "Enum"):
        return "o" if getattr(column.dtype, "ordered", False) else "u"
    if getattr(column.dtype, "kind", "O") in "iuf":
        return "c"
    kind = kind_of(column, label)  # raises where it holds moments in time
    return "u" if _all_booleans(column) or (kind == "symbol" and not _all_numbers(column)) else "c"


def _all_numbers(column: Any) -> bool:
    try:
        as_numbers(column)
    except (TypeError, ValueError):
        return False
    return True


def _all_booleans(column: Any) -> bool:
    kind = str(column.dtype).lower()
    if kind.startswith("bool"):
        return True
    cells = cells_of(column)
    return cells.dtype.kind == "O" and all(isinstance(cell, bool | np.bool_) or is_missing(cell) for cell in cells)


def cells_of(cells: Any) -> NDArray[Any]:
    """A column as an array of numbers, else of objects; moments in time as datetimes."""
    array = cells if isinstance(cells, np.ndarray) else cells.to_numpy()
    if array.dtype.kind in "mM":  # microseconds, whatever the unit was: what Python's own datetimes count
        return array.astype(f"{array.dtype.kind}8[us]").astype(object)
    return array if array.dtype.kind in NUMBERS else array.astype(object)


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA, none of which equals itself for certain."""
    return cell is None or type(cell).__name__ == "NAType" or (np.ndim(cell) == 0 and bool(cell != cell))


def alphabet_of(X: Any, j: int) -> NDArray[Any]:
    """Categories of column j, in order: those that its type declares, else those that it holds."""
    column = column_of(X, j)
    if type(column.dtype).__name__ in ("CategoricalDtype", "Enum"):  # pandas' and polars' declared alphabets
        listed = list(column.dtype.categories)
        return declared(listed) if listed else _objects([])
    cells = cells_of(column)
    if cells.dtype.kind in NUMBERS:
        found = np.unique(cells)
        found = found[~np.isnan(found)] if cells.dtype.kind == "f" else found
        if not np.isfinite(found).all():
            raise ValueError(f"Input X contains infinity, in column {j}; a category may be any number but that.")
        return found
    present = [cell for cell in _distinct(cells) if not is_missing(cell)]
    try:
        ordered = sorted(present)
    except TypeError:  # kinds that don't compare
        ordered = sorted(present, key=lambda cell: (type(cell).__name__, str(cell)))
    return _objects(ordered)


def _distinct(cells: NDArray[Any]) -> list[Any]:
    try:
        return list(dict.fromkeys(cells.tolist()))
    except TypeError:
        kind = next(type(cell).__name__ for cell in cells.tolist() if getattr(cell, "__hash__", None) is None)
        raise TypeError(
            f"argument must be a string or a number: categories can't be cells like a {kind}; make them text."
        ) from None


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def codes_in(column: Any, alphabet: NDArray[Any]) -> Array:
    """Position of each cell in the alphabet; NaN where missing, the alphabet's size where it is not in it."""
    cells = cells_of(column)
    size = len(alphabet)
    if cells.dtype.kind in NUMBERS and alphabet.dtype.kind in NUMBERS and size:
        order = np.argsort(alphabet)
        place = np.minimum(np.searchsorted(alphabet, cells, sorter=order), size - 1)
        codes = np.where(alphabet[order[place]] == cells, order[place], size).astype(np.float64)
        return np.where(np.isnan(cells), np.nan, codes) if cells.dtype.kind == "f" else codes
    codes_of = {value: float(code) for code, value in enumerate(alphabet.tolist())}
    objects = cells.astype(object)  # one object for each cell, so that a NaN is found again by its identity
    found = {cell: np.nan if is_missing(cell) else codes_of.get(cell, float(size)) for cell in _distinct(objects)}
    return np.fromiter(map(found.__getitem__, objects.tolist()), dtype=np.float64, count=len(cells))
