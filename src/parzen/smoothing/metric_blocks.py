"""Kernel sums by blocks of distances, for metrics and kernel functions that are not compiled.

A function that measures distances is costly: a tree of balls says which rows are so far that they can't matter, and
the function is called for the others alone.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.metrics import Metric, OtherMetric
from parzen.statistics.threads import for_each

#: Metrics of scikit-learn's ball tree that break the triangle inequality, by which a tree would leave out too much.
NO_TRIANGLES = ("braycurtis", "dice")
#: Distances in one block.
CELLS = 2**18


@dataclass(frozen=True, eq=False)
class BlockSum:
    """``S(q) = sum_j w_j k(distance(q, x_j) / h)`` over blocks of distances.

    Attributes
    ----------
    metric, kernel, points, h, rtol, atol : as in `parzen.smoothing.metric_sums.MetricSum`
    w : array of shape (n,)
    """

    metric: Metric
    kernel: KernelFunction
    points: Array
    w: Array
    h: float
    rtol: float
    atol: float

    def log(self, Q: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Logarithms of the sums at queries (m, d); see `MetricSum.log`."""
        out, rows = np.empty(len(Q)), max(1, CELLS // len(self.points))
        near = self._prunes

        def work(begin: int) -> None:
            part = slice(begin, begin + rows)
            one = None if own is None or left is None else (own[part], left[part])
            out[part] = self._near(Q[part], one) if near else self._all(Q[part], one)

        for_each(work, iter(range(0, len(Q), rows)))
        return out

    @property
    def _prunes(self) -> bool:
        if not isinstance(self.metric, OtherMetric):
            return False
        if self.kernel.compact:
            return self.metric.name not in NO_TRIANGLES
        return self._tailed and self.rtol + self.atol > 0 and self.metric.function is not None

    def _all(self, Q: Array, one: tuple[NDArray[np.int64], Array] | None) -> Array:
        """Logarithms of the sums over all rows."""
        each = np.arange(len(Q))
        distances = self.metric.distances(Q, self.points)
        if not self._tailed:
            values = self._values(distances)
            with np.errstate(divide="ignore"):
                if one is None:
                    return np.log(values @ self.w)
                mine, values[each, one[0]] = values[each, one[0]], 0.0
                return np.log(values @ self.w + mine * one[1])
        logs = self._log_kernel(distances)
        if one is not None:
            mine, logs[each, one[0]] = logs[each, one[0]], -np.inf
        most = logs.max(axis=1)
        if one is not None:
            most = np.maximum(most, np.where(one[1] > 0, mine, -np.inf))
        most = np.where(np.isfinite(most), most, 0.0)
        logs -= most[:, None]
        total = np.exp(logs, out=logs) @ self.w
        if one is not None:
            total += one[1] * np.exp(np.minimum(mine - most, 0.0))
        with np.errstate(divide="ignore"):
            return np.log(total) + most

    @property
    def _tailed(self) -> bool:
        return self.kernel.name in ("gaussian", "exponential")

    def _values(self, distances: Array) -> Array:
        value = self.kernel.at(distances / self.h)
        return np.where(distances < self.h, value, 0.0) if self.kernel.compact else value

    def _log_kernel(self, distances: Array) -> Array:
        if self._tailed:
            r = distances / self.h
            return -r if self.kernel.name == "exponential" else np.multiply(np.square(r, out=r), -0.5, out=r)
        with np.errstate(divide="ignore"):
            return np.log(self._values(distances))

    @cached_property
    def _tree(self) -> Any:
        from sklearn.neighbors import BallTree

        assert isinstance(self.metric, OtherMetric)
        return BallTree(self.points, metric=self.metric.function or self.metric.name, **self.metric.parameters)

    def _near(self, Q: Array, one: tuple[NDArray[np.int64], Array] | None) -> Array:
        """The same over the rows that matter."""
        found = self._tree.query_radius(Q, self._reach(Q, one), return_distance=True)
        out = np.full(len(Q), -np.inf)
        for i, (rows, distances) in enumerate(zip(*found, strict=True)):
            weights = self.w[rows]
            if one is not None:
                weights = np.where(rows == one[0][i], one[1][i], weights)
            with np.errstate(divide="ignore"):
                terms = self._log_kernel(distances) + np.log(weights)
            out[i] = np.logaddexp.reduce(terms) if len(terms) else -np.inf
        return out

    def _reach(self, Q: Array, one: tuple[NDArray[np.int64], Array] | None) -> Array:
        """Distances (m,) beyond which all rows together add less than rtol of the sum, and atol.

        The sum is at least its term of a nearest row, the next one where that is left out.
        """
        if self.kernel.compact:
            return np.full(len(Q), self.h)
        count = min(1 if one is None else 2, len(self.points))
        distances, rows = self._tree.query(Q, k=count)
        weights = self.w[rows]
        if one is not None:
            weights = np.where(rows == one[0][:, None], one[1][:, None], weights)
        with np.errstate(divide="ignore"):
            floor = (self._log_kernel(distances) + np.log(weights)).max(axis=1)
            allowed = np.logaddexp(np.log(self.rtol) + floor, np.log(self.atol))
        fall = np.maximum(np.log(self.w.sum()) - allowed, 0.0)
        return np.asarray(self.h * (np.sqrt(2.0 * fall) if self.kernel.name == "gaussian" else fall))
