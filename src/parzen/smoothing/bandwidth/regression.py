"""Choosing the bandwidths of a regression or of a conditional density by minimising a criterion."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.points import warn
from parzen.smoothing.bandwidth.regression_columns import BandwidthScale, RegressionColumns

#: Rows of a subsample in which the search starts.
FEW = 2000
#: Most bandwidths that are tried from a start.
MOST = 400
#: Stands for a criterion that is not finite: larger than any other, and comparable.
NOTHING = 1e300

Criterion = Callable[[Array], float]


def search(
    columns: RegressionColumns,
    n: float,
    criterion: Criterion,
    begin: Criterion | None = None,
    rows: float | None = None,
    widest: bool = True,
) -> Array:
    """The bandwidths at which a criterion is least.

    First all columns are varied together over a wide range, to avoid a local minimum near a bad start; then each on its
    own (Nelder and Mead). The start may be found on fewer rows, whose bandwidths are wider.

    Parameters
    ----------
    n : effective number of rows
    begin, rows : the criterion on fewer rows, and their number
    widest : whether an unbounded bandwidth is a valid result, as for a column that is irrelevant
    """
    free, d = columns.free, len(columns.deviation)
    if not free.any():
        return columns.thumb(n)
    few = begin is not None and rows is not None
    first, count = (begin, rows) if begin is not None and rows is not None else (criterion, n)
    scale = BandwidthScale(columns, columns.thumb(count))
    starts = [scale.start(octave, fraction) for fraction in scale.fractions for octave in scale.octaves]
    values = np.array([_number(first(scale.bandwidth(theta))) for theta in starts])
    at = starts[int(np.argmin(values))]
    if few:
        # The criterion on all rows chooses among the best local minima of the criterion on fewer rows.
        asked = [at] if int(free.sum()) == 1 else [_descended(scale, at, first, 0.5, 0.05)[0]]
        asked += [starts[i] for i in _minima(values)[:3]]
        scale = BandwidthScale(columns, columns.thumb(n))
        at = min(asked, key=lambda theta: _number(criterion(scale.bandwidth(theta))))
    theta, value = _descended(scale, at, criterion, 0.25, 0.005)
    if value >= NOTHING:
        warn(
            f"the criterion is not finite at any bandwidth: {n:g} rows are too few for it. The rule of thumb was used; "
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
            "many rows are equal, or the data determine it poorly. Use 'silverman', or give bandwidth a number."
        )
    return found


def _minima(values: Array) -> NDArray[np.intp]:
    """Indices of the local minima of values along a line, the lowest first."""
    padded = np.concatenate([[np.inf], values, [np.inf]])
    found = np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:]))
    return found[np.argsort(values[found], kind="stable")]


def _number(value: float) -> float:
    """A criterion rounded to twelve digits, so that the search does not depend on rounding."""
    return float(f"{value:.12g}") if np.isfinite(value) else NOTHING


def _descended(
    scale: BandwidthScale, begin: Array, criterion: Criterion, step: float, near: float
) -> tuple[Array, float]:
    """The minimum of the criterion near a start, and its value."""
    from scipy import optimize

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
