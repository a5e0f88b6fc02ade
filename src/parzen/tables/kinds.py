"""What a column of a table holds: one description of it, and what families, kernels and reports read from that.

Each fact of a `Column` is computed once, when it is first needed. Three questions are answered from the same facts:

- `Column.kind`: which likelihood suits the values? It chooses the family of the column.
- `Column.kernel`: which kernel function does the column's type ask for: continuous, unordered or ordered?
- `Column.role`: what can be learnt from the column in a table of unknown origin? It is shown in reports.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.tables.cells import NUMBERS, as_numbers, cells_of, columns_of, holds_numbers
from parzen.tables.coded import TEXT, Coded, coded, object_codes

#: Kinds whose values are numbers, kinds whose values are categories, and both: what models learn from.
NUMERIC = ("continuous", "count")
CATEGORICAL = ("binary", "categorical", "ordinal")
LEARNABLE = NUMERIC + CATEGORICAL
#: statsmodels' letters for kernels.
KERNEL_LETTERS = {"continuous": "c", "unordered": "u", "ordered": "o"}
#: Whole numbers with at most so many different values are taken for categories when a mixture is initialised.
FEW_LEVELS = 12
#: A text column with more different values than this, or different ones in most rows, has no categories.
MOST_CATEGORIES = 200
#: Rows of a table whose columns are worth being read on several threads.
WORTH_THREADS = 4096
#: Squares and products of numbers beyond this overflow.
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class Column:
    """A column of an array, of pandas or of polars, and what it holds.

    Attributes
    ----------
    values : array or series
    declared : str, optional
        The role that a user declares, whatever the values look like.
    """

    values: Any
    declared: str | None = None

    @cached_property
    def storage(self) -> str:
        """What its type says: "number", "boolean", "category", "date", or "object" for anything else."""
        dtype = self.values.dtype
        if type(dtype).__name__ in ("CategoricalDtype", "Categorical", "Enum"):
            return "category"
        if str(dtype).lower().startswith("bool"):
            return "boolean"
        letter = getattr(dtype, "kind", "O")  # of NumPy's types, and of pandas' own
        if letter in "iuf" or (hasattr(dtype, "is_numeric") and dtype.is_numeric()):
            return "number"
        return "date" if letter == "M" else "object"

    @cached_property
    def ordered(self) -> bool:
        """Whether its type declares an order of its categories."""
        return self.storage == "category" and bool(getattr(self.values.dtype, "ordered", False))

    @cached_property
    def coded(self) -> Coded | None:
        """Its cells as codes, where its type is one of categories or of text."""
        return coded(self.values)

    def read_codes(self) -> None:
        """Read `coded`; not by the property itself, which has one lock for all columns in some versions of Python."""
        vars(self)["coded"] = coded(self.values)

    @cached_property
    def levels(self) -> Coded:
        """Its cells as codes of their different values, whatever its type."""
        return object_codes(self.cells, self.values) if self.coded is None else self.coded

    @cached_property
    def floats(self) -> Array:
        """All cells as float64, NaN where missing; an error where it holds anything but numbers."""
        return as_numbers(self.values)

    @cached_property
    def cells(self) -> NDArray[Any]:
        """Its cells: numbers, else objects."""
        return cells_of(self.values)

    @cached_property
    def known(self) -> NDArray[Any]:
        """The cells that are not missing."""
        cells = self.cells
        if cells.dtype.kind in "biu":
            return cells
        if cells.dtype.kind == "f":
            return cells[~np.isnan(cells)]
        return cells[self.levels.codes >= 0]

    @cached_property
    def distinct(self) -> int:
        """How many different values there are, missing ones not counted."""
        if self.coded is None and self.cells.dtype.kind in NUMBERS:
            return len(np.unique(self.known))
        return len(self.levels.present())

    @cached_property
    def numbers(self) -> Array | None:
        """The known cells as float64; None where one of them is no number."""
        if self.storage == "number":
            missing = np.isnan(self.floats)
            return self.floats[~missing] if missing.any() else self.floats
        if self.cells.dtype.kind == "O" and not self._all_are((Real, np.bool_, Decimal)):
            return None
        numbers = as_numbers(self.known)
        return numbers[~np.isnan(numbers)]

    @cached_property
    def boolean(self) -> bool:
        """Whether every known cell is a boolean."""
        return self.storage == "boolean" or (self.cells.dtype.kind == "O" and self._all_are((bool, np.bool_)))

    def _all_are(self, types: tuple[type, ...]) -> bool:
        """Whether every known cell of a column of objects is of these types: the few different ones are asked first."""
        if not all(isinstance(value, types) for value in self.levels.values):
            return False
        return all(isinstance(cell, types) for cell in self.known.tolist())  # True and 1, say, are one level

    @property
    def every_category(self) -> NDArray[Any] | None:
        """The categories of all rows, where the values are those of some rows only."""
        return None

    @cached_property
    def kind(self) -> str:
        """What the values are: "continuous", "count", "binary", "categorical", "ordinal", "date" or "empty"."""
        if self.coded is not None:
            return "empty" if not self.coded.known() else "ordinal" if self.ordered else "categorical"
        if not self._any_known():
            return "empty"
        if self.numbers is None:
            return "date" if self._all_are((datetime, date, timedelta)) else "categorical"
        return "binary" if self.boolean else NumberFacts.of(self.numbers).kind()

    def _any_known(self) -> bool:
        if self.storage == "number" and self.numbers is not None:
            return bool(len(self.numbers))
        return self.levels.known() if self.cells.dtype.kind == "O" else bool(len(self.known))

    @cached_property
    def kernel(self) -> str:
        """The kernel function that its type asks for: "continuous", "unordered", "ordered", or "none" for dates."""
        if self.storage == "category":
            return "ordered" if self.ordered else "unordered"
        if self.storage == "number":
            return "continuous"
        if self.kind == "date":
            return "none"
        if self.kind == "empty":
            return "continuous" if self.cells.dtype.kind in "iuf" else "unordered"
        return "unordered" if self.boolean or self.numbers is None else "continuous"

    @cached_property
    def role(self) -> str:
        """What a report calls it: its kind, or "constant", "identifier", "text", "extreme"; two values are "binary"."""
        n = len(self.known)
        if not n:
            return "empty"
        if self.distinct == 1:
            return "constant"
        if self.declared is not None:
            return self.declared
        if self.storage == "date":
            return "date"
        if self.distinct == 2 or self.storage == "boolean":
            return "binary"
        if self.storage == "number":
            return self._role_of_numbers()
        unique = self.distinct == n and n > 20
        if unique or self.distinct > min(MOST_CATEGORIES, max(20, n // 2)):
            words = np.mean([len(str(cell).split()) for cell in self.known[:200].tolist()])
            return "text" if words > 3 else "identifier"
        return "ordinal" if self.ordered else "categorical"

    def _role_of_numbers(self) -> str:
        numbers = self.numbers
        assert numbers is not None  # its type is one of numbers
        if np.abs(numbers[np.isfinite(numbers)]).max(initial=0.0) > LARGEST:
            return "extreme"
        unique = len(numbers) > 20 and self.distinct == len(numbers)
        if unique and np.array_equal(numbers, np.floor(numbers)) and len(np.unique(np.diff(numbers))) == 1:
            return "identifier"  # whole numbers in equal steps
        return self.kind


class Columns:
    """A table whose columns are described when they are first asked for, once: while it is fitted, say.

    Parameters
    ----------
    X : array or table
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self._described: dict[int, Column] = {}

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @cached_property
    def _columns(self) -> Any:
        return columns_of(self.X)

    def read_text(self, for_each: Callable[[Callable[[Column], None], Iterator[Column]], None]) -> Self:
        """Read the columns of text of a frame now; `for_each` calls a function of each: on several threads, say."""
        if len(self) >= WORTH_THREADS:
            text = [j for j, dtype in enumerate(self.X.dtypes) if type(dtype).__name__ in TEXT]
            for_each(Column.read_codes, iter([self[j] for j in text]))
        return self

    def batches(self, columns: Any, schema: Any) -> Any:
        """What gives some columns batch by batch, each with weights or None; None where all rows are at hand."""
        return None

    def hold_numbers(self) -> bool:
        """Whether every cell is a number or missing."""
        return holds_numbers(self.X)

    def __getitem__(self, j: int) -> Column:
        """Column j."""
        if j not in self._described:
            self._described[j] = Column(self._columns[j])
        return self._described[j]


@dataclass(frozen=True)
class NumberFacts:
    """What decides the kind of a column of numbers: facts that add over batches of rows.

    Attributes
    ----------
    count : how many numbers there are
    countable : whether all are finite, whole and not negative; the others are known of such columns only
    largest, mean, scatter : the largest, their mean, and the sum of their squared distances from it
    """

    count: int = 0
    countable: bool = True
    largest: float = 0.0
    mean: float = 0.0
    scatter: float = 0.0

    @classmethod
    def of(cls, numbers: Array) -> Self:
        """The facts of some numbers, at least one."""
        if not np.isfinite(numbers).all() or (numbers < 0).any() or (numbers != np.floor(numbers)).any():
            return cls(len(numbers), False)
        mean = float(numbers.mean())
        return cls(len(numbers), True, float(numbers.max()), mean, float(numbers.var()) * len(numbers))

    def __add__(self, other: "NumberFacts") -> "NumberFacts":
        count, apart = self.count + other.count, other.mean - self.mean
        if not (self.countable and other.countable) or not count:
            return NumberFacts(count, self.countable and other.countable)
        mean = self.mean + apart * (other.count / count)
        scatter = self.scatter + other.scatter + apart**2 * (self.count * other.count / count)
        return NumberFacts(count, True, max(self.largest, other.largest), mean, scatter)

    def kind(self) -> str:
        """The kind of the column: "continuous", "count", or "categorical" where it holds 0 and 1 alone."""
        if not self.countable:
            return "continuous"
        if self.largest <= 1:
            return "categorical"  # a later table may hold a 2, which a Bernoulli density does not know
        # A Poisson's variance is its mean; where the mean is large, a Gaussian is close to it and has a free variance.
        return "count" if self.mean < 10 and 0.5 <= self.scatter / self.count / self.mean <= 2 else "continuous"


def family_kind(column: Column, name: Any) -> str:
    """The kind that a column's family is chosen by: `Column.kind`; no family uses an order, and dates are an error."""
    kind = undated(column.kind, "date", name)
    return "categorical" if kind == "ordinal" else kind


def kernel_letter(column: Column, name: Any) -> str:
    """Statsmodels' letter for a column's kernel: "c" continuous, "u" unordered, "o" ordered; dates are an error."""
    return KERNEL_LETTERS[undated(column.kernel, "none", name)]


def undated(found: str, refused: str, name: Any) -> str:
    """A kind as it is, or an error where it is that of dates."""
    if found == refused:
        raise ValueError(
            f"column {name!r} holds dates or times; convert it to numbers first, such as days since the first."
        )
    return found


def few_levels(values: Array) -> Array | None:
    """The levels of a column of a few whole numbers, which is taken for categories; None for other columns."""
    some = np.unique(values[:: len(values) // (10 * FEW_LEVELS) + 1])
    if len(some) > FEW_LEVELS or not np.array_equal(some, np.floor(some)):
        return None
    levels = np.unique(values)
    return levels if 2 < len(levels) <= FEW_LEVELS else None
