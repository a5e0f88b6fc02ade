"""The power transform under which a column is likeliest to be Gaussian within its classes."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships, group_count
from parzen.densities.power_transform import PowerTransform

#: Most rows that a transform is learnt from: the likelihood is flat in its parameters, and more would change little.
MOST_ROWS = 2000
#: Scales that are tried, in units of the median distance from the location.
SCALES = 4.0 ** np.arange(0, -7, -1)


@dataclass(frozen=True)
class Power:
    """Parameters of a power transform of one column; None where they are to be learnt."""

    power: float | None = None
    location: float | None = None
    scale: float | None = None

    def transform(self) -> PowerTransform:
        """The transform of a matrix of this column alone."""
        power, location, scale = (np.array([value], dtype=np.float64) for value in vars(self).values())
        return PowerTransform(power, location, scale)


def likeliest_power(x: Array, R: Memberships, given: Power = Power()) -> Power:  # noqa: B008 - it is frozen
    """The likeliest parameters of a column x (n,), of those that are not given.

    Its rows are Gaussian within their groups once they are transformed; groups have their own means and variances.
    Locations that are tried are the least, the middle and the largest value.
    """
    rows = _Rows.of(x, R)
    if rows is None:
        location = float(x[np.isfinite(x)][0]) if np.isfinite(x).any() else 0.0
        return Power(*(default if own is None else own
                       for own, default in zip(vars(given).values(), (1.0, location, 1.0), strict=True)))  # fmt: skip
    values = rows.x
    ends = (values.min(), np.median(values), values.max())
    locations = ends if given.location is None else (given.location,)
    powers = (0.0, 0.5, 1.0, 1.5, 2.0) if given.power is None else (given.power,)
    tried = []
    for location in locations:
        distances = np.abs(values - location)
        unit = float(np.median(distances)) or float(distances.mean())
        scales = unit * SCALES if given.scale is None else (given.scale,)
        tried += [Power(*one) for one in product(powers, (float(location),), map(float, scales))]
    best = max(tried, key=rows.log_likelihood)
    if given.power is not None:
        return best
    near = optimize.minimize_scalar(
        lambda power: -rows.log_likelihood(Power(float(power), best.location, best.scale)),
        bounds=(max(0.0, best.power - 0.5), min(2.0, best.power + 0.5)),  # type: ignore[operator]
        method="bounded",
        options={"xatol": 1e-3},
    )
    found = Power(float(near.x), best.location, best.scale)
    return max(best, found, key=rows.log_likelihood)


@dataclass(frozen=True)
class _Rows:
    """Cells of a column with their groups and weights."""

    x: Array
    codes: NDArray[np.int32]
    w: Array
    groups: int

    @classmethod
    def of(cls, x: Array, R: Memberships) -> "_Rows | None":
        """Cells that are there, at most `MOST_ROWS` of them; None where they don't vary."""
        codes, w = codes_and_weights(R, len(x))
        rows = np.flatnonzero(np.isfinite(x) & (codes >= 0) & (w > 0))
        if len(rows) > MOST_ROWS:
            rows = np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False)
        if not len(rows) or not np.ptp(x[rows]) > 0:
            return None
        return cls(x[rows], codes[rows], w[rows], group_count(R))

    def log_likelihood(self, power: Power) -> float:
        """Profile log-likelihood of a transform, means and variances being those of the groups.

        A prior as that of `Gaussian` keeps the variance of a group from being zero.
        """
        transform = power.transform()
        y = transform.forward(self.x[:, None])[:, 0]
        y = y - np.average(y, weights=self.w)
        weight, total = (np.bincount(self.codes, weights=part, minlength=self.groups) for part in (self.w, self.w * y))
        off = y - (total / np.maximum(weight, 1e-300))[self.codes]
        scatter = np.bincount(self.codes, weights=self.w * off**2, minlength=self.groups)
        whole = np.average(y**2, weights=self.w)
        variances = (scatter + whole / self.groups**2) / (weight + 3.0)
        slopes = transform.log_slope(self.x[:, None])[:, 0]
        return float(self.w @ slopes - 0.5 * weight @ np.log(variances))


def codes_and_weights(R: Memberships, n: int) -> tuple[NDArray[np.int32], Array]:
    """Group of each of n rows (that of its largest membership) and its weight."""
    if isinstance(R, Labels):
        return R.codes, np.ones(n) if R.weights is None else R.weights
    if R is None or R.ndim == 1:
        return np.zeros(n, dtype=np.int32), np.ones(n) if R is None else R
    return R.argmax(axis=1).astype(np.int32), R.sum(axis=1)
