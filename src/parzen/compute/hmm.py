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


#: Emissions that `hidden_counts` knows.
KINDS = {"symbols": 0, "multinomial": 1, "poisson": 2}


@dataclass(frozen=True)
class CountEmission:
    """Counts that states emit, and where EM begins.

    Attributes
    ----------
    kind : "symbols" (rows with a single one, or none where a symbol is missing), "multinomial" or "poisson"
    rows : array of shape (n, d), counts; none may be missing
    base : array of shape (n,)
        Log of the base measure of each row: what its log-density has beside an affine function of the counts.
    parameter : array of shape (K, d)
        Probabilities or rates.
    shape, rate : arrays of shape (K, d)
        Concentration of a Dirichlet prior (of symbols), or shape and rate of a Gamma prior (of Poisson counts).
    """

    kind: str
    rows: Array
    base: Array
    parameter: Array
    shape: Array
    rate: Array


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


def hidden_counts(
    emission: CountEmission,
    lengths: NDArray[np.int64],
    chain: tuple[Array, Array],
    priors: tuple[Array, Array],
    params: str,
    steps: int,
    tol: float,
) -> tuple[Array, Array, Array, Array] | None:
    """EM of a hidden Markov model whose states emit counts, by hmmlearn's updates, in one call.

    Parameters
    ----------
    chain : probabilities of first states (K,) and of transitions (K, K) where EM begins; zeros stay zeros
    priors : concentrations of their Dirichlet priors, of the same shapes
    params : "s", "t" and "e" where first states, transitions and emissions are updated
    steps : most steps
    tol : a step that raises the log-likelihood by less is the last one

    Returns
    -------
    start (K,), transition (K, K), parameter (K, d), and the log-likelihood before each M-step
    None where a sequence is impossible under a chain that is met.
    """
    _, matrix = native.rows(emission.rows, ("f64",))
    n, d = emission.rows.shape
    K = len(chain[0])
    found = [np.array(one, order="C") for one in (*chain, emission.parameter)]
    history = np.full(steps, np.nan)
    odd = native.call(
        "hidden_counts_f64",
        *matrix,
        native.pointer(emission.base, native.F64, (n,), "base"),
        _lengths(lengths, n),
        len(lengths),
        K,
        KINDS[emission.kind],
        sum(bit for letter, bit in (("s", 1), ("t", 2), ("e", 4)) if letter in params),
        native.pointer(priors[0], native.F64, (K,), "start prior"),
        native.pointer(priors[1], native.F64, (K, K), "transition prior"),
        native.pointer(emission.shape, native.F64, (K, d), "shape"),
        native.pointer(emission.rate, native.F64, (K, d), "rate"),
        steps,
        tol,
        *native.outputs(*found, history),
    )
    return None if odd else (found[0], found[1], found[2], history[~np.isnan(history)])


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
    return native.pointer(rows, native.F64, (n, K), "rows"), _lengths(lengths, n)


def _lengths(lengths: NDArray[np.int64], n: int) -> int:
    if lengths.min(initial=0) < 0 or lengths.sum() != n:
        raise ValueError(f"lengths must add up to the {n} rows, got {int(lengths.sum())}.")
    return native.pointer(lengths, native.I64, lengths.shape, "lengths")
