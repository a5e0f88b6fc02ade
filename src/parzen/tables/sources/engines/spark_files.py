"""Parquet files that a DataFrame of Spark is nothing but: its workers read them as they are.

Spark decodes Parquet to rows, turns rows into Arrow and sends them through a socket to Python, which takes several
times as long as to read the file there. Where the plan of a DataFrame says that it is columns of Parquet files and no
more, Spark still cuts the files into partitions and runs a task for each; the task reads its part of the files itself.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from parzen.tables.sources.engines.engine import Known
from parzen.tables.sources.source import rows_at_once

#: Types of Spark that Arrow reads from a Parquet file as Spark does.
KINDS = frozenset(["boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string"])
#: Names of the classes that such a plan is made of.
SCAN, FORMAT, READER = "FileSourceScanExec", "ParquetFileFormat", "FileScanRDD"


class Part(NamedTuple):
    """The row groups of a file whose middle lies between two of its bytes."""

    path: str
    begin: int
    end: int


class OtherFileError(Exception):
    """A file that this worker can't open, or that is not as the DataFrame says: Spark is to read it."""


def parts_of(frame: Any) -> list[list[Part]] | None:
    """The parts of files of each partition; None where a DataFrame is not columns of Parquet files and no more."""
    from py4j.protocol import Py4JError

    try:
        plan = frame._jdf.queryExecution().sparkPlan()
        while _name(plan) == "ProjectExec" and plan.projectList().equals(plan.output()):  # it names columns, no more
            plan = plan.child()
        if _name(plan) != SCAN or not _is_plain(plan):
            return None
        rdd = plan.inputRDDs().apply(0)
        partitions = rdd.filePartitions() if _name(rdd) == READER else None
        if partitions is None:
            return None
        every = [[_part(one) for one in partitions.apply(i).files()] for i in range(partitions.size())]
    except (Py4JError, AttributeError, TypeError):  # another version of Spark, or one that hides its plans
        return None
    known = [[one for one in parts if one is not None] for parts in every]
    return known if sum(map(len, known)) == sum(map(len, every)) else None


class Opened(NamedTuple):
    """A file, what it says of itself, and which of its row groups are wanted."""

    path: str
    metadata: Any
    groups: list[int]


def opened(parts: Sequence[Part], fields: Any) -> tuple[list[Opened], Known]:
    """The files of parts that have the fields of a schema, and what is known of their rows."""
    import pyarrow as pa
    from pyarrow import parquet

    files, rows, marks = [], 0, []
    for part in parts:
        try:
            there = Path(part.path).stat()
            with parquet.ParquetFile(part.path) as file:
                _check(file.schema_arrow, fields)
                every = file.metadata
        except (OSError, pa.ArrowException) as reason:
            raise OtherFileError(part.path) from reason
        groups = [at for at in range(every.num_row_groups) if part.begin <= _middle(every, at) < part.end]
        rows += sum(every.row_group(at).num_rows for at in groups)
        marks.append((*part, there.st_ino, there.st_size, there.st_mtime_ns))
        files.append(Opened(part.path, every, groups))
    return files, Known(fields.empty_table(), rows, repr(marks))


def read(files: Sequence[Opened], fields: Any) -> Iterator[Any]:
    """Tables of Arrow of the fields of a schema, from files."""
    import pyarrow as pa
    from pyarrow import parquet

    rows, names = rows_at_once(len(fields)), fields.names
    for path, metadata, groups in files:
        if not groups:
            continue
        try:
            with parquet.ParquetFile(path, metadata=metadata, page_checksum_verification=True) as file:
                for batch in file.iter_batches(rows, row_groups=groups, columns=names, use_threads=False):
                    table = pa.Table.from_batches([batch]).select(names)
                    yield table if table.schema.types == fields.types else table.cast(fields)
        except (OSError, pa.ArrowException) as reason:
            raise OtherFileError(path) from reason


def _check(found: Any, fields: Any) -> None:
    for field in fields:
        if found.names.count(field.name) != 1:
            raise OtherFileError(field.name)
        kind = found.field(field.name).type
        if kind != field.type and not (_is_text(kind) and _is_text(field.type)):
            raise OtherFileError(field.name)


def _is_text(kind: Any) -> bool:
    """Whether cells are text, which a file says to have been codes or longer text before it was written."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _middle(metadata: Any, at: int) -> int:
    """The byte in the middle of a row group, by which Spark tells whose it is."""
    group = metadata.row_group(at)
    first = group.column(0)
    begin = first.data_page_offset
    if first.dictionary_page_offset is not None:
        begin = min(begin, first.dictionary_page_offset)
    return int(begin + sum(group.column(j).total_compressed_size for j in range(group.num_columns)) // 2)


def _is_plain(scan: Any) -> bool:
    """Whether all rows of the files are wanted, and nothing but what is in them."""
    relation = scan.relation()
    if _name(relation) != "HadoopFsRelation" or _name(relation.fileFormat()) != FORMAT:
        return False
    unfiltered = scan.partitionFilters().isEmpty() and scan.dataFilters().isEmpty()
    return bool(unfiltered and relation.partitionSchema().isEmpty() and relation.bucketSpec().isEmpty())


def _part(file: Any) -> Part | None:
    """A part of a file of Spark's; None where the file is not on a disk that this process would open by its name."""
    from urllib.parse import unquote, urlsplit

    place = urlsplit(file.urlEncodedPath())
    if place.scheme != "file" or place.netloc:
        return None
    return Part(unquote(place.path), int(file.start()), int(file.start() + file.length()))


def _name(of: Any) -> str:
    return str(of.getClass().getSimpleName())
