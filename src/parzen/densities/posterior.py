"""Posterior probabilities of classes or components, from their log-densities and log-priors.

Every posterior of given densities is computed here; the compiled E-steps (`parzen.compute.em`, `parzen.compute.hmm`)
sum theirs without storing them. Scores are anything that writes K numbers for a row (`Density`, `Linear`). Rows are
read in blocks, and nothing of size n x K is stored unless it is the result.
"""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import posterior as compiled
from parzen.compute.arrays import Array, room
from parzen.compute.device import is_device
from parzen.statistics.accumulate import Evaluated, for_blocks

_local = threading.local()


def _scratch(X: Any, K: int) -> Any:
    """Scratch array for the scores of a block, reused by a thread: new pages of memory cost more than the scores."""
    if is_device(X):
        return room(X, (X.shape[0], K))
    n = X.shape[0]
    kept: Array | None = getattr(_local, "kept", None)
    if kept is None or kept.size < n * K:
        kept = _local.kept = np.empty(n * K)
    return kept[: n * K].reshape(n, K)


def decide(scores: Evaluated, log_prior: Array, X: Any) -> tuple[NDArray[np.int64], int]:
    """The most probable class of each row, (n,), and how many rows have density zero in all (decided by the prior)."""
    codes = room(X, X.shape[0], np.int64)
    odd: list[int] = []

    def read(begin: int, rows: Any) -> None:
        values = _scratch(rows, scores.shape[0])
        scores.compare(rows, values)
        odd.append(compiled.largest(values, log_prior, codes[begin : begin + len(values)]))

    for_blocks(scores, X, read)
    return codes, sum(odd)


def compare(scores: Evaluated, log_prior: Array, X: Any) -> tuple[Array, int]:
    """Log of prior times density, up to a term of the row alone, (n, K), and how many rows are not finite."""
    out = np.empty((X.shape[0], scores.shape[0]))
    for_blocks(scores, X, lambda begin, rows: scores.compare(rows, out[begin : begin + rows.shape[0]]))
    out += log_prior
    return out, int((~np.isfinite(out)).any(axis=1).sum())


def posterior(scores: Evaluated, log_prior: Array, X: Any, log: bool) -> tuple[Array, int]:
    """Posterior probabilities (or their logs), (n, K), and how many rows have density zero in all classes."""
    out = room(X, (X.shape[0], scores.shape[0]))
    odd: list[int] = []

    def read(begin: int, rows: Any) -> None:
        values = out[begin : begin + rows.shape[0]]
        scores.compare(rows, values)
        odd.append(compiled.normalise(values, log_prior, "log" if log else "plain"))

    for_blocks(scores, X, read)
    return out, sum(odd)


def log_joint(scores: Evaluated, log_prior: Array, X: Any) -> tuple[Array, Array]:
    """Log of the sum over the classes of prior times density at each row of a block, (n,), and its terms, (n, K)."""
    values, sums = room(X, (X.shape[0], scores.shape[0])), room(X, X.shape[0])
    scores.write(X, values)
    compiled.normalise(values, log_prior, "sums", sums)
    return sums, values


def memberships(
    scores: Evaluated, log_prior: Array, X: Any, w: Array | None, codes: NDArray[np.int32] | None = None
) -> tuple[Array, float]:
    """Responsibilities of a block of rows times their weights, (n, K), and the rows' log-likelihood.

    Parameters
    ----------
    w : weights of the rows, or None
    codes : known classes of the rows, negative where unknown; None where all are unknown
    """
    sums, values = log_joint(scores, log_prior, X)
    rows = np.flatnonzero(codes >= 0) if codes is not None else np.empty(0, dtype=np.intp)
    if codes is not None:
        sums[rows] = values[rows, codes[rows]]
    compiled.normalise(values, np.zeros(scores.shape[0]), "plain")
    if codes is not None:
        values[rows] = 0.0
        values[rows, codes[rows]] = 1.0
    if w is None:
        return values, float(sums.sum())
    values *= w[:, None]
    return values, float(w @ np.where(w == 0, 0.0, sums))


def log_evidence(scores: Evaluated, log_prior: Array, X: Any) -> tuple[Array, int]:
    """Log of the sum over the classes of prior times density at each row, (n,), and how many are not finite."""
    out = room(X, X.shape[0])
    odd: list[int] = []

    def read(begin: int, rows: Any) -> None:
        values = _scratch(rows, scores.shape[0])
        scores.write(rows, values)
        odd.append(compiled.normalise(values, log_prior, "sums", out[begin : begin + len(values)]))

    for_blocks(scores, X, read)
    return out, sum(odd)
