"""Columns that hold codes of categories, or text: read as codes, without a Python object for each cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.arrow import text_codes
from parzen.compute.steps import different
from parzen.tables.cells import distinct_cells, is_missing

#: Rows of a column of objects in which repeated ones are looked for, and how many there must be of each on average.
MANY_ROWS, ROWS_FOR_EACH = 1024, 16
#: Types of polars and pandas that may hold text as Arrow does.
TEXT = ("String", "StringDtype", "ArrowDtype")


@dataclass(frozen=True)
class Coded:
    """A column as codes.

    Attributes
    ----------
    codes : array of shape (n,) of int
        Position of each cell in `values`; -1 where it is missing.
    values : list
        Different values. Those of a type that declares its categories need not occur.
    occur : bool
        Whether each value is known to occur.
    """

    codes: NDArray[np.integer]
    values: list[Any]
    occur: bool = False

    def known(self) -> bool:
        """Whether a cell is not missing."""
        return bool(len(self.codes)) and int(self.codes.max()) >= 0

    def present(self) -> list[Any]:
        """The values that occur."""
        if self.occur:
            return self.values
        found = np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))
        return [value for value, count in zip(self.values, found.tolist(), strict=True) if count]

    def among(self, categories: NDArray[Any]) -> Array:
        """Position of each cell among categories; NaN where missing, the number of categories where it is none."""
        out = np.empty(len(self.codes))
        self.write_among(categories, out)
        return out

    def write_among(self, categories: NDArray[Any], out: Array) -> None:
        """Write these positions."""
        places = np.array([*self._places(categories), np.nan])
        np.take(places, self.codes, out=out, mode="wrap")  # the code -1 finds the last

    def compact(self, categories: NDArray[Any], dtype: Any) -> NDArray[np.integer]:
        """The same as whole numbers of a type; -1 where missing."""
        places = np.array([*self._places(categories), -1], dtype=dtype)
        if self.codes.dtype == dtype == np.int8:  # bytes are looked up many times faster than by an index
            table = np.full(256, -1, dtype=np.int8)
            table[: len(places)] = places
            return np.frombuffer(self.codes.tobytes().translate(table.tobytes()), dtype=np.int8)
        return places[self.codes]

    def _places(self, categories: NDArray[Any]) -> list[int]:
        position = {value: code for code, value in enumerate(categories.tolist())}
        return [position.get(value, len(categories)) for value in self.values]


def smallest_type(size: int) -> Any:
    """The smallest type that holds codes from -1 to a size."""
    return next(kind for kind in (np.int8, np.int16, np.int32) if size <= np.iinfo(kind).max)


def coded(column: Any) -> Coded | None:
    """A column of pandas or polars whose type is one of categories or of text; None for any other column."""
    if isinstance(column, np.ndarray):
        return None
    kind = type(column.dtype).__name__
    if kind == "CategoricalDtype":
        return Coded(column.array.codes, column.dtype.categories.tolist())
    if kind in ("Enum", "Categorical"):
        codes = _physical(column)
        return Coded(codes, column.dtype.categories.to_list()) if kind == "Enum" else _compact(column, codes)
    if kind in TEXT and hasattr(column, "__arrow_c_stream__"):
        found = text_codes(_stream(column)) if _is_text(column.dtype) else None
        return None if found is None else _merged(*found)
    return None


def object_codes(cells: NDArray[Any], column: Any) -> Coded:
    """Cells of a column as codes, as they first appear; objects are compared as keys of a dict are."""
    same = different(cells, len(cells) // ROWS_FOR_EACH) if cells.dtype == object and len(cells) >= MANY_ROWS else None
    if same is not None:  # a few objects, each in many cells: only they have to be compared
        found = object_codes(cells[same[0]], column)
        return Coded(found.codes.astype(smallest_type(len(found.values)))[same[1]], found.values, found.occur)
    if hasattr(column, "factorize") and cells.dtype == object:  # pandas has the same loop, compiled
        import pandas

        try:
            codes, values = pandas.factorize(cells)
            return Coded(codes, values.tolist(), True)
        except TypeError:
            pass  # cells that have no hash: which ones is said below
    listed = cells.tolist() if cells.dtype == object else cells.astype(object).tolist()
    once = distinct_cells(listed)
    position: dict[Any, int] = {cell: -1 for cell in once if is_missing(cell)}
    values = [cell for cell in once if cell not in position]
    position.update(zip(values, range(len(values)), strict=True))
    return Coded(np.fromiter(map(position.__getitem__, listed), dtype=np.int32, count=len(listed)), values, True)


def taken(column: Any, rows: NDArray[np.integer]) -> list[Any]:
    """Cells of some rows."""
    cells = column.gather(rows) if hasattr(column, "gather") else column.array.take(rows)
    found: list[Any] = cells.to_list() if hasattr(cells, "to_list") else cells.tolist()
    return found


def _stream(column: Any) -> Any:
    """What gives a column as a stream: of pandas, the array of Arrow that it holds, which asks for no conversion."""
    return column.array.__arrow_array__() if hasattr(column, "array") else column


def _is_text(dtype: Any) -> bool:
    """Whether a type holds text as Arrow does: not as objects, which would have to be copied first."""
    name = type(dtype).__name__
    return (
        name == "String" or getattr(dtype, "storage", None) == "pyarrow" or (name == "ArrowDtype" and dtype.kind == "O")
    )


def _physical(column: Any) -> NDArray[np.int32]:
    """Codes of a column of categories of polars, -1 where it is missing; read where they lie if none is."""
    import polars

    codes = column.to_physical().cast(polars.UInt32)
    if codes.null_count():
        codes = codes.fill_null(2**32 - 1)
    signed: NDArray[np.int32] = codes.to_numpy().view(np.int32)
    return signed


def _compact(column: Any, codes: NDArray[np.int32]) -> Coded:
    """Codes of the categories that occur, as they first appear: polars numbers those of several columns together."""
    found: Any = different(codes, max(len(codes) // ROWS_FOR_EACH, MANY_ROWS))
    firsts, places = found or np.unique(codes, return_index=True, return_inverse=True)[1:]
    held = codes[firsts] >= 0
    new = np.where(held, np.cumsum(held) - 1, -1).astype(np.int32)
    return Coded(places if held.all() else new[places], taken(column, firsts[held]), True)


def _merged(codes: NDArray[np.int32], values: list[Any]) -> Coded:
    """One code for each value: chunks of a column have codes of their own."""
    position = {value: code for code, value in enumerate(dict.fromkeys(values))}
    if len(position) < len(values):
        codes = np.array([*(position[value] for value in values), -1], dtype=np.int32)[codes]
    return Coded(codes, list(position), True)
