"""One column: Sheather and Jones, and Botev."""

from typing import Any

import numpy as np
from scipy import optimize

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.points import Points, TooWide, one_column, warn
from parzen.smoothing.bandwidth.spectrum import Spectrum, transform
from parzen.smoothing.bandwidth.thumb import by_silverman


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
    return by_sheather_jones(Points.of(X, sample_weight), method)


def by_sheather_jones(points: Points, method: str) -> float:
    """Sheather and Jones's bandwidth, or a fallback that says so."""
    one_column(points, "sj")
    try:
        return _solved(points, method)
    except TooWide as reason:
        return fallback(points, "sj", str(reason))


def _solved(points: Points, method: str) -> float:
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


def fallback(points: Points, rule: str, why: str) -> float:
    """Silverman's bandwidth, and a warning that the rule found none."""
    h = float(by_silverman(points, None))
    warn(f"the rule {rule!r} found no bandwidth: {why}. Silverman's rule was used: {h:.6g}.")
    return h


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
    return by_botev(Points.of(X, sample_weight))


def by_botev(points: Points) -> float:
    """Botev's bandwidth, or a fallback that says so."""
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
            h = by_sheather_jones(points, "ste")
        except ValueError:
            return fallback(points, "isj", "its fixed point was not found")
        warn(f"the rule 'isj' found no fixed point: few rows, or many ties; the rule 'sj' was used: {h:.6g}.")
        return h
    return float(np.sqrt(t) * span)


def _fixed_point(squares: Array, n: float) -> float | None:
    """The root of t = xi gamma^[5](t), given squared cosine coefficients; None where there is none."""
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
