"""Hidden Markov models of sequences that are read batch by batch."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.hmm import HMM
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.kept import put_together
from parzen.tables.sources.engines.engine import Engine
from parzen.tables.sources.engines.work import SourceRows, ask, first_rows
from parzen.tables.sources.source import Source
from parzen.tables.sources.whole import WholeSequences

#: Rows in whose sequences EM looks for where to begin.
SAMPLE = 2**16


@dataclass(frozen=True, eq=False)
class MarkedRows(SourceRows):
    """Rows of whole sequences, batch by batch: the first column is 1 where a sequence begins.

    Attributes
    ----------
    source : whose target is the column of names
    encode : function that makes rows of a table
    """

    source: Source | None
    encode: Callable[[Any], Any]

    @property
    def cluster(self) -> Source | None:
        return self.source if self.source is not None and isinstance(self.source.reader, Engine) else None

    def unread(self) -> "MarkedRows":
        return replace(self, source=None)

    def within(self, source: Source) -> "MarkedRows":
        return replace(self, source=source)

    def first(self, rows: int) -> tuple[Array, Memberships]:
        """Rows and weights of the first sequences that have so many rows together, or of all."""
        if self.cluster is not None:
            found = ask(self.cluster, FirstSequences(self.unread(), rows, first_rows(self.cluster)))
            parts = [one for one in found if one is not None]
        else:
            parts, n = [], 0
            for part in self:
                parts.append(part)
                n += len(part[0])
                if n >= rows:
                    break
        whole = put_together(parts)
        begin = np.flatnonzero(whole.rows[:, 0])
        later = begin[begin >= rows]
        X, w = whole.part(slice(0, int(later[0]))) if len(later) else whole
        return X, w

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        assert self.source is not None
        for table, lengths, w in WholeSequences(self.source):
            rows = np.asarray(self.encode(table), dtype=np.float64)
            marks = np.zeros((len(rows), 1))
            marks[np.cumsum(lengths) - lengths] = 1.0
            yield np.concatenate([marks, rows], axis=1), w


@dataclass(frozen=True, eq=False)
class FirstSequences:
    """The first sequences of all, from each partition its own.

    Attributes
    ----------
    marked : what rows become
    rows : how many are wanted
    first : number of the first row of each partition
    """

    marked: MarkedRows
    rows: int
    first: NDArray[np.int64]

    def __call__(self, source: Source, partition: int) -> tuple[Array, Memberships] | None:
        """Those of a partition; None where earlier ones have enough."""
        left = self.rows - int(self.first[partition])
        return self.marked.within(source).first(left) if left > 0 else None


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
        some, own = X.first(SAMPLE)
        chain, rows = self._cut(some)
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
