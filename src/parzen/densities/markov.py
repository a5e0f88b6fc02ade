"""Markov chains: densities of sequences, as functions of their transition counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_csr, as_floats, is_sparse
from parzen.compute.markov import context_count
from parzen.densities.density import Density


def symbol_count(columns: int, order: int) -> int:
    """Number of symbols of a chain of an order whose transition counts have so many columns."""
    S = 1
    while S * context_count(S, order) < columns:
        S += 1
    if S * context_count(S, order) != columns:
        raise ValueError(
            f"{columns} columns are not the counts of a chain of order {order}: use TransitionCounts({order})."
        )
    return S


@dataclass(frozen=True, eq=False)
class MarkovDensity(Density):
    """K chains of one order over the same symbols; rows are counts, as `parzen.TransitionCounts` makes them.

    Attributes
    ----------
    log_transition : array of shape (K, contexts, S)
        Log-probability of each symbol after each context: the empty one, those of one symbol, of two, ...
    order : int
    """

    log_transition: Array
    order: int

    @property
    def shape(self) -> tuple[int, int]:
        K, C, S = self.log_transition.shape
        return K, C * S

    def log_density(self, X: Any) -> Array:
        table = self.log_transition.reshape(len(self.log_transition), -1)
        if is_sparse(X):
            X = as_csr(X)
            out = np.zeros((X.shape[0], len(table)))
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            kept = X.data != 0
            for k, logs in enumerate(table):
                terms = X.data[kept] * logs[X.indices[kept]]
                out[:, k] = np.bincount(rows[kept], weights=terms, minlength=len(out))
            return out
        X = np.asarray(as_floats(X, self.shape[1]), dtype=np.float64)
        with np.errstate(invalid="ignore"):
            return np.stack([np.where(X == 0, 0.0, X * logs).sum(axis=1) for logs in table], axis=1)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        raise TypeError("a Markov chain doesn't fix the length of a sequence to draw; use MarkovChain.sample.")

    def marginal(self, columns: Sequence[int]) -> Density:
        raise TypeError("transition counts belong to one sequence; their marginals are not offered.")

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Density:
        raise TypeError("transition counts belong to one sequence; their conditionals are not offered.")
