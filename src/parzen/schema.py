"""Tables: names of columns, alphabets of categories, missing cells; rows of any kind as numbers, and back.

Families see matrices of numbers. What a table looks like is learnt once, from the first one (`learn`), and every later
table is read the same way (`Schema.encode`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.family import Family
from parzen.kernels.arrays import Array, is_sparse

F = TypeVar("F", bound=Family)


@dataclass(frozen=True)
class Schema:
    """How a table is read as a matrix.

    Attributes
    ----------
    names : tuple of str, or None
    alphabets : tuple, one for each column
        Its categories, whose positions are the codes; None for a column of numbers.
    frame : "pandas", "polars" or None
        What kind of table `decode` gives back.
    """

    names: tuple[str, ...] | None
    alphabets: tuple[NDArray[Any] | None, ...]
    frame: str | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema) or len(self.alphabets) != len(other.alphabets):
            return False
        pairs = zip(self.alphabets, other.alphabets, strict=True)
        return self.names == other.names and all(_same(a, b) for a, b in pairs)

    __hash__ = None  # type: ignore[assignment]

    def encode(self, X: Any, grow: bool = False) -> Any:
        """Rows as a matrix (or CSR) of numbers; a category beyond its alphabet gets the next code.

        With `grow` set, rows are about to be learnt from, and such a category is an error.
        """
        if is_sparse(X) or (_is_numeric(X) and all(alphabet is None for alphabet in self.alphabets)):
            return X
        if _is_numeric(X) and X.dtype.kind in "biu" and X.size and all(_counts_up(part) for part in self.alphabets):
            sizes = np.array([len(part) for part in self.alphabets])  # type: ignore[arg-type]
            if X.min() >= 0 and (not grow or (X.max(axis=0) < sizes).all()):
                return X  # codes already
        out = np.empty((len(X), len(self.alphabets)))
        for j, alphabet in enumerate(self.alphabets):
            cells = column_of(X, j)
            out[:, j] = self._numbers(cells, j) if alphabet is None else self._codes(cells, alphabet, j, grow)
        return out

    def decode(self, rows: Array) -> Any:
        """Rows of numbers as a table of the kind that the schema was learnt from."""
        plain = all(alphabet is None or _counts_up(alphabet) for alphabet in self.alphabets)
        if self.frame is None and plain:
            return rows
        columns = [
            rows[:, j] if alphabet is None else alphabet[rows[:, j].astype(np.intp)]
            for j, alphabet in enumerate(self.alphabets)
        ]
        if self.frame is None:
            return np.stack([column.astype(object) for column in columns], axis=1)
        named = dict(zip(self.names or map(str, range(len(columns))), columns, strict=True))
        if self.frame == "polars":
            import polars

            return polars.DataFrame({name: column.tolist() for name, column in named.items()})
        import pandas

        return pandas.DataFrame(named)

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position, one or several."""
        given = list(columns) if isinstance(columns, tuple | list | np.ndarray) else [columns]
        found = [self._position(column) for column in given]
        if len(set(found)) < len(found) or not found:
            raise ValueError(f"columns must be different ones, at least one, got {columns!r}.")
        return found

    def _position(self, column: Any) -> int:
        d = len(self.alphabets)
        if isinstance(column, str):
            if self.names is None or column not in self.names:
                known = "the table has no names" if self.names is None else f"the columns are {list(self.names)}"
                raise ValueError(f"there is no column {column!r}: {known}.")
            return self.names.index(column)
        if not isinstance(column, int | np.integer) or not -d <= column < d:
            raise ValueError(f"there is no column {column!r}: give a name or a position from 0 to {d - 1}.")
        return int(column) % d

    def select(self, positions: Sequence[int]) -> "Schema":
        """Schema of some of the columns."""
        names = None if self.names is None else tuple(self.names[j] for j in positions)
        return Schema(names, tuple(self.alphabets[j] for j in positions), self.frame)

    def _name(self, j: int) -> str:
        return repr(self.names[j]) if self.names else str(j)

    def _numbers(self, cells: Any, j: int) -> Array:
        try:
            return _as_numbers(cells)
        except (TypeError, ValueError):
            text = next(cell for cell in cells if isinstance(cell, str) or not np.isscalar(cell))
            raise ValueError(
                f"could not convert string to float: column {self._name(j)} holds {text!r}, but its family needs "
                "numbers; use Categorical for it, or leave it out."
            ) from None

    def _codes(self, cells: Any, alphabet: NDArray[Any], j: int, grow: bool) -> Array:
        codes = _encode(cells, alphabet)
        if grow and (codes == len(alphabet)).any():
            new = _cells(cells)[int(np.argmax(codes == len(alphabet)))]
            raise ValueError(
                f"column {self._name(j)} holds {new!r}, which is none of its {len(alphabet)} categories so far; "
                "declare all of them with Categorical(categories=...), or fit anew on all rows."
            )
        return codes


class FirstTable:
    """The table that a schema is learnt from; families ask it for what they need (see `parzen.family.Table`)."""

    def __init__(self, X: Any, schema: Schema, places: list[int], learnt: dict[int, NDArray[Any]]) -> None:
        self.X, self.schema, self.places, self.learnt = X, schema, places, learnt

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position."""
        return self.schema.positions(columns)

    def select(self, positions: list[int]) -> "FirstTable":
        """The table of some of the columns."""
        return FirstTable(self.X, self.schema.select(positions), [self.places[j] for j in positions], self.learnt)

    def alphabets(self, given: Any) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given."""
        if is_sparse(self.X):
            raise TypeError("Categorical takes dense tables, got a sparse matrix; use X.toarray(), or Bernoulli.")
        declared = [given] * len(self.places) if given is None or isinstance(given, int) else list(given)
        if len(declared) != len(self.places):
            raise ValueError(f"categories has {len(declared)} alphabets, but there are {len(self.places)} columns.")
        for place, part in zip(self.places, declared, strict=True):
            self.learnt[place] = _alphabet(self.X, place) if part is None else _declared(part)
        return tuple(self.learnt[place] for place in self.places)


def learn(family: F, X: Any) -> tuple[F, Schema]:
    """The family, bound to the first table, and how this and later tables are read."""
    kind = type(X).__module__.partition(".")[0]
    frame = kind if kind in ("pandas", "polars") else None
    names = tuple(map(str, X.columns)) if frame else None
    d = X.shape[1]
    bare = Schema(names, (None,) * d, frame)
    learnt: dict[int, NDArray[Any]] = {}
    family = family.bind(FirstTable(X, bare, list(range(d)), learnt))
    return family, Schema(names, tuple(learnt.get(j) for j in range(d)), frame)


def column_of(X: Any, j: int) -> Any:
    """Column j of an array, a pandas or a polars table."""
    if isinstance(X, np.ndarray):
        return X[:, j]
    return X.iloc[:, j] if hasattr(X, "iloc") else X.to_series(j)


def _is_numeric(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype.kind in "biuf"


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))


def _counts_up(alphabet: NDArray[Any] | None) -> bool:
    return alphabet is not None and alphabet.dtype.kind in "iu" and np.array_equal(alphabet, np.arange(len(alphabet)))


def _as_numbers(cells: Any) -> Array:
    if isinstance(cells, np.ndarray):
        if cells.dtype == object:
            cells = np.array([np.nan if _is_missing(cell) else cell for cell in cells])
            if cells.dtype.kind not in "biuf":
                raise TypeError("not numbers")
        return cells.astype(np.float64)
    if hasattr(cells, "iloc"):
        return cells.to_numpy(dtype=np.float64, na_value=np.nan)
    if not (cells.dtype.is_numeric() or str(cells.dtype) == "Boolean"):
        raise TypeError("not numbers")
    import polars

    return cells.cast(polars.Float64).to_numpy().astype(np.float64)


def _cells(cells: Any) -> NDArray[Any]:
    """A column as an array, of objects unless it holds numbers."""
    array = cells if isinstance(cells, np.ndarray) else cells.to_numpy()
    return array if array.dtype.kind in "biuf" else array.astype(object)


def _is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA, none of which equals itself for certain."""
    return (
        cell is None
        or type(cell).__name__ == "NAType"
        or (cell != cell) is True
        or bool(np.isscalar(cell) and cell != cell)
    )


def _alphabet(X: Any, j: int) -> NDArray[Any]:
    column = column_of(X, j)
    if type(column.dtype).__name__ in ("CategoricalDtype", "Enum"):  # pandas' and polars' declared alphabets
        return _declared(list(column.dtype.categories))
    cells = _cells(column)
    if cells.dtype.kind in "biuf":
        found = np.unique(cells)
        return found[~np.isnan(found)] if cells.dtype.kind == "f" else found
    present = {cell for cell in cells if not _is_missing(cell)}
    try:
        ordered = sorted(present)
    except TypeError:  # kinds that don't compare
        ordered = sorted(present, key=lambda cell: (type(cell).__name__, str(cell)))
    return _objects(ordered)


def _declared(part: Any) -> NDArray[Any]:
    if np.ndim(part) == 0:
        return np.arange(int(part))
    alphabet = np.asarray(part)
    return alphabet if alphabet.dtype.kind in "biuf" else _objects(list(part))


def _objects(values: list[Any]) -> NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _encode(column: Any, alphabet: NDArray[Any]) -> Array:
    """Position of each cell in the alphabet; NaN where missing, the alphabet's size where it is not in it."""
    cells = _cells(column)
    size = len(alphabet)
    if cells.dtype.kind in "biuf" and alphabet.dtype.kind in "biuf" and size:
        order = np.argsort(alphabet)
        place = np.minimum(np.searchsorted(alphabet, cells, sorter=order), size - 1)
        codes = np.where(alphabet[order[place]] == cells, order[place], size).astype(np.float64)
        return np.where(np.isnan(cells), np.nan, codes) if cells.dtype.kind == "f" else codes
    codes_of = {value: float(code) for code, value in enumerate(alphabet.tolist())}
    return np.array([np.nan if _is_missing(cell) else codes_of.get(cell, float(size)) for cell in cells.tolist()])
