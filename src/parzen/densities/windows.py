"""Parzen windows: one kernel density, as its points, weights and bandwidth."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array
from parzen.densities.support import Support
from parzen.smoothing.distribution import KernelDistribution
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.row_weights import WeightedPoints
from parzen.smoothing.sums import KernelSum


@dataclass(frozen=True, eq=False)
class Windows(WeightedPoints):
    """One density: kernels around weighted points, ``f(x) = sum_j w_j K(F^-1 (x - x_j) / s_j) / (s_j^d |F| sum w)``.

    Attributes
    ----------
    points : array of shape (n, d)
    weights : array of shape (n,), or None where all are one
    factor : array of shape (d, d)
        Lower triangular F; F F' is the bandwidth matrix H.
    scales : array of shape (n,), optional
        Bandwidths of the points relative to F (adaptive windows).
    ends : pair of arrays of shape (d,), optional
        Minimum and maximum of each column, where they are known.
    """

    points: Array
    weights: Array | None
    factor: Array
    scales: Array | None = None
    ends: tuple[Array, Array] | None = None

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.points.shape[1]

    @cached_property
    def deviations(self) -> Array:
        """Bandwidth of each column's marginal."""
        return np.sqrt((self.factor**2).sum(axis=1))

    @cached_property
    def diagonal(self) -> Array | None:
        """Bandwidth of each column, where H is diagonal."""
        diagonal = np.diagonal(self.factor)
        return np.array(diagonal) if (self.factor == np.diag(diagonal)).all() else None

    @cached_property
    def _centre(self) -> Array:
        # Near most points, so that differences from it keep their digits.
        return np.asarray(np.median(self.points[:: max(1, len(self.points) // 64)], axis=0))

    def coordinates(self, X: Array) -> Array:
        """Rows in the coordinates of `sums`: as they are, or in units of H where H is not diagonal."""
        if self.diagonal is not None:
            return X
        off = (X - self._centre).T
        return np.ascontiguousarray(solve_triangular(self.factor, off, lower=True, check_finite=False).T)

    def sums(self, kernel: KernelFunction, rtol: float, atol: float) -> KernelSum:
        """The sum of kernel functions, up to the total weight, the kernel's constant and |F|."""
        weights = self.weights
        if self.scales is not None:
            weights = self.w * self.scales ** -float(self.width)
        log_peak = kernel.log_constant(self.width) - self.log_volume - np.log(self.total)
        small = atol * np.exp(-log_peak) if atol else 0.0
        ends = None if self.diagonal is None else self.ends
        points = self.coordinates(self.points)
        return KernelSum(kernel, points, weights, self.scales, self.diagonal, rtol, small, ends)

    def line(self, kernel: KernelFunction) -> KernelDistribution:
        """The distribution function of the only column."""
        if kernel.name not in self._lines:
            share, unit = self.w / self.total, float(self.factor[0, 0])
            self._lines[kernel.name] = KernelDistribution.of(kernel, self.points[:, 0], share, unit, self.scales)
        return self._lines[kernel.name]

    @cached_property
    def _lines(self) -> dict[str, KernelDistribution]:
        return {}

    @property
    def log_volume(self) -> float:
        """Logarithm of |F|."""
        return float(np.log(np.diagonal(self.factor)).sum())

    def reach(self, kernel: KernelFunction, support: Support) -> Array:
        """Distance (d,) beyond the support up to which an image matters: farther ones are 1e-17 of those within."""
        widest = 1.0 if self.scales is None else float(self.scales.max())
        h = self.deviations * widest
        length = np.where(np.isfinite(support.high - support.low), support.high - support.low, 0.0)
        if kernel.name == "gaussian":
            return np.sqrt(length**2 + 80.0 * h**2)
        return h if kernel.compact else length + 40.0 * h
