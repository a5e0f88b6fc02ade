"""Leave-one-out likelihood cross-validation."""

from dataclasses import replace
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import RUNGS
from parzen.smoothing.bandwidth.matrix import check_shape
from parzen.smoothing.bandwidth.minimise import local_minima, minimum, search
from parzen.smoothing.bandwidth.pair_means import log_peak, standard
from parzen.smoothing.bandwidth.points import Points, Rounded, in_own_units
from parzen.smoothing.bandwidth.thumb import fallback
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.row_weights import without_each
from parzen.smoothing.sums import KernelSum

#: Rows of three columns up to which one pass over all pairs is quicker than sums over cells for each bandwidth.
FEW_ROWS = 15_000


@in_own_units
def lcv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Leave-one-out likelihood cross-validation: the bandwidth of the greatest mean leave-one-out log-density.

    Of several local maxima the one of the largest bandwidth is taken; where rows are rounded, those above the rounding
    count alone, since the leave-one-out density of rows that all have an equal grows without bound as the bandwidth
    goes to zero. Where there is none, Silverman's rule is used, and a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.lcv(np.random.default_rng(0).normal(size=500)), 3)
    0.304
    """
    check_shape(covariance)
    points = Points.of(X, sample_weight)
    if points.X.shape[1] == 1:
        return _line(points)
    return search(
        points,
        lambda factor: -_likelihood(points, factor),
        covariance,
        "lcv",
        lambda base, multiples: -_likelihoods(points, base, multiples),
    )


def _line(points: Points) -> float:
    """One column; rows in narrow clusters have bandwidths far below what their spread suggests."""

    def criterion(h: float) -> float:
        return -_likelihood(points, np.array([[h]]))

    upper = 1.144 * points.deviation * points.n**-0.2
    grid = upper * np.geomspace(0.05, 4.0, 24)
    values = np.array([criterion(float(h)) for h in grid])
    while np.argmin(values) == 0 and grid[0] > max(1e-4 * upper, points.rounding):
        if len(local_minima(grid, values, points.rounding)):
            break
        more = grid[0] * np.geomspace(0.1, 1.0, 13)[:-1]
        grid, values = np.append(more, grid), np.append([criterion(float(h)) for h in more], values)
    try:
        return minimum(criterion, grid, "lcv", values, points=points, rounding=points.rounding)
    except Rounded as reason:
        return fallback(points, "lcv", str(reason))


def leave_one_out(X: Any, bandwidths: Any, sample_weight: Any = None) -> Array:
    """Mean leave-one-out log-density of the rows for each of several bandwidths of a Gaussian kernel.

    Parameters
    ----------
    X : rows (n,) or (n, d)
    bandwidths : array of numbers; where they fall by a factor 2^(1/2) or 2^(1/4), one exponential serves many of them

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> x = np.random.default_rng(0).normal(size=(500, 2))
    >>> bandwidth.leave_one_out(x, [0.1, 0.4, 1.6]).round(3)
    array([-3.592, -2.832, -3.365])
    """
    points = Points.of(X, sample_weight).in_own_units()
    h = np.asarray(bandwidths, dtype=np.float64)
    if h.ndim != 1 or not (np.isfinite(h).all() and (h > 0).all()):
        raise ValueError(f"bandwidths must be finite numbers above 0, got {bandwidths!r}.")
    assert points.exponents is not None
    common = int(np.median(points.exponents))
    factor = np.diag(np.ldexp(1.0, common - points.exponents))
    return _likelihoods(points, factor, np.ldexp(h, -common)) - np.log(2.0) * points.exponents.sum()


def _likelihoods(points: Points, factor: Array, multiples: Array) -> Array:
    """Leave-one-out log-likelihoods of multiples of a bandwidth; those that fall by sqrt(2) are computed together."""
    out = np.full(len(multiples), np.nan)
    n, d = points.X.shape
    if d > 3 or (d == 3 and n <= FEW_ROWS):
        octaves = np.log2(multiples)
        for first in np.argsort(-multiples):
            steps = 2.0 * (octaves[first] - octaves)
            rung = np.round(steps)
            chain = np.flatnonzero(np.isnan(out) & (np.abs(steps - rung) < 1e-9) & (rung >= 0) & (rung < RUNGS))
            if np.isnan(out[first]) and len(chain) > 1:
                out[chain] = _ladder(points, multiples[first] * factor)[rung[chain].astype(int)]
    rest = np.flatnonzero(np.isnan(out))
    out[rest] = [_likelihood(points, multiples[i] * factor) for i in rest]
    return out


def _ladder(points: Points, factor: Array) -> Array:
    """Log-likelihoods of a bandwidth and of smaller ones, each the one before divided by sqrt(2)."""
    left, rest = _without_each(points)
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], standard(points, factor), points.weights)
    logs = sums.pairs.ladder(left)
    for rung in range(RUNGS):
        # Sums that underflow on the ladder, at rows far from all others.
        far = np.flatnonzero(np.isneginf(logs[:, rung]))
        if len(far):
            narrow = replace(sums, units=np.full(len(factor), 2.0 ** (-0.5 * rung)))
            logs[far, rung] = narrow.log(sums.points[far], far, left[far])
    peaks = log_peak(factor) + 0.5 * len(factor) * np.log(2.0) * np.arange(RUNGS)
    return points.share @ (logs - np.log(rest)[:, None]) + peaks


def _without_each(points: Points) -> tuple[Array, Array]:
    """Weights for leave-one-out sums, see `parzen.smoothing.row_weights.without_each`."""
    left, rest = without_each(points.w)
    if not (rest > 0).all():
        raise ValueError("leave-one-out needs at least two rows; give more rows, or a number as the bandwidth.")
    return left, rest


def _likelihood(points: Points, factor: Array) -> float:
    """Weighted mean of the leave-one-out log-densities."""
    left, rest = _without_each(points)
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], standard(points, factor), points.weights, rtol=1e-9)
    values = sums.log(sums.points, np.arange(len(left)), left) - np.log(rest) + log_peak(factor)
    return float(points.share @ values)
