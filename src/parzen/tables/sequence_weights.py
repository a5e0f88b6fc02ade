"""Weights of sequences, and a division into sequences to fit and held-out ones."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.tables.sequences import Symbols


def drop_zero_weight(found: Symbols, w: Any) -> tuple[Symbols, Any]:
    """The sequences of positive weight, and their weights."""
    if w is None or w.all():
        return found, w
    keep = w > 0
    return Symbols(found.cells[np.repeat(keep, found.lengths)], found.lengths[keep], found.text), w[keep]


def sequence_weights(sample_weight: Any, found: Symbols) -> Array | None:
    """Check the weights of sequences; None stands for equal ones."""
    if sample_weight is None:
        return None
    w = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if w.shape != found.lengths.shape or not (np.isfinite(w).all() and (w >= 0).all()):
        raise ValueError(
            f"sample_weight must be {len(found.lengths)} finite numbers, none negative, one for each sequence, got "
            f"shape {w.shape}."
        )
    if not w.any():
        raise ValueError("sample_weight is zero for every sequence; at least one must be positive.")
    return w


def hold_out(found: Symbols, w: Array | None) -> tuple[Symbols, Symbols, Array | None, Array | None]:
    """The first four fifths of the sequences, the held-out last fifth, and their weights.

    A single sequence is divided within: its first part is fitted, and the whole of it is scored, less the first part.
    """
    m = len(found.lengths)
    if m == 1:
        cut = max(1, int(0.8 * len(found.cells)))
        if cut == len(found.cells):
            raise ValueError("order='heldout' needs at least two symbols.")
        first = Symbols(found.cells[:cut], np.array([cut]), found.text)
        return first, found, w, None
    kept = max(1, int(0.8 * m))
    at = int(found.lengths[:kept].sum())
    first = Symbols(found.cells[:at], found.lengths[:kept], found.text)
    last = Symbols(found.cells[at:], found.lengths[kept:], found.text)
    return first, last, None if w is None else w[:kept], None if w is None else w[kept:]
