"""Dask: arrays and DataFrames, on threads or processes of this machine or on the workers of a distributed client."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parzen.tables.sources.engines.engine import Engine, Extend, Work
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.pieces import labels_of, row_count, rows_of, some_columns


class DaskTable(Engine):
    """An array of two dimensions, or a DataFrame, of Dask."""

    def __init__(self, table: Any) -> None:
        dimensions = getattr(table, "ndim", None)
        if dimensions != 2:
            raise SourceError(
                "of Dask, a DataFrame or an array of two dimensions is read, got "
                + (f"a {type(table).__name__}." if dimensions is None else f"{dimensions}.")
            )
        self.framed = hasattr(table, "map_partitions") and hasattr(table, "columns")
        self.table = table if self.framed else table.rechunk({1: -1})

    def labels(self) -> Sequence[Any]:
        return labels_of(self._meta())

    def head(self) -> Any:
        return rows_of(self._meta(), 0, 0)

    def count(self) -> int:
        import dask

        return sum(int(one) for one in self._computed([dask.delayed(row_count)(part) for part in self._parts()]))

    def map(self, work: Work, columns: Sequence[Any]) -> Sequence[bytes]:
        import dask

        table = self.table[list(columns)] if self.framed else self.table
        shared = dask.delayed(work)  # sent once, not with each task
        parts = enumerate(self._parts(table))
        return self._computed([dask.delayed(_answer)(shared, number, part) for number, part in parts])

    def extend(self, extend: Extend, columns: Sequence[Any], added: dict[str, Any]) -> Any:
        wanted = list(columns)
        if self.framed:
            kinds = {name: "object" if kind.kind in "OU" else kind for name, kind in added.items()}
            meta = self._meta().assign(**{name: _no_cells(kind) for name, kind in kinds.items()})
            return self.table.map_partitions(_extended, extend, wanted, list(added), meta=meta)
        if len(added) == 1:
            (kind,) = added.values()
            return self.table.map_blocks(_first, extend, dtype=kind, drop_axis=1)
        kind, width = next(iter(added.values())), len(added)
        return self.table.map_blocks(_stacked, extend, dtype=kind, chunks=(self.table.chunks[0], (width,)))

    def _meta(self) -> Any:
        return self.table._meta if self.framed else _empty(self.table)

    def _parts(self, table: Any = None) -> list[Any]:
        import dask

        # Tuned, Dask would put files together where few of their columns are read: partitions would differ by pass.
        with dask.config.set({"optimization.tune.active": False}):
            found = (self.table if table is None else table).to_delayed()
        return list(found) if self.framed else list(found.ravel())

    def _computed(self, tasks: list[Any]) -> Sequence[Any]:
        """What tasks give, in their order: by the client that is active, else as Dask is configured."""
        import dask

        found: Sequence[Any] = dask.compute(*tasks)
        return found


def _answer(work: Work, number: int, part: Any) -> bytes:
    return work(number, iter([part]))


def _extended(part: Any, extend: Extend, columns: list[Any], names: list[str]) -> Any:
    new = extend(some_columns(part, columns)) if row_count(part) else [[] for _ in names]
    return part.assign(**dict(zip(names, new, strict=True)))


def _first(block: Any, extend: Extend) -> Any:
    return extend(block)[0]


def _stacked(block: Any, extend: Extend) -> Any:
    return np.stack(extend(block), axis=1)


def _empty(array: Any) -> Any:
    return np.empty((0, array.shape[1]), dtype=array.dtype)


def _no_cells(kind: Any) -> Any:
    import pandas as pd

    return pd.Series([], dtype=kind)
