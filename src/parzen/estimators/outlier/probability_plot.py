"""Probability plots: the power transform that makes one straight; the outermost cells have no say."""

from collections.abc import Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array
from parzen.densities.power_transform import PowerTransform

#: Proportion of the cells at each end that may be outliers, and have no say in a transform or in a spread.
TRIMMED, SPREAD_TRIMMED = 0.005, 0.025
#: Most cells of a probability plot, of which so many are at each end.
MOST, AT_THE_ENDS = 400, 50
#: Scales in units of the median distance from the location, and powers, that are tried.
SCALES, POWERS = 4.0 ** np.arange(1, -5, -1), (0.0, 0.25, 0.5, 0.75)
#: Correlation of the plot that a transform must reach, and the part of what was missing to 1 that it may leave.
REACHED, LEFT = 0.98, 0.8

Power = tuple[float, float, float]


def straightest_power(x: Array) -> Power:
    """Power, location and scale of the transform under which cells x (n,) are nearest to a Gaussian.

    Filliben's (1975) correlation of sorted cells and Gaussian quantiles is compared, without the outermost cells. The
    column stays as it is (power 1) where no transform makes its plot both straight and much straighter: a column with
    several modes has no tail to be shortened.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> straightest_power(rng.normal(size=500))
    (1.0, 0.0, 1.0)
    >>> straightest_power(rng.lognormal(size=500))[0]
    0.0
    """
    x = np.sort(x)
    places = _places(len(x), at_the_top=True)
    cells, quantiles = x[places], special.ndtri((places + 0.5) / len(x))
    return _straightest(cells, quantiles, {float(np.median(x)), float(cells[0]), float(cells[-1])})


def straightest_tail(scores: Array) -> Power:
    """The same for scores, whose distances below the highest one shall be exponential.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> straightest_tail(-rng.exponential(size=500))[0], straightest_tail(-rng.lognormal(0, 2, size=500))[0] < 0.5
    (1.0, True)
    """
    x = np.sort(scores)
    places = _places(len(x), at_the_top=False)
    return _straightest(x[places], np.log((places + 0.5) / len(x)), {float(x[-1])})


def _places(n: int, at_the_top: bool) -> NDArray[np.int64]:
    """Positions of the cells of a plot, among n sorted ones: the outermost are left out."""
    out = int(np.ceil(TRIMMED * n)) if n > 20 else 0
    places = np.arange(out, n - out if at_the_top else n)
    if len(places) <= MOST:
        return places
    middle = np.linspace(places[0], places[-1], MOST - 2 * AT_THE_ENDS).astype(np.int64)
    return np.unique(np.concatenate([places[:AT_THE_ENDS], middle, places[-AT_THE_ENDS:]]))


def _straightest(cells: Array, quantiles: Array, locations: Iterable[float]) -> Power:
    plain = _correlation(cells, quantiles)
    best = plain, 1.0, 0.0, 1.0
    for location in sorted(locations):
        distances = np.abs(cells - location)
        unit = float(np.median(distances)) or float(distances.mean())
        for scale, power in product(unit * SCALES, POWERS) if unit > 0 else ():
            transform = PowerTransform(*(np.array([one]) for one in (power, location, float(scale))))
            found = _correlation(transform.forward(cells[:, None])[:, 0], quantiles)
            best = max(best, (found, power, location, float(scale)), key=lambda one: one[0])
    good = best[0] >= REACHED and 1.0 - best[0] < LEFT * (1.0 - plain)
    return best[1:] if good else (1.0, 0.0, 1.0)


def trimmed_spread(y: Array) -> tuple[float, float]:
    """Median of cells, and their standard deviation without the outermost ones; 1 where they don't vary."""
    low, high = np.quantile(y, [SPREAD_TRIMMED, 1.0 - SPREAD_TRIMMED])
    inner = float(y[(y >= low) & (y <= high)].std())
    return float(np.median(y)), inner or float(y.std()) or 1.0


def _correlation(values: Array, quantiles: Array) -> float:
    off, about = values - values.mean(), quantiles - quantiles.mean()
    size = float(np.sqrt((off @ off) * (about @ about)))
    return float(off @ about) / size if size > 0 and np.isfinite(size) else -1.0
