"""Counts of the symbols that follow each context, and the alphabet of the sequences."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.markov import context_count, count_transitions
from parzen.tables.alphabet import Alphabet
from parzen.tables.sequences import Symbols

#: Most numbers in a table of transitions.
MOST = 2**26
#: Numbers in a table up to which whole numbers are counted as they are, before absent ones are removed.
FEW = 2**20


class TooManyContexts(ValueError):
    """A table of transitions would be too large for memory."""


def count_sequences(found: Symbols, w: Array | None, order: int, symbols: Any = None) -> tuple[Alphabet, Array]:
    """The alphabet of sequences, and the counts of its symbols after each context, (contexts, S).

    Parameters
    ----------
    found : the sequences
    w : array of shape (m,), optional
        Their weights.
    order : length of the contexts
    symbols : the alphabet, where it is given
    """
    if symbols is None and found.whole and len(found.cells):
        low, high = int(found.cells.min()), int(found.cells.max())
        if low >= 0 and (high + 1) * context_count(high + 1, order) <= FEW:
            counts = count_transitions(found.cells, found.lengths, high + 1, order, w, checked=True)
            present = np.flatnonzero(np.bincount(np.arange(counts.size) % (high + 1), counts.ravel()) > 0)
            return Alphabet(present), _among(counts, present, high + 1, order)
    alphabet = Alphabet.of(found) if symbols is None else Alphabet.declared(symbols, found.text)
    size = alphabet.size * context_count(alphabet.size, order)
    if size > MOST:
        raise TooManyContexts(
            f"a chain of order {order} over {alphabet.size} symbols has {size} probabilities; lower the order, or "
            "merge rare symbols."
        )
    codes = encode_known(alphabet, found, "given by symbols=")
    return alphabet, count_transitions(codes, found.lengths, alphabet.size, order, w)


def encode_known(alphabet: Alphabet, found: Symbols, which: str) -> NDArray[np.int64]:
    """Codes of symbols, or an error where one is not in the alphabet; `which` says where its symbols come from."""
    codes = alphabet.encode(found)
    unknown = np.flatnonzero(codes == alphabet.size)
    if len(unknown):
        cell = found.cells[unknown[0]]
        cell = chr(cell) if found.text else cell.item() if isinstance(cell, np.generic) else cell
        raise ValueError(f"the symbol {cell!r} is none of the {alphabet.size} symbols {which}.")
    return codes


def _among(counts: Array, present: NDArray[np.intp], S: int, order: int) -> Array:
    """Counts of the symbols that are present, after contexts of them."""
    if len(present) == S:
        return counts
    parts, begin = [], 0
    for length in range(order + 1):
        block = counts[begin : begin + S**length].reshape((S,) * (length + 1))
        parts.append(block[np.ix_(*[present] * (length + 1))].reshape(-1, len(present)))
        begin += S**length
    return np.ascontiguousarray(np.concatenate(parts))
