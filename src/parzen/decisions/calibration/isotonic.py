"""Probabilities that rise with the log-odds: isotonic regression."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import BinaryCalibrator, distinct_log_odds


@dataclass(frozen=True)
class IsotonicCalibrator(BinaryCalibrator):
    """A piecewise linear or piecewise constant function of the log-odds.

    Attributes
    ----------
    log_odds : array of shape (m,)
        Where the pieces meet.
    probability : array of shape (m,), or (m + 1,) where it is piecewise constant
    interpolate : bool
        Whether it is linear between the points (isotonic regression), or constant (histogram binning).
    """

    log_odds: Array
    probability: Array
    interpolate: bool

    def __call__(self, z: Array) -> Array:
        if self.interpolate:
            return np.interp(z, self.log_odds, self.probability)
        return self.probability[np.searchsorted(self.log_odds, z, side="right")]


def fit_isotonic(z: Array, y: NDArray[np.bool_], w: Array) -> IsotonicCalibrator:
    """Isotonic regression of the labels on the log-odds (Zadrozny & Elkan 2002)."""
    points, frequency, weight = distinct_log_odds(z, y, w)
    fitted = isotonic_regression(frequency, sample_weight=weight, y_min=0.0, y_max=1.0)
    # Of a run of equal probabilities the two ends say it all.
    jump = np.diff(fitted) != 0.0
    ends = np.append(True, jump) | np.append(jump, True)
    return IsotonicCalibrator(points[ends], fitted[ends], interpolate=True)
