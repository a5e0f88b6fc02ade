"""Sums of kernel functions of any metric's distances at many query points, to a stated error.

``S(q) = sum_j w_j k(distance(q, x_j) / h)``. The promise is |S' - S| <= rtol S + atol.

- Norms with p = 2 (Mahalanobis, scaled columns) are Euclidean after a change of coordinates: `KernelSum`.
- Other norms and the sphere: compiled, over tiles of points; tiles that can't matter are left out.
- Other metrics, and kernel functions that a user gives: blocks of distances (`parzen.smoothing.metric_blocks`).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import CODES
from parzen.compute.metric_sums import lay_metric_tiles, metric_sums
from parzen.compute.order import kd_order
from parzen.compute.tiles import Tiles
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.metric_blocks import BlockSum
from parzen.smoothing.metrics import Metric, Norm, Sphere
from parzen.smoothing.row_weights import WeightedPoints
from parzen.smoothing.sums import KernelSum
from parzen.statistics.threads import for_each

#: Queries in one call of a compiled routine.
QUERIES = 1024


@dataclass(frozen=True, eq=False)
class MetricSum(WeightedPoints):
    """The sum, ready to be evaluated.

    Attributes
    ----------
    metric : Metric
    kernel : the kernel function
    points : array of shape (n, d), n > 0
    weights : array of shape (n,), or None where all are one
    h : the bandwidth
    rtol, atol : bounds on the error, relative to the sum and absolute

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> points = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> sums = MetricSum(Norm("manhattan", 1.0), kernel_function("linear"), points, None, 4.0)
    >>> np.exp(sums.log(np.array([[0.0, 1.0], [1.0, 2.0]])))
    array([1.5, 1. ])
    """

    metric: Metric
    kernel: KernelFunction
    points: Array
    weights: Array | None
    h: float
    rtol: float = 0.0
    atol: float = 0.0

    def log(self, Q: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Logarithms of the sums at queries Q (m, d); a point `own` of each query has the weight `left` instead."""
        Q = np.ascontiguousarray(Q, dtype=np.float64)
        if self.kernel.name not in CODES or not isinstance(self.metric, Norm | Sphere):
            return self._blocks.log(Q, own, left)
        if isinstance(self.metric, Norm) and self.metric.p == 2.0:
            return self._euclidean.log(self._coordinates(Q), own, left)
        return self._over_tiles(self._coordinates(Q), own, left)

    @property
    def error_bound(self) -> float:
        """A bound on the relative error: a sum S is off by at most ``error_bound * S + atol``; as in `KernelSum`.

        Differences of coordinates are taken first, so that a distance is off by a few units of 2^-53 for each column
        and for the powers of Minkowski's. Points of the sphere are relative to one of them, and so rounded by 2^-53 of
        the distance at which they spread; within 1e-7 of the opposite point of a row, its distance is right to 2e-8.
        """
        if isinstance(self.metric, Norm) and self.metric.p == 2.0 and self.kernel.name in CODES:
            return self._euclidean.error_bound
        n, d = self.points.shape
        spread = 0.0
        if isinstance(self.metric, Sphere):
            spread = 30.0 * float(np.ptp(self._coordinates(self.points), axis=0).max()) / self.h
        return self.rtol + 2.0**-53 * (100.0 * (2 * d + 16) + n / 64.0 + 64.0 + spread)

    @cached_property
    def _centre(self) -> Array:
        # Near most points, so that differences from it keep their digits.
        return np.asarray(np.median(self.points[:: max(1, len(self.points) // 64)], axis=0))

    def _coordinates(self, X: Array) -> Array:
        """Rows where distances are measured: in space, by the matrix of the norm, or in the columns that it sees."""
        if isinstance(self.metric, Sphere):
            return self.metric.in_space(X, self._centre)
        if isinstance(self.metric, Norm) and self.metric.matrix is not None:
            return np.ascontiguousarray((X - self._centre) @ self.metric.matrix.T) / self.h
        return X if self._seen is None else np.ascontiguousarray(X[:, self._seen])

    @cached_property
    def _seen(self) -> NDArray[np.int64] | None:
        """Columns whose factors are not zero, where some are."""
        factors = self.metric.factors if isinstance(self.metric, Norm) else None
        return None if factors is None or factors.all() else np.flatnonzero(factors)

    @cached_property
    def _factors(self) -> Array | None:
        factors = self.metric.factors if isinstance(self.metric, Norm) else None
        return factors if factors is None or self._seen is None else np.ascontiguousarray(factors[self._seen])

    @cached_property
    def _blocks(self) -> BlockSum:
        return BlockSum(self.metric, self.kernel, self.points, self.w, self.h, self.rtol, self.atol)

    @cached_property
    def _euclidean(self) -> KernelSum:
        """The sum in coordinates in which the metric is Euclidean."""
        units = None if self._factors is None else self.h / self._factors
        points = self._coordinates(self.points)
        return KernelSum(self.kernel, points, self.weights, None, units, self.rtol, self.atol)

    @cached_property
    def _tiles(self) -> Tiles:
        n, d = self.points.shape
        size = 64 if n <= 5_000 else 128 if n <= 200_000 and d <= 3 else 256
        if self.kernel.compact and n <= 50_000:
            size = 32  # a window ends within few tiles
        return lay_metric_tiles(np.ascontiguousarray(self._coordinates(self.points)), self.w, size)

    def _over_tiles(self, Q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        tiles, out = self._tiles, np.empty(len(Q))
        many = len(Q) > tiles.size // 4
        order = kd_order(Q, tiles.size // 4) if many and Q.shape[1] <= 16 else np.arange(len(Q))
        rows = Q[order] if many else Q
        slots = None if own is None else tiles.slots[own[order]]
        rest = None if left is None else np.ascontiguousarray(left[order])
        p = self.metric.p if isinstance(self.metric, Norm) else 2.0
        distance = {1.0: "manhattan", 2.0: "arc", np.inf: "chebyshev"}.get(p, "minkowski")
        width = int(min(QUERIES, max(tiles.size // 4, -(-len(Q) // 16 // 64) * 64)))

        def work(begin: int) -> None:
            part = slice(begin, begin + width)
            out[order[part]] = metric_sums(
                tiles,
                distance,
                p,
                self._factors,
                self.kernel.name,
                self.h,
                rows[part],
                self.rtol,
                self.atol,
                None if slots is None else slots[part],
                None if rest is None else rest[part],
            )

        for_each(work, iter(range(0, len(Q), width)))
        return out
