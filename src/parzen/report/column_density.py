"""The density of one column: a kernel density estimate at several bandwidths, and a histogram."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.densities.kernel import WindowDensity
from parzen.densities.windows import Windows
from parzen.estimators.density.kernel import KernelDensity
from parzen.report.histogram import histogram
from parzen.report.intervals import rounded, rounded_within
from parzen.smoothing.kernel_functions import kernel_function

#: Most rows that a density is estimated from, and points of the grid that it is drawn on.
ROWS, POINTS = 10_000, 241
#: What an estimate may be off by, relative to itself: of four digits that are shown, none.
RTOL = 1e-6
#: Multiples of the chosen bandwidth that a slider offers.
FACTORS = tuple(float(2.0 ** (k / 2)) for k in range(-6, 7))
#: Rules for the bandwidth, in the order in which they are tried.
RULES = {"sj": "Sheather-Jones", "silverman": "Silverman"}


def density(known: Array, rng: np.random.Generator) -> dict[str, Any]:
    """Kernel density estimates over a grid, with the chosen bandwidth and multiples of it; and a histogram."""
    sample = known if len(known) <= ROWS else rng.choice(known, ROWS, replace=False)
    low, high = _range(sample)
    h, rule = _bandwidth(sample, low, high)
    grid = np.linspace(low - 3 * h, high + 3 * h, POINTS)
    factors = [factor for factor in FACTORS if factor >= 1 or h * factor >= 0.8 * (grid[1] - grid[0])]
    curves = []
    values, counts = np.unique(sample, return_counts=True)
    rows, weights = values[:, None], counts.astype(np.float64)
    for factor in factors:
        windows = Windows(rows, weights, np.array([[h * factor]]))
        estimate = WindowDensity(kernel_function("gaussian"), (windows,), rtol=RTOL)
        curves.append([rounded(value) for value in np.exp(estimate.log_density(grid[:, None])[:, 0])])
    bins = histogram(sample, low, high)
    return {
        "rule": rule,
        "bandwidth": rounded(h),
        "factors": [rounded(factor) for factor in factors],
        "grid": [rounded_within(value, high - low) for value in grid],
        "curves": curves,
        "histogram": {
            "edges": [rounded_within(edge, high - low, 7) for edge in bins.edges],
            "heights": [rounded(one) for one in bins.heights],
            "step": None if bins.step is None else rounded(bins.step, 6),
        },
        "rows": len(sample),
        "outside": int(((sample < grid[0]) | (sample > grid[-1])).sum()),
        "modes": _modes(np.array(curves[factors.index(1.0)], dtype=np.float64), len(sample), h, bins.step),
    }


def _range(sample: Array) -> tuple[float, float]:
    """The range that is drawn: that of the rows, cut where a few distant ones would flatten the picture."""
    low, high = np.quantile(sample, [0.0, 1.0])
    inner = np.quantile(sample, [0.005, 0.995])
    wide = inner[1] - inner[0]
    if not wide > 0:  # nearly all values are one
        return low, high
    return max(low, inner[0] - 0.5 * wide), min(high, inner[1] + 0.5 * wide)


def _bandwidth(sample: Array, low: float, high: float) -> tuple[float, str]:
    """The bandwidth, and the rule that it is from; neither below half the spacing of repeated values nor too fine."""
    h, rule = _by_rule(sample)
    distinct = np.unique(sample)
    if len(distinct) < min(0.3 * len(sample), 200):  # values that repeat
        gap = float(np.median(np.diff(distinct)))
        h, rule = (h, rule) if h >= 0.5 * gap else (0.5 * gap, "half the spacing of the values")
    step = (high - low + 6 * h) / (POINTS - 1)
    return (h, rule) if h >= 0.8 * step else (0.8 * step, "the smallest that the grid shows")


def _by_rule(sample: Array) -> tuple[float, str]:
    for rule, name in RULES.items():
        try:
            h = float(np.ravel(KernelDensity(bandwidth=rule).fit(sample[:, None]).bandwidth_)[0])
        except (ValueError, FloatingPointError):
            continue
        if np.isfinite(h) and h > 0:
            return h, name
    return float(max(np.ptp(sample), abs(sample[0]), 1.0)) / 20, "1/20 of the range"


def _modes(curve: Array, n: int, h: float, step: float | None) -> dict[str, int] | None:
    """Modes of an estimate; None where it is so fine that it shows the steps in which the values are recorded."""
    return modes(curve, n, h) if step is None or h >= step else None


def modes(curve: Array, n: int, h: float) -> dict[str, int]:
    """How many modes an estimate has, and how many of them are clear: with dips that are deeper than sampling error.

    The variance of a kernel estimate f is about f R(K) / (n h), with R(K) = 1 / (2 sqrt(pi)) for a Gaussian kernel
    function; a dip is clear where it is deeper than two standard deviations of the difference to the lower mode.
    """
    padded = np.concatenate([[0.0], curve, [0.0]])
    rises = np.sign(np.diff(padded))
    turns = np.flatnonzero(rises)
    peaks = [int(turns[k]) for k in range(1, len(turns)) if rises[turns[k - 1]] > 0 > rises[turns[k]]]
    clear = peaks[:1]
    for peak in peaks[1:]:
        lower = min(padded[clear[-1]], padded[peak])
        dip = padded[clear[-1] : peak].min()
        error = np.sqrt((lower + dip) / (2 * np.sqrt(np.pi) * n * h))
        if lower - dip > 2 * error:
            clear.append(peak)
        elif padded[peak] > padded[clear[-1]]:
            clear[-1] = peak
    return {"all": max(len(peaks), 1), "clear": max(len(clear), 1)}
