"""Columns of numbers and of categories, side by side: how a regression reads its table."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_consistent_length

from parzen.compute.arrays import Array
from parzen.estimators.base.validation import finite_rows, table
from parzen.smoothing import bandwidth as bandwidths
from parzen.smoothing.bandwidth.regression import FEW, RegressionColumns
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS, KernelFunction
from parzen.smoothing.sums import effective_rows
from parzen.tables.schema import Schema, learn

LETTERS = "cuo"
GAUSSIAN = KERNEL_FUNCTIONS["gaussian"]


@dataclass(frozen=True)
class Kinds:
    """What each column is: a letter for each, once it is bound to a table.

    Attributes
    ----------
    asked : "auto", letters such as "ccuo", or a dict from columns to letters
        "c": numbers; "u": categories; "o": categories whose order matters. What is not said is read from the table's
        types: text, booleans and categories are categories; declared as ordered, they are ordered.
    letters : str
    sizes : tuple of int
        Number of categories of each column; 0 of numbers.
    """

    asked: Any = "auto"
    letters: str = ""
    sizes: tuple[int, ...] = ()

    def bind(self, table: Any) -> "Kinds":
        """The kinds of a table's columns, which learn their categories."""
        letters = [self._letter(table, j) for j in range(len(table.names()))]
        if isinstance(self.asked, dict):
            for column, letter in self.asked.items():
                letters[table.positions(column)[0]] = letter
        elif self._said:
            letters = list(self.asked) if isinstance(self.asked, str | list | tuple) else []
            if len(letters) != len(table.names()):
                raise ValueError(
                    f"kinds must be 'auto', a dict, or {len(table.names())} letters such as "
                    f"{'c' * len(table.names())!r}, one for each column, got {self.asked!r}."
                )
        if not set(letters) <= set(LETTERS):
            raise ValueError(
                f"kinds are 'c' (numbers), 'u' (categories) and 'o' (categories with an order), got {self.asked!r}."
            )
        sizes = [0] * len(letters)
        for j, letter in enumerate(letters):
            if letter != "c":
                sizes[j] = max(1, len(table.select([j]).alphabets(None, closed=letter == "o")[0]))
        return replace(self, letters="".join(letters), sizes=tuple(sizes))

    @property
    def _said(self) -> bool:
        """Whether every column has been given its letter."""
        return not isinstance(self.asked, dict) and not (isinstance(self.asked, str) and self.asked == "auto")

    def _letter(self, table: Any, j: int) -> str:
        return "c" if self._said else table.letter(j)


@dataclass(frozen=True)
class Inputs:
    """How tables are read: numbers first, then categories.

    Attributes
    ----------
    kinds : Kinds
    schema : Schema
    """

    kinds: Kinds
    schema: Schema

    @classmethod
    def learn(cls, X: Any, asked: Any) -> "Inputs":
        """What the first table says."""
        return cls(*learn(Kinds(asked), X))

    @property
    def letters(self) -> str:
        """What each column is."""
        return self.kinds.letters

    @property
    def order(self) -> NDArray[np.intp]:
        """Positions of the columns of numbers, then of categories."""
        numbers = [letter == "c" for letter in self.letters]
        return np.concatenate([np.flatnonzero(numbers), np.flatnonzero(~np.array(numbers, dtype=bool))])

    @property
    def numeric(self) -> int:
        """How many columns hold numbers."""
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

        Missing cells are refused; `name` is what the table is called. With `grow` set rows are to be kept: they are
        copied, so that what the user does with the table later changes nothing.
        """
        rows = self.schema.encode(X, grow=grow)
        if rows.dtype.kind == "f" and np.isnan(rows.sum()) and np.isnan(rows).any():
            column = self.schema.labels[int(np.argmax(np.isnan(rows).any(axis=0)))]
            raise ValueError(
                f"Input {name} contains NaN: column {column!r} has missing cells. Leave those rows out, or fill them."
            )
        rows = finite_rows(rows, name)
        if not self.categories:
            kept = np.ascontiguousarray(rows, dtype=np.float64)
            return np.array(kept) if grow else kept, None
        order, d = self.order, self.numeric
        numbers = np.ascontiguousarray(rows[:, order[:d]], dtype=np.float64)
        return numbers, np.ascontiguousarray(rows[:, order[d:]].astype(np.int64))

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

    def bandwidths(
        self, given: Any, criteria: tuple[str, ...], X: Array, w: Array | None = None, kernel: KernelFunction = GAUSSIAN
    ) -> Array:
        """Bandwidths of numbers, then of categories, that are given or follow from a rule.

        Parameters
        ----------
        given : a rule of `parzen.bandwidth`, a number, one for each column, or a dict from columns to numbers
        criteria : other names that would have been welcome
        """
        if given is None or (isinstance(given, str) and given not in bandwidths.RULES):
            names = ", ".join(map(repr, (*criteria, *bandwidths.RULES)))
            raise ValueError(f"bandwidth must be a number, an array, a dict, or one of {names}, got {given!r}.")
        said = {} if isinstance(given, str) else self._said(given)
        out = np.empty(len(self.letters))
        if len(said) < len(out):
            columns = RegressionColumns.of(X, self.categories, w, kernel.canonical(max(1, X.shape[1])))
            out[self.order] = columns.thumb(effective_rows(w, len(X)))
            free = np.flatnonzero(columns.free[: self.numeric])
            if isinstance(given, str) and len(free):
                factor = bandwidths.choose(given, X[:, free], w, "diagonal" if len(free) > 1 else None)
                out[self.order[free]] = np.diagonal(factor) * columns.widen
        for position, number in said.items():
            out[position] = self._checked(position, number)
        return out[self.order]

    def _said(self, given: Any) -> dict[int, Any]:
        """Bandwidths that are given, by the position of their column."""
        d = len(self.letters)
        if hasattr(given, "keys"):
            return {self.schema.positions(column)[0]: given[column] for column in given.keys()}  # noqa: SIM118
        if np.ndim(given) == 0:
            number = given.item() if isinstance(given, np.ndarray) else given
            return {j: number for j in range(d) if self.letters[j] == "c" or not self.numeric}
        if np.ndim(given) != 1 or len(given) != d:
            raise ValueError(
                f"bandwidth must be a number, {d} numbers (one for each column), a dict, or the name of a rule, got "
                f"{given!r}."
            )
        return dict(enumerate(given))

    def _checked(self, position: int, number: Any) -> float:
        name = self.schema.labels[position]
        if isinstance(number, bool) or not isinstance(number, int | float | np.number) or not np.isfinite(number):
            raise ValueError(f"bandwidth must be finite numbers, got {number!r} for column {name!r}.")
        if self.letters[position] == "c":
            if not number > 0:
                raise ValueError(f"bandwidth must be above 0, got {number!r} for column {name!r}.")
            return float(number)
        kind = Category(self.kinds.sizes[position], self.letters[position] == "o")
        if not 0 <= number <= kind.most * (1 + 1e-12):
            raise ValueError(
                f"bandwidth of the {kind.size} categories of column {name!r} must be from 0 (others don't count) to "
                f"{kind.most:.6g} (all count alike), got {number!r}."
            )
        return min(float(number), kind.most)


def later(estimator: Any, X: Any) -> tuple[Array, NDArray[np.int64] | None]:
    """Rows of a later table, read as the first one was."""
    X = table(estimator, X, reset=False, sparse=False)
    columns, codes = estimator.inputs_.read(X)
    return columns, codes


def some_rows(n: int) -> NDArray[np.int64] | None:
    """Some of n rows, to look for a start among; None where there are few anyway."""
    return None if n <= 4 * FEW else np.sort(np.random.default_rng(0).choice(n, FEW, replace=False))


def targets(X: Any, y: Any) -> Array:
    """Numbers to be predicted, one or several for each row (of X, where it is given), all there and finite."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    try:
        values = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(
            f"{error}: y must be numbers. Of categories, a classifier or ConditionalDensity gives probabilities."
        ) from None
    if values.ndim > 2 or not values.size:
        raise ValueError(f"y must have shape (n,), or (n, C) for several outputs, got {values.shape}.")
    if X is not None:
        check_consistent_length(X, values)
    return np.array(values)
