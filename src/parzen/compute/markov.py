"""Markov chains of symbols: counts of transitions, and log-probabilities of sequences, compiled."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


def context_count(S: int, order: int) -> int:
    """Number of contexts of at most `order` of S symbols, the empty one included."""
    return sum(S**length for length in range(order + 1))


def count_transitions(
    codes: NDArray[np.integer],
    lengths: NDArray[np.int64],
    S: int,
    order: int,
    weights: Array | None = None,
    checked: bool = False,
) -> Array:
    """Weight of each symbol after each context, (contexts, S).

    Parameters
    ----------
    codes : array of shape (n,), uint8, int32 or int64, from 0 to S - 1
    lengths : array of shape (m,), which add up to n
    weights : array of shape (m,), of the sequences
    checked : whether codes are known to lie within 0 to S - 1
    """
    codes = np.ascontiguousarray(codes)
    kind = _check(codes, lengths, S, checked)
    out = np.zeros((context_count(S, order), S))
    w = None if weights is None else native.pointer(weights, native.F64, lengths.shape, "weights")
    at = native.pointer(codes, codes.dtype, codes.shape, "codes")
    size = native.pointer(lengths, native.I64, lengths.shape, "lengths")
    native.call(f"chain_count_{kind}", at, size, w, len(lengths), S, order, out.size, *native.outputs(out))
    return out


def score_transitions(
    codes: NDArray[np.integer], lengths: NDArray[np.int64], log_transition: Array, order: int
) -> Array:
    """Log-probability of each sequence (m,), from those of symbols after contexts (contexts, S)."""
    S = log_transition.shape[1]
    kind = _check(codes, lengths, S)
    out = np.empty(len(lengths))
    native.call(
        f"chain_score_{kind}",
        native.pointer(codes, codes.dtype, codes.shape, "codes"),
        native.pointer(lengths, native.I64, lengths.shape, "lengths"),
        len(lengths),
        S,
        order,
        native.pointer(log_transition, native.F64, (context_count(S, order), S), "log_transition"),
        *native.outputs(out),
    )
    return out


def _check(codes: NDArray[np.integer], lengths: NDArray[np.int64], S: int, checked: bool = False) -> str:
    kind = native.SUFFIX.get(codes.dtype)
    if kind not in ("u8", "i32", "i64"):
        raise TypeError(f"codes must be uint8, int32 or int64, got {codes.dtype}.")
    if (len(lengths) and lengths.min() < 0) or lengths.sum() != len(codes):
        raise ValueError(f"lengths must add up to the {len(codes)} symbols, got {lengths.sum()}.")
    if not checked and len(codes) and not (codes.min() >= 0 and codes.max() < S):
        raise ValueError(f"codes must be from 0 to {S - 1}, got {codes.min()} to {codes.max()}.")
    return kind
