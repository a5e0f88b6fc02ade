"""Hidden Markov models: filtering, smoothing (forward-backward) and the likeliest path (Viterbi), compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Smoothed:
    """Posterior probabilities of hidden states given whole sequences.

    Attributes
    ----------
    posterior : array of shape (n, K)
        Probability of each state at each row, given the whole sequence; NaN where a sequence is impossible.
    first : array of shape (K,)
        Expected weight of each state at the first rows of the sequences.
    pairs : array of shape (K, K)
        Expected weight of each transition.
    log_likelihood : array of shape (m,)
    """

    posterior: Array
    first: Array
    pairs: Array
    log_likelihood: Array


def smooth(rows: Array, lengths: NDArray[np.int64], start: Array, transition: Array, weights: Array | None) -> Smoothed:
    """Forward-backward algorithm over sequences whose rows have log-densities (n, K) in each state."""
    n, K = rows.shape
    out = Smoothed(np.empty((n, K)), np.zeros(K), np.zeros((K, K)), np.empty(len(lengths)))
    native.call(
        "hidden_smooth_f64",
        *_chain(start, transition, K),
        *_rows(rows, lengths),
        None if weights is None else native.pointer(weights, native.F64, lengths.shape, "weights"),
        len(lengths),
        *native.outputs(out.posterior, out.first, out.pairs, out.log_likelihood),
    )
    return out


def filtered(rows: Array, lengths: NDArray[np.int64], start: Array, transition: Array) -> tuple[Array, Array]:
    """Probability of each state given the rows so far, (n, K), and log-density of each row given those before, (n,)."""
    n, K = rows.shape
    states, steps = np.empty((n, K)), np.empty(n)
    native.call(
        "hidden_filter_f64",
        *_chain(start, transition, K),
        *_rows(rows, lengths),
        len(lengths),
        *native.outputs(states, steps),
    )
    return states, steps


def followed(rows: Array, log_next: Array, transition: Array) -> tuple[Array, Array]:
    """Continue the filter of one sequence with more rows.

    From the log-probabilities (K,) of the states predicted for the first row: the log-density of each row given those
    before, (n,), and the log-probabilities (K,) of the states at the last row: of no rows, those that were predicted.
    """
    n, K = rows.shape
    if n == 0:
        return np.empty(0), log_next.copy()
    steps, states = np.empty(n), np.empty(K)
    native.call(
        "hidden_follow_f64",
        *_chain(log_next, transition, K),
        native.pointer(rows, native.F64, (n, K), "rows"),
        n,
        *native.outputs(steps, states),
    )
    return steps, states


def likeliest_path(
    rows: Array, lengths: NDArray[np.int64], log_start: Array, log_transition: Array
) -> tuple[NDArray[np.int64], Array]:
    """Viterbi: likeliest states of each sequence, (n,), and the log of their joint density with the rows, (m,)."""
    n, K = rows.shape
    path, best = np.empty(n, dtype=np.int64), np.empty(len(lengths))
    native.call(
        "hidden_path_f64",
        *_chain(log_start, log_transition, K),
        *_rows(rows, lengths),
        len(lengths),
        *native.outputs(path, best),
    )
    return path, best


def _chain(start: Array, transition: Array, K: int) -> tuple[int, int, int]:
    return (
        K,
        native.pointer(start, native.F64, (K,), "start"),
        native.pointer(transition, native.F64, (K, K), "transition"),
    )


def _rows(rows: Array, lengths: NDArray[np.int64]) -> tuple[int, int]:
    n, K = rows.shape
    if (len(lengths) and lengths.min() < 0) or int(lengths.sum()) != n:
        raise ValueError(f"lengths must add up to the {n} rows, got {int(lengths.sum())}.")
    return (
        native.pointer(rows, native.F64, (n, K), "rows"),
        native.pointer(lengths, native.I64, lengths.shape, "lengths"),
    )
