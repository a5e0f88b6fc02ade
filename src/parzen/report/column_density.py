"""The density of one column: a kernel density estimate at several bandwidths, and a histogram."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.estimators.density.kernel import KernelDensity
from parzen.report.intervals import rounded

#: Most rows that a density is estimated from, and points of the grid that it is drawn on.
ROWS, POINTS = 20_000, 241
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
    for factor in factors:
        model = KernelDensity(bandwidth=h * factor).fit(sample[:, None])
        curves.append([rounded(value) for value in np.exp(model.score_samples(grid[:, None]))])
    counts, edges = np.histogram(sample, bins=np.linspace(low, high, 31))
    heights = counts / max(len(sample) * (edges[1] - edges[0]), 1e-300)
    return {
        "rule": rule,
        "bandwidth": rounded(h),
        "factors": [rounded(factor) for factor in factors],
        "grid": [rounded(value, 6) for value in grid],
        "curves": curves,
        "histogram": {"edges": [rounded(edge, 6) for edge in edges], "heights": [rounded(one) for one in heights]},
        "rows": len(sample),
    }


def _range(sample: Array) -> tuple[float, float]:
    """The range that is drawn: that of the rows, cut where a few distant ones would flatten the picture."""
    low, high = np.quantile(sample, [0.0, 1.0])
    inner = np.quantile(sample, [0.005, 0.995])
    wide = max(inner[1] - inner[0], 1e-12)
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


def modes(found: dict[str, Any]) -> int:
    """The number of modes of the estimate with the chosen bandwidth; low and shallow ones are not counted."""
    y = np.array(found["curves"][found["factors"].index(1.0)], dtype=np.float64)
    peaks = [i for i in range(1, len(y) - 1) if y[i] > y[i - 1] and y[i] >= y[i + 1] and y[i] > 0.1 * y.max()]
    kept = peaks[:1]
    for peak in peaks[1:]:
        if y[kept[-1] : peak].min() < 0.85 * min(y[kept[-1]], y[peak]):
            kept.append(peak)
        elif y[peak] > y[kept[-1]]:
            kept[-1] = peak
    return max(len(kept), 1)
