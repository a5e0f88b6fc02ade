"""Missing cells are integrated out: rows that lack the same columns are evaluated together, under a marginal."""

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

    def complete(self, X: Array) -> Array: ...

    def marginal(self, columns: Sequence[int]) -> Self: ...


def over_patterns(density: Marginalised, X: Array) -> Array:
    """Log-density (n, K) of rows, each under the marginal of the columns that it has; 0 where it has none."""
    gone = np.isnan(X)
    if not gone.any():
        return density.complete(X)
    out = np.zeros((len(X), density.shape[0]))
    order, begin = patterns(gone)
    for first, last in pairwise(begin):
        rows = order[first:last]
        seen = np.flatnonzero(~gone[rows[0]])
        if len(seen):
            alone = density if len(seen) == X.shape[1] else density.marginal(seen.tolist())
            out[rows] = alone.complete(X[np.ix_(rows, seen)])
    return out
