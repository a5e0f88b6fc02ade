"""Hidden Markov models: sequences of rows, each drawn from the emission density of a hidden state."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, row_block
from parzen.compute.hmm import Smoothed, filtered, likeliest_path, smooth
from parzen.densities.density import Density
from parzen.statistics.accumulate import evaluate
from parzen.statistics.threads import for_each

#: Rows that are not worth a second thread.
SMALL = 8192
#: About how many rows of whole sequences a thread reads at a time, and at most how many of their states: enough for the
#: work between compiled calls not to count, few enough for memory that is at hand.
GROUP, CELLS = 25_600, 204_800


@dataclass(frozen=True)
class SequenceGroup:
    """Sequences one after the other: the numbers of the first and of the one after the last, and of their rows."""

    sequences: tuple[int, int]
    rows: tuple[int, int]


def sequence_groups(lengths: NDArray[np.int64], K: int) -> Iterator[SequenceGroup]:
    """Whole sequences in groups of enough rows for a thread, which depend on lengths and the number of states alone."""
    ends = lengths.cumsum()
    total = int(ends[-1]) if len(ends) else 0
    if total <= SMALL:
        if len(ends):
            yield SequenceGroup((0, len(ends)), (0, total))
        return
    most = min(GROUP, max(SMALL // 4, CELLS // K))
    rows = -(-total // (2 * -(-total // (2 * most))))  # an even number of groups, for two threads or more
    first, row = 0, 0
    while first < len(lengths):
        last = min(int(np.searchsorted(ends, row + rows)) + 1, len(lengths))
        yield SequenceGroup((first, last), (row, int(ends[last - 1])))
        first, row = last, int(ends[last - 1])


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
        return evaluate(self.emission, X)

    def cut(self, n: int) -> NDArray[np.int64]:
        """Lengths of the sequences that n rows are."""
        return np.array([n], dtype=np.int64) if self.lengths is None else self.lengths

    def log_density(self, X: Any) -> Array:
        """Log-density of each row given those before it in its sequence, (n, 1)."""
        return self.filtered(X, self.cut(X.shape[0]))[1][:, None]

    def filtered(self, X: Any, lengths: NDArray[np.int64]) -> tuple[Array, Array]:
        """Probability of each state given the rows so far, (n, K), and log-density of each row given those before."""
        found = self._by_groups(X, lengths, lambda rows, cut: filtered(rows, cut, self.start, self.transition))
        return _joined(found, 0, (0, self.size)), _joined(found, 1, (0,))

    def smoothed(self, X: Any, lengths: NDArray[np.int64]) -> Smoothed:
        """Posterior probabilities of the states given whole sequences (forward-backward)."""
        found = self._by_groups(X, lengths, lambda rows, cut: smooth(rows, cut, self.start, self.transition, None))
        K = self.size
        out = Smoothed(
            _joined([(one.posterior,) for one in found], 0, (0, K)),
            sum((one.first for one in found), np.zeros(K)),
            sum((one.pairs for one in found), np.zeros((K, K))),
            _joined([(one.log_likelihood,) for one in found], 0, (0,)),
        )
        _possible(out.log_likelihood)
        return out

    def path(self, X: Any, lengths: NDArray[np.int64]) -> tuple[float, NDArray[np.int64]]:
        """Log of the joint density of rows and their likeliest states (Viterbi), and these states."""
        found = self._by_groups(X, lengths, lambda rows, cut: likeliest_path(rows, cut, *self.log_chain))
        best = _joined(found, 1, (0,))
        _possible(best)
        return float(best.sum()), _joined(found, 0, (0,)).astype(np.int64, copy=False)

    def _by_groups(self, X: Any, lengths: NDArray[np.int64], function: Callable[[Array, Any], Any]) -> list[Any]:
        """A function of the log-densities of whole sequences, of groups of these on all threads, in their order."""
        out: list[Any] = []
        for_each(
            lambda group: function(self.rows(row_block(X, *group.rows)), lengths[slice(*group.sequences)]),
            sequence_groups(lengths, self.size),
            out.append,
        )
        return out

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


def _joined(parts: list[Any], which: int, empty: tuple[int, ...]) -> Array:
    """One of the results of all groups, one after the other; that of a single group is not copied."""
    if len(parts) == 1:
        return parts[0][which]
    return np.concatenate([part[which] for part in parts]) if parts else np.empty(empty)


def _possible(likelihoods: Array) -> None:
    """Raise where a sequence has density zero: its states have no posterior then."""
    if not np.isfinite(likelihoods).all():
        never = np.flatnonzero(~np.isfinite(likelihoods))
        raise ValueError(
            f"sequence {int(never[0])} is impossible under this chain: a row has density 0 in every state that can be "
            "reached, so that its states have no posterior; leave it out, or smooth the densities."
        )
