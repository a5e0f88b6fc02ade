"""Least-squares (unbiased) cross-validation."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.matrix import check_shape
from parzen.smoothing.bandwidth.minimise import local_minima, minimum, search
from parzen.smoothing.bandwidth.pair_means import log_peak, pair_mean
from parzen.smoothing.bandwidth.points import Points, Rounded, TooWide, in_own_units
from parzen.smoothing.bandwidth.spectrum import Spectrum
from parzen.smoothing.bandwidth.thumb import fallback


@in_own_units
def lscv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Least-squares (unbiased) cross-validation over all pairs: the least estimated integrated squared error.

    ``integral f^2 - 2 / n sum_i f_without_i(x_i)``: R's ``bw.ucv`` in one column (which divides the second sum by n^2),
    ks's ``Hlscv`` in several (by n (n - 1)). Of several local minima the largest is taken (Hall and Marron 1991); where
    rows are rounded, those above the rounding count alone, since the criterion of equal rows falls without bound as
    the bandwidth goes to zero. Where there is none, Silverman's rule is used, and a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.lscv(np.random.default_rng(0).normal(size=500)), 3)
    0.351
    """
    check_shape(covariance)
    points = Points.of(X, sample_weight)
    own = points.own
    if points.X.shape[1] == 1:
        return _line(points)

    def several(factor: Array) -> float:
        wide, narrow = (pair_mean(points, s * factor) for s in (np.sqrt(2.0), 1.0))
        peak = own * np.exp(log_peak(factor))
        return wide - 2.0 * (narrow - peak) / (1.0 - own)

    return search(points, several, covariance, "lscv")


def _line(points: Points) -> float:
    """Least squares in one column; rows in narrow clusters have bandwidths far below what their spread suggests."""
    peak, upper = points.own / np.sqrt(2 * np.pi), 1.144 * points.deviation * points.n**-0.2
    found: Any = None
    for lower in (1e-2, 1e-3, 1e-4):
        grid = upper * np.geomspace(lower, 2.0, int(-42 * np.log10(lower) + 12))
        try:
            spectrum = Spectrum.of(points, float(grid[0]), float(np.sqrt(2.0) * grid[-1]))
        except TooWide as reason:
            if found is None:
                return fallback(points, "lscv", str(reason))
            break

        def criterion(h: float, spectrum: Spectrum = spectrum) -> float:
            return spectrum.pairs(np.sqrt(2.0) * h) - 2.0 * (spectrum.pairs(h) - peak / h)

        values = np.array([criterion(float(h)) for h in grid])
        found = (criterion, grid, values)
        if np.argmin(values) > 0 or len(local_minima(grid, values, points.rounding)) or grid[0] < points.rounding:
            break
    try:
        criterion, grid, values = found
        return minimum(criterion, grid, "lscv", values, points=points, rounding=points.rounding)
    except Rounded as reason:
        return fallback(points, "lscv", str(reason))
