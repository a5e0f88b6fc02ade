"""The power transform under which a column is likeliest to be Gaussian within its classes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import power as compute
from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships, group_count
from parzen.densities.power_transform import LARGEST
from parzen.families.sampling import drawn

#: Most rows that a transform is learnt from: the likelihood is flat in its parameters, and more would change little.
MOST_ROWS = 600
#: Scales that are tried, in units of the median distance from the location.
SCALES: Array = np.ldexp(1.0, np.arange(2, -12, -2))
#: Tolerance of the power.
TOLERANCE = 0.01


@dataclass(frozen=True)
class Power:
    """Parameters of a power transform of one column; None where they are to be learnt."""

    power: float | None = None
    location: float | None = None
    scale: float | None = None

    def arrays(self) -> tuple[Array, Array, Array]:
        """The parameters of one column as arrays of shape (1,)."""
        power, location, scale = (np.array([value], dtype=np.float64) for value in vars(self).values())
        return power, location, scale


def likeliest_power(x: Array, R: Memberships, given: Power = Power()) -> Power:
    """The likeliest parameters of a column x (n,), of those that are not given.

    Its rows are Gaussian within their groups once they are transformed; groups have their own means and variances.
    Locations that are tried are the middle and the end without the longer tail; powers lie between 0 and 1.
    """
    codes, w = codes_and_weights(R, len(x))
    rows = np.flatnonzero(np.isfinite(x) & (codes >= 0) & (w > 0))
    rows = rows[drawn(len(rows), MOST_ROWS)[0]] if len(rows) > MOST_ROWS else rows
    cells = x[rows]
    if not len(cells) or not np.ptp(cells) > 0:
        location = float(x[np.isfinite(x)][0]) if np.isfinite(x).any() else 0.0
        usual = zip(vars(given).values(), (1.0, location, 1.0), strict=True)
        return Power(*(default if own is None else own for own, default in usual))
    known = [np.nan if value is None else value for value in vars(given).values()]
    options = (group_count(R), known, SCALES, LARGEST, TOLERANCE)
    return Power(*compute.likeliest_power(cells, codes[rows], w[rows], np.ones(len(rows)), *options))


def codes_and_weights(R: Memberships, n: int) -> tuple[NDArray[np.int32], Array]:
    """Group of each of n rows (that of its largest membership) and its weight."""
    if isinstance(R, Labels) or R is None:
        weights = None if R is None else R.weights
        return codes_of(R, n), np.ones(n) if weights is None else weights
    return codes_of(R, n), R if R.ndim == 1 else R.sum(axis=1)


def codes_of(R: Memberships, n: int) -> NDArray[np.int32]:
    """Group of each of n rows: that of its largest membership."""
    if isinstance(R, Labels):
        return R.codes
    return np.zeros(n, dtype=np.int32) if R is None or R.ndim == 1 else R.argmax(axis=1).astype(np.int32)
