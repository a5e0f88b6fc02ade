"""Symbols of the sequences of a source, batch by batch: which there are, and how often they follow each other."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.estimators.markov.counting import count_sequences
from parzen.tables.alphabet import Alphabet
from parzen.tables.cells import column_of
from parzen.tables.sequence_weights import drop_zero_weight
from parzen.tables.sequences import Symbols, read
from parzen.tables.sources.ahead import read_ahead
from parzen.tables.sources.pieces import as_table
from parzen.tables.sources.source import Source
from parzen.tables.sources.whole import WholeSequences


def symbols_of(source: Source) -> Iterator[tuple[Symbols, Array | None]]:
    """Whole sequences, some at a time, and their weights.

    They are the runs of one name in the source's target; without one, each cell is a text.
    """
    if len(source.columns) != 1:
        raise ValueError(
            f"sequences of symbols are one column, but the source has {list(source.columns)}; choose one by "
            "scan(..., columns=[...]), and name the column that tells sequences apart: fit(source, sequence='name')."
        )
    if source.target is not None:
        for table, lengths, w in WholeSequences(source):
            own = None if w is None else np.ascontiguousarray(w[np.cumsum(lengths) - lengths])
            yield read(_cells(table), lengths), own
        return
    for batch in read_ahead(source.batches()):
        texts = _cells(as_table(batch.piece)).tolist()
        if not all(isinstance(text, str) for text in texts):
            raise ValueError(
                "each cell of a source of sequences is a text, unless a column tells sequences apart: fit(source, "
                "sequence='name')."
            )
        if texts:
            yield drop_zero_weight(read(texts), batch.weight)


@dataclass(frozen=True, eq=False)
class SymbolCounts:
    """An alphabet and counts of its symbols after each context, which add."""

    alphabet: Alphabet
    counts: Array

    def __add__(self, other: "SymbolCounts") -> "SymbolCounts":
        return SymbolCounts(self.alphabet, self.counts + other.counts)


def _cells(table: Any) -> NDArray[Any]:
    return np.asarray(column_of(table, 0))


@dataclass(frozen=True)
class KnownSymbols:
    """All symbols that sequences hold, and whether these are characters of texts."""

    symbols: frozenset[Any]
    text: bool

    def __add__(self, other: "KnownSymbols") -> "KnownSymbols":
        return KnownSymbols(self.symbols | other.symbols, self.text or other.text)

    def listed(self) -> Any:
        """The symbols: a text of them where they are characters."""
        return "".join(self.symbols) if self.text else list(self.symbols)


@dataclass(frozen=True)
class SymbolSurvey:
    """What finds the symbols of a source."""

    def __call__(self, source: Source, partition: int) -> KnownSymbols:
        """Those of all its sequences."""
        found = KnownSymbols(frozenset(), False)
        for one, _ in symbols_of(source):
            found = found + KnownSymbols(frozenset(Alphabet.of(one).symbols.tolist()), one.text)
        return found


@dataclass(frozen=True)
class SequenceCounts:
    """What counts known symbols after each context, in all sequences of a source.

    Attributes
    ----------
    order : length of the contexts
    symbols : list of symbols, or a text of them
    """

    order: int
    symbols: Any

    def __call__(self, source: Source, partition: int) -> SymbolCounts | None:
        """The alphabet and the counts; None without sequences."""
        total: SymbolCounts | None = None
        for one, w in symbols_of(source):
            part = SymbolCounts(*count_sequences(one, w, self.order, self.symbols))
            total = part if total is None else total + part
        return total
