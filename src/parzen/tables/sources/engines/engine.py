"""Engines: tables in partitions on the machines of a cluster, where rows stay and work is sent."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Known(NamedTuple):
    """What an engine may know of a partition before it is read.

    Attributes
    ----------
    head : a piece without rows
    rows : how many there are
    mark : what tells the rows from other rows: another one where they have changed
    """

    head: Any
    rows: int
    mark: str


#: What runs where a partition is: its number, its pieces and, if an engine has it, what is `Known` become bytes.
Work = Callable[..., bytes]
#: What runs where a partition is: a piece becomes further columns of the same rows, in their order.
Extend = Callable[[Any], Sequence[Any]]


class Engine(ABC):
    """A table in partitions on a cluster: a `Reader` whose rows are not read here. A new kind of cluster is one more.

    Statistics are made by `map` and summed by `add`; work is a function of the library, by reference, and bytes.
    """

    @abstractmethod
    def labels(self) -> Sequence[Any]:
        """What the columns are called."""

    @abstractmethod
    def head(self) -> Any:
        """A piece without rows."""

    @abstractmethod
    def map(self, work: Work, columns: Sequence[Any]) -> Iterable[bytes]:
        """What work gives for some columns of each partition, in the order of the partitions."""

    def add(self, parts: Iterable[T], plus: Callable[[T, T], T]) -> T:
        """The sum of what partitions gave, in their order."""
        return reduce(plus, parts)

    @abstractmethod
    def extend(self, extend: Extend, columns: Sequence[Any], added: dict[str, Any]) -> Any:
        """The table with further columns, computed from some columns where each partition is.

        Parameters
        ----------
        extend : function of a piece that gives an array for each new column
        columns : what it is a function of
        added : names of the new columns, and types of their cells: NumPy's
        """

    @abstractmethod
    def count(self) -> int:
        """How many rows there are."""

    def mark(self) -> str:
        """What tells the table from others, as far as it can be told without a pass over it."""
        return repr(list(self.labels()))

    def check(self) -> None:
        """Rows that changed show in the counts of the partitions, once these are asked."""
        return

    def read(self, columns: Sequence[Any], rows: int) -> Iterator[Any]:
        """Rows stay where they are."""
        raise TypeError(
            f"this would read the rows of a {type(self).__name__} here, one after another, and they stay on their "
            "machines; fit an estimator whose family has a statistic, or write the table to Parquet files and scan "
            "them: parzen.scan('folder')."
        )
        yield  # an iterator, whose making is no reading


def engine_of(table: Any) -> Engine | None:
    """The engine of a table in partitions; None for any other object."""
    if isinstance(table, Engine):
        return table
    module = type(table).__module__.partition(".")[0]
    if module == "pyspark" and hasattr(table, "mapInArrow"):
        from parzen.tables.sources.engines.spark import SparkTable

        return SparkTable(table)
    if module in ("dask", "dask_expr") and hasattr(table, "to_delayed"):
        from parzen.tables.sources.engines.dask import DaskTable

        return DaskTable(table)
    return None
