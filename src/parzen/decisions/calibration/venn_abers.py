"""Venn-Abers predictors: two isotonic regressions, one for each label that a new row could have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import BinaryCalibrator, distinct_log_odds

#: Most distinct log-odds that are kept: a file holds four probabilities of each.
MOST = 500


@dataclass(frozen=True)
class VennAbers(BinaryCalibrator):
    """Probabilities with the new row labelled 0 and labelled 1, one of which is calibrated (Vovk et al. 2015).

    Attributes
    ----------
    log_odds : array of shape (m,)
        Distinct log-odds of the calibration rows, in order.
    low, high : arrays of shape (2 m + 1,)
        Probabilities with label 0 and with label 1: even entries between the log-odds, odd ones at them.
    """

    log_odds: Array
    low: Array
    high: Array

    def interval(self, z: Array) -> tuple[Array, Array]:
        """Probabilities of the second class with the row labelled 0 and labelled 1, each (n,)."""
        at = np.searchsorted(self.log_odds, z, side="left") + np.searchsorted(self.log_odds, z, side="right")
        return self.low[at], self.high[at]

    def __call__(self, z: Array) -> Array:
        low, high = self.interval(z)
        return high / (1.0 - low + high)


def fit_venn_abers(z: Array, y: NDArray[np.bool_], w: Array) -> VennAbers:
    """Isotonic regressions with a new row of weight 1 at each log-odds, and between each two."""
    points, frequency, weight = distinct_log_odds(z, y, w, MOST)
    m = len(points)
    before, after = _last_blocks(frequency, weight), _last_blocks(-frequency[::-1], weight[::-1])
    low, high = np.empty(2 * m + 1), np.empty(2 * m + 1)
    for i in range(2 * m + 1):
        k, at = divmod(i, 2)
        hits, rows = (frequency[k] * weight[k], weight[k]) if at else (0.0, 0.0)
        for label, out in ((0.0, low), (1.0, high)):
            out[i] = _pooled(hits + label, rows + 1.0, before, k, after, m - k - at)
    return VennAbers(points, low, high)


#: Of each point: where the last block of an isotonic regression up to it begins, its sum and its weight.
Blocks = tuple[list[int], list[float], list[float]]


def _last_blocks(frequency: Array, weight: Array) -> Blocks:
    """The last blocks of isotonic regressions of the first 1, 2, ... points; the block before it is another's last."""
    begins: list[int] = []
    sums: list[float] = []
    weights: list[float] = []
    for i, (value, rows) in enumerate(zip(frequency.tolist(), weight.tolist(), strict=True)):
        begin, total = i, value * rows
        while begin > 0 and sums[begin - 1] / weights[begin - 1] >= total / rows:
            last = begin - 1
            begin, total, rows = begins[last], total + sums[last], rows + weights[last]
        begins.append(begin)
        sums.append(total)
        weights.append(rows)
    return begins, sums, weights


def _pooled(total: float, rows: float, before: Blocks, n_before: int, after: Blocks, n_after: int) -> float:
    """The isotonic regression at a new block between the first points and the last ones, whose sums are negative."""
    while True:
        if n_before and before[1][n_before - 1] / before[2][n_before - 1] > total / rows:
            last = n_before - 1
            n_before, total, rows = before[0][last], total + before[1][last], rows + before[2][last]
        elif n_after and -after[1][n_after - 1] / after[2][n_after - 1] < total / rows:
            last = n_after - 1
            n_after, total, rows = after[0][last], total - after[1][last], rows + after[2][last]
        else:
            return total / rows
