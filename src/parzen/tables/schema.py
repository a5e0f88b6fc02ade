"""Schemas: names, types and categories of a table's columns; tables as matrices of numbers, and back.

Families see matrices of numbers. A schema is learnt once, from the first table (`parzen.tables.first_table`), and every
later table is read the same way (`Schema.encode`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.device import is_device, routine
from parzen.tables.categories import codes_in, compact_codes, decoded, has_levels
from parzen.tables.cells import NUMBERS, cells_of, frame_kind, is_missing, is_numeric, plain_numbers
from parzen.tables.coded import smallest_type
from parzen.tables.decode import as_table
from parzen.tables.kinds import Column, Columns

#: Rows of a matrix that stay in cache while columns are written to it.
ROWS = 2048


@dataclass(frozen=True, eq=False)
class Schema:
    """How a table is read as a matrix.

    Attributes
    ----------
    labels : tuple or range
        What the columns are called; their positions where they have no names.
    alphabets : tuple, one for each column
        Its categories, whose positions are the codes; None for a column of numbers.
    dtypes : tuple, one for each column
    closed : frozenset of int
        Columns in which a category that is not in the alphabet is an error.
    frame : "pandas", "polars" or None
        What kind of table `decode` gives back.
    """

    labels: Sequence[Any]
    alphabets: tuple[NDArray[Any] | None, ...]
    dtypes: tuple[Any, ...]
    closed: frozenset[int] = frozenset()
    frame: str | None = None

    @cached_property
    def names(self) -> Sequence[str] | None:
        """Names of the columns, where all have one that is text."""
        return self.labels if all(isinstance(label, str) for label in self.labels) else None

    @cached_property
    def _places(self) -> dict[Any, int]:
        """Position of each column by its name."""
        return {label: at for at, label in reversed(list(enumerate(self.labels)))}

    @cached_property
    def plain(self) -> bool:
        """Whether every column holds numbers."""
        return all(alphabet is None for alphabet in self.alphabets)

    def same_columns(self, other: "Schema") -> bool:
        """Whether two tables have the same names and alphabets."""
        pairs = zip(self.alphabets, other.alphabets, strict=False)
        return self.labels == other.labels and all(_same(a, b) for a, b in pairs)

    def encode(self, X: Any, grow: bool = False, compact: bool = False) -> Any:
        """Rows of a table (or of `Columns`) as a matrix (or CSR) of numbers; an unknown category gets the next code.

        Where some columns hold categories, each column of the matrix is contiguous: they are read one by one.

        With `grow` set, a model is about to be fitted to the rows, and such a category is an error. With `compact`, a
        table without columns of numbers becomes codes in the smallest type that holds them, -1 where missing.
        """
        table = X if isinstance(X, Columns) else Columns(X)
        X = table.X
        if is_sparse(X) or (is_numeric(X) and self.plain):
            return X
        if is_device(X):
            return self._codes_there(X, grow)
        if self._holds_codes(X, grow):
            return X
        whole = plain_numbers(X) if self.plain else None
        if whole is not None:
            return whole
        if compact and not any(alphabet is None for alphabet in self.alphabets):
            return self._compact(table, grow)
        if self.plain:
            return side_by_side([self.numbers(table[j], j) for j in range(len(self.alphabets))])
        out = np.empty((len(table), len(self.alphabets)), order="F")
        for j, alphabet in enumerate(self.alphabets):
            if alphabet is None:
                out[:, j] = self.numbers(table[j], j)
            else:
                self._write_codes(table[j], alphabet, j, grow, out[:, j])
        return out

    def decode(self, rows: Array) -> Any:
        """Rows of numbers as a table of the kind that the schema was learnt from, with the types of its columns."""
        columns = [
            rows[:, j] if alphabet is None else decoded(rows[:, j], alphabet)
            for j, alphabet in enumerate(self.alphabets)
        ]
        return as_table(columns, self.labels, self.dtypes, self.frame)

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position, one or several."""
        several = isinstance(columns, Iterable) and not isinstance(columns, str | bytes | dict)
        found = [self._position(column) for column in (columns if several else [columns])]
        if len(set(found)) < len(found) or not found:
            raise ValueError(f"columns must be different ones, at least one, got {columns!r}.")
        return found

    def _position(self, column: Any) -> int:
        d = len(self.labels)
        if isinstance(column, str):
            if column not in self._places:
                known = "the table has no names" if self.names is None else f"the columns are {list(self.labels)}"
                raise ValueError(f"there is no column {column!r}: {known}.")
            return self._places[column]
        if self.frame is not None and self.names is None and column in self.labels:
            return list(self.labels).index(column)  # columns whose names are numbers
        if isinstance(column, bool | np.bool_) or not isinstance(column, int | np.integer) or not -d <= column < d:
            raise ValueError(f"there is no column {column!r}: give a name or a position from 0 to {d - 1}.")
        return int(column) % d

    def select(self, positions: Sequence[int]) -> "Schema":
        """Schema of some of the columns."""
        labels: Sequence[Any] = tuple(self.labels[j] for j in positions)
        alphabets, dtypes = (tuple(part[j] for j in positions) for part in (self.alphabets, self.dtypes))
        labels = labels if self.names else range(len(labels)) if self.frame is None else labels
        closed = frozenset(at for at, j in enumerate(positions) if j in self.closed)
        return Schema(labels, alphabets, dtypes, closed, self.frame)

    def _holds_codes(self, X: Any, grow: bool) -> bool:
        """Whether X is a matrix of integers that are already the codes of its categories."""
        if not (is_numeric(X) and X.dtype.kind in "biu" and X.size and all(map(_counts_up, self.alphabets))):
            return False
        sizes = np.array([len(part) for part in self.alphabets if part is not None])
        strict = np.arange(len(sizes)) if grow else sorted(self.closed)
        return bool(X.min() >= 0 and (X.max(axis=0) < sizes)[strict].all())

    def numbers(self, column: Column, j: int) -> Array:
        """Cells of column j as numbers, NaN where missing; an error where there is anything else."""
        try:
            return column.floats
        except (TypeError, ValueError):
            wrong = (
                cell for cell in cells_of(column.values) if not is_missing(cell) and not isinstance(cell, int | float)
            )
            cell = next(wrong, None)
            cell = cell.item() if isinstance(cell, np.generic) else cell
            held = f"cells of {column.values.dtype}" if cell is None else repr(cell)
            where = f"column {self.labels[j]!r} holds {held}, but numbers are needed"
            remedy = "make it a number, leave it out, or give it a family such as Categorical()."
            if isinstance(cell, str):
                raise ValueError(f"could not convert string to float: {where}; {remedy}") from None
            raise TypeError(f"argument must be a string or a number: {where}; {remedy}") from None

    def _compact(self, table: Columns, grow: bool) -> NDArray[np.integer]:
        """Codes of a table whose columns all hold categories."""
        alphabets = [part for part in self.alphabets if part is not None]
        kind = smallest_type(max(map(len, alphabets)))
        out = np.empty((len(table), len(alphabets)), dtype=kind)
        columns = []
        for j, alphabet in enumerate(alphabets):
            columns.append(compact_codes(table[j], alphabet, kind))
            self._check_known(columns[-1], table[j], alphabet, j, grow)
        return side_by_side(columns, out)

    def _write_codes(self, column: Column, alphabet: NDArray[Any], j: int, grow: bool, out: Array) -> None:
        """Write the codes of column j."""
        if has_levels(column, alphabet):
            column.levels.write_among(alphabet, out)
        else:
            out[...] = codes_in(column, alphabet)
        self._check_known(out, column, alphabet, j, grow)

    def _check_known(self, codes: NDArray[Any], column: Column, alphabet: NDArray[Any], j: int, grow: bool) -> None:
        """Raise where a category that is none of the alphabet's may not be there."""
        if not grow and j not in self.closed:
            return
        beyond = codes == len(alphabet)
        if beyond.any():
            new = cells_of(column.values)[int(np.argmax(beyond))]
            raise self._unknown(new.item() if isinstance(new, np.generic) else new, j, len(alphabet))

    def _codes_there(self, X: Any, grow: bool) -> Any:
        """Codes of rows on a device, all of whose columns hold numbers that are categories."""
        if not all(alphabet is not None and alphabet.dtype.kind in NUMBERS for alphabet in self.alphabets):
            raise X.stays_there()
        codes = routine("alphabet_codes")(X, self.alphabets)
        for j, (top, alphabet) in enumerate(zip(codes.largest(), self.alphabets, strict=True)):
            if top == len(alphabet) and (grow or j in self.closed):  # type: ignore[arg-type]
                raise self._unknown(X[:, j].host()[codes[:, j].host() == top][0].item(), j, int(top))
        return codes

    def _unknown(self, cell: Any, j: int, categories: int) -> ValueError:
        return ValueError(
            f"column {self.labels[j]!r} holds {cell!r}, which is none of its {categories} categories so far; "
            "declare all of them (by a category dtype, or Categorical(categories=...)), or fit anew on all rows."
        )


def side_by_side(columns: Sequence[NDArray[Any]], out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Columns as a matrix, some rows at a time: each line of memory is then written while it is in cache."""
    out = np.empty((len(columns[0]), len(columns))) if out is None else out
    for begin in range(0, len(out), ROWS):
        for j, column in enumerate(columns):
            out[begin : begin + ROWS, j] = column[begin : begin + ROWS]
    return out


def bare_schema(X: Any) -> Schema:
    """The schema of a table of numbers."""
    frame = frame_kind(X)
    d = X.shape[1]
    labels = tuple(X.columns) if frame else range(d)
    dtypes = tuple(X.dtypes) if frame else (getattr(X, "dtype", None),) * d
    return Schema(labels, (None,) * d, dtypes, frame=frame)


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _counts_up(alphabet: NDArray[Any] | None) -> bool:
    return alphabet is not None and alphabet.dtype.kind in "iu" and np.array_equal(alphabet, np.arange(len(alphabet)))
