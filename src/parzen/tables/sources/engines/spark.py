"""Spark: a DataFrame whose partitions are read as Arrow batches, one job for each pass."""

from collections.abc import Iterator, Sequence
from typing import Any

from parzen.tables.sources.engines.engine import Engine, Extend, Work


class SparkTable(Engine):
    """A DataFrame of Spark."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def labels(self) -> Sequence[Any]:
        return tuple(self.frame.columns)

    def head(self) -> Any:
        from pyspark.sql.pandas.types import to_arrow_schema

        return to_arrow_schema(self.frame.schema).empty_table()

    def count(self) -> int:
        return int(self.frame.count())

    def map(self, work: Work, columns: Sequence[Any]) -> list[bytes]:
        wanted = list(columns)

        def answered(batches: Iterator[Any]) -> Iterator[Any]:
            import pyarrow as pa
            from pyspark import TaskContext

            number = TaskContext.get().partitionId()
            answer = work(number, (_table(batch, wanted) for batch in batches))
            kinds = pa.schema([("partition", pa.int32()), ("answer", pa.binary())])
            yield pa.RecordBatch.from_pylist([{"partition": number, "answer": answer}], schema=kinds)

        rows = self._numbered(columns).mapInArrow(answered, "partition int, answer binary").collect()
        found = {row["partition"]: bytes(row["answer"]) for row in rows}
        if len(found) != len(rows):
            raise RuntimeError("Spark gave the answer of a partition twice; please report it.")
        return [found[number] for number in sorted(found)]

    def extend(self, extend: Extend, columns: Sequence[Any], added: dict[str, Any]) -> Any:
        import pyarrow as pa
        from pyspark.sql.pandas.types import from_arrow_type
        from pyspark.sql.types import StructField, StructType

        kinds = {name: pa.string() if kind.kind in "OU" else pa.from_numpy_dtype(kind) for name, kind in added.items()}
        wanted, every = list(columns), list(self.labels())

        def extended(batches: Iterator[Any]) -> Iterator[Any]:
            for batch in batches:
                table = _table(batch, every)
                new = extend(table.select(wanted))
                for (name, kind), cells in zip(kinds.items(), new, strict=True):
                    table = table.append_column(name, pa.array(cells, type=kind))
                yield from table.to_batches()

        fields = [StructField(name, from_arrow_type(kind)) for name, kind in kinds.items()]
        return self._numbered(every).mapInArrow(extended, StructType([*self.frame.schema.fields, *fields]))

    def _numbered(self, columns: Sequence[Any]) -> Any:
        """Some columns, called by numbers: mapInArrow takes a name with a dot for a field of a column."""
        labels = self.labels()
        numbered = self.frame.toDF(*[f"c{j}" for j in range(len(labels))])
        return numbered.select(*[f"c{labels.index(name)}" for name in columns])


def _table(batch: Any, columns: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch]).rename_columns(columns)
