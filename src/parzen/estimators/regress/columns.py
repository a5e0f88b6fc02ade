"""Tables with columns of numbers and of categories, as the kernels of a regression read them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device import is_device
from parzen.estimators.base.validation import finite_rows, table
from parzen.smoothing.categories import Category
from parzen.tables.first_table import learn
from parzen.tables.kinds import KERNEL_LETTERS
from parzen.tables.schema import Schema


@dataclass(frozen=True)
class Kinds:
    """The kind of kernel of each column, as one of statsmodels' letters.

    Attributes
    ----------
    given : "auto", letters such as "ccuo", or a dict from columns to letters
        "c": numbers; "u": categories; "o": ordered categories. Columns without a letter have that of their type: text,
        booleans and categories are categories, ordered where the type declares an order.
    letters : str
        A letter for each column, once bound to a table.
    sizes : tuple of int
        Number of categories of each column; 0 of numbers.
    """

    given: Any = "auto"
    letters: str = ""
    sizes: tuple[int, ...] = ()

    def bind(self, table: Any) -> "Kinds":
        """The kinds of a table's columns, whose categories are learnt."""
        letters = [self._letter(table, j) for j in range(len(table.names()))]
        if isinstance(self.given, dict):
            for column, letter in self.given.items():
                letters[table.positions(column)[0]] = letter
        elif self._complete:
            letters = list(self.given) if isinstance(self.given, str | list | tuple) else []
            if len(letters) != len(table.names()):
                raise ValueError(
                    f"kinds must be 'auto', a dict, or {len(table.names())} letters such as "
                    f"{'c' * len(table.names())!r}, one for each column, got {self.given!r}."
                )
        if not set(letters) <= set(KERNEL_LETTERS.values()):
            raise ValueError(
                f"kinds must be 'c' (numbers), 'u' (categories) or 'o' (ordered categories), got {self.given!r}."
            )
        sizes = [0] * len(letters)
        for j, letter in enumerate(letters):
            if letter != "c":
                sizes[j] = max(1, len(table.select([j]).alphabets(None, closed=letter == "o")[0]))
        return replace(self, letters="".join(letters), sizes=tuple(sizes))

    @property
    def _complete(self) -> bool:
        """Whether a letter is given for every column."""
        return not isinstance(self.given, dict) and not (isinstance(self.given, str) and self.given == "auto")

    def _letter(self, table: Any, j: int) -> str:
        return "c" if self._complete else table.letter(j)


@dataclass(frozen=True)
class Inputs:
    """How tables are read: columns of numbers first, then columns of categories.

    Attributes
    ----------
    kinds : Kinds
    schema : Schema
    """

    kinds: Kinds
    schema: Schema

    @classmethod
    def learn(cls, X: Any, kinds: Any) -> "Inputs":
        """Kinds, names and categories of the columns of the first table."""
        return cls(*learn(Kinds(kinds), X))

    @property
    def letters(self) -> str:
        """The letter of each column's kind."""
        return self.kinds.letters

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions of the columns of numbers, then of categories."""
        numbers = [letter == "c" for letter in self.letters]
        return np.concatenate([np.flatnonzero(numbers), np.flatnonzero(~np.array(numbers, dtype=bool))])

    @property
    def numeric(self) -> int:
        """Number of columns of numbers."""
        return self.letters.count("c")

    @property
    def categories(self) -> tuple[Category, ...]:
        """The columns of categories."""
        return tuple(
            Category(size, letter == "o")
            for size, letter in zip(self.kinds.sizes, self.letters, strict=True)
            if letter != "c"
        )

    def read(self, X: Any, grow: bool = False, name: str = "X") -> tuple[Array, NDArray[np.int64] | None]:
        """Columns of numbers (n, d) and of categories (n, e), which is None where there are none.

        Parameters
        ----------
        grow : whether the rows are fitted and kept; they are copied then
        name : the table's name in messages
        """
        if is_device(X):
            if self.categories:
                raise X.stays_there()
            return finite_rows(X, name), None
        rows = self._finite(self.schema.encode(X, grow=grow), name)
        if not self.categories:
            kept = np.ascontiguousarray(rows, dtype=np.float64)
            return np.array(kept) if grow else kept, None
        order, d = self.order, self.numeric
        numbers = np.ascontiguousarray(rows[:, order[:d]], dtype=np.float64)
        return numbers, np.ascontiguousarray(rows[:, order[d:]].astype(np.int64))

    def _finite(self, rows: Any, name: str) -> Any:
        """Rows without missing or infinite values, or an error that names the column."""
        try:
            return finite_rows(rows, name)
        except ValueError:
            missing = np.isnan(rows).any(axis=0) if rows.dtype.kind == "f" else np.zeros(1, dtype=bool)
            if not missing.any():
                raise
            column = self.schema.labels[int(np.argmax(missing))]
            raise ValueError(
                f"Input {name} contains NaN: column {column!r} has missing values. Leave those rows out, or fill them."
            ) from None

    def in_table(self, numbers: Array, codes: NDArray[np.int64] | None) -> Array:
        """Columns of numbers and of categories as one matrix, in the table's order."""
        out = np.empty((len(numbers), len(self.letters)))
        out[:, self.order] = numbers if codes is None else np.column_stack([numbers, codes])
        return out

    def in_table_order(self, bandwidth: Array) -> Array:
        """Bandwidths of numbers, then of categories, in the order of the table's columns."""
        out = np.empty(len(bandwidth))
        out[self.order] = bandwidth
        return out


def later(estimator: Any, X: Any, device: bool = False) -> tuple[Array, NDArray[np.int64] | None]:
    """Columns of numbers and of categories of a later table, read as the first one was."""
    found: tuple[Array, NDArray[np.int64] | None] = estimator.inputs_.read(
        table(estimator, X, reset=False, sparse=False, device=device)
    )
    return found
