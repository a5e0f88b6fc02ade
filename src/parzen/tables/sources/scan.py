"""The door: a source of files, of what a program gives, or of arrays on disk."""

import os
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from parzen.tables.sources.engines.engine import Engine, engine_of
from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.files import Files
from parzen.tables.sources.given import Held, reader_of
from parzen.tables.sources.paths import files_at
from parzen.tables.sources.source import Source, rows_at_once

#: Bytes of decoded rows of files that a fit keeps, where the user doesn't say.
MEMORY = 2**26


def scan(
    place: Any,
    columns: Sequence[Any] | None = None,
    batch_rows: int | None = None,
    types: dict[str, Any] | None = None,
    memory: int | None = None,
) -> Source:
    """Rows that need not fit into memory, as batches that can be read again and again.

    Every estimator whose family has a statistic takes the result in the place of a table: ``fit(source, target="y",
    weight="w")`` gives what the same rows in memory give. Batches come in a fixed order and hold `batch_rows` rows
    each, wherever a file ends; the next one is read while the last one is summed.

    Parameters
    ----------
    place : where the rows are

        - a Parquet or CSV file, a folder of them (sorted by name, subfolders too), a pattern such as
          ``"days/*.parquet"``, or a list of files: read by pyarrow
        - a function that gives a table, an iterable of tables, or an object with ``__arrow_c_stream__``, anew each
          time it is called: a query of DuckDB, a generator over files of any format
        - a lazy frame of polars, an array on disk (`numpy.memmap`, a dataset of h5py), or any iterable of tables that
          can be read again: arrays, CSR matrices, pandas, polars, Arrow
        - a DataFrame of Spark, or an array or DataFrame of Dask: its rows stay where they are (``fit`` takes it as it
          is, too)

    columns : sequence of names (or positions, of arrays), optional
        What is read, in this order; by default all columns.
    batch_rows : int, optional
        Rows of a batch; by default as many as have two million cells.
    types : dict from columns to Arrow's types (or their names), optional
        Of CSV files, where the first block of each does not tell.
    memory : int, optional
        Bytes of decoded rows that a fit of several passes (EM, k-means, Newton's method) may keep: where all rows fit,
        they are read once, else each pass reads them all. The results are equal to the last bit. By default 64 MB of
        files; what a function makes is kept where memory is given, and arrays or frames, which are at hand, never are.
        Of files that Spark reads: bytes that each process of its workers may keep of its partitions.

    Returns
    -------
    Source

    Examples
    --------
    >>> import numpy as np
    >>> import parzen
    >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
    >>> source = parzen.scan(lambda: (rows[begin : begin + 100] for begin in range(0, 1000, 100)))
    >>> model = parzen.DensityEstimator().fit(source)
    >>> bool(np.allclose(model.density_.mean, rows.mean(axis=0), rtol=1e-12))
    True
    """
    if isinstance(place, list | tuple) and not place:
        raise SourceError("the list is empty; give at least one file or table.")
    if _is_place(place):
        reader: Any = Files(*files_at(place), types)
    elif (engine := engine_of(place)) is not None:
        reader = engine
    else:
        if types is not None:
            raise SourceError("types are for CSV files; tables bring their own.")
        reader = reader_of(place)
    known = tuple(reader.labels())
    chosen = known if columns is None else tuple([columns] if isinstance(columns, str) else columns)
    for at, name in enumerate(chosen):
        if name not in known:
            raise SourceError(f"there is no column {name!r}: the columns are {list(known)}.")
        if name in chosen[:at]:
            raise SourceError(f"columns names {name!r} twice; once is enough.")
    if not chosen:
        raise SourceError("there is no column to read; give at least one.")
    rows = rows_at_once(len(chosen)) if batch_rows is None else batch_rows
    if not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1:
        raise SourceError(f"batch_rows must be a whole number, at least 1, got {batch_rows!r}.")
    return Source(reader, chosen, int(rows), memory=_memory(memory, reader))


def _memory(given: int | None, reader: Any) -> int:
    """Bytes of rows that a fit may keep; none of rows that are at hand already."""
    if given is None:
        return MEMORY if isinstance(reader, Files | Engine) else 0
    if not isinstance(given, Integral) or isinstance(given, bool) or given < 0:
        raise SourceError(f"memory must be a whole number of bytes, at least 0 (which keeps no rows), got {given!r}.")
    return 0 if isinstance(reader, Held) else int(given)


def scanned(table: Any) -> Any:
    """A table in partitions on a cluster as a source; anything else as it is."""
    return scan(table) if engine_of(table) is not None else table


def _is_place(place: Any) -> bool:
    if isinstance(place, str | os.PathLike):
        return True
    return isinstance(place, list | tuple) and all(isinstance(one, str | os.PathLike) for one in place)
