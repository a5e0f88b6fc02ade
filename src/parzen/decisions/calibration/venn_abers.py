"""Venn-Abers predictors: two isotonic regressions, one for each label that a new row could have."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import BinaryCalibrator, distinct_log_odds

#: Most distinct log-odds that are kept: each costs four isotonic regressions.
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
    size = 2 * len(points) + 1
    low, high = np.empty(size), np.empty(size)
    for i in range(size):
        k = i // 2
        for label, out in ((0.0, low), (1.0, high)):
            if i % 2:  # at log-odds k
                values, weights = frequency.copy(), weight.copy()
                values[k] = (frequency[k] * weight[k] + label) / (weight[k] + 1.0)
                weights[k] += 1.0
            else:
                values, weights = np.insert(frequency, k, label), np.insert(weight, k, 1.0)
            out[i] = isotonic_regression(values, sample_weight=weights)[k]
    return VennAbers(points, low, high)
