"""Sums over all pairs of points of one column, by the empirical characteristic function."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import fft, special

from parzen.compute.arrays import Array
from parzen.compute.lattice import Lattice
from parzen.smoothing.bandwidth.points import Points, TooWide
from parzen.smoothing.plan import summed_moments

#: Most frequencies of a spectrum.
MOST_FREQUENCIES = 2**19


@dataclass(frozen=True, eq=False)
class Spectrum:
    """|Phi(k)|^2 of points of one column, from which sums over pairs of Gaussian kernels and their derivatives follow.

    Attributes
    ----------
    k : array of frequencies, from 0 in equal steps
    squares : array of the same shape
        |Phi|^2, Phi the transform of weights that sum to one.
    """

    k: Array
    squares: Array

    @classmethod
    def of(cls, points: Points, least: float, widest: float) -> "Spectrum":
        """For Gaussian kernels with standard deviations from `least` to `widest`.

        By Poisson's summation the sum over frequencies is the sum over pairs and their repetitions, which lie beyond
        the reach of the widest kernel; frequencies end where the narrowest kernel's transform is 1e-17.
        """
        x, low, high = points.X[:, 0], float(points.low[0]), float(points.high[0])
        if high - low > 1e4 * least:
            x = _without_gaps(x, 12.0 * widest)
            low, high = 0.0, float(x.max())
        step = 2 * np.pi / (high - low + 9.5 * widest)
        count = int(np.ceil(8.9 / least / step)) + 1
        if count > MOST_FREQUENCIES:
            raise TooWide("the rows spread over too many bandwidths")
        k = step * np.arange(count, dtype=np.float64)
        found = transform(x, points.weights, k, low)
        return cls(k, (found.real**2 + found.imag**2) / points.w_total**2)

    def pairs(self, s: float, order: int = 0) -> float:
        """Sum over all pairs of the shares times the `order`-th derivative of a Gaussian of deviation s."""
        sign = 1.0 if order % 4 == 0 else -1.0
        end = int(min(len(self.k), (8.9 + 0.4 * order) / s / self.k[1] + 2))  # beyond, less than rounding
        k = self.k[:end]
        terms = self.squares[:end] * np.exp(-0.5 * (s * k) ** 2)
        if order:
            terms = terms * k**order
        return float(sign * k[1] / np.pi * (terms.sum() - 0.5 * terms[0]))


def _without_gaps(x: Array, reach: float) -> Array:
    """Points with gaps shortened to the reach of the widest kernel, so that far outliers cost no frequencies."""
    order = np.argsort(x, kind="stable")
    gaps = np.diff(x[order])
    moved = np.concatenate([[0.0], np.cumsum(np.minimum(gaps, reach))])
    out = np.empty(len(x))
    out[order] = moved
    return out


def transform(x: Array, w: Array | None, k: Array, origin: float) -> Any:
    """Sum of w_j exp(i k (x_j - origin)) at frequencies 0, dk, 2 dk, ...: exact to rounding.

    Points lie between the origin and 2 pi / dk beyond it. They are summed in cells by their Chebyshev moments, and
    ``exp(i z t) = sum_p i^p (2 - [p = 0]) J_p(z) T_p(t)`` (Jacobi and Anger) turns moments into the transform, one FFT
    for each p; |J_p(z)| <= (z / 2)^p / p! bounds what is cut off: 1e-15 at the largest z, pi / 2.
    """
    count, period = len(k), 2 * np.pi / float(k[1])
    size = fft.next_fast_len(max(2 * count, 64), real=True)
    lattice = Lattice(np.array([origin]), np.array([size / period]), np.array([size], dtype=np.int64))
    moments = summed_moments(lattice, np.ascontiguousarray(x[:, None]), w)
    spectrum = np.conj(fft.rfft(moments, axis=0)[:count])
    return (spectrum * _bessel(count, size)).sum(axis=1)


@lru_cache(maxsize=8)
def _bessel(count: int, size: int) -> Any:
    """Coefficients (count, 16) of Jacobi and Anger's expansion about the centres of `size` cells."""
    half = np.pi / size * np.arange(count)  # half a cell, in radians of each frequency
    p = np.arange(Lattice.terms)
    phase = np.exp(1j * half)  # the FFT numbers cells from their beginnings
    return phase[:, None] * (1j**p) * np.where(p == 0, 1.0, 2.0) * special.jv(p, half[:, None])
