"""Categories of a column, and their positions as codes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.tables.cells import NUMBERS, is_missing
from parzen.tables.kinds import Column


def declared_categories(given: Any) -> NDArray[Any]:
    """Categories that a user gives, as an array: without missing values, each once; a number n gives 0, ..., n - 1."""
    if np.ndim(given) == 0 and not isinstance(given, set | frozenset):
        if not isinstance(given, int | np.integer) or given < 1:
            raise ValueError(f"categories must be lists of categories, or their number (at least 1), got {given!r}.")
        return np.arange(int(given))
    values = [value for value in given if not is_missing(value)]
    if len(set(values)) < len(values) or not values:
        raise ValueError(f"categories must be different from each other, at least one, got {list(given)!r}.")
    numeric = np.asarray(values)
    return numeric if numeric.dtype.kind in NUMBERS else _objects(values)


def categories_of(column: Column, j: int) -> NDArray[Any]:
    """Categories of column j, sorted: those that its type declares, else those that it holds."""
    if column.every_category is not None:
        return column.every_category
    dtype = column.values.dtype
    if type(dtype).__name__ in ("CategoricalDtype", "Enum"):  # declared by pandas' and polars' types
        listed = list(dtype.categories)
        return declared_categories(listed) if listed else _objects([])
    if column.coded is None and column.cells.dtype.kind in NUMBERS:
        found = np.unique(column.cells)
        found = found[~np.isnan(found)] if found.dtype.kind == "f" else found
        if not np.isfinite(found).all():
            raise ValueError(f"Input X contains infinity, in column {j}; a category must be finite.")
        return found
    present = column.levels.present()
    try:
        ordered = sorted(present)
    except TypeError:  # types that don't compare
        ordered = sorted(present, key=lambda cell: (type(cell).__name__, str(cell)))
    return _objects(ordered)


def codes_in(column: Column, categories: NDArray[Any]) -> Array:
    """Position of each cell among the categories; NaN where missing, the number of categories where it is none."""
    size = len(categories)
    if has_levels(column, categories):
        return column.levels.among(categories)
    cells = column.cells
    order = np.argsort(categories)
    at = np.minimum(np.searchsorted(categories, cells, sorter=order), size - 1)
    codes = np.where(categories[order[at]] == cells, order[at], size).astype(np.float64)
    return np.where(np.isnan(cells), np.nan, codes) if cells.dtype.kind == "f" else codes


def compact_codes(column: Column, categories: NDArray[Any], dtype: Any) -> NDArray[np.integer]:
    """The same as whole numbers of a type; -1 where missing."""
    if has_levels(column, categories):
        return column.levels.compact(categories, dtype)
    codes = codes_in(column, categories)
    return np.where(np.isnan(codes), -1.0, codes).astype(dtype)


def has_levels(column: Column, categories: NDArray[Any]) -> bool:
    """Whether the cells of a column are looked up by their different values, and not as numbers."""
    coded = column.coded is not None or column.cells.dtype.kind not in NUMBERS
    return coded or categories.dtype.kind not in NUMBERS or not len(categories)


def decoded(codes: Array, categories: NDArray[Any]) -> NDArray[Any]:
    """The category of each code; None where a code is missing, as all are in a column that has no categories."""
    known = ~np.isnan(codes) & bool(len(categories))
    if known.all():
        return categories[codes.astype(np.intp)]
    out = np.full(len(codes), None, dtype=object)
    out[known] = categories[codes[known].astype(np.intp)]
    return out


def _objects(values: list[Any]) -> NDArray[Any]:
    odd = next((value for value in values if isinstance(value, complex)), None)
    if odd is not None:
        raise ValueError(
            f"Complex data not supported: a column holds {odd}; give real and imaginary parts as two columns."
        )
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
