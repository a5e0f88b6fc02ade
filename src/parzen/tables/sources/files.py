"""Parquet and CSV files, read by pyarrow, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.paths import PARQUET, Unchanged, ending

#: Bytes of a column that are read from a Parquet file at once, and of text from a CSV file.
BUFFER, TEXT_BLOCK = 2**20, 2**22


class Format(Protocol):
    """A format of files: what its columns are, how many rows there are, its rows."""

    def schema(self, path: Path) -> Any:
        """Arrow's schema of a file."""

    def count(self, path: Path) -> int | None:
        """How many rows a file has, if it says so."""

    def batches(self, path: Path, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Record batches of some columns."""


class Files:
    """The rows of files, in their order: a `Reader`.

    Parameters
    ----------
    paths : list of files of one format
    types : dict from names of columns to types, for CSV
    """

    def __init__(self, paths: list[Path], types: dict[str, Any] | None = None) -> None:
        _pyarrow()
        self.paths, self.unchanged = paths, Unchanged(paths)
        self.format: Format = Parquet() if ending(paths[0]) in PARQUET else Delimited(paths, types or {})
        self._schema = self._first_schema()

    def labels(self) -> Sequence[str]:
        """Names of the columns."""
        return tuple(self._schema.names)

    def head(self) -> Any:
        """A table without rows."""
        return self._schema.empty_table()

    def count(self) -> int | None:
        """How many rows there are, where the files say so."""
        counts = [self._naming(path, lambda path: self.format.count(path)) for path in self.paths]
        return None if any(one is None for one in counts) else sum(counts)

    def mark(self) -> str:
        """Names, sizes and times of change of the files."""
        return self.unchanged.mark()

    def check(self) -> None:
        """Raise where a file is gone or has changed."""
        for path in self.paths:
            self.unchanged.check(path)

    def read(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Tables of some columns, with so many rows each, wherever one file ends and the next begins."""
        return rebatched(self._batches(columns, rows), rows)

    def _batches(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        for path in self.paths:
            self.unchanged.check(path)
            with _naming_file(path):
                self._check_schema(path, columns)
                batches = self.format.batches(path, columns, rows)
            while True:
                with _naming_file(path):
                    batch = next(batches, None)
                if batch is None:
                    break
                yield batch.select(list(columns))
            self.unchanged.check(path)

    def _first_schema(self) -> Any:
        schema = self._naming(self.paths[0], self.format.schema)
        again = [name for at, name in enumerate(schema.names) if name in schema.names[:at]]
        if again:
            raise SourceError(f"{str(self.paths[0])!r} has two columns {again[0]!r}; rename one.")
        return schema

    def _check_schema(self, path: Path, columns: Sequence[str]) -> None:
        """Raise where a file lacks a column, or has one of another type than the first file's."""
        found = self.format.schema(path)
        for name in columns:
            at = found.get_field_index(name)
            if at < 0:
                raise SourceError(
                    f"{str(path)!r} has no column {name!r}, which {str(self.paths[0])!r} has; all files must have the "
                    f"columns that are read. It has {found.names}."
                )
            ours, theirs = self._schema.field(name).type, found.field(at).type
            if ours != theirs:
                raise SourceError(
                    f"the column {name!r} of {str(path)!r} is of type {theirs}, but that of {str(self.paths[0])!r} is "
                    f"{ours}; write all files with one type."
                )

    @staticmethod
    def _naming(path: Path, function: Callable[[Path], Any]) -> Any:
        with _naming_file(path):
            return function(path)


class Parquet:
    """Parquet files."""

    def schema(self, path: Path) -> Any:
        return _parquet(path).schema_arrow

    def count(self, path: Path) -> int | None:
        return int(_parquet(path).metadata.num_rows)

    def batches(self, path: Path, columns: Sequence[str], rows: int) -> Iterator[Any]:
        with _parquet(path) as file:
            yield from file.iter_batches(batch_size=rows, columns=list(columns))


class Delimited:
    """CSV and TSV files; the type of a column is that of all files together.

    The first block of each file tells the types: whole numbers in one and fractions in another are fractions, anything
    with text is text.
    """

    def __init__(self, paths: list[Path], types: dict[str, Any]) -> None:
        self.paths, self.given = paths, types
        self.found: Any = None

    def schema(self, path: Path) -> Any:
        if self.found is None:
            self.found = self._joined()
        if path == self.paths[0]:
            return self.found
        import pyarrow as pa

        names = self._open(path, None, {}).schema.names
        known = set(self.found.names)
        return pa.schema([self.found.field(name) for name in names if name in known])

    def count(self, path: Path) -> int | None:
        return None

    def batches(self, path: Path, columns: Sequence[str], rows: int) -> Iterator[Any]:
        types = {name: self.found.field(name).type for name in columns}
        with self._open(path, columns, types) as file:
            yield from file

    def _joined(self) -> Any:
        """The first file's columns, with types that suit all files."""
        import pyarrow as pa

        types: dict[str, Any] = {}
        for path in self.paths:
            with _naming_file(path):
                for field in self._open(path, None, {}).schema:
                    types[field.name] = _common(types.get(field.name, field.type), field.type)
        with _naming_file(self.paths[0]):
            names = self._open(self.paths[0], None, {}).schema.names
        return pa.schema([(name, self._given(name) or types[name]) for name in names])

    def _given(self, name: str) -> Any:
        import pyarrow as pa

        kind = self.given.get(name)
        return pa.type_for_alias(kind) if isinstance(kind, str) else kind

    def _open(self, path: Path, columns: Sequence[str] | None, types: dict[str, Any]) -> Any:
        from pyarrow import csv

        return csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=TEXT_BLOCK),
            parse_options=csv.ParseOptions(delimiter="," if ending(path) == ".csv" else "\t"),
            convert_options=csv.ConvertOptions(
                include_columns=None if columns is None else list(columns), column_types=types, strings_can_be_null=True
            ),
        )


def rebatched(batches: Iterator[Any], rows: int) -> Iterator[Any]:
    """Record batches of one schema as tables of so many rows each, the last one of fewer; nothing is copied."""
    import pyarrow as pa

    waiting: list[Any] = []
    count = 0
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, rows - count)
            batch = batch.slice(part.num_rows)
            waiting.append(part)
            count += part.num_rows
            if count == rows:
                yield pa.Table.from_batches(waiting)
                waiting, count = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _common(one: Any, other: Any) -> Any:
    """The type that holds the cells of both."""
    import pyarrow as pa

    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    numbers = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in (one, other)]
    return pa.float64() if all(numbers) else pa.string()


def _parquet(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(path, buffer_size=BUFFER)


@contextmanager
def _naming_file(path: Path) -> Iterator[None]:
    """Name the file in whatever error pyarrow raises."""
    import pyarrow as pa

    try:
        yield
    except (SourceError, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        said = str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
        hint = "it may be truncated or damaged: write it again, or leave it out"
        if "conversion error" in said.lower():
            hint = "give the column's type by scan(..., types={'column': 'string'}), or mend the file"
        raise SourceError(f"{str(path)!r} can't be read: {said}; {hint}.") from error


def _pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError("files are scanned with pyarrow: pip install 'parzen[cli]'.") from None
