"""Smoothed cross-validation, of one and several columns."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.matrix import check_shape, factor_of, shaped
from parzen.smoothing.bandwidth.minimise import minimum, search
from parzen.smoothing.bandwidth.pair_means import pair_mean
from parzen.smoothing.bandwidth.points import Points, TooWide, in_own_units
from parzen.smoothing.bandwidth.spectrum import Spectrum
from parzen.smoothing.bandwidth.thumb import fallback


@in_own_units
def scv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Smoothed cross-validation (Hall, Marron and Park 1992): less noisy than least squares, ks's ``Hscv``.

    The bias is estimated under a pilot density, whose bandwidth is the best for normal densities (Chacon and Duong
    2011).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.scv(np.random.default_rng(0).normal(size=500)), 3)
    0.354
    """
    check_shape(covariance)
    points = Points.of(X, sample_weight)
    d, n = points.X.shape[1], points.n
    G = (2.0 / (n * (d + 4))) ** (2.0 / (d + 6)) * 2.0 * shaped(points, covariance)
    constant = -0.5 * d * np.log(4 * np.pi)
    if d == 1:
        g = float(np.sqrt(G[0, 0]))
        grid = 1.144 * points.deviation * n**-0.2 * np.geomspace(0.05, 3.0, 64)
        widest = float(np.sqrt(2 * grid[-1] ** 2 + 2 * g**2))
        try:
            spectrum = Spectrum.of(points, np.sqrt(2.0) * g, widest)
        except TooWide as reason:
            return fallback(points, "scv", str(reason))

        def line(h: float) -> float:
            parts = (spectrum.pairs(np.sqrt(a * h * h + 2 * g * g)) for a in (2.0, 1.0, 0.0))
            two, one, none = parts
            return float(np.exp(constant) / (n * h) + two - 2 * one + none)

        return minimum(line, grid, "scv", points=points)
    none = pair_mean(points, factor_of(2 * G))

    def criterion(factor: Array) -> float:
        H = factor @ factor.T
        two, one = (pair_mean(points, factor_of(a * H + 2 * G)) for a in (2.0, 1.0))
        return float(np.exp(constant - np.log(np.abs(np.diagonal(factor))).sum()) / n + two - 2 * one + none)

    return search(points, criterion, covariance, "scv")
