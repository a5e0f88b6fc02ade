"""Sequences of symbols of any kind: read as codes and lengths, and back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.tables.cells import column_of, frame_kind, is_missing


@dataclass(frozen=True, eq=False)
class Symbols:
    """Sequences as one array of symbols, and their lengths.

    Attributes
    ----------
    cells : array of shape (n,): numbers, characters as code points where `text` is set, or objects
    lengths : array of shape (m,) of int64
    text : whether symbols are characters of text
    """

    cells: NDArray[Any]
    lengths: NDArray[np.int64]
    text: bool = False

    @property
    def whole(self) -> bool:
        """Whether symbols are whole numbers."""
        return not self.text and self.cells.dtype.kind in "iu"


def read(X: Any, lengths: Any = None, empty: bool = False) -> Symbols:
    """Sequences in any form.

    Parameters
    ----------
    X : text (one sequence of characters), an array of numbers (one sequence), or an iterable of sequences: texts,
        lists, arrays; with `lengths`, all symbols one after another
    lengths : how long the sequences are
    empty : whether a sequence may be empty
    """
    if frame_kind(X) and getattr(X, "ndim", 2) == 2:
        if X.shape[1] != 1:
            raise ValueError(f"a table of sequences must have one column, got {X.shape[1]}; choose one.")
        X = column_of(X, 0)
    if lengths is not None:
        return _cut(X, lengths)
    if isinstance(X, str):
        parts: list[Any] = [X]
    elif isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biuf":
        parts = [X]
    elif hasattr(X, "to_numpy") and getattr(X, "ndim", 1) == 1 and X.to_numpy().dtype.kind in "biuf":
        parts = [X.to_numpy()]
    elif isinstance(X, Iterable) and not isinstance(X, dict | bytes):
        parts = list(X)
    else:
        raise TypeError(
            f"sequences must be a list of sequences, a text, or an array of numbers, got {type(X).__name__}."
        )
    if not parts:
        raise ValueError("there are no sequences (n_samples = 0); give at least one.")
    for i, part in enumerate(parts):
        if not isinstance(part, str | Sequence | np.ndarray) and not hasattr(part, "to_numpy"):
            raise TypeError(
                f"sequence {i} is {part!r}, which is no sequence of symbols; give a single one in a list: [sequence]."
            )
        if not empty and not len(part):
            raise ValueError(f"sequence {i} is empty; leave it out.")
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    if all(isinstance(part, str) for part in parts):
        return Symbols(_code_points("".join(parts)), sizes, True)
    return Symbols(_joined([_array(part) for part in parts]), sizes)


def refuse_nested(X: Any) -> None:
    """Raise where rows come as a list of sequences of rows."""
    if isinstance(X, list | tuple) and len(X) and np.ndim(X[0]) == 2:
        raise ValueError("X must be all rows one after another, got a list of sequences; use np.vstack and lengths=.")


def weighing(found: Symbols, w: Any) -> tuple[Symbols, Any]:
    """The sequences that weigh something, and their weights."""
    if w is None or w.all():
        return found, w
    keep = w > 0
    return Symbols(found.cells[np.repeat(keep, found.lengths)], found.lengths[keep], found.text), w[keep]


def sequence_weights(sample_weight: Any, found: Symbols) -> Array | None:
    """Weights of sequences, or an error; None where all weigh one."""
    if sample_weight is None:
        return None
    w = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if w.shape != found.lengths.shape or not (np.isfinite(w).all() and (w >= 0).all()):
        raise ValueError(
            f"sample_weight must be {len(found.lengths)} finite numbers, none negative, one for each sequence, got "
            f"shape {w.shape}."
        )
    if not w.any():
        raise ValueError("sample_weight is zero for every sequence; at least one must weigh something.")
    return w


def hold_out(found: Symbols, w: Array | None) -> tuple[Symbols, Symbols, Array | None, Array | None]:
    """Four fifths of the sequences, and the last fifth; of a single one, of its symbols."""
    m = len(found.lengths)
    if m == 1:
        cut = max(1, int(0.8 * len(found.cells)))
        if cut == len(found.cells):
            raise ValueError("order='heldout' needs at least two symbols.")
        first = Symbols(found.cells[:cut], np.array([cut]), found.text)
        return first, found, w, None  # scored whole, less the first part
    kept = max(1, int(0.8 * m))
    at = int(found.lengths[:kept].sum())
    first = Symbols(found.cells[:at], found.lengths[:kept], found.text)
    last = Symbols(found.cells[at:], found.lengths[kept:], found.text)
    return first, last, None if w is None else w[:kept], None if w is None else w[kept:]


def _cut(X: Any, lengths: Any) -> Symbols:
    cells = _code_points(X) if isinstance(X, str) else _array(X)
    if cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise ValueError(f"with lengths, X must be one array of all symbols, got shape {cells.shape}.")
    return Symbols(cells, check_lengths(lengths, len(cells)), isinstance(X, str))


def check_lengths(lengths: Any, n: int) -> NDArray[np.int64]:
    """Lengths of sequences that n rows are cut into, or an error; without any, all rows are one sequence."""
    if lengths is None:
        return np.array([n], dtype=np.int64)
    found = np.asarray(lengths)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu" or (found < 1).any():
        raise ValueError(f"lengths must be whole numbers of at least 1, one for each sequence, got {lengths!r}.")
    total = sum(found.tolist())  # whole numbers that never overflow
    if total != n:
        raise ValueError(f"lengths add up to {total}, but there are {n} rows.")
    return found.astype(np.int64)


def _code_points(text: str) -> NDArray[Any]:
    return np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32).astype(np.int64)


def _array(part: Any) -> NDArray[Any]:
    """Symbols as an array: of numbers as they are, else of objects."""
    if hasattr(part, "to_numpy"):
        part = part.to_numpy()
    if isinstance(part, np.ndarray) and part.ndim == 2 and part.shape[1] == 1:
        part = part[:, 0]
    if isinstance(part, np.ndarray) and part.ndim != 1:
        raise ValueError(f"a sequence must be a list or an array of one axis, got one of the shape {part.shape}.")
    if isinstance(part, np.ndarray) and part.dtype.kind == "f":
        return part
    if (
        isinstance(part, np.ndarray)
        and part.dtype.kind in "iu"
        and (part.dtype != np.uint64 or part.max(initial=0) < 2**63)
    ):
        return part if part.dtype in (np.uint8, np.int32, np.int64) else part.astype(np.int64)
    if isinstance(part, np.ndarray):
        part = part.tolist()
    listed = list(part)
    if listed and all(type(cell) is int for cell in listed) and all(abs(cell) < 2**62 for cell in listed):
        return np.array(listed, dtype=np.int64)
    out = np.empty(len(listed), dtype=object)
    out[:] = listed
    return out


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    if len(parts) == 1:
        return parts[0]
    if all(part.dtype.kind in "biuf" for part in parts):
        return np.concatenate(parts)
    return np.concatenate([part.astype(object) for part in parts])


@dataclass(frozen=True, eq=False)
class Alphabet:
    """Symbols, whose positions are their codes.

    Attributes
    ----------
    symbols : array of shape (S,)
    text : whether they are characters
    """

    symbols: NDArray[Any]
    text: bool = False

    @classmethod
    def of(cls, found: Symbols) -> "Alphabet":
        """The symbols that sequences hold, in order."""
        cells = found.cells
        present = _distinct(cells)
        if cells.dtype.kind != "O":
            values = np.array(present, dtype=cells.dtype)
            return cls(np.array([chr(value) for value in values]) if found.text else values, found.text)
        try:
            present.sort()
        except TypeError:  # kinds that don't compare
            present.sort(key=lambda cell: (type(cell).__name__, str(cell)))
        out = np.empty(len(present), dtype=object)
        out[:] = present
        return cls(out)

    @classmethod
    def declared(cls, symbols: Any, text: bool) -> "Alphabet":
        """An alphabet that is given, for sequences that are text or not."""
        try:
            listed = cls.of(read([list(symbols)])).symbols
        except TypeError:
            raise TypeError(
                f"symbols must be a list of hashable symbols, or a text of them, got {symbols!r}."
            ) from None
        return cls(listed, text and all(isinstance(one, str) and len(one) == 1 for one in listed.tolist()))

    @property
    def size(self) -> int:
        """How many symbols there are."""
        return len(self.symbols)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {symbol: code for code, symbol in enumerate(self.symbols.tolist())}

    def encode(self, found: Symbols) -> NDArray[np.int64]:
        """Codes of symbols; of one that is not in the alphabet, its size."""
        cells = found.cells
        letters = self.text or all(isinstance(one, str) and len(one) == 1 for one in self.symbols.tolist())
        if found.text and not letters:
            raise TypeError(
                "these sequences are texts, whose symbols are characters, but other symbols were learnt from; give "
                "each sequence as a list of its symbols: [[...], [...]]."
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
    """The different symbols, sorted if they are numbers, or an error where one is none."""
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
    if size and symbols.dtype.kind in "iu" and int(symbols[-1]) - int(symbols[0]) < 2**20:
        table = np.full(int(symbols[-1]) - int(symbols[0]) + 1, size, dtype=np.int64)
        table[symbols - symbols[0]] = np.arange(size)
        inside = (cells >= symbols[0]) & (cells <= symbols[-1]) & (cells == np.floor(cells))
        if inside.all():
            return table[(cells - symbols[0]).astype(np.int64)]
        out = np.full(len(cells), size, dtype=np.int64)
        out[inside] = table[(cells[inside] - symbols[0]).astype(np.int64)]
        return out
    place = np.minimum(np.searchsorted(symbols, cells), max(size - 1, 0))
    return np.where(symbols[place] == cells, place, size) if size else np.zeros(len(cells), dtype=np.int64)
