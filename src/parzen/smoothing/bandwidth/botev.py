"""The bandwidth of Botev, Grotowski and Kroese (the improved Sheather-Jones), of one column."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.points import Points, in_own_units, one_column, warn
from parzen.smoothing.bandwidth.sheather_jones import sj
from parzen.smoothing.bandwidth.spectrum import transform
from parzen.smoothing.bandwidth.thumb import fallback


@in_own_units
def isj(X: Any, sample_weight: Any = None) -> float:
    """Bandwidth of Botev, Grotowski and Kroese (2010), the improved Sheather-Jones: right for densities of many modes.

    The fixed point of t = xi gamma^[5](t) over the cosine transform of the points themselves, not of bins, on the range
    of the points widened by half of it on each side. n counts all rows (Botev's program counts distinct values).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> round(bandwidth.isj(np.concatenate([x, 100 + x])), 2)
    0.34
    """
    points = Points.of(X, sample_weight)
    one_column(points, "isj")
    x, low, high = points.X[:, 0], float(points.low[0]), float(points.high[0])
    span = 2.0 * (high - low)
    n = points.n
    for count in (2**10, 2**12, 2**14, 2**16):
        # Cosine coefficients over [low - (high - low) / 2, ...]: the even part of the transform from that end on.
        k = np.pi / span * np.arange(count + 1, dtype=np.float64)
        squares = (transform(x, points.weights, k, low - 0.25 * span).real[1:] / points.w_total) ** 2
        t = _fixed_point(squares, n)
        if t is None or np.pi**2 * count**2 * t > 60.0:
            break
    if t is None:
        try:
            h = sj(points)
        except ValueError:
            return fallback(points, "isj", "its fixed point was not found")
        shown = points.restored(h)
        warn(
            f"the rule 'isj' found no fixed point, as with few rows or many ties. The rule 'sj' was used: {shown:.6g}."
        )
        return h
    return float(np.sqrt(t) * span)


def _fixed_point(squares: Array, n: float) -> float | None:
    """The root of t = xi gamma^[5](t), given squared cosine coefficients; None where there is none."""
    from scipy import optimize

    count = len(squares)
    modes = np.pi**2 * np.arange(1, count + 1, dtype=np.float64) ** 2
    weighted = {s: 2.0 * modes**s * squares for s in range(2, 8)}
    odd = {s: float(np.prod(np.arange(1, 2 * s, 2)) / np.sqrt(2 * np.pi)) for s in range(2, 7)}

    def norm(s: int, t: float) -> float:
        end = int(min(count, 12.0 / np.sqrt(np.pi**2 * t) + 2))  # beyond, exp(-k^2 pi^2 t) is 1e-62
        return float(weighted[s][:end] @ np.exp(-t * modes[:end]))

    def equation(t: float) -> float:
        f = norm(7, t)
        for s in range(6, 1, -1):
            if not f > 0:
                return np.nan  # too few rows for this stage
            time = (2.0 * (1 + 0.5 ** (s + 0.5)) / 3.0 * odd[s] / (n * f)) ** (2 / (3 + 2 * s))
            f = norm(s, time)
        return float(t - (2 * n * np.sqrt(np.pi) * f) ** -0.4) if f > 0 else np.nan

    grid = np.geomspace(min(1e-9, 60.0 / (np.pi * count) ** 2), 0.1, 16)
    with np.errstate(all="ignore"):
        values = np.array([equation(t) for t in grid])
    good = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0) & np.isfinite(values[:-1]))
    if not len(good):
        return None
    return float(optimize.brentq(equation, grid[good[0]], grid[good[0] + 1], xtol=1e-300, rtol=1e-10))
