"""Rules of thumb: the best bandwidth if the density is normal, with a robust scale."""

from typing import Any

import numpy as np

from parzen.smoothing.bandwidth.matrix import check_shape, shaped
from parzen.smoothing.bandwidth.points import Points, in_own_units, warn


@in_own_units
def scott(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Scott's rule: the best bandwidth if the density is normal.

    One column: ``1.06 min(sd, IQR / 1.34) n^(-1/5)``, R's ``bw.nrd``. Several: ``n^(-2 / (d + 4))`` times the
    covariance, as in SciPy (diagonal: of each column's variance).

    Examples
    --------
    >>> from parzen import bandwidth
    >>> round(bandwidth.scott([1.0, 2.0, 4.0, 8.0]), 3)
    1.948
    """
    check_shape(covariance)
    points = Points.of(X, sample_weight)
    n, d = points.n, points.X.shape[1]
    if d == 1:
        return float(1.06 * points.scale(1.34) * n**-0.2)
    return n ** (-2.0 / (d + 4)) * shaped(points, covariance)


@in_own_units
def silverman(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Silverman's rule of thumb, with a robust scale.

    One column: ``0.9 min(sd, IQR / 1.34) n^(-1/5)``, R's ``bw.nrd0``. Several: ``(n (d + 2) / 4)^(-2 / (d + 4))`` times
    the covariance of the rows, each column scaled down to its interquartile range where that is less.

    Examples
    --------
    >>> from parzen import bandwidth
    >>> round(bandwidth.silverman([1.0, 2.0, 4.0, 8.0]), 3)
    1.654
    """
    check_shape(covariance)
    points = Points.of(X, sample_weight)
    n, d = points.n, points.X.shape[1]
    if d == 1:
        return float(0.9 * points.scale(1.34) * n**-0.2)
    columns = [points.column(j) for j in range(d)]
    robust = np.array([column.scale(1.349) / column.deviation for column in columns])
    return (0.25 * n * (d + 2)) ** (-2.0 / (d + 4)) * shaped(points, covariance) * np.outer(robust, robust)


def fallback(points: Points, rule: str, why: str) -> float:
    """Silverman's bandwidth of one column, and a warning that the rule found none."""
    h = float(silverman(points))
    warn(f"the rule {rule!r} found no bandwidth: {why}. Silverman's rule was used: {points.restored(h):.6g}.")
    return h
