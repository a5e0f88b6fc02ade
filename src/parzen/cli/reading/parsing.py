"""The cells of a text file, by pandas: as text, and as numbers in columns where no cell could be anything else.

Text is what columns are decided by. A column whose first cells are plain numbers is read as numbers at once, and again
as text where that fails, or where a cell might be a code: for a large table of numbers that is several times faster.
"""

import csv
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.cli.reading.number_column import plain_values
from parzen.cli.reading.numbers import may_be_thousands
from parzen.cli.reading.records import Dialect, Shape

#: Records that are looked at to find columns of numbers.
SAMPLE = 1000


@dataclass(frozen=True, eq=False)
class Parsed:
    """A text file whose records are known.

    Attributes
    ----------
    text : str
    dialect : Dialect
    shape : Shape
    width : int
        How many cells a record has; in shorter ones the last are empty.
    header : bool
        Whether the first record holds names.
    """

    text: str
    dialect: Dialect
    shape: Shape
    width: int
    header: bool

    def first(self) -> list[str]:
        """The cells of the first record."""
        rows = self._by_csv()
        row: list[str] = next(row for row in rows if rows.line_num == self.shape.lines[0])
        return row + [""] * (self.width - len(row))

    def columns(self, text_only: Collection[int] | None) -> list[NDArray[Any]]:
        """The cells of each column, the header left out: text, or numbers; None for `text_only` means all of them."""
        numbers = {} if text_only is None or self._has_codes() else self._candidates(text_only)
        found = self._read(list(numbers))
        rows = len(self.shape.fields) - self.header
        if len(found) != rows:
            return self._all_by_csv()
        columns = [found[j].to_numpy() for j in range(self.width)]
        failed = [j for j, small in numbers.items() if not _beyond_doubt(columns[j], small)]
        again = self._read([], failed) if failed else found
        for j in failed:
            columns[j] = again[j].to_numpy()
        return columns

    def _candidates(self, text_only: Collection[int]) -> dict[int, bool]:
        """Columns whose first cells are plain numbers, beyond doubt; and whether all are whole and below 1000."""
        last = self.shape.lines[: SAMPLE + 1][-1]
        some = self._read([], data="".join(islice(_lines(self.text), int(last))).encode())
        out = {}
        for j in range(self.width):
            words = [cell for cell in some[j].tolist() if cell]
            if j not in text_only and plain_values(words) is not None:
                groups = may_be_thousands(words)
                if not groups or not any("." in word for word in words):
                    out[j] = groups
        return out

    @cached_property
    def _data(self) -> bytes:
        return self.text.encode()

    def _read(self, numbers: Sequence[int], only: Sequence[int] | None = None, data: bytes | None = None) -> Any:
        import pandas as pd

        exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
        return pd.read_csv(
            BytesIO(self._data if data is None else data), sep=self.dialect.sep,
            header=0 if self.header else None, names=range(self.width), index_col=False, usecols=only,
            engine="c", low_memory=False,
            dtype={j: object for j in range(self.width) if j not in numbers}, na_filter=bool(numbers),
            keep_default_na=False, na_values={j: [""] for j in numbers} or None,
            quoting=csv.QUOTE_NONE if self.dialect.quotes == "none" else csv.QUOTE_MINIMAL,
            doublequote=self.dialect.quotes == "doubled",
            escapechar="\\" if self.dialect.quotes == "backslash" else None,
            **({} if exact else {"float_precision": "round_trip"}),
        )  # fmt: skip

    def _has_codes(self) -> bool:
        """Whether any cell begins with a zero and another digit."""
        data = np.frombuffer(self._data, dtype=np.uint8)
        at = np.flatnonzero((data[:-1] == ord("0")) & (data[1:] - np.uint8(ord("0")) < 10))
        before = data[at[at > 0] - 1]
        return bool(np.isin(before, [ord(mark) for mark in (self.dialect.sep, "\n", '"', " ", "\t")]).any())

    def _by_csv(self) -> Any:
        return csv.reader(
            _lines(self.text), delimiter=self.dialect.sep, doublequote=self.dialect.quotes == "doubled",
            quoting=csv.QUOTE_NONE if self.dialect.quotes == "none" else csv.QUOTE_MINIMAL,
            escapechar="\\" if self.dialect.quotes == "backslash" else None,
        )  # fmt: skip

    def _all_by_csv(self) -> list[NDArray[Any]]:
        """The cells by the csv module, where pandas counts other records."""
        rows = self._by_csv()
        ends = set(self.shape.lines.tolist())
        whole = np.full((len(self.shape.fields), self.width), "", dtype=object)
        at = 0
        for row in rows:
            if rows.line_num in ends:
                whole[at, : len(row)] = row
                at += 1
        return list(whole[int(self.header) :].T)


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, one after the other."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield text[at:end]
        at = end


def _beyond_doubt(column: NDArray[Any], small: bool) -> bool:
    """Whether a column was read as finite numbers, none of which could be thousands after small whole numbers."""
    if column.dtype.kind not in "if" or np.isinf(column).any():
        return False
    return not small or column.dtype.kind == "i" or not (column != np.floor(column))[~np.isnan(column)].any()
