"""Posteriors: log-densities of classes and logs of their priors, compared. The one place where they are made.

Scores are anything that gives K numbers for a row (`Density`, `Linear`); they are read in blocks, and nothing of size
n x K is kept unless it is the answer.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import posterior as kernels
from parzen.compute.arrays import Array
from parzen.statistics.accumulate import Evaluated, for_blocks

_local = threading.local()


def _scratch(n: int, K: int) -> Array:
    """Room for the scores of a block, the same for every block of a thread: new pages cost more than the scores."""
    room: Array | None = getattr(_local, "room", None)
    if room is None or room.size < n * K:
        room = _local.room = np.empty(n * K)
    return room[: n * K].reshape(n, K)


def decide(scores: Evaluated, log_prior: Array, X: Any) -> tuple[NDArray[np.int64], int]:
    """The likeliest class of each row, (n,), and how many rows no class explains (decided by the priors alone)."""
    codes = np.empty(X.shape[0], dtype=np.int64)
    odd: list[int] = []

    def read(begin: int, rows: Any) -> None:
        values = _scratch(rows.shape[0], scores.shape[0])
        scores.compare(rows, values)
        odd.append(kernels.largest(values, log_prior, codes[begin : begin + len(values)]))

    for_blocks(scores, X, read)
    return codes, sum(odd)


def compare(scores: Evaluated, log_prior: Array, X: Any) -> tuple[Array, int]:
    """Log of prior times density up to a term of the row alone, (n, K), and how many rows are not finite."""
    out = np.empty((X.shape[0], scores.shape[0]))
    for_blocks(scores, X, lambda begin, rows: scores.compare(rows, out[begin : begin + rows.shape[0]]))
    out += log_prior
    return out, int((~np.isfinite(out)).any(axis=1).sum())


def posterior(scores: Evaluated, log_prior: Array, X: Any, log: bool) -> tuple[Array, int]:
    """Posteriors (or their logs) of the classes of each row, (n, K), and how many rows no class explains."""
    out = np.empty((X.shape[0], scores.shape[0]))
    odd: list[int] = []

    def read(begin: int, rows: Any) -> None:
        values = out[begin : begin + rows.shape[0]]
        scores.compare(rows, values)
        odd.append(kernels.normalise(values, log_prior, "log" if log else "plain"))

    for_blocks(scores, X, read)
    return out, sum(odd)


def memberships(
    scores: Evaluated, log_prior: Array, X: Any, w: Array | None, codes: NDArray[np.int32] | None = None
) -> tuple[Array, float]:
    """Posteriors of a block of rows times their weights, (n, K), and the rows' log-likelihood.

    Parameters
    ----------
    w : weights of the rows, or None
    codes : the class of each row, negative where it is not known; None: of no row
    """
    n, K = X.shape[0], scores.shape[0]
    values, sums = np.empty((n, K)), np.empty(n)
    scores.write(X, values)
    kernels.normalise(values, log_prior, "sums", sums)  # values are the log joint now
    rows = np.flatnonzero(codes >= 0) if codes is not None else np.empty(0, dtype=np.intp)
    if codes is not None:
        sums[rows] = values[rows, codes[rows]]
    kernels.normalise(values, np.zeros(K), "plain")
    if codes is not None:
        values[rows] = 0.0
        values[rows, codes[rows]] = 1.0
    if w is None:
        return values, float(sums.sum())
    values *= w[:, None]
    return values, float(w @ np.where(w == 0, 0.0, sums))


def log_evidence(scores: Evaluated, log_prior: Array, X: Any) -> tuple[Array, int]:
    """Log of the sum over the classes of prior times density at each row, (n,), and how many are not finite."""
    out = np.empty(X.shape[0])
    odd: list[int] = []

    def read(begin: int, rows: Any) -> None:
        values = _scratch(rows.shape[0], scores.shape[0])
        scores.write(rows, values)
        odd.append(kernels.normalise(values, log_prior, "sums", out[begin : begin + len(values)]))

    for_blocks(scores, X, read)
    return out, sum(odd)
