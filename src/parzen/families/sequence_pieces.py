"""A part of many rows in their order, on which starts of chains are compared."""

import numpy as np
from numpy.typing import NDArray


def pieces(lengths: NDArray[np.int64], most: int, each: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of at most so many rows, in pieces of whole runs from everywhere, and the lengths of these pieces.

    Parameters
    ----------
    lengths : lengths of the sequences that all rows are; no piece lies in two of them
    most : so many rows are enough; where there are no more, all are taken
    each : rows of a piece, before it is cut where a sequence ends
    """
    ends = np.cumsum(lengths)
    n = int(ends[-1]) if len(ends) else 0
    if n <= most:
        return np.arange(n), lengths
    cut: list[NDArray[np.int64]] = []
    for at in np.linspace(0, n - each, most // each).astype(np.int64):
        inside = ends[np.searchsorted(ends, at, side="right") : np.searchsorted(ends, at + each)]
        cut += [piece for piece in np.split(np.arange(at, at + each), inside - at) if len(piece)]
    return np.concatenate(cut), np.array([len(piece) for piece in cut], dtype=np.int64)
