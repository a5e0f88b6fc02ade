"""A binary tree over the sorted points of one column: exact sums of compact kernels, compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import CODES


@dataclass(frozen=True)
class Tree:
    """Sorted points of one column and the moments of runs of them, for sums of compact kernels.

    Attributes
    ----------
    x, w : arrays of shape (n,)
        Points in rising order, and their weights.
    unit : the bandwidth
    starts : array of shape (levels,)
        First run of each level in `centres` (runs,) and `moments` (runs, 7).
    """

    x: Array
    w: Array
    unit: float
    kernel: str
    starts: NDArray[np.int64]
    centres: Array
    moments: Array

    LEAF_BITS = 4

    @classmethod
    def of(cls, x: Array, w: Array, unit: float, kernel: str) -> "Tree":
        """The tree of n > 0 sorted points."""
        n = len(x)
        counts = [-(-n // (1 << cls.LEAF_BITS))]
        while counts[-1] > 1:
            counts.append(-(-counts[-1] // 2))
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        centres, moments = np.empty(sum(counts)), np.empty((sum(counts), 7))
        tree = cls(x, w, unit, kernel, starts, centres, moments)
        native.call("tree_moments_f64", *tree._arguments(), *native.outputs(centres, moments))
        return tree

    def _arguments(self) -> tuple[float, ...]:
        n = len(self.x)
        return (
            native.pointer(self.x, native.F64, (n,), "x"),
            native.pointer(self.w, native.F64, (n,), "w"),
            self.unit,
            n,
            self.LEAF_BITS,
            len(self.starts),
            native.pointer(self.starts, native.I64, self.starts.shape, "starts"),
            CODES[self.kernel],
        )

    def sums(self, q: Array) -> Array:
        """Sum of weights times kernel at each query point (m,)."""
        out = np.empty(len(q))
        parts = native.outputs(self.centres, self.moments)
        at = native.pointer(q, native.F64, (len(q),), "q")
        native.call("tree_values_f64", *self._arguments(), *parts, at, len(q), *native.outputs(out))
        return out
