"""Histogram binning: the observed frequency of each bin of log-odds."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import distinct_log_odds
from parzen.decisions.calibration.isotonic import IsotonicCalibrator

#: Number of bins, of about equal weight.
N_BINS = 10


def fit_histogram(z: Array, y: NDArray[np.bool_], w: Array) -> IsotonicCalibrator:
    """Observed frequencies of ten bins of equal weight (Zadrozny & Elkan 2001).

    A bin's frequency is shrunk towards that of all rows, which counts as one more row of weight 1.
    """
    points, frequency, weight = distinct_log_odds(z, y, w)
    mass = np.cumsum(weight) - 0.5 * weight
    bins = np.minimum((N_BINS * mass / weight.sum()).astype(np.intp), N_BINS - 1)
    _, bins = np.unique(bins, return_inverse=True)
    count, total = np.bincount(bins, weight), np.bincount(bins, weight * frequency)
    positive, negative = float(w[y].sum()), float(w[~y].sum())
    prior = positive / (positive + negative)
    last = np.flatnonzero(np.diff(bins))
    edges = 0.5 * (points[last] + points[last + 1])
    return IsotonicCalibrator(edges, (total + prior) / (count + 1.0), interpolate=False)
