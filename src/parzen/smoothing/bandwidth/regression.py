"""Choosing the bandwidths of a regression or of a conditional density: one number for each column."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.points import warn
from parzen.smoothing.categories import Category

#: Most rows that are asked where to begin.
FEW = 2000
#: Powers of two that rules of thumb are multiplied by to begin with, as far as bandwidths may be.
OCTAVES = np.arange(-4.0, 20.01, 0.5)

#: Most bandwidths that are tried once a start is known.
MOST = 400
#: A criterion that is no number: larger than any, but still one that can be compared.
NOTHING = 1e300

Criterion = Callable[[Array], float]


@dataclass(frozen=True, eq=False)
class RegressionColumns:
    """What a bandwidth of each column may be.

    Attributes
    ----------
    deviation : array of shape (d,)
        Spread of each column of numbers; 0 where it is constant.
    reach : array of shape (d,)
        From its least to its largest.
    kinds : tuple of e `Category`
    widen : float
        How much wider the kernel's bandwidths are than a Gaussian's.
    """

    deviation: Array
    reach: Array
    kinds: tuple[Category, ...] = ()
    widen: float = 1.0

    @classmethod
    def of(
        cls, X: Array, kinds: tuple[Category, ...] = (), weights: Array | None = None, widen: float = 1.0
    ) -> "RegressionColumns":
        """The columns of rows."""
        if not X.shape[1]:
            return cls(np.zeros(0), np.zeros(0), kinds, widen)
        off = X - X[0]
        middle = np.average(off, axis=0, weights=weights)
        deviation = np.sqrt(np.average((off - middle) ** 2, axis=0, weights=weights))
        reach = np.ptp(X, axis=0)
        return cls(np.where(reach > 0, deviation, 0.0), reach, kinds, widen)

    def thumb(self, n: float) -> Array:
        """Bandwidths by a rule of thumb for n rows: the normal reference, and its rate for categories."""
        d = max(len(self.deviation), 1)
        h = np.where(self.deviation > 0, 1.06 * self.widen * self.deviation * n ** (-1.0 / (4 + d)), 1.0)
        return np.append(h, [kind.most * n ** (-2.0 / (4 + d)) for kind in self.kinds])

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which columns say anything: a constant one has any bandwidth."""
        return np.append(self.deviation > 0, [kind.size > 1 for kind in self.kinds]).astype(bool)


def search(
    columns: RegressionColumns,
    n: float,
    criterion: Criterion,
    begin: Criterion | None = None,
    rows: float | None = None,
    widest: bool = True,
) -> Array:
    """The bandwidths at which a criterion is least.

    First all columns are moved together over a wide range, so that no local minimum near a bad start is taken; then
    each on its own (Nelder and Mead). The start may be looked for among fewer rows, whose bandwidths are wider.

    Parameters
    ----------
    n : how many rows there are
    begin, rows : the criterion among fewer rows, and how many these are
    widest : whether a bandwidth without end is an answer, as for a column that says nothing
    """
    free, d = columns.free, len(columns.deviation)
    if not free.any():
        return columns.thumb(n)
    few = begin is not None and rows is not None
    first, count = (begin, rows) if begin is not None and rows is not None else (criterion, n)
    scale = _Scale(columns, columns.thumb(count))
    starts = [scale.moved(octave, share) for share in scale.shares for octave in scale.octaves]
    values = np.array([_number(first(scale.bandwidth(theta))) for theta in starts])
    at = starts[int(np.argmin(values))]
    if few:
        # What fewer rows find best, and the best of their other minima, are asked of all rows.
        asked = [at] if int(free.sum()) == 1 else [_descended(scale, at, first, 0.5, 0.05)[0]]
        asked += [starts[i] for i in _minima(values)[:3]]
        scale = _Scale(columns, columns.thumb(n))
        at = min(asked, key=lambda theta: _number(criterion(scale.bandwidth(theta))))
    theta, value = _descended(scale, at, criterion, 0.25, 0.005)
    if value >= NOTHING:
        warn(
            f"the criterion has no value at any bandwidth: {n:g} rows are too few for it. The rule of thumb was taken; "
            "give more rows, or bandwidth a number."
        )
        return columns.thumb(n)
    found = scale.bandwidth(theta)
    low, high = scale.ends
    at_low = free[:d] & (theta[:d] <= low[:d] + 0.01)
    at_high = free[:d] & (theta[:d] >= high[:d] - 0.01)
    if at_low.any() or (at_high.any() and not widest):
        end = "lower" if at_low.any() else "upper"
        warn(
            f"the criterion is least at the {end} end of the bandwidths tried, {np.round(found, 6).tolist()}: "
            "many rows are equal, or the data say little. Use the rule 'silverman', or give bandwidth a number."
        )
    return found


def _minima(values: Array) -> NDArray[np.intp]:
    """Where values along a line are not above their neighbours, the lowest first."""
    padded = np.concatenate([[np.inf], values, [np.inf]])
    found = np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:]))
    return found[np.argsort(values[found], kind="stable")]


def _number(value: float) -> float:
    """A criterion to twelve digits, so that rounding chooses no way."""
    return float(f"{value:.12g}") if np.isfinite(value) else NOTHING


class _Scale:
    """Bandwidths as numbers without units: octaves of a rule of thumb, and shares of the widest of categories."""

    def __init__(self, columns: RegressionColumns, thumb: Array) -> None:
        self.thumb, self.d = thumb, len(columns.deviation)
        self.free = columns.free
        self.most = np.array([kind.most for kind in columns.kinds])
        wide = np.where(columns.reach > 0, np.log2(np.maximum(20.0 * columns.reach / thumb[: self.d], 2.0**5)), 5.0)
        self.ends = (
            np.append(np.full(self.d, -8.0), np.zeros(len(self.most))),
            np.append(wide, np.ones(len(self.most))),
        )

    @property
    def octaves(self) -> Array:
        """Where all columns of numbers begin."""
        if not self.d or not self.free[: self.d].any():
            return np.zeros(1)
        widest = float(self.ends[1][: self.d][self.free[: self.d]].max())
        return np.append(OCTAVES[widest > OCTAVES], widest)

    @property
    def shares(self) -> tuple[float, ...]:
        """Where all columns of categories begin."""
        return (0.02, 0.2, 0.7) if self.free[self.d :].any() else (0.2,)

    def moved(self, octave: float, share: float) -> Array:
        """A place, the same for all columns."""
        return np.append(np.full(self.d, octave), np.full(len(self.most), share))

    def bandwidth(self, theta: Array) -> Array:
        """The bandwidths of a place."""
        inside = np.clip(theta, *self.ends)
        return np.append(self.thumb[: self.d] * 2.0 ** inside[: self.d], self.most * inside[self.d :])


def _descended(scale: _Scale, begin: Array, criterion: Criterion, step: float, near: float) -> tuple[Array, float]:
    """Where the criterion is least around a place."""
    free = np.flatnonzero(scale.free)

    def at(part: Array) -> float:
        theta = begin.copy()
        theta[free] = part
        return _number(criterion(scale.bandwidth(theta)))

    low, high = (end[free] for end in scale.ends)
    if len(free) == 1 and free[0] < scale.d:
        a, b = max(low[0], begin[free[0]] - 2 * step), min(high[0], begin[free[0]] + 2 * step)
        found = optimize.minimize_scalar(
            lambda t: at(np.array([t])), bounds=(a, b), method="bounded", options={"xatol": 0.2 * near}
        )
        best, value = np.array([found.x]), float(found.fun)
        edges = [(at(np.array([end])), end) for end in (low[0], high[0]) if end in (a, b)]
        for other, end in edges:
            if other < value:
                best, value = np.array([end]), other
    else:
        steps = np.where(free < scale.d, step, 0.15)
        corner = np.clip(begin[free], low, high)
        steps = np.where(corner + steps > high, -steps, steps)
        found = optimize.minimize(
            at,
            corner,
            method="Nelder-Mead",
            bounds=np.column_stack([low, high]),
            options={
                "xatol": near,
                "fatol": 1e-7,
                "maxfev": min(80 * len(free), MOST),
                "initial_simplex": corner + np.vstack([np.zeros(len(free)), np.diag(steps)]),
            },
        )
        best, value = found.x, float(found.fun)
    theta = begin.copy()
    theta[free] = best
    return theta, value
