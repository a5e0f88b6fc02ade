"""The contract of calibrators of two classes, and what their fits share."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array


class BinaryCalibrator(ABC):
    """A function from log-odds of the second of two classes to its calibrated probability."""

    @abstractmethod
    def __call__(self, z: Array) -> Array:
        """Calibrated probabilities of the second class at log-odds z, both (n,)."""

    def complement(self, z: Array) -> Array:
        """Calibrated probabilities of the first class; overridden where small ones need not be 1 less a rounded one."""
        return 1.0 - self(z)


def distinct_log_odds(z: Array, y: NDArray[np.bool_], w: Array, most: int | None = None) -> tuple[Array, Array, Array]:
    """Distinct log-odds in order, the observed frequency of the second class at each, and their weights.

    Where there are more than `most`, neighbours are merged into groups of about equal weight.
    """
    points, inverse = np.unique(z, return_inverse=True)
    weight, total = np.bincount(inverse, w), np.bincount(inverse, w * y)
    if most is not None and len(points) > most:
        group = np.minimum((most * (np.cumsum(weight) - 0.5 * weight) / weight.sum()).astype(np.intp), most - 1)
        _, group = np.unique(group, return_inverse=True)
        points = np.bincount(group, weight * points) / np.bincount(group, weight)
        weight, total = np.bincount(group, weight), np.bincount(group, total)
    kept = weight > 0
    return points[kept], total[kept] / weight[kept], np.asarray(weight[kept], dtype=np.float64)
