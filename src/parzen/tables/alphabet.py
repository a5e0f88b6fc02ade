"""Alphabets: the symbols of sequences, and their positions as codes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.tables.cells import is_missing
from parzen.tables.sequences import Symbols, read


@dataclass(frozen=True, eq=False)
class Alphabet:
    """Symbols, whose positions are their codes.

    Attributes
    ----------
    symbols : array of shape (S,)
    text : bool
        Whether they are characters.
    """

    symbols: NDArray[Any]
    text: bool = False

    @classmethod
    def of(cls, found: Symbols) -> "Alphabet":
        """The symbols that sequences hold, sorted."""
        cells = found.cells
        present = _distinct(cells)
        if cells.dtype.kind != "O":
            values = np.array(present, dtype=cells.dtype)
            return cls(np.array([chr(value) for value in values]) if found.text else values, found.text)
        try:
            present.sort()
        except TypeError:  # types that don't compare
            present.sort(key=lambda cell: (type(cell).__name__, str(cell)))
        out = np.empty(len(present), dtype=object)
        out[:] = present
        return cls(out)

    @classmethod
    def declared(cls, symbols: Any, text: bool) -> "Alphabet":
        """An alphabet that a user gives, for sequences that are text or not."""
        try:
            listed = cls.of(read([list(symbols)])).symbols
        except TypeError:
            raise TypeError(
                f"symbols must be a list of hashable symbols, or a text of them, got {symbols!r}."
            ) from None
        return cls(listed, text and all(isinstance(one, str) and len(one) == 1 for one in listed.tolist()))

    def in_order(self, symbols: list[Any]) -> "Alphabet":
        """The same symbols, in the order of a list that holds them all."""
        place = {symbol: position for position, symbol in reversed(list(enumerate(symbols)))}
        order = np.argsort([place[symbol] for symbol in self.symbols.tolist()])
        return Alphabet(self.symbols[order], self.text)

    @property
    def size(self) -> int:
        """The number of symbols."""
        return len(self.symbols)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {symbol: code for code, symbol in enumerate(self.symbols.tolist())}

    def encode(self, found: Symbols) -> NDArray[np.int64]:
        """Codes of symbols; a symbol that is not in the alphabet gets the alphabet's size."""
        cells = found.cells
        letters = self.text or all(isinstance(one, str) and len(one) == 1 for one in self.symbols.tolist())
        if found.text and not letters:
            raise TypeError(
                "these sequences are texts, whose symbols are characters, but the model was fitted to other symbols; "
                "give each sequence as a list of its symbols: [[...], [...]]."
            )
        if cells.dtype.kind in "fO":
            _distinct(cells)
        if self.text != found.text and self.size:
            cells = np.array([chr(cell) for cell in cells], dtype=object) if found.text else cells
        elif found.text:
            return _looked_up(cells, np.array([ord(symbol) for symbol in self.symbols.tolist()]))
        elif cells.dtype.kind in "iuf" and self.symbols.dtype.kind in "iuf":
            return _looked_up(cells, self.symbols)
        size, known = self.size, self._codes
        return np.array([known.get(cell, size) for cell in cells.tolist()], dtype=np.int64)

    def decode(self, codes: NDArray[np.integer]) -> Any:
        """A sequence of codes as symbols: text of characters, else an array."""
        symbols = self.symbols[codes]
        return "".join(symbols.tolist()) if self.text else symbols


def _distinct(cells: NDArray[Any]) -> list[Any]:
    """The different symbols, sorted if they are numbers; missing and unhashable ones are an error."""
    if cells.dtype.kind != "O":
        if cells.dtype.kind == "f" and not np.isfinite(cells).all():
            raise ValueError("a symbol is NaN or infinite; leave it out, or cut the sequence there.")
        return np.unique(cells).tolist()
    try:
        present = list(dict.fromkeys(cells.tolist()))
    except TypeError:
        raise TypeError("symbols must be hashable: text, numbers, tuples; a list is none.") from None
    if any(is_missing(cell) for cell in present):
        raise ValueError("a symbol is missing (None or NaN); leave it out, or cut the sequence there.")
    return present


def _looked_up(cells: NDArray[Any], symbols: NDArray[Any]) -> NDArray[np.int64]:
    size = len(symbols)
    order = np.argsort(symbols, kind="stable")
    if (np.diff(order) < 0).any():
        return np.append(order, size)[_looked_up(cells, symbols[order])]
    if size and symbols.dtype.kind in "iu" and int(symbols[-1]) - int(symbols[0]) < 2**20:
        table = np.full(int(symbols[-1]) - int(symbols[0]) + 1, size, dtype=np.int64)
        table[symbols - symbols[0]] = np.arange(size)
        inside = (cells >= symbols[0]) & (cells <= symbols[-1]) & (cells == np.floor(cells))
        if inside.all():
            return table[(cells - symbols[0]).astype(np.int64)]
        out = np.full(len(cells), size, dtype=np.int64)
        out[inside] = table[(cells[inside] - symbols[0]).astype(np.int64)]
        return out
    at = np.minimum(np.searchsorted(symbols, cells), max(size - 1, 0))
    return np.where(symbols[at] == cells, at, size) if size else np.zeros(len(cells), dtype=np.int64)
