"""Reliability diagrams and calibration errors: predicted probabilities against observed frequencies, in bins."""

from typing import NamedTuple

import numpy as np

from parzen.compute.arrays import Array

#: Number of simulated gaps behind an interval of the expected calibration error.
DRAWS = 4000


class Reliability(NamedTuple):
    """A reliability diagram: the bins of predicted probabilities that hold rows.

    Attributes
    ----------
    predicted : mean predicted probability of each bin
    observed : observed frequency of the class
    low, high : Wilson's interval of the observed frequency, at 95%
    weight : weight of the rows
    effective_size : number of rows of equal weight that would be as informative (Kish)
    """

    predicted: Array
    observed: Array
    low: Array
    high: Array
    weight: Array
    effective_size: Array


class CalibrationError(NamedTuple):
    """Gaps between predicted probabilities and observed frequencies.

    Attributes
    ----------
    expected : the expected calibration error (ECE), the gap averaged over the rows
    debiased : the same less the gap that calibrated probabilities would show by chance
    maximum : the maximum calibration error, the gap of the worst bin
    low, high : an interval of the expected calibration error
    """

    expected: float
    debiased: float
    maximum: float
    low: float
    high: float


def reliability_of_bins(weight: Array, predicted: Array, observed: Array, squared_weight: Array) -> Reliability:
    """The reliability diagram of bins, from sums over their rows, each (B,)."""
    from scipy.stats import norm

    filled = weight > 0
    weight, predicted, observed, squared_weight = (
        part[filled] for part in (weight, predicted, observed, squared_weight)
    )
    frequency, size = observed / weight, weight**2 / squared_weight
    # Wilson's interval has a width above zero also where a frequency is 0 or 1.
    z2 = norm.ppf(0.975) ** 2
    middle = (size * frequency + 0.5 * z2) / (size + z2)
    half = np.sqrt(z2 * (size * frequency * (1 - frequency) + 0.25 * z2)) / (size + z2)
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    return Reliability(predicted / weight, frequency, low, high, weight, size)


def calibration_error(found: Reliability, level: float = 0.95) -> CalibrationError:
    """Expected and maximum calibration error, debiased by the variance that calibrated bins would have by chance."""
    from scipy.stats import norm

    share = found.weight / found.weight.sum()
    gap = found.predicted - found.observed
    smoothed = (found.observed * found.effective_size + 0.5) / (found.effective_size + 1.0)
    deviation = np.sqrt(smoothed * (1 - smoothed) / found.effective_size)
    systematic = np.sqrt(np.maximum(gap**2 - deviation**2, 0.0))  # chance adds its variance to the square of a gap
    expected, debiased = float(share @ np.abs(gap)), float(share @ systematic)
    # With g = gap + noise in each bin, |gap| >= |g| - |noise|; and |g| >= g times the sign of the gap, whose sum is
    # normal about the error. So both ends hold whatever the gaps are, also where many of them are zero.
    noise = deviation * np.random.default_rng(0).standard_normal((DRAWS, len(gap)))
    low = expected - float(np.quantile(np.abs(noise) @ share, 0.5 * (1 + level)))
    high = expected + float(norm.ppf(0.5 * (1 + level)) * np.sqrt((share * deviation) @ (share * deviation)))
    low, high = max(low, 0.0), min(high, 1.0)
    return CalibrationError(expected, debiased, float(np.abs(gap).max()), low, high)
