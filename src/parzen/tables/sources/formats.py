"""Formats of files: Parquet, and CSV or TSV, read by pyarrow."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.paths import ending
from parzen.tables.sources.types import joined

#: Bytes of a column that are read from a Parquet file at once, and of text from a CSV file.
BUFFER, TEXT_BLOCK = 2**20, 2**22


class Format(Protocol):
    """A format of files: what the columns of a file are, how many rows it has, its rows."""

    def look(self, path: Path) -> tuple[Any, int | None]:
        """Arrow's schema of a file, and how many rows it has, if it says so."""

    def joined(self, one: Any, other: Any) -> Any:
        """The type of a column that has these types in two files; None where there is none."""

    def batches(self, path: Path, types: Mapping[str, Any], rows: int) -> Iterator[Any]:
        """Record batches of some columns, in any order; they may have other types than these."""


class Parquet:
    """Parquet files."""

    def look(self, path: Path) -> tuple[Any, int | None]:
        with _parquet(path) as file:
            return file.schema_arrow, int(file.metadata.num_rows)

    def joined(self, one: Any, other: Any) -> Any:
        return joined(one, other)

    def batches(self, path: Path, types: Mapping[str, Any], rows: int) -> Iterator[Any]:
        with _parquet(path) as file:
            yield from file.iter_batches(batch_size=rows, columns=list(types))


class Delimited:
    """CSV and TSV files, of which the first block of each tells the types; what has no common type is text.

    Parameters
    ----------
    types : dict from names of columns to types, or their names, where the user gives them
    """

    def __init__(self, types: Mapping[str, Any]) -> None:
        self.given = {name: _type(kind) for name, kind in types.items()}

    def look(self, path: Path) -> tuple[Any, int | None]:
        import pyarrow as pa

        with self._open(path, None, {}) as file:
            found = file.schema
        for field in found:
            if pa.types.is_binary(field.type) and field.name not in self.given:
                raise SourceError(
                    f"{str(path)!r} is not in UTF-8: its column {field.name!r} has bytes of another encoding; write it "
                    "in UTF-8."
                )
        return pa.schema([(field.name, self.given.get(field.name, field.type)) for field in found]), None

    def joined(self, one: Any, other: Any) -> Any:
        import pyarrow as pa

        return joined(one, other) or pa.string()

    def batches(self, path: Path, types: Mapping[str, Any], rows: int) -> Iterator[Any]:
        with self._open(path, list(types), types) as file:
            yield from file

    def _open(self, path: Path, columns: Sequence[str] | None, types: Mapping[str, Any]) -> Any:
        from pyarrow import csv

        return csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=TEXT_BLOCK),
            parse_options=csv.ParseOptions(delimiter="," if ending(path) == ".csv" else "\t"),
            convert_options=csv.ConvertOptions(
                include_columns=columns, column_types=dict(types), strings_can_be_null=True
            ),
        )


def _type(kind: Any) -> Any:
    """A type of Arrow, by its name if it is a text."""
    import pyarrow as pa

    if isinstance(kind, pa.DataType):
        return kind
    try:
        return pa.type_for_alias(kind)
    except (TypeError, ValueError):
        raise SourceError(
            f"types holds {kind!r}, which is no type of Arrow; give one, or a name such as 'float64' or 'string'."
        ) from None


def _parquet(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(path, buffer_size=BUFFER, page_checksum_verification=True)
