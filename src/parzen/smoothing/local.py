"""Local averages: values of the rows around a query point, weighted by kernels of numbers and of categories.

A row weighs ``w_j k(|q - x_j|) prod_c L_c(q_c, x_jc)``: a radial kernel function of the columns of numbers, distances
in units of the bandwidth, and a kernel of each column of categories, 1 where they are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.device import DeviceArray, is_device, routine
from parzen.compute.kernel_sums import CODES
from parzen.compute.local_sums import Averages
from parzen.smoothing.categories import CategoryFactors
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.local_cells import CellAverages
from parzen.smoothing.local_function import averages_by_function
from parzen.smoothing.local_pairs import PairAverages
from parzen.smoothing.queries import Queries
from parzen.smoothing.row_weights import WeightedPoints
from parzen.smoothing.sums import KernelSum

#: Distance from all rows, in bandwidths, beyond which a local line is not extrapolated.
FARTHEST = 10.0
#: Distance, in bandwidths, beyond which only the direction of a query matters.
FAR = 1e140
#: Squared distance from the nearest row, in bandwidths, up to which squared distances from all keep their digits.
NEAR = 16.0


@dataclass(frozen=True, eq=False)
class LocalSum(WeightedPoints):
    """Rows whose values are averaged around query points.

    Attributes
    ----------
    kernel : the kernel function of the columns of numbers
    points : array of shape (n, d), n > 0
    values : array of shape (n, C)
    weights : array of shape (n,), or None where all are one
    units : array of shape (d,)
        Bandwidths of the columns of numbers.
    codes : array of shape (n, e) of int64, optional
        Categories of the rows.
    tables : sequence of e arrays of shape (size + 1, size)
        Their kernels, see `parzen.smoothing.categories.Category.table`.
    rtol : bound on the error of an average, relative to the values' range
    given : int, optional
        How many of the columns of categories are given: where no row is like a query in these, all rows count; where
        none is in the others, none does. By default all.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> X, Y = np.array([[0.0], [2.0]]), np.array([[1.0], [3.0]])
    >>> rows = LocalSum(kernel_function("gaussian"), X, Y, None, np.ones(1))
    >>> rows.averages(np.array([[1.0], [2.0], [1e6]])).value.round(4)
    array([[2.    ],
           [2.7616],
           [3.    ]])
    """

    kernel: KernelFunction
    points: Array
    values: Array
    weights: Array | None
    units: Array
    codes: NDArray[np.int64] | None = None
    tables: Sequence[Array] = ()
    rtol: float = 1e-15
    given: int | None = None

    def averages(
        self,
        Q: Array,
        codes: NDArray[np.int64] | None = None,
        own: NDArray[np.int64] | None = None,
        left: Array | None = None,
        lines: bool = False,
    ) -> Averages:
        """Averages around query points Q (m, d), whose categories are `codes` (m, e).

        Parameters
        ----------
        own, left : arrays of shape (m,), optional
            A row of each query whose weight is `left` instead of its own: leave-one-out.
        lines : whether to compute the averages for local lines, u in units of the bandwidth
        """
        if is_device(Q):
            return self._averages_there(Q, lines)
        queries = Queries(self._near_enough(Q), codes, own, left)
        found = self._found(queries, lines)
        alone = np.flatnonzero(np.isnan(found.value).any(axis=1))
        if self.codes is not None and len(alone):  # the only row of these categories was left out: all others count
            rest = replace(self, codes=None, tables=())._found(replace(queries.take(alone), codes=None), lines)
            for name in ("log_sum", "value", *(("offset", "square", "product") if lines else ())):
                getattr(found, name)[alone] = getattr(rest, name)
        return found

    def _averages_there(self, Q: Any, lines: bool) -> Averages:
        """Averages around queries on a device: those of all rows, without categories."""
        if self.codes is not None or self.kernel.name not in CODES:
            raise Q.stays_there()
        if routine("largest_cell")(Q) > 0.25 * FAR * self.units.min():
            Q = DeviceArray(routine("beside")(Q, self._near_enough(Q.host())))
        kernel = (self.kernel.name, self.kernel.power)
        found: Averages = routine("local_averages")(Q, kernel, self.points, self.values, self.w, self.units, lines)
        return found

    def _found(self, queries: Queries, lines: bool) -> Averages:
        if self.kernel.name not in CODES:
            return averages_by_function(
                self.kernel, self.points, self.values, self.w, self.units, self._categories, queries, lines
            )
        if not lines and self.codes is None and self.values.shape[1]:
            found = self.by_cells(queries)
            if found is not None:
                return found
        return self.by_pairs(queries, lines)

    def _near_enough(self, Q: Array) -> Array:
        """Queries, those at extreme distances moved nearer in the same direction so that squares don't overflow."""
        Q, centre = np.ascontiguousarray(Q, dtype=np.float64), self.points[0]
        with np.errstate(over="ignore"):
            far = np.flatnonzero(~(np.abs((0.5 * Q - 0.5 * centre) / self.units) < FAR).all(axis=1))
        if len(far):
            Q = Q.copy()  # it may be the user's array
            small = (Q[far] * 1e-170 - centre * 1e-170) / self.units
            Q[far] = centre + small / np.abs(small).max(axis=1, keepdims=True) * FAR * self.units
        return Q

    def log(self, queries: Queries) -> Array:
        """Logarithms of the sums of weights around queries, (m,); -inf where no row counts."""
        Q, codes, own, left = queries.Q, queries.codes, queries.own, queries.left
        if self.codes is None:
            return self._plain.log(np.asarray(Q, dtype=np.float64), own, left)
        found = replace(self, values=np.empty((len(self.points), 0))).averages(Q, codes, own, left).log_sum
        factors, cell = self._categories.at(codes, len(Q))
        counts = np.asarray((factors > 0).any(axis=1))
        return np.where(counts[cell], found, -np.inf)

    def log_weights(self, queries: Queries) -> Array:
        """Logarithms of the weights of all rows around each of a few queries, which sum to one, (m, n); Gaussian.

        Computed relative to the nearest row where that is far, so that they are finite however far it is.
        """
        logs = self._log_shares(queries)
        return logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))

    def shares(self, queries: Queries) -> Array:
        """The weights of all rows around each of a few queries, which sum to one, (m, n); Gaussian."""
        logs = self._log_shares(queries)
        np.exp(logs, out=logs)
        logs /= logs.sum(axis=1, keepdims=True)
        return logs

    def _log_shares(self, queries: Queries) -> Array:
        """Logarithms of the weights of all rows, 0 for the largest one of a query, (m, n)."""
        Q = self._near_enough(queries.Q)
        log_weight = self._log_row_weights(queries, len(Q))
        out = np.repeat(log_weight, len(Q), axis=0) if len(log_weight) < len(Q) else np.array(log_weight)
        step = np.empty_like(out)
        for j, unit in enumerate(self.units):
            np.subtract(self.points[:, j], Q[:, j, None], out=step)
            step *= np.sqrt(0.5) / unit
            step *= step
            out -= step
        nearest = np.argmax(out, axis=1)
        off = (self.points[nearest] - Q) / self.units
        far = np.flatnonzero((off**2).sum(axis=1) > NEAR)
        if len(far):  # a large distance rounds what rows differ by: relative to the nearest row, twice
            log_weight = log_weight if len(log_weight) == 1 else log_weight[far]
            for _ in range(2):
                logs = log_weight
                for j, unit in enumerate(self.units):
                    apart = (self.points[:, j] - self.points[nearest[far], j, None]) / unit
                    logs = logs - 0.5 * apart * (apart + 2.0 * off[far, j, None])
                nearest[far] = np.argmax(logs, axis=1)
                off[far] = (self.points[nearest[far]] - Q[far]) / self.units
            out[far] = logs
        out -= out[np.arange(len(Q)), nearest][:, None]
        return out

    def _log_row_weights(self, queries: Queries, m: int) -> Array:
        """Logarithms of the rows' weights for each query, (m, n); (1, n) where they are the same for all."""
        own, left = queries.own, queries.left
        with np.errstate(divide="ignore"):
            log_weight = np.log(self.w)[None]
            if own is not None and left is not None:
                log_weight = np.repeat(log_weight, m, axis=0)
                log_weight[np.arange(m), own] = np.log(left)
            if self.codes is None:
                return log_weight
            factors, cell = self._categories.at(queries.codes, m)
            likened = log_weight + np.log(factors)[cell][:, self._categories.combinations[1]]
        alone = np.isneginf(likened).all(axis=1, keepdims=True)  # then all others count
        return np.where(alone, log_weight, likened)

    def far(self, found: Averages) -> NDArray[np.bool_]:
        """Which queries are farther than about `FARTHEST` bandwidths from all rows that count."""
        lightest = float(self.w[self.w > 0].min())
        peak = 0.0 if self.kernel.compact else float(self.kernel.at(np.array([FARTHEST]))[0])
        with np.errstate(divide="ignore"):
            return np.asarray(found.log_sum <= np.log(peak) + np.log(lightest))

    @cached_property
    def _categories(self) -> CategoryFactors:
        return CategoryFactors(self.codes, self.tables, self.given)

    @cached_property
    def _plain(self) -> KernelSum:
        rtol, ends = max(self.rtol, 1e-9), (self.points.min(axis=0), self.points.max(axis=0))
        return KernelSum(self.kernel, self.points, self.weights, None, self.units, rtol, ends=ends)

    @cached_property
    def _cells(self) -> CellAverages:
        return CellAverages(self._plain, self.values, self.rtol)

    def by_cells(self, queries: Queries) -> Averages | None:
        """Averages by sums over cells, where these are quicker; where their error is too large, by pairs."""
        found = self._cells.at(queries)
        if found is None:
            return None
        averages, again = found
        if len(again):
            mended = self.by_pairs(queries.take(again), False)
            averages.log_sum[again], averages.value[again] = mended.log_sum, mended.value
        return averages

    @cached_property
    def _pairs(self) -> PairAverages:
        return PairAverages(self.kernel, self.points, self.values, self.w, self.units, self._categories, self.rtol)

    def by_pairs(self, queries: Queries, lines: bool) -> Averages:
        """Averages over tiles of points, pair by pair."""
        return self._pairs.at(queries, lines)
