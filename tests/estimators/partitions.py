"""A cluster within this process: what a further kind of engine must be, and no more."""

from itertools import pairwise

from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.pieces import labels_of, row_count, rows_of, some_columns


class Partitions(Engine):
    """Tables in memory, as partitions."""

    def __init__(self, tables):
        self.tables = tables

    def labels(self):
        return labels_of(self.tables[0])

    def head(self):
        return rows_of(self.tables[0], 0, 0)

    def count(self):
        return sum(map(row_count, self.tables))

    def map(self, work, columns):
        return [work(number, iter([table])) for number, table in enumerate(self.tables)]

    def extend(self, extend, columns, added):
        return [extend(some_columns(table, columns)) for table in self.tables]


def halves(table, ends):
    """A table as partitions that end at some rows."""
    edges = [0, *ends, row_count(table)]
    return Partitions([rows_of(table, *pair) for pair in pairwise(edges)])
