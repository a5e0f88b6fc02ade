"""Probabilities of the next symbol after each context: scoring, prediction and sampling of sequences."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.markov import score_transitions
from parzen.densities.markov import MarkovDensity
from parzen.estimators.markov.counting import encode_known
from parzen.families.markov import Markov
from parzen.statistics.counts import Counts
from parzen.tables.alphabet import Alphabet
from parzen.tables.sequences import Symbols


def with_unseen(counts: Array, family: Markov) -> MarkovDensity:
    """The density that maximises counts (contexts, S); with a prior, one more symbol stands for all unseen ones."""
    S = counts.shape[1]
    if family.estimate != "ml":
        counts, S = np.column_stack([counts, np.zeros(len(counts))]), S + 1
    return family.maximise(Counts(counts.reshape(1, -1), (S,) * len(counts)))


@dataclass(frozen=True, eq=False)
class ContextTable:
    """Log-probabilities of symbols after contexts: the empty one, those of one symbol, of two, ...

    Attributes
    ----------
    alphabet : Alphabet of S symbols
    density : MarkovDensity
        Of S symbols, or of S + 1 where the last one stands for all unseen symbols. After a context that holds an unseen
        symbol all symbols are equally likely.
    """

    alphabet: Alphabet
    density: MarkovDensity

    @property
    def order(self) -> int:
        """Length of the contexts."""
        return self.density.order

    @property
    def log_probability(self) -> Array:
        """Log-probability of each symbol after each context, (contexts, S) or (contexts, S + 1)."""
        return self.density.log_transition[0]

    @property
    def takes_unseen(self) -> bool:
        """Whether unseen symbols have a probability."""
        return self.log_probability.shape[1] > self.alphabet.size

    @property
    def probability(self) -> Array:
        """Probability of each symbol of the alphabet after each context, (contexts, S)."""
        return np.exp(self.log_probability[:, : self.alphabet.size])

    def codes(self, found: Symbols) -> NDArray[np.int64]:
        """Codes of symbols; S for unseen ones, or an error where they have no probability."""
        if self.takes_unseen:
            return self.alphabet.encode(found)
        return encode_known(self.alphabet, found, "fitted; with a prior (estimate='bayes') it would have a probability")

    def log_prob(self, found: Symbols) -> Array:
        """Log-probability of each sequence, (m,)."""
        codes, S = self.codes(found), self.alphabet.size
        if not (codes == S).any():
            return score_transitions(
                codes, found.lengths, np.ascontiguousarray(self.log_probability[:, :S]), self.order
            )
        return np.array([self._log_prob_of(part) for part in np.split(codes, np.cumsum(found.lengths)[:-1])])

    def _log_prob_of(self, codes: NDArray[np.int64]) -> float:
        """Log-probability of one sequence that holds unseen symbols."""
        S, total = self.alphabet.size, 0.0
        for t, code in enumerate(codes):
            context = codes[max(0, t - self.order) : t]
            if (context == S).any():
                total -= np.log(S + 1.0)
            else:
                total += float(self.log_probability[self._row(context), code])
        return total

    def next_probability(self, found: Symbols) -> Array:
        """Probability of each symbol of the alphabet after each sequence, (m, S)."""
        codes, S, table = self.codes(found), self.alphabet.size, self.probability
        P = np.empty((len(found.lengths), S))
        for i, part in enumerate(np.split(codes, np.cumsum(found.lengths)[:-1])):
            context = part[max(0, len(part) - self.order) :]
            P[i] = 1.0 if (context == S).any() else table[self._row(context)]
        return P / P.sum(axis=1, keepdims=True)

    def draw(self, codes: list[int], length: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """A sequence of codes of a length that begins with some."""
        table = np.cumsum(self.probability, axis=1)
        u = rng.random(length)
        for t in range(len(codes), length):
            below = table[self._row(np.array(codes[max(0, t - self.order) : t], dtype=np.int64))]
            codes.append(int(min(np.searchsorted(below, u[t] * below[-1], side="right"), len(below) - 1)))
        return np.array(codes[:length], dtype=np.int64)

    def _row(self, context: NDArray[np.int64]) -> int:
        """Position of a context in the table."""
        S, row = self.alphabet.size, 0
        for code in context:
            row = row * S + int(code)
        return sum(S**length for length in range(len(context))) + row
