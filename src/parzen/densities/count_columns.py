"""Independent columns of counts: what follows from the log-probability of a count in each."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.compute.codes import lookup
from parzen.densities.parametric import IndependentColumns

#: Blocks whose counts all lie below this are looked up in a table of log-probabilities.
TABLE = 1024


class CountColumns(IndependentColumns):
    """K products of columns of counts. Cells that are no counts (negative, or a fraction) have probability zero."""

    @abstractmethod
    def log_probability(self, x: Array) -> Array:
        """Log-probability of counts x, broadcast against (K, d)."""

    def compare(self, X: Any, out: Array) -> None:
        # A cell that is no count has probability zero in every class, and so tells nothing about the classes.
        X = as_floats(X, self.shape[1])
        out[...] = self.log_density(np.where(_valid(X) | np.isinf(X), X, np.nan))

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        valid = _valid(X)
        counts = valid.all()
        X = (X if counts else np.where(valid, X, 0.0)).astype(np.float64, copy=False)
        largest = np.fmax.reduce(X, axis=None, initial=0.0)
        out = self._tabulated(X, int(largest) + 1) if largest < min(TABLE, len(X)) else self._direct(X)
        if not counts:
            out[~valid.all(axis=1)] = -np.inf
        return out

    def _tabulated(self, X: Array, size: int) -> Array:
        K, d = self.shape
        table = self.log_probability(np.arange(size, dtype=np.float64)[:, None, None])
        slots = np.ascontiguousarray(table.transpose(2, 0, 1).reshape(d * size, K))
        return lookup(X, slots, (size,) * d, open_ended=False)

    def _direct(self, X: Array) -> Array:
        missing = np.isnan(X)
        cells = self.log_probability(np.where(missing, 0.0, X)[:, None, :])
        return np.where(missing[:, None, :], 0.0, cells).sum(axis=2)


def _valid(X: Any) -> NDArray[np.bool_]:
    """Which cells are counts, or missing."""
    counts: NDArray[np.bool_] = ((X >= 0) & (np.floor(X) == X) & (np.inf > X)) | np.isnan(X)
    return counts
