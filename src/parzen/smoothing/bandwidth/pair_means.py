"""Means of Gaussian kernels over all pairs of rows."""

import numpy as np
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.points import Points
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.sums import KernelSum


def pair_mean(points: Points, factor: Array) -> float:
    """Mean of a Gaussian kernel over all pairs of rows, those of a row with itself included."""
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], standard(points, factor), points.share, rtol=1e-9)
    return float(points.share @ np.exp(sums.log(sums.points) + log_peak(factor)))


def standard(points: Points, factor: Array) -> Array:
    """Rows in units of a factor of H."""
    off = points.X - points.X[0]
    return np.ascontiguousarray(solve_triangular(factor, off.T, lower=True).T)


def log_peak(factor: Array) -> float:
    """Logarithm of the highest value of a Gaussian kernel."""
    return float(-0.5 * len(factor) * np.log(2 * np.pi) - np.log(np.abs(np.diagonal(factor))).sum())
