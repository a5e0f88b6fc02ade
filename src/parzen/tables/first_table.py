"""The first table that an estimator sees: its family is bound to it, and its schema is learnt from it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Memberships
from parzen.tables.categories import categories_of, codes_in, declared_categories
from parzen.tables.kinds import Columns, family_kind, kernel_letter
from parzen.tables.schema import Schema, bare_schema


class Binds(Protocol):
    """What depends on the first table's columns: a family, or the kinds of a regression's columns."""

    def bind(self, table: Any) -> Self:
        """The same with names resolved to positions and categories learnt: see `Family.bind`."""


F = TypeVar("F", bound=Binds)


class FirstTable:
    """A table, or some of its columns, while its schema is learnt: the `parzen.tables.table.Table` of `Family.bind`.

    Parameters
    ----------
    table : Columns
    schema : Schema of the selected columns
    columns : their positions in the table
    learnt, closed : categories, and columns with a fixed set of them, by position; filled by `alphabets`
    memberships : memberships of the rows, or a function that gives them when they are asked for
    """

    def __init__(
        self,
        table: Columns,
        schema: Schema,
        columns: Sequence[int],
        learnt: dict[int, NDArray[Any]],
        closed: set[int],
        memberships: Memberships | Callable[[Columns], Memberships] = None,
    ) -> None:
        self.table, self.schema, self.columns, self.learnt, self.closed = table, schema, columns, learnt, closed
        self._memberships = memberships

    @property
    def memberships(self) -> Memberships:
        """Memberships of the rows; of a source, of those that were sampled."""
        if callable(self._memberships):
            self._memberships = self._memberships(self.table)
        return self._memberships

    def positions(self, columns: Any) -> list[int]:
        """Positions of columns that are given by name or by position."""
        return self.schema.positions(columns)

    def names(self) -> list[Any]:
        """Names of the columns, or positions where they have none."""
        return list(self.schema.labels)

    def batches(self) -> Any:
        """What gives its rows batch by batch, each with its weights or None, where it is read so; None for a table."""
        return self.table.batches(self.columns, self.schema)

    def select(self, positions: list[int]) -> "FirstTable":
        """The table of some of the columns."""
        columns = [self.columns[j] for j in positions]
        return FirstTable(
            self.table, self.schema.select(positions), columns, self.learnt, self.closed, self._memberships
        )

    def kind(self, position: int) -> str:
        """What a column holds: "continuous", "count", "binary", "categorical" or "empty"."""
        if is_sparse(self.table.X):
            raise TypeError("families are chosen from dense tables, got a sparse matrix; use X.toarray().")
        return family_kind(self.table[self.columns[position]], self.schema.labels[position])

    def numbers(self, position: int) -> Array:
        """Cells of a column as numbers, NaN where missing; an error where it holds anything else."""
        if is_sparse(self.table.X):
            raise TypeError("families that learn from cells take dense tables, got a sparse matrix; use X.toarray().")
        return self.schema.numbers(self.table[self.columns[position]], position)

    def codes(self, position: int) -> Array:
        """Cells of a column as codes of its categories, NaN where missing; `alphabets` must have learnt them."""
        column = self.columns[position]
        return codes_in(self.table[column], self.learnt[column])

    def letter(self, position: int) -> str:
        """Statsmodels' letter for a column's type: "c" continuous, "u" unordered categories, "o" ordered ones."""
        return kernel_letter(self.table[self.columns[position]], self.schema.labels[position])

    def alphabets(self, given: Any, closed: bool) -> tuple[NDArray[Any], ...]:
        """Categories of every column, learnt from it unless given."""
        if is_sparse(self.table.X):
            raise TypeError("Categorical takes dense tables, got a sparse matrix; use X.toarray(), or Bernoulli.")
        for column, part in zip(self.columns, self._declared(given), strict=True):
            self.learnt[column] = (
                categories_of(self.table[column], column) if part is None else declared_categories(part)
            )
            if closed:
                self.closed.add(column)
        return tuple(self.learnt[column] for column in self.columns)

    def _declared(self, given: Any) -> list[Any]:
        """The categories that are given for each column; None for those that are to be learnt."""
        d = len(self.columns)
        if given is None or isinstance(given, int | np.integer):
            return [given] * d
        if isinstance(given, dict):
            parts: list[Any] = [None] * d
            for key, part in given.items():
                parts[self.positions(key)[0]] = part
            return parts
        parts = list(given)
        if d == 1 and (len(parts) != 1 or isinstance(parts[0], str)):
            return [parts]  # the categories of the one column
        if len(parts) != d or any(isinstance(part, str) for part in parts):
            raise ValueError(
                f"categories must be one list for each of {d} columns, as in [['a', 'b'], ...], or a dict from "
                f"columns to lists, got {given!r}."
            )
        return parts


def learn(family: F, X: Any, R: Memberships | Callable[[Columns], Memberships] = None) -> tuple[F, Schema]:
    """Bind a family (or what else depends on columns) to its first table (or `Columns`); return it and the schema.

    R are memberships of its rows: a family that chooses from what columns hold may compare them within classes.
    """
    table = X if isinstance(X, Columns) else Columns(X)
    bare = bare_schema(table.X)
    d = len(bare.labels)
    learnt: dict[int, NDArray[Any]] = {}
    closed: set[int] = set()
    family = family.bind(FirstTable(table, bare, range(d), learnt, closed, R))
    if not learnt:
        return family, bare
    return family, replace(bare, alphabets=tuple(learnt.get(j) for j in range(d)), closed=frozenset(closed))
