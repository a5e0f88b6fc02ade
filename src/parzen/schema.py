"""Tables: names of columns, alphabets of categories, missing cells; rows of any kind as numbers, and back.

Families see matrices of numbers. What a table looks like is learnt once, from the first one (`learn`), and every later
table is read the same way (`Schema.encode`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.family import Family
from parzen.kernels.arrays import Array, is_sparse

F = TypeVar("F", bound=Family)
NUMBERS = "biuf"


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
        if is_sparse(X) or (_is_numeric(X) and self._plain):
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
        if not (_is_numeric(X) and X.dtype.kind in "biu" and X.size and all(map(_counts_up, self.alphabets))):
            return False
        sizes = np.array([len(part) for part in self.alphabets if part is not None])
        strict = np.arange(len(sizes)) if grow else sorted(self.closed)
        return bool(X.min() >= 0 and (X.max(axis=0) < sizes)[strict].all())

    def _numbers(self, cells: Any, j: int) -> Array:
        try:
            return _as_numbers(cells)
        except (TypeError, ValueError):
            wrong = (cell for cell in _cells(cells) if not is_missing(cell) and not isinstance(cell, int | float))
            cell = next(wrong, None)
            where = f"column {self.labels[j]!r} holds {cell!r}, but numbers are needed"
            remedy = "make it a number, leave it out, or give it a family such as Categorical()."
            if isinstance(cell, str):
                raise ValueError(f"could not convert string to float: {where}; {remedy}") from None
            raise TypeError(f"argument must be a string or a number: {where}; {remedy}") from None

    def _codes(self, cells: Any, alphabet: NDArray[Any], j: int, grow: bool) -> Array:
        codes = _encode(cells, alphabet)
        beyond = codes == len(alphabet)
        if (grow or j in self.closed) and beyond.any():
            new = _cells(cells)[int(np.argmax(beyond))]
            new = new.item() if isinstance(new, np.generic) else new
            raise ValueError(
                f"column {self.labels[j]!r} holds {new!r}, which is none of its {len(alphabet)} categories so far; "
                "declare all of them (by a category dtype, or Categorical(categories=...)), or fit anew on all rows."
            )
        return codes


class FirstTable:
    """The table that a schema is learnt from; families ask it for what they need (see `parzen.family.Table`)."""

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
        return _kind(column_of(self.X, self.places[position]), self.schema.labels[position])

    def alphabets(self, given: Any, closed: bool) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given."""
        if is_sparse(self.X):
            raise TypeError("Categorical takes dense tables, got a sparse matrix; use X.toarray(), or Bernoulli.")
        for place, part in zip(self.places, self._declared(given), strict=True):
            self.learnt[place] = _alphabet(self.X, place) if part is None else declared(part)
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
    """The family, bound to the first table, and how this and later tables are read."""
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


def holds_codes(X: Any) -> bool:
    """Whether every cell of a table is a whole number (or missing)."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "biu" or (X.dtype.kind == "f" and bool(((np.floor(X) == X) | np.isnan(X)).all()))
    try:
        columns = [_as_numbers(column_of(X, j)) for j in range(X.shape[1])]
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


def _is_numeric(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.dtype.kind in NUMBERS


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


def _as_numbers(cells: Any) -> Array:
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


def _kind(column: Any, label: Any) -> str:
    cells = _cells(column)
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
    numbers = _as_numbers(column)
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


def _all_booleans(column: Any) -> bool:
    kind = str(column.dtype).lower()
    if kind.startswith("bool"):
        return True
    cells = _cells(column)
    return cells.dtype.kind == "O" and all(isinstance(cell, bool | np.bool_) or is_missing(cell) for cell in cells)


def _cells(cells: Any) -> NDArray[Any]:
    """A column as an array of numbers, else of objects; moments in time as datetimes."""
    array = cells if isinstance(cells, np.ndarray) else cells.to_numpy()
    if array.dtype.kind in "mM":  # microseconds, whatever the unit was: what Python's own datetimes count
        return array.astype(f"{array.dtype.kind}8[us]").astype(object)
    return array if array.dtype.kind in NUMBERS else array.astype(object)


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA, none of which equals itself for certain."""
    return cell is None or type(cell).__name__ == "NAType" or (np.ndim(cell) == 0 and bool(cell != cell))


def _alphabet(X: Any, j: int) -> NDArray[Any]:
    column = column_of(X, j)
    if type(column.dtype).__name__ in ("CategoricalDtype", "Enum"):  # pandas' and polars' declared alphabets
        listed = list(column.dtype.categories)
        return declared(listed) if listed else _objects([])
    cells = _cells(column)
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


def _encode(column: Any, alphabet: NDArray[Any]) -> Array:
    """Position of each cell in the alphabet; NaN where missing, the alphabet's size where it is not in it."""
    cells = _cells(column)
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
