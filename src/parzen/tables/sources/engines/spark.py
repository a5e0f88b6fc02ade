"""Spark: a DataFrame whose partitions are read as Arrow batches, or as the Parquet files that it is: one job a pass."""

import gc
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property, partial
from typing import Any

from parzen.tables.sources.engines.engine import Engine, Extend, Work
from parzen.tables.sources.engines.spark_files import KINDS, OtherFileError, Part, opened, parts_of, read
from parzen.tables.sources.errors import SourceError


class SparkTable(Engine):
    """A DataFrame of Spark."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.as_files = True  # until one of them turns out to be another than the DataFrame says

    def labels(self) -> Sequence[Any]:
        return tuple(self._kinds)

    def head(self) -> Any:
        return self._schema.empty_table()

    def count(self) -> int:
        return int(self.frame.count())

    def map(self, work: Work, columns: Sequence[Any]) -> Sequence[bytes]:
        with _naming_python():
            found = self._of_files(work, columns)
            return self._of_rows(work, columns) if found is None else found

    def extend(self, extend: Extend, columns: Sequence[Any], added: dict[str, Any]) -> Any:
        import pyarrow as pa
        from pyspark.sql.pandas.types import from_arrow_type
        from pyspark.sql.types import StructField, StructType

        kinds = {name: pa.string() if kind.kind in "OU" else pa.from_numpy_dtype(kind) for name, kind in added.items()}
        every = list(self.labels())
        extended = partial(_extended, extend, list(columns), every, kinds)
        fields = [StructField(name, from_arrow_type(kind)) for name, kind in kinds.items()]
        return self._numbered(every).mapInArrow(extended, StructType([*self.frame.schema.fields, *fields]))

    @cached_property
    def _schema(self) -> Any:
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.frame.schema)

    @cached_property
    def _kinds(self) -> dict[str, str]:
        """Types of the columns, by their names, which Spark lets two columns share."""
        kinds = self.frame.dtypes
        twice = [name for at, (name, _) in enumerate(kinds) if name in dict(kinds[:at])]
        if twice:
            raise SourceError(f"two columns of the DataFrame are called {twice[0]!r}; rename one of them.")
        return dict(kinds)

    @cached_property
    def _parts(self) -> list[list[Part]] | None:
        return parts_of(self.frame)

    @cached_property
    def _numbered_parts(self) -> Any:
        parts = self._parts or []
        return self.frame.sparkSession.sparkContext.parallelize(list(enumerate(parts)), len(parts))

    def _of_files(self, work: Work, columns: Sequence[Any]) -> list[bytes] | None:
        """Answers of workers that read files themselves; None where Spark is to read them."""
        if not self.as_files or not all(self._kinds[name] in KINDS for name in columns) or not self._parts:
            return None
        import pyarrow as pa
        from pyspark.serializers import NoOpSerializer

        fields = pa.schema([self._schema.field(name) for name in columns])
        # What workers answer are bytes, which nothing unpickles here.
        sent = self._numbered_parts.mapPartitions(partial(_of_part, work, fields))
        answers = sent._reserialize(NoOpSerializer()).collect()
        if all(answers):
            return [bytes(one) for one in answers]
        self.as_files = False
        return None

    def _of_rows(self, work: Work, columns: Sequence[Any]) -> list[bytes]:
        """Answers of workers to which Spark sends its rows."""
        sent = self._numbered(columns).mapInArrow(partial(_of_batches, work, list(columns)), ANSWER)
        rows = sent.collect()
        found = {row["partition"]: bytes(row["answer"]) for row in rows}
        if len(found) != len(rows):
            raise RuntimeError("Spark gave the answer of a partition twice; please report it.")
        return [found[number] for number in sorted(found)]

    def _numbered(self, columns: Sequence[Any]) -> Any:
        """Some columns, called by numbers: mapInArrow takes a name with a dot for a field of a column."""
        labels = self.labels()
        numbered = self.frame.toDF(*[f"c{j}" for j in range(len(labels))])
        return numbered.select(*[f"c{labels.index(name)}" for name in columns])


#: What Spark says where its workers run another Python than this one.
OTHER_PYTHON = re.compile(
    r"No module named '(?:parzen|numpy|pyarrow)[\w.]*'|PYTHON_VERSION_MISMATCH|Cannot run program \"[^\"]*\""
)


@contextmanager
def _naming_python() -> Iterator[None]:
    """Say which Python the workers of Spark need, where they run one without parzen."""
    try:
        yield
    except Exception as error:
        found = OTHER_PYTHON.search(str(error))
        if found is None:
            raise
        raise ImportError(
            f"the workers of Spark run a Python that can't fit ({found[0]}): the environment variable PYSPARK_PYTHON "
            "must name one that has parzen before the session starts. On this machine: os.environ['PYSPARK_PYTHON'] = "
            "sys.executable; on a cluster, install parzen in the Python of the workers."
        ) from error


#: The columns of an answer, as Spark writes them.
ANSWER = "partition int, answer binary"


@cache
def _keep_modules() -> None:
    """Take what a worker has loaded out of the search for garbage, once.

    Spark's workers collect garbage after every task, among all objects of all modules: 50 ms, longer than most tasks.
    """
    gc.collect()
    gc.freeze()


def _of_part(work: Work, fields: Any, numbered: Iterable[tuple[int, list[Part]]]) -> Iterator[bytes]:
    """The answer of a partition of files; nothing where they are other ones."""
    for number, parts in numbered:
        try:
            files, known = opened(parts, fields)
            yield work(number, read(files, fields), known)
        except OtherFileError:
            yield b""
    _keep_modules()


def _of_batches(work: Work, columns: Sequence[str], batches: Iterator[Any]) -> Iterator[Any]:
    """The answer of a partition of rows."""
    import pyarrow as pa
    from pyspark import TaskContext

    number = TaskContext.get().partitionId()
    answer = work(number, (_table(batch, columns) for batch in batches))
    kinds = pa.schema([("partition", pa.int32()), ("answer", pa.binary())])
    yield pa.RecordBatch.from_pylist([{"partition": number, "answer": answer}], schema=kinds)
    _keep_modules()


def _extended(
    extend: Extend, columns: list[str], every: list[str], kinds: dict[str, Any], batches: Iterator[Any]
) -> Iterator[Any]:
    """Batches with further columns."""
    import pyarrow as pa

    for batch in batches:
        table = _table(batch, every)
        new = extend(table.select(columns))
        for (name, kind), cells in zip(kinds.items(), new, strict=True):
            table = table.append_column(name, pa.array(cells, type=kind))
        yield from table.to_batches()


def _table(batch: Any, columns: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch]).rename_columns(columns)
