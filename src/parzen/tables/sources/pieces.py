"""Pieces of a source: Arrow tables, frames, arrays and CSR matrices, whose columns are taken apart alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import is_sparse
from parzen.compute.arrow import number_rows
from parzen.tables.cells import frame_kind
from parzen.tables.schema import Schema
from parzen.tables.sources.errors import SourceError


def is_arrow(piece: Any) -> bool:
    """Whether a piece is an Arrow table."""
    return type(piece).__module__.partition(".")[0] == "pyarrow"


def kind_of(piece: Any) -> str:
    """What a piece is, in words."""
    if is_arrow(piece):
        return "a table of Arrow"
    kind = frame_kind(piece)
    return f"a frame of {kind}" if kind else "a sparse matrix" if is_sparse(piece) else "an array"


def labels_of(piece: Any) -> Sequence[Any]:
    """What the columns of a piece are called; their positions where they have no names."""
    if is_arrow(piece):
        return tuple(piece.column_names)
    return tuple(piece.columns) if frame_kind(piece) else range(piece.shape[1])


def row_count(piece: Any) -> int:
    """How many rows a piece has."""
    return int(piece.num_rows if is_arrow(piece) else piece.shape[0])


def some_columns(piece: Any, columns: Sequence[Any]) -> Any:
    """The columns of these labels, in this order."""
    if labels_of(piece) == columns:
        return piece
    lacking = [one for one in columns if one not in labels_of(piece)]
    if lacking:
        raise SourceError(f"a batch has no column {lacking[0]!r}: its columns are {list(labels_of(piece))}.")
    if is_arrow(piece):
        return piece.select(list(columns))
    if frame_kind(piece):
        return piece[list(columns)]
    return piece[:, list(columns)]


def columns_at(piece: Any, begin: int, end: int) -> Any:
    """Columns begin, ..., end - 1 of a piece."""
    if is_arrow(piece):
        return piece.select(list(range(begin, end)))
    return piece.iloc[:, begin:end] if frame_kind(piece) == "pandas" else piece[:, begin:end]


def column_at(piece: Any, position: int) -> NDArray[Any]:
    """The cells of a column as an array: numbers as they are, text and what is missing as objects."""
    found = columns_at(piece, position, position + 1)
    if is_arrow(found):
        numbers = _whole_numbers(found.column(0))
        return _as_frame(found).iloc[:, 0].to_numpy() if numbers is None else numbers
    if frame_kind(found) == "pandas":
        return np.asarray(found.iloc[:, 0].to_numpy())
    if frame_kind(found):
        return np.asarray(found.to_series(0).to_numpy())
    return np.asarray(found.toarray() if is_sparse(found) else found)[:, 0]


def _whole_numbers(column: Any) -> NDArray[Any] | None:
    """The cells of a column of Arrow where it lies, if all are numbers and none is missing."""
    import pyarrow as pa

    kind = column.type
    if column.null_count or not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    cells: NDArray[Any] = column.chunk(0).to_numpy() if column.num_chunks == 1 else column.to_numpy()
    return cells


def rows_of(piece: Any, begin: int, end: int) -> Any:
    """Rows begin, ..., end - 1 of a piece."""
    if is_arrow(piece):
        return piece.slice(begin, end - begin)
    return piece.iloc[begin:end] if frame_kind(piece) == "pandas" else piece[begin:end]


def rows_at(table: Any, rows: NDArray[np.integer]) -> Any:
    """The rows of these numbers."""
    if is_arrow(table):
        return table.take(rows)
    return table.iloc[rows] if frame_kind(table) == "pandas" else table[rows]


def stacked(tables: Sequence[Any]) -> Any:
    """Tables of one kind one under the other."""
    if len(tables) == 1:
        return tables[0]
    if isinstance(tables[0], np.ndarray):
        return np.concatenate(tables)
    if is_sparse(tables[0]):
        from scipy import sparse

        return sparse.vstack(tables, format="csr")
    if is_arrow(tables[0]):
        import pyarrow

        return pyarrow.concat_tables(tables)
    if frame_kind(tables[0]) == "pandas":
        import pandas

        return pandas.concat(tables, ignore_index=True)
    import polars

    return polars.concat(tables, how="vertical_relaxed")


def as_table(piece: Any) -> Any:
    """A piece as a table that estimators take: an Arrow table becomes one of pandas."""
    return _as_frame(piece) if is_arrow(piece) else piece


def packed(piece: Any) -> Any:
    """A piece as what a model file can hold: an array or a CSR matrix as it is, any other as a stream of Arrow."""
    if not is_arrow(piece) and not frame_kind(piece):
        return piece
    import pyarrow as pa

    table = piece
    if not is_arrow(piece):
        table = pa.Table.from_pandas(piece, preserve_index=False) if frame_kind(piece) == "pandas" else piece.to_arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    return Stream(np.frombuffer(sink.getvalue(), dtype=np.uint8), frame_kind(piece))


def unpacked(piece: Any) -> Any:
    """A piece that was packed, as it was; any other as it is."""
    if not isinstance(piece, Stream):
        return piece
    import pyarrow as pa

    table = pa.ipc.open_stream(piece.data).read_all()
    if piece.frame == "pandas":
        return table.to_pandas()
    if piece.frame is None:
        return table
    import polars

    return polars.from_arrow(table)


@dataclass(frozen=True, eq=False)
class Stream:
    """A table as a stream of Arrow, and what kind of frame it was: None where it was Arrow's own."""

    data: NDArray[np.uint8]
    frame: str | None


def encoded(schema: Schema, piece: Any, grow: bool, compact: bool = False) -> Any:
    """Rows of a piece as `Schema.encode` reads them; numbers of an Arrow table without a frame in between."""
    rows = number_rows(piece, piece.num_rows) if is_arrow(piece) and schema.plain else None
    if rows is not None:
        return rows
    return schema.encode(as_table(piece), grow=grow, compact=compact)


def _as_frame(piece: Any) -> Any:
    """An Arrow table as one of pandas; a dictionary, which the next piece may extend, as the text it stands for."""
    import pyarrow as pa

    for j, field in enumerate(piece.schema):
        if pa.types.is_dictionary(field.type):
            piece = piece.set_column(j, field.name, piece.column(j).cast(field.type.value_type))
    try:
        return piece.to_pandas(ignore_metadata=True)
    except ImportError:
        raise ImportError("tables of Arrow are read with pandas: pip install 'parzen[cli]'.") from None
