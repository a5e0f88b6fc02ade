"""Tables: names of columns, alphabets of categories, missing cells; rows of any kind as numbers, and back.

Families see matrices of numbers. What a table looks like is learnt once, from the first one (`learn`), and every later
table is read the same way (`Schema.encode`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.tables.cells import (
    NUMBERS,
    alphabet_of,
    as_numbers,
    cells_of,
    codes_in,
    column_of,
    declared,
    frame_kind,
    is_missing,
    is_numeric,
    kind_of,
    letter_of,
)


class Binds(Protocol):
    """What can be told of the first table's columns: a family, or how columns are read."""

    def bind(self, table: Any) -> Self:
        """The same, told what it must know."""


F = TypeVar("F", bound=Binds)


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
        Columns in which a category beyond the alphabet is an error.
    frame : "pandas", "polars" or None
        What kind of table `decode` gives back.
    """

    labels: Sequence[Any]
    alphabets: tuple[NDArray[Any] | None, ...]
    dtypes: tuple[Any, ...]
    closed: frozenset[int] = frozenset()
    frame: str | None = None

    @property
    def names(self) -> Sequence[str] | None:
        """Names of the columns, where all have one that is text."""
        return self.labels if all(isinstance(label, str) for label in self.labels) else None

    @cached_property
    def _plain(self) -> bool:
        """Whether every column is numbers."""
        return all(alphabet is None for alphabet in self.alphabets)

    def same_columns(self, other: "Schema") -> bool:
        """Whether two tables have the same names and alphabets."""
        pairs = zip(self.alphabets, other.alphabets, strict=False)
        return self.labels == other.labels and all(_same(a, b) for a, b in pairs)

    def encode(self, X: Any, grow: bool = False) -> Any:
        """Rows as a matrix (or CSR) of numbers; a category beyond its alphabet gets the next code.

        With `grow` set, rows are about to be learnt from, and such a category is an error.
        """
        if is_sparse(X) or (is_numeric(X) and self._plain):
            return X
        if self._holds_codes(X, grow):
            return X
        out = np.empty((len(X), len(self.alphabets)))
        for j, alphabet in enumerate(self.alphabets):
            cells = column_of(X, j)
            out[:, j] = self._numbers(cells, j) if alphabet is None else self._codes(cells, alphabet, j, grow)
        return out

    def decode(self, rows: Array) -> Any:
        """Rows of numbers as a table of the kind that the schema was learnt from, columns of their first types."""
        columns = [
            rows[:, j] if alphabet is None else alphabet[rows[:, j].astype(np.intp)]
            for j, alphabet in enumerate(self.alphabets)
        ]
        if self.frame == "pandas":
            import pandas

            pairs = zip(columns, self.dtypes, strict=True)
            series = [pandas.Series(_whole(column)).astype(_restored(column, dtype)) for column, dtype in pairs]
            table = pandas.concat(series, axis=1)
            table.columns = list(self.labels)
            return table
        if self.frame == "polars":
            import polars

            named = zip(self.labels, columns, self.dtypes, strict=True)
            return polars.DataFrame(
                [
                    polars.Series(name, _whole(column).tolist()).cast(_restored(column, dtype))
                    for name, column, dtype in named
                ]
            )
        if all(column.dtype.kind in NUMBERS for column in columns):
            return np.stack(columns, axis=1).astype(np.result_type(*(_whole(column) for column in columns)), copy=False)
        return np.stack([column.astype(object) for column in columns], axis=1)

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
            if column not in self.labels:
                known = "the table has no names" if self.names is None else f"the columns are {list(self.labels)}"
                raise ValueError(f"there is no column {column!r}: {known}.")
            return self.labels.index(column)
        if self.frame is not None and self.names is None and column in self.labels:
            return list(self.labels).index(column)  # columns that are called by numbers
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
        """Whether X is a matrix of whole numbers that are its categories' codes already."""
        if not (is_numeric(X) and X.dtype.kind in "biu" and X.size and all(map(_counts_up, self.alphabets))):
            return False
        sizes = np.array([len(part) for part in self.alphabets if part is not None])
        strict = np.arange(len(sizes)) if grow else sorted(self.closed)
        return bool(X.min() >= 0 and (X.max(axis=0) < sizes)[strict].all())

    def _numbers(self, cells: Any, j: int) -> Array:
        try:
            return as_numbers(cells)
        except (TypeError, ValueError):
            wrong = (cell for cell in cells_of(cells) if not is_missing(cell) and not isinstance(cell, int | float))
            cell = next(wrong, None)
            where = f"column {self.labels[j]!r} holds {cell!r}, but numbers are needed"
            remedy = "make it a number, leave it out, or give it a family such as Categorical()."
            if isinstance(cell, str):
                raise ValueError(f"could not convert string to float: {where}; {remedy}") from None
            raise TypeError(f"argument must be a string or a number: {where}; {remedy}") from None

    def _codes(self, cells: Any, alphabet: NDArray[Any], j: int, grow: bool) -> Array:
        codes = codes_in(cells, alphabet)
        beyond = codes == len(alphabet)
        if (grow or j in self.closed) and beyond.any():
            new = cells_of(cells)[int(np.argmax(beyond))]
            new = new.item() if isinstance(new, np.generic) else new
            raise ValueError(
                f"column {self.labels[j]!r} holds {new!r}, which is none of its {len(alphabet)} categories so far; "
                "declare all of them (by a category dtype, or Categorical(categories=...)), or fit anew on all rows."
            )
        return codes


class FirstTable:
    """The table that a schema is learnt from; families ask it for what they need (see `parzen.families.family.Table`)."""

    def __init__(
        self, X: Any, schema: Schema, places: Sequence[int], learnt: dict[int, NDArray[Any]], closed: set[int]
    ) -> None:
        self.X, self.schema, self.places, self.learnt, self.closed = X, schema, places, learnt, closed

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position."""
        return self.schema.positions(columns)

    def names(self) -> list[Any]:
        """Names of the columns, or positions where they have none."""
        return list(self.schema.labels)

    def select(self, positions: list[int]) -> "FirstTable":
        """The table of some of the columns."""
        places = [self.places[j] for j in positions]
        return FirstTable(self.X, self.schema.select(positions), places, self.learnt, self.closed)

    def kind(self, position: int) -> str:
        """What a column holds: "number", "count", "bit", "symbol" or "nothing"."""
        if is_sparse(self.X):
            raise TypeError("families are chosen from dense tables, got a sparse matrix; use X.toarray().")
        return kind_of(column_of(self.X, self.places[position]), self.schema.labels[position])

    def letter(self, position: int) -> str:
        """What a column's type says that it is: "c" numbers, "u" categories, "o" categories with an order."""
        return letter_of(column_of(self.X, self.places[position]), self.schema.labels[position])

    def alphabets(self, given: Any, closed: bool) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given."""
        if is_sparse(self.X):
            raise TypeError("Categorical takes dense tables, got a sparse matrix; use X.toarray(), or Bernoulli.")
        for place, part in zip(self.places, self._declared(given), strict=True):
            self.learnt[place] = alphabet_of(self.X, place) if part is None else declared(part)
            if closed:
                self.closed.add(place)
        return tuple(self.learnt[place] for place in self.places)

    def _declared(self, given: Any) -> list[Any]:
        """What is declared of each column; None of those that are to be learnt."""
        d = len(self.places)
        if given is None or isinstance(given, int | np.integer):
            return [given] * d
        if isinstance(given, dict):
            parts: list[Any] = [None] * d
            for key, part in given.items():
                parts[self.positions(key)[0]] = part
            return parts
        parts = list(given)
        if d == 1 and (len(parts) != 1 or isinstance(parts[0], str)):
            return [parts]  # the alphabet of the one column
        if len(parts) != d or any(isinstance(part, str) for part in parts):
            raise ValueError(
                f"categories must be one alphabet for each of {d} columns, as in [['a', 'b'], ...], or a dict from "
                f"columns to alphabets, got {given!r}."
            )
        return parts


def learn(family: F, X: Any) -> tuple[F, Schema]:
    """The family (or what else binds), bound to the first table, and how this and later tables are read."""
    bare = bare_schema(X)
    d = len(bare.labels)
    learnt: dict[int, NDArray[Any]] = {}
    closed: set[int] = set()
    family = family.bind(FirstTable(X, bare, range(d), learnt, closed))
    if not learnt:
        return family, bare
    return family, replace(bare, alphabets=tuple(learnt.get(j) for j in range(d)), closed=frozenset(closed))


def bare_schema(X: Any) -> Schema:
    """How a table of numbers is read."""
    frame = frame_kind(X)
    d = X.shape[1]
    labels = tuple(X.columns) if frame else range(d)
    dtypes = tuple(column_of(X, j).dtype for j in range(d)) if frame else (getattr(X, "dtype", None),) * d
    return Schema(labels, (None,) * d, dtypes, frame=frame)


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _counts_up(alphabet: NDArray[Any] | None) -> bool:
    return alphabet is not None and alphabet.dtype.kind in "iu" and np.array_equal(alphabet, np.arange(len(alphabet)))


def _whole(column: NDArray[Any]) -> NDArray[Any]:
    """Numbers as whole ones where they are."""
    return column.astype(np.int64) if column.dtype.kind == "f" and _all_whole(column) else column


def _all_whole(column: NDArray[Any]) -> bool:
    return bool(np.all(np.abs(column) < 2**53) and np.all(column == np.floor(column)))


def _restored(column: NDArray[Any], dtype: Any) -> Any:
    """The type that a column had, unless it held whole numbers (or bits) and these are not."""
    fractions = column.dtype.kind == "f" and not _all_whole(column)
    if not fractions or not str(dtype).lower().startswith(("int", "uint", "bool")):
        return dtype
    if type(dtype).__module__.startswith("polars"):
        import polars

        return polars.Float64
    return np.float64
