"""Missing cells are marginalised: rows with the same missing cells are evaluated together, under a marginal."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.gaussian import patterns


class Marginalised(Protocol):
    """Densities that evaluate complete rows, and have marginals."""

    @property
    def shape(self) -> tuple[int, int]: ...

    def write_complete(self, X: Array, out: Array) -> None:
        """Write the log-density of rows without missing cells, (n, K)."""

    def marginal(self, columns: Sequence[int]) -> Self: ...


def write_over_patterns(density: Marginalised, X: Array, out: Array) -> None:
    """Write the log-density (n, K) of rows, each under the marginal of its observed columns; 0 where it has none."""
    gone = np.isnan(X)
    if not gone.any():
        density.write_complete(X, out)
        return
    order, begin = patterns(gone)
    for first, last in pairwise(begin):
        rows = order[first:last]
        seen = np.flatnonzero(~gone[rows[0]])
        block = np.zeros((len(rows), density.shape[0]))
        if len(seen):
            part = density if len(seen) == X.shape[1] else density.marginal(seen.tolist())
            part.write_complete(X[np.ix_(rows, seen)], block)
        out[rows] = block
