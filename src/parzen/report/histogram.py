"""Histograms whose bins hold equally many of the values that a column can take."""

from typing import NamedTuple

import numpy as np

from parzen.compute.arrays import Array

#: Most bins, and most values that have a bin each, however few rows there are.
BINS, FEW = 40, 20
#: Steps between neighbouring values that are looked for, from the widest on.
STEPS = (1.0, 0.1, 0.01, 0.001)


class Histogram(NamedTuple):
    """Edges of bins, their heights (a density), and the step in which the values are recorded, where there is one."""

    edges: Array
    heights: Array
    step: float | None


def spacing(values: Array) -> float | None:
    """The step in which all values are recorded, such as 1 for whole numbers or 0.5; None where there is none."""
    distinct = np.unique(values)
    largest = float(np.abs(distinct).max())
    for step in STEPS:
        counted = (distinct - distinct[0]) / step
        whole, error = np.round(counted), max(1e-6, 8 * np.finfo(float).eps * largest / step)
        if (
            error < 0.01
            and (np.abs(counted - whole) <= error).all()
            and (np.diff(whole) > 0).all()
            and whole[-1] < 2**53
        ):
            return float(step * max(int(np.gcd.reduce(whole.astype(np.int64))), 1))
    return None


def histogram(sample: Array, low: float, high: float) -> Histogram:
    """A histogram from `low` to `high`.

    Where values are recorded in steps, such as whole numbers, each bin holds the same number of them, with its edges in
    between: bins of another width hold now one, now two, and show gaps and spikes that are not in the data.
    """
    step = spacing(sample)
    bins = int(np.clip(np.ceil(2 * len(sample) ** (1 / 3)), 6, BINS))  # Rice's rule
    if step is not None and (high - low) / step < 1e6 and (step == 1 or _repeats(sample, step)):
        first = step * np.floor((low - sample.min()) / step + 1e-6) + sample.min()
        many = int(np.round((high - first) / step)) + 1
        each = 1 if many <= FEW else -(-many // bins)
        edges = first - 0.5 * step + step * np.append(np.arange(0, many, each), many)  # the last bin may hold fewer
    else:
        step = None
        edges = np.linspace(low, high, bins + 1)
    counts = np.histogram(sample, edges)[0]
    return Histogram(edges, counts / (len(sample) * np.diff(edges)), step)


def _repeats(sample: Array, step: float) -> bool:
    """Whether a step is coarse enough to show: bins of about a thirtieth of the range hold few of its multiples."""
    return float(np.ptp(sample)) / step < 30 * BINS
