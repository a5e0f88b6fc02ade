"""Symbols of the sequences of a source, batch by batch."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
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


def _cells(table: Any) -> NDArray[Any]:
    return np.asarray(column_of(table, 0))


def known_symbols(parts: Iterable[Symbols]) -> Any:
    """All symbols that sequences hold: a text of them where they are characters."""
    seen: set[Any] = set()
    text = False
    for found in parts:
        seen |= set(Alphabet.of(found).symbols.tolist())
        text = found.text
    if not seen:
        raise ValueError("there are no sequences (n_samples = 0); give at least one.")
    return "".join(seen) if text else list(seen)
