"""Hidden Markov models of sequences that are read batch by batch."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.hmm import HMM
from parzen.statistics.joint import ExpectedStatistic

#: Rows in whose sequences EM looks for where to begin.
SAMPLE = 2**16


@dataclass(frozen=True, eq=False)
class MarkedRows:
    """Rows of whole sequences, batch by batch: the first column is 1 where a sequence begins.

    Attributes
    ----------
    sequences : gives tables, lengths of their sequences and weights of their rows, as often as it is asked
    encode : function that makes rows of a table
    """

    sequences: Iterable[tuple[Any, NDArray[np.int64], Any]]
    encode: Callable[[Any], Any]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for table, lengths, w in self.sequences:
            rows = np.asarray(self.encode(table), dtype=np.float64)
            marks = np.zeros((len(rows), 1))
            marks[np.cumsum(lengths) - lengths] = 1.0
            yield np.concatenate([marks, rows], axis=1), w


@dataclass(eq=False, repr=False)
class MarkedHMM(Family):
    """A hidden Markov model of `MarkedRows`.

    Parameters
    ----------
    chain : of the rows without marks
    """

    chain: Any = None

    iterates: ClassVar[bool] = True
    keeps_rows: ClassVar[bool] = True
    in_order: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        chain, rows = self._cut(X)
        seen: ExpectedStatistic = chain.observe(rows, R, at)
        return seen

    def maximise(self, statistic: Any) -> Density:
        density: Density = self.chain.maximise(statistic)
        return density

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> Density:
        """Where EM would begin on the first sequences: on all of them, if they have few rows."""
        parts, weights, n = [], [], 0
        for rows, w in X:
            parts.append(rows)
            weights.append(w)
            n += len(rows)
            if n >= SAMPLE:
                break
        chain, rows = self._cut(np.concatenate(parts))
        own = None if weights[0] is None else np.concatenate(weights)
        return replace(chain.start(rows, own, rng), lengths=None)

    def log_prior(self, density: Any, statistic: Any) -> float:
        return float(self.chain.log_prior(density, statistic))

    def n_parameters(self, density: Any) -> int:
        return int(self.chain.n_parameters(density))

    def _cut(self, X: Any) -> tuple[HMM, Any]:
        """The model of the sequences of a batch, and their rows."""
        begin = np.flatnonzero(X[:, 0])
        lengths = np.diff(np.append(begin, len(X))).astype(np.int64)
        return replace(self.chain, lengths=lengths), np.ascontiguousarray(X[:, 1:])
