"""Hidden Markov models: sequences of rows, each drawn from the emission density of a hidden state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.compute.hmm import Smoothed, filtered, likeliest_path, smooth
from parzen.densities.density import Density


@dataclass(frozen=True, eq=False)
class HMMDensity(Density):
    """A hidden Markov model of K states. It is one density (K = 1), of rows in their order.

    Attributes
    ----------
    emission : Density
        Emission densities of the states.
    start : array of shape (K,)
    transition : array of shape (K, K)
    lengths : array of int64, optional
        Lengths of the sequences that the rows are; by default all rows are one.
    """

    emission: Density
    start: Array
    transition: Array
    lengths: NDArray[np.int64] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return 1, self.emission.shape[1]

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.start)

    @cached_property
    def log_chain(self) -> tuple[Array, Array]:
        """Logarithms of `start` and `transition`."""
        with np.errstate(divide="ignore"):
            return np.log(self.start), np.log(self.transition)

    def rows(self, X: Any) -> Array:
        """Log-density of each row in each state, (n, K)."""
        return np.ascontiguousarray(self.emission.log_density(X), dtype=np.float64)

    def cut(self, n: int) -> NDArray[np.int64]:
        """Lengths of the sequences that n rows are."""
        return np.array([n], dtype=np.int64) if self.lengths is None else self.lengths

    def log_density(self, X: Any) -> Array:
        """Log-density of each row given those before it in its sequence, (n, 1)."""
        return self.filtered(X, self.cut(X.shape[0]))[1][:, None]

    def filtered(self, X: Any, lengths: NDArray[np.int64]) -> tuple[Array, Array]:
        """Probability of each state given the rows so far, (n, K), and log-density of each row given those before."""
        return filtered(self.rows(X), lengths, self.start, self.transition)

    def smoothed(self, X: Any, lengths: NDArray[np.int64]) -> Smoothed:
        """Posterior probabilities of the states given whole sequences (forward-backward)."""
        found = smooth(self.rows(X), lengths, self.start, self.transition, None)
        _possible(found.log_likelihood)
        return found

    def path(self, X: Any, lengths: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]]:
        """Log of the joint density of rows and their likeliest states (Viterbi), and these states."""
        path, best = likeliest_path(self.rows(X), lengths, *self.log_chain)
        _possible(best)
        return float(best.sum()), path

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.draw(len(labels), rng)[0]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
        """A drawn sequence of n rows, and its states."""
        u, states = rng.random(n), np.empty(n, dtype=np.int64)
        first, then = np.cumsum(self.start), np.cumsum(self.transition, axis=1)
        for t in range(n):
            below = first if t == 0 else then[states[t - 1]]
            states[t] = min(np.searchsorted(below, u[t] * below[-1], side="right"), len(below) - 1)
        return self.emission.sample(states, rng), states

    def marginal(self, columns: Sequence[int]) -> "HMMDensity":
        return HMMDensity(self.emission.marginal(columns), self.start, self.transition, self.lengths)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Density:
        raise TypeError("a hidden Markov model has no conditional of some columns; condition its emission densities.")


def _possible(likelihoods: Array) -> None:
    """Raise where a sequence has density zero: its states have no posterior then."""
    never = np.flatnonzero(~np.isfinite(likelihoods))
    if len(never):
        raise ValueError(
            f"sequence {int(never[0])} is impossible under this chain: a row has density 0 in every state that can be "
            "reached, so that its states have no posterior; leave it out, or smooth the densities."
        )
