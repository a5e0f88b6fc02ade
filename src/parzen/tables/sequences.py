"""Sequences of symbols in any form, as one array of symbols and the lengths of the sequences."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.tables.cells import column_of, frame_kind


@dataclass(frozen=True, eq=False)
class Symbols:
    """Sequences as one array of symbols, and their lengths.

    Attributes
    ----------
    cells : array of shape (n,)
        Numbers, objects, or characters as code points where `text` is set.
    lengths : array of shape (m,) of int64
    text : bool
        Whether symbols are characters of text.
    """

    cells: NDArray[Any]
    lengths: NDArray[np.int64]
    text: bool = False

    @property
    def whole(self) -> bool:
        """Whether symbols are whole numbers."""
        return not self.text and self.cells.dtype.kind in "iu"


def read(X: Any, lengths: Any = None, empty: bool = False) -> Symbols:
    """Read sequences in any form as `Symbols`.

    Parameters
    ----------
    X : text (one sequence of characters), an array of numbers (one sequence), or an iterable of sequences: texts,
        lists, arrays; with `lengths`, all symbols one after another
    lengths : lengths of the sequences, optional
    empty : whether a sequence may be empty
    """
    if frame_kind(X) and getattr(X, "ndim", 2) == 2:
        if X.shape[1] != 1:
            raise ValueError(f"a table of sequences must have one column, got {X.shape[1]}; choose one.")
        X = column_of(X, 0)
    if lengths is not None:
        return _cut(X, lengths)
    parts = _parts(X)
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


def _parts(X: Any) -> list[Any]:
    """The sequences one by one; a text and an array of numbers are one sequence."""
    if isinstance(X, str):
        return [X]
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biuf":
        return [X]
    if hasattr(X, "to_numpy") and getattr(X, "ndim", 1) == 1 and X.to_numpy().dtype.kind in "biuf":
        return [X.to_numpy()]
    if isinstance(X, Iterable) and not isinstance(X, dict | bytes):
        return list(X)
    raise TypeError(f"sequences must be a list of sequences, a text, or an array of numbers, got {type(X).__name__}.")


def refuse_nested(X: Any) -> None:
    """Raise if X is a list of sequences of rows rather than all rows one after another."""
    if isinstance(X, list | tuple) and len(X) and np.ndim(X[0]) == 2:
        raise ValueError("X must be all rows one after another, got a list of sequences; use np.vstack and lengths=.")


def _cut(X: Any, lengths: Any) -> Symbols:
    cells = _code_points(X) if isinstance(X, str) else _array(X)
    if cells.ndim == 2 and cells.shape[1] == 1:
        cells = cells[:, 0]
    if cells.ndim != 1:
        raise ValueError(f"with lengths, X must be one array of all symbols, got shape {cells.shape}.")
    return Symbols(cells, check_lengths(lengths, len(cells)), isinstance(X, str))


def check_lengths(lengths: Any, n: int) -> NDArray[np.int64]:
    """Check that lengths of sequences add up to n rows; without lengths, all rows are one sequence."""
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
