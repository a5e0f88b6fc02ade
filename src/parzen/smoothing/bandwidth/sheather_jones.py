"""The bandwidth of Sheather and Jones, of one column."""

from typing import Any

import numpy as np

from parzen.smoothing.bandwidth.points import Points, TooWide, in_own_units, one_column
from parzen.smoothing.bandwidth.spectrum import Spectrum
from parzen.smoothing.bandwidth.thumb import fallback


@in_own_units
def sj(X: Any, sample_weight: Any = None, *, method: str = "ste") -> float:
    """Bandwidth of Sheather and Jones (1991): solve the equation ("ste"), or plug in directly ("dpi"), over all pairs.

    R's ``bw.SJ``, without its bins and with its equation solved to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.sj(np.random.default_rng(0).normal(size=500)), 4)
    0.3093
    """
    if method not in ("ste", "dpi"):
        raise ValueError(f"method must be 'ste' or 'dpi', got {method!r}.")
    points = Points.of(X, sample_weight)
    one_column(points, "sj")
    try:
        return _solved(points, method)
    except TooWide as reason:
        return fallback(points, "sj", str(reason))


def _solved(points: Points, method: str) -> float:
    from scipy import optimize

    n, scale = points.n, points.scale(1.349)
    a, b = 1.24 * scale * n ** (-1 / 7), 1.23 * scale * n ** (-1 / 9)
    upper = 1.144 * points.deviation * n**-0.2
    grown = n / (n - 1.0) if n > 1 else 1.0  # R divides by n (n - 1), its sums include each row with itself
    pilots = Spectrum.of(points, min(a, b), max(a, b))
    slope, start = -grown * pilots.pairs(b, 6), grown * pilots.pairs(a, 4)
    if not (slope > 0 and start > 0):
        return fallback(points, "sj", "its pilots can't be estimated")
    constant = 1.0 / (2.0 * np.sqrt(np.pi) * n)
    if method == "dpi":
        s = float((2.394 / (n * slope)) ** (1 / 7))
        return float((constant / (grown * Spectrum.of(points, s, s).pairs(s, 4))) ** 0.2)
    ratio = 1.357 * (start / slope) ** (1 / 7)
    high = 1.5 * upper
    for _ in range(5):  # rows in narrow clusters have bandwidths far below what their spread suggests
        grid = np.geomspace(high, 0.05 * high, 24)
        widths = ratio * grid ** (5 / 7)
        spectrum = Spectrum.of(points, float(widths[-1]), float(widths[0]))

        def equation(h: float, spectrum: Spectrum = spectrum) -> float:
            return float((constant / (grown * spectrum.pairs(ratio * h ** (5 / 7), 4))) ** 0.2 - h)

        before = high
        for h in grid:
            with np.errstate(invalid="ignore", divide="ignore"):
                above = equation(float(h)) > 0
            if above:
                if h == grid[0]:
                    break
                return float(optimize.brentq(equation, h, before, xtol=1e-14 * upper, rtol=1e-13))
            before = float(h)
        high = 10.0 * high if h == grid[0] else 0.06 * high
    return fallback(points, "sj", "its equation has no root, as with many ties or very few rows")
