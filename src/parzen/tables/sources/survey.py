"""What the columns of a source hold: one pass that learns categories and kinds of all rows, and keeps a sample."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.tables.categories import categories_of
from parzen.tables.cells import column_of
from parzen.tables.kinds import Column, Columns, NumberFacts
from parzen.tables.schema import Schema
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import as_table, encoded, row_count, rows_at
from parzen.tables.sources.source import Batch, Source

#: Rows, evenly spaced, that are kept for choices which no sum can make; a source with fewer is kept whole.
SAMPLE = 2**16
#: Different numbers of a column that are remembered as possible categories.
NUMBERS = 2**16


@dataclass
class Facts:
    """What is known of a column after some batches.

    Attributes
    ----------
    kinds : kinds of the batches, but for numbers, whose kind depends on all of them
    numbers : facts of the numbers
    categories : sets of categories that batches had, each once; None where there are too many numbers
    """

    kinds: set[str] = field(default_factory=set)
    numbers: NumberFacts = field(default_factory=NumberFacts)
    categories: list[NDArray[Any]] | None = field(default_factory=list)

    def look(self, column: Column, j: int) -> None:
        """Learn from a batch's column j."""
        if column.kind in ("empty", "date", "binary") or column.numbers is None:
            self.kinds.add(column.kind)
        else:
            self.kinds.add("number")
            self.numbers = self.numbers + NumberFacts.of(column.numbers)
        if self.categories is not None and column.kind != "date":
            self._collect(column, j)

    def _collect(self, column: Column, j: int) -> None:
        found = categories_of(column, j)
        known = self.categories or []
        if not len(found) or any(len(one) == len(found) and np.array_equal(one, found) for one in known):
            return
        merged = [found] if not known else [_union(known[0], found, j)]
        many = merged[0].dtype.kind != "O" and len(merged[0]) > NUMBERS
        self.categories = None if many else merged

    def kind(self) -> str:
        """What the column holds, in all rows: see `Column.kind`."""
        found = self.kinds - {"empty"}
        if not found:
            return "empty"
        if found == {"number"}:
            return self.numbers.kind()
        return found.pop() if len(found) == 1 else "categorical"


class SurveyedColumn(Column):
    """A column of which some rows are at hand, and facts of all rows."""

    facts: Facts

    def __init__(self, values: Any, facts: Facts) -> None:
        super().__init__(values)
        object.__setattr__(self, "facts", facts)

    @cached_property
    def kind(self) -> str:
        """What the values of all rows are."""
        return self.facts.kind()

    @property
    def every_category(self) -> NDArray[Any]:
        """The categories of all rows."""
        found = self.facts.categories
        if found is None:
            raise SourceError(
                f"a column has more than {NUMBERS:,} different numbers, which can't be its categories; give it another "
                "family, or name its categories: Categorical(categories=...)."
            )
        return found[0] if found else np.empty(0, dtype=object)


class SurveyedColumns(Columns):
    """The columns of a source: they are looked at, in one pass, when one of them is first asked for.

    Parameters
    ----------
    source : Source
    n : how many rows it has
    """

    def __init__(self, source: Source, n: int) -> None:
        super().__init__(source.head())
        self.source, self.n = source, n

    @cached_property
    def sample(self) -> NDArray[np.int64]:
        """Numbers of the rows that are kept."""
        return np.unique(np.linspace(0, self.n - 1, min(self.n, SAMPLE)).astype(np.int64))

    @cached_property
    def _surveyed(self) -> tuple[list[Facts], list[Any], list[Batch]]:
        d = len(self.source.columns)
        facts, kept, roles, begin = [Facts() for _ in range(d)], [], [], 0
        for batch in read_ahead(self.source.batches()):
            table, end = as_table(batch.piece), begin + row_count(batch.piece)
            for j, one in enumerate(facts):
                one.look(Column(column_of(table, j)), j)
            own = self.sample[slice(*np.searchsorted(self.sample, [begin, end]))] - begin
            kept.append(rows_at(table, own))
            roles.append(Batch(None, *(None if one is None else one[own] for one in (batch.target, batch.weight))))
            begin = end
        return facts, kept, roles

    def hold_numbers(self) -> bool:
        """Whether every cell of all rows is a number or missing; types that say so need no pass."""
        if all(Column(column_of(self.X, j)).storage == "number" for j in range(self.X.shape[1])):
            return True
        return all(one.kinds <= {"number", "binary", "empty"} for one in self._surveyed[0])

    def batches(self, columns: Any, schema: Any) -> Any:
        return SurveyedRows(self.source, list(columns), schema)

    def sampled_roles(self) -> list[Batch]:
        """Target and weight of the rows that are kept, batch by batch."""
        return self._surveyed[2]

    def __getitem__(self, j: int) -> Column:
        """Column j, of the sampled rows, with what is known of all."""
        facts, kept, _ = self._surveyed
        if j not in self._described:
            self._described[j] = SurveyedColumn(_stacked([column_of(part, j) for part in kept]), facts[j])
        return self._described[j]


@dataclass(frozen=True)
class SurveyedRows:
    """Some columns of a source as numbers, batch by batch, each with its weights or None: as often as is asked."""

    source: Source
    columns: list[int]
    schema: Schema

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        known = self.source.columns
        wanted = replace(self.source, columns=tuple(known[j] for j in self.columns), target=None)
        for batch in read_ahead(wanted.batches()):
            yield np.asarray(encoded(self.schema, batch.piece, grow=True)), batch.weight


def _union(one: NDArray[Any], other: NDArray[Any], j: int) -> NDArray[Any]:
    """Categories of both, in order."""
    if one.dtype.kind != "O" and other.dtype.kind != "O":
        return np.union1d(one, other)
    both = np.array([*one.tolist(), *other.tolist(), None], dtype=object)[:-1]
    return categories_of(Column(both), j)


def _stacked(parts: Sequence[Any]) -> Any:
    first = parts[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    module = type(first).__module__.partition(".")[0]
    if module == "polars":
        import polars

        return polars.concat(parts, how="vertical_relaxed")
    import pandas

    return pandas.concat(parts, ignore_index=True)
