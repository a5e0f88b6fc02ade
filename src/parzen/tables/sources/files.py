"""Parquet and CSV files, read by pyarrow, one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from parzen.tables.sources.errors import SourceError
from parzen.tables.sources.formats import Delimited, Format, Parquet
from parzen.tables.sources.partitions import Partitions
from parzen.tables.sources.paths import PARQUET, Unchanged, ending
from parzen.tables.sources.types import as_type


class Files:
    """The rows of files, in their order: a `Reader`.

    Columns are those of the first file, and those that the names of its folders hold; a column has a type that holds
    the cells of all files. Each file is looked at once; one that changes afterwards is an error.

    Parameters
    ----------
    paths : list of files of one format
    top : folder that they are below
    types : dict from names of columns to types, for CSV
    """

    def __init__(self, paths: list[Path], top: Path, types: Mapping[str, Any] | None = None) -> None:
        _pyarrow()
        self.paths, self.unchanged = paths, Unchanged(paths)
        parquet = ending(paths[0]) in PARQUET
        if parquet and types:
            raise SourceError("types are for CSV files; Parquet files bring their own.")
        self.format: Format = Parquet() if parquet else Delimited(types or {})
        self._partitions = Partitions.of(paths, top)
        self._counts: list[int | None] = []
        self._types: dict[str, Any] = {}
        self._faults: dict[str, str] = {}  # of columns that can't be read
        self._look()
        unknown = [name for name in types or {} if name not in self._types]
        if unknown:
            raise SourceError(f"types names {unknown[0]!r}, but the columns are {list(self._types)}.")

    def labels(self) -> Sequence[str]:
        """Names of the columns."""
        return tuple(self._types)

    def head(self) -> Any:
        """A table without rows."""
        import pyarrow as pa

        return pa.schema(list(self._types.items())).empty_table()

    def count(self) -> int | None:
        """How many rows there are, where the files say so."""
        counts = [one for one in self._counts if one is not None]
        return sum(counts) if len(counts) == len(self.paths) else None

    def mark(self) -> str:
        """Names, sizes and times of change of the files."""
        return self.unchanged.mark()

    def check(self) -> None:
        """Raise where a file is gone or has changed."""
        for path in self.paths:
            self.unchanged.check(path)

    def read(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        """Tables of some columns, with so many rows each, wherever one file ends and the next begins."""
        for name in columns:
            if name in self._faults:
                raise SourceError(self._faults[name])
        return rebatched(self._batches({name: self._types[name] for name in columns}, rows), rows)

    def _batches(self, types: Mapping[str, Any], rows: int) -> Iterator[Any]:
        import pyarrow as pa

        schema = pa.schema(list(types.items()))
        for path in self.paths:
            self.unchanged.check(path)
            named = self._partitions.cells[path]
            batches = self.format.batches(path, {name: types[name] for name in types if name not in named}, rows)
            while True:
                with _naming_file(path):
                    batch = next(batches, None)
                    if batch is None:
                        break
                    if not batch.schema.equals(schema):
                        batch = self._with_types(batch, path, schema)
                yield batch
            self.unchanged.check(path)

    def _with_types(self, batch: Any, path: Path, schema: Any) -> Any:
        """A batch of a file with the columns that all files have."""
        import pyarrow as pa

        named = self._partitions.cells[path]
        columns = [
            self._partitions.column(path, field.name, field.type, batch.num_rows)
            if field.name in named
            else as_type(batch.column(field.name), field.type)
            for field in schema
        ]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _look(self) -> None:
        """Look at each file once: how many rows it has, and the types that hold its cells and those before."""
        first: tuple[Any, dict[str, Any]] | None = None
        for path in self.paths:
            with _naming_file(path):
                schema, rows = self.format.look(path)
            self._counts.append(rows)
            named = self._partitions.types_of(path)
            if first is None or not schema.equals(first[0]):
                _check_names(path, schema.names)
            if first is None:
                first, self._types = (schema, named), _types(schema) | named
            elif not schema.equals(first[0]) or named != first[1]:
                self._join(path, _types(schema) | named)

    def _join(self, path: Path, types: dict[str, Any]) -> None:
        """Let the types hold the cells of another file, too; where they can't, or a column is not there, note it."""
        for name, kind in self._types.items():
            both = self.format.joined(kind, types[name]) if name in types else None
            if both is not None:
                self._types[name] = both
            elif name not in self._faults:
                self._faults[name] = (
                    f"the column {name!r} of {str(path)!r} is of type {types[name]}, but that of "
                    f"{str(self.paths[0])!r} is {kind}; write all files with one type."
                    if name in types
                    else f"{str(path)!r} has no column {name!r}, which {str(self.paths[0])!r} has; all files must have "
                    f"the columns that are read. It has {list(types)}."
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


def _types(schema: Any) -> dict[str, Any]:
    return dict(zip(schema.names, schema.types, strict=True))


def _check_names(path: Path, names: Sequence[str]) -> None:
    again = [name for at, name in enumerate(names) if name in names[:at]]
    if again:
        raise SourceError(f"{str(path)!r} has two columns {again[0]!r}; rename one.")


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
            hint = "give the column's type by scan(..., types={'column': 'float64'}) (or 'string'), or mend the file"
        raise SourceError(f"{str(path)!r} can't be read: {said}; {hint}.") from error


def _pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ImportError("files are scanned with pyarrow: pip install 'parzen[cli]'.") from None
