"""Local averages as ratios of Gaussian sums over cells, with a bound on their error."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.local_sums import Averages
from parzen.smoothing.queries import Queries
from parzen.smoothing.sums import KernelSum


@dataclass(frozen=True, eq=False)
class CellAverages:
    """Averages of values by a Gaussian kernel of one to three columns, where cells are quicker than pairs.

    Attributes
    ----------
    plain : the sum of the weights
    values : array of shape (n, C)
    rtol : bound on the error of an average, relative to the values' range
    """

    plain: KernelSum
    values: Array
    rtol: float

    @cached_property
    def _low(self) -> Array:
        return self.values.min(axis=0)

    @cached_property
    def _sums(self) -> list[KernelSum]:
        """Sums of the weights, and of the weights times the values above their minimum."""
        # Wider cells than the tolerance needs: their errors are bounded, and the worst are computed again by pairs.
        plain = replace(self.plain, rtol=max(self.rtol, 1e-7))
        above = (self.values - self._low) * plain.w[:, None]
        return [plain, *(replace(plain, weights=np.ascontiguousarray(column)) for column in above.T)]

    def at(self, queries: Queries) -> tuple[Averages, NDArray[np.intp]] | None:
        """Averages at queries, and the queries whose error is too large; None where pairs are quicker."""
        (n, d), Q, own, left = self.plain.points.shape, queries.Q, queries.own, queries.left
        if self.plain.kernel.name != "gaussian" or d > 3 or n * len(Q) < 2e7 or self.rtol > 1e-3:
            return None
        plain, *above = self._sums
        found = plain.approximate(Q, len(self._sums))
        if found is None:
            return None
        total, off = found
        less = 0.0 if own is None or left is None else plain.w[own] - left
        total, off = total - less, off + 2.0**-50 * total
        value, bad = np.empty((len(Q), len(above))), ~(total > off)
        with np.errstate(divide="ignore", invalid="ignore"):
            for c, sums in enumerate(above):
                reach = float(np.ptp(self.values[:, c]))
                if not sums.total > 0:
                    value[:, c] = self._low[c]
                    continue
                most, error = sums.expanded(Q)
                error = error + 2.0**-50 * most
                if own is not None:
                    most = most - less * (self.values[own, c] - self._low[c])
                value[:, c] = np.clip(most / total, 0.0, reach)
                bad |= ~(error + value[:, c] * off <= max(self.rtol, 1e-9) * reach * (total - off))
                value[:, c] += self._low[c]
            log_sum = np.log(np.maximum(total, 0.0))
        return Averages(log_sum, value), np.flatnonzero(bad)
