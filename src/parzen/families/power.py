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
SCALES = 4.0 ** np.arange(1, -6, -1)


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


def likeliest_power(
    x: Array,
    R: Memberships,
    given: Power = Power(),
    place: NDArray[np.intp] | None = None,
) -> Power:
    """The likeliest parameters of a column x (n,), of those that are not given.

    Where its rows are put together, x are different cells, and `place` (rows,) says which one each row has.

    Its rows are Gaussian within their groups once they are transformed; groups have their own means and variances.
    Locations that are tried are the middle and the end without the longer tail; powers lie between 0 and 1.
    """
    rows = _Rows.of(x, R, place)
    if rows is None:
        location = float(x[np.isfinite(x)][0]) if np.isfinite(x).any() else 0.0
        usual = zip(vars(given).values(), (1.0, location, 1.0), strict=True)
        return Power(*(default if own is None else own for own, default in usual))
    locations = (rows.short_end(), _median(rows.x, rows.count)) if given.location is None else (given.location,)
    powers = (0.0, 0.5) if given.power is None else (given.power,)
    tried: list[tuple[float, float, float]] = []
    for location in map(float, locations):
        distances = np.abs(rows.x - location)
        unit = _median(distances, rows.count) or float(np.average(distances, weights=rows.count))
        for scale in unit * SCALES if given.scale is None else (given.scale,):
            tried += [(power, location, float(scale)) for power in powers]
    tolerance = 0.01 if given.power is None else None
    cells = (rows.x, rows.codes, rows.w, rows.count.astype(np.float64))
    return Power(*compute.likeliest_power(*cells, rows.groups, np.array(tried), LARGEST, tolerance))


@dataclass(frozen=True)
class _Rows:
    """Cells of a column with their groups and weights, and how many rows have them."""

    x: Array
    codes: NDArray[np.int32]
    w: Array
    count: NDArray[np.intp]
    groups: int

    @classmethod
    def of(cls, x: Array, R: Memberships, place: NDArray[np.intp] | None) -> "_Rows | None":
        """Cells that are there, of at most `MOST_ROWS` rows; None where they don't vary."""
        codes, w = codes_and_weights(R, len(x))
        rows = np.flatnonzero(np.isfinite(x) & (codes >= 0) & (w > 0)) if place is None else place
        rows = rows[drawn(len(rows), MOST_ROWS)[0]] if len(rows) > MOST_ROWS else rows
        count = np.bincount(rows, minlength=len(x))
        cells = np.flatnonzero(count)
        if not len(cells) or not np.ptp(x[cells]) > 0:
            return None
        count = count[cells]
        return cls(x[cells], codes[cells], w[cells] * count, count, group_count(R))

    def short_end(self) -> float:
        """The least value, or the largest one where the tail to the left is the longer one, within groups."""
        weight, total = (
            np.bincount(self.codes, weights=part, minlength=self.groups) for part in (self.w, self.w * self.x)
        )
        off = self.x - (total / np.maximum(weight, 1e-300))[self.codes]
        off /= np.abs(off).max(initial=1e-300)
        skewed_left = self.w @ (off * off * off) < 0
        return float(self.x.max() if skewed_left else self.x.min())


def _median(x: Array, count: NDArray[np.intp]) -> float:
    rows = np.sort(np.repeat(x, count))
    return 0.5 * float(rows[(len(rows) - 1) // 2] + rows[len(rows) // 2])


def codes_and_weights(R: Memberships, n: int) -> tuple[NDArray[np.int32], Array]:
    """Group of each of n rows (that of its largest membership) and its weight."""
    if isinstance(R, Labels):
        return R.codes, np.ones(n) if R.weights is None else R.weights
    if R is None or R.ndim == 1:
        return np.zeros(n, dtype=np.int32), np.ones(n) if R is None else R
    return R.argmax(axis=1).astype(np.int32), R.sum(axis=1)
