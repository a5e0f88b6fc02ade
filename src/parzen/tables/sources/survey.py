"""What the columns of a source hold: one pass that learns categories and kinds of all rows, and keeps a sample."""

from collections.abc import Iterator
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
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import SourceRows, first_rows, total
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import as_table, encoded, packed, row_count, rows_at, stacked, unpacked
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
        self._merge(categories_of(column, j), j)

    def _merge(self, found: NDArray[Any], j: int) -> None:
        """Add some categories to those that are known."""
        known = self.categories or []
        if not len(found) or any(len(one) == len(found) and np.array_equal(one, found) for one in known):
            return
        merged = [found] if not known else [_union(known[0], found, j)]
        many = merged[0].dtype.kind != "O" and len(merged[0]) > NUMBERS
        self.categories = None if many else merged

    def with_those_of(self, other: "Facts", j: int) -> "Facts":
        """The facts of both, of column j."""
        known = None if self.categories is None or other.categories is None else [*self.categories]
        found = Facts(self.kinds | other.kinds, self.numbers + other.numbers, known)
        for one in other.categories or [] if known is not None else []:
            found._merge(one, j)
        return found

    def kind(self) -> str:
        """What the column holds, in all rows: see `Column.kind`."""
        found = self.kinds - {"empty"}
        if not found:
            return "empty"
        if found == {"number"}:
            return self.numbers.kind()
        return found.pop() if len(found) == 1 else "categorical"


@dataclass(frozen=True, eq=False)
class Surveyed:
    """What a survey finds: facts of the columns, and the rows that are kept with target and weight, batch by batch."""

    facts: list[Facts]
    kept: list[Any]
    roles: list[tuple[Any, Any]]

    @classmethod
    def of(cls, source: Source, sample: NDArray[np.int64]) -> "Surveyed":
        """A pass over a source that keeps the rows of some numbers."""
        facts, kept, roles, begin = [Facts() for _ in source.columns], [], [], 0
        for batch in read_ahead(source.batches()):
            table, end = as_table(batch.piece), begin + row_count(batch.piece)
            for j, one in enumerate(facts):
                one.look(Column(column_of(table, j)), j)
            own = sample[slice(*np.searchsorted(sample, [begin, end]))] - begin
            kept.append(rows_at(batch.piece, own))
            roles.append((None if batch.target is None else batch.target[own], _some(batch.weight, own)))
            begin = end
        return cls(facts, kept, roles)

    def __add__(self, other: "Surveyed") -> "Surveyed":
        pairs = enumerate(zip(self.facts, other.facts, strict=True))
        facts = [one.with_those_of(another, j) for j, (one, another) in pairs]
        return Surveyed(facts, self.kept + other.kept, self.roles + other.roles)


@dataclass(frozen=True, eq=False)
class Survey:
    """A survey of a partition: `sample` holds numbers of rows, `first` that of each partition's first."""

    sample: NDArray[np.int64]
    first: NDArray[np.int64]

    def __call__(self, source: Source, partition: int) -> Surveyed:
        """What is found in a partition."""
        begin, end = self.first[partition : partition + 2]
        own = self.sample[slice(*np.searchsorted(self.sample, [begin, end]))] - begin
        found = Surveyed.of(source, own)
        return Surveyed(found.facts, [packed(piece) for piece in found.kept], found.roles)


def _some(weight: Any, rows: NDArray[np.int64]) -> Any:
    return None if weight is None else weight[rows]


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
    def _surveyed(self) -> tuple[list[Facts], Any, list[Batch]]:
        if isinstance(self.source.reader, Engine):
            found = total(self.source, Survey(self.sample, first_rows(self.source)))
        else:
            found = Surveyed.of(self.source, self.sample)
        tables = [as_table(unpacked(piece)) for piece in found.kept]
        return found.facts, stacked(tables), [Batch(None, *one) for one in found.roles]

    def hold_numbers(self) -> bool:
        """Whether every cell of all rows is a number or missing; types that say so need no pass."""
        if all(Column(column_of(self.X, j)).storage == "number" for j in range(self.X.shape[1])):
            return True
        return all(one.kinds <= {"number", "binary", "empty"} for one in self._surveyed[0])

    def batches(self, columns: Any, schema: Any) -> Any:
        own = tuple(self.source.columns[j] for j in columns)
        return SurveyedRows(replace(self.source, columns=own, target=None), schema)

    def sampled_roles(self) -> list[Batch]:
        """Target and weight of the rows that are kept, batch by batch."""
        return self._surveyed[2]

    def __getitem__(self, j: int) -> Column:
        """Column j, of the sampled rows, with what is known of all."""
        facts, kept, _ = self._surveyed
        if j not in self._described:
            self._described[j] = SurveyedColumn(column_of(kept, j), facts[j])
        return self._described[j]


@dataclass(frozen=True, eq=False)
class SurveyedRows(SourceRows):
    """The columns of a source as numbers, batch by batch, each with its weights or None: as often as is asked."""

    source: Source | None
    schema: Schema

    @property
    def cluster(self) -> Source | None:
        return self.source if self.source is not None and isinstance(self.source.reader, Engine) else None

    def unread(self) -> "SurveyedRows":
        return replace(self, source=None)

    def within(self, source: Source) -> "SurveyedRows":
        return replace(self, source=source)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        assert self.source is not None
        for batch in read_ahead(self.source.batches()):
            yield np.asarray(encoded(self.schema, batch.piece, grow=True)), batch.weight


def _union(one: NDArray[Any], other: NDArray[Any], j: int) -> NDArray[Any]:
    """Categories of both, in order."""
    if one.dtype.kind != "O" and other.dtype.kind != "O":
        return np.union1d(one, other)
    both = np.array([*one.tolist(), *other.tolist(), None], dtype=object)[:-1]
    return categories_of(Column(both), j)
