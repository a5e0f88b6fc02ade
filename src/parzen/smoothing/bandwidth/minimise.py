"""Minimising a criterion of a bandwidth: of one number on a grid and by Brent, of a matrix by Nelder and Mead."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.matrix import factor_of
from parzen.smoothing.bandwidth.points import Points, Rounded, warn
from parzen.smoothing.bandwidth.thumb import scott, silverman


def local_minima(grid: Array, values: Array, rounding: float) -> NDArray[np.intp]:
    """Places on a rising grid, above the rounding of the rows, at which values are less than on either side."""
    inner = (values[1:-1] < values[:-2]) & (values[1:-1] < values[2:]) & (grid[1:-1] > rounding)
    return 1 + np.flatnonzero(inner)


def minimum(
    criterion: Callable[[float], float],
    grid: Array,
    rule: str,
    values: Array | None = None,
    unit: str = "",
    points: Points | None = None,
    rounding: float = 0.0,
) -> float:
    """The largest local minimiser of a criterion of one number: on a rising grid, then by Brent's method.

    Where rows are rounded, and so equal, criteria of cross-validation fall without bound as the bandwidth goes to zero:
    what lies below the `rounding` is no candidate. Of several local minima the largest has the least error on average
    (Hall and Marron 1991), and is least disturbed by rounding. Warnings tell bandwidths of `points` in the units of the
    rows as they came.
    """
    from scipy import optimize

    shown = grid if points is None else [points.restored(h) for h in grid]
    values = np.array([criterion(float(h)) for h in grid]) if values is None else values
    values[~np.isfinite(values)] = np.inf
    minima = local_minima(grid, values, rounding)
    if not len(minima):
        return float(grid[_end(values, shown, rule, unit, rounding)])
    if len(minima) > 1:
        near = ", ".join(f"{shown[i]:.4g}" for i in minima)
        warn(f"the criterion of the rule {rule!r} has several minima, near {near}{unit}; the largest was taken.")
    found = optimize.minimize_scalar(
        lambda t: criterion(float(np.exp(t))),
        bracket=tuple(np.log(grid[minima[-1] - 1 : minima[-1] + 2])),
        method="brent",
        options={"xtol": 1e-9},
    )
    return float(np.exp(found.x))


def _end(values: Array, shown: Any, rule: str, unit: str, rounding: float) -> int:
    """The end of a grid without a local minimum at which a criterion is least, and a warning that says so."""
    best = -1 if int(np.argmin(values)) == len(values) - 1 else 0
    if best == 0 and rounding > 0:
        raise Rounded("rows are equal, as rounded numbers are, and its criterion has no minimum above their rounding")
    end, cause = (
        ("lower", "the rows lie in narrow clusters") if best == 0 else ("upper", "the data determine it poorly")
    )
    instead = "'silverman'" if unit else "'silverman' or 'isj'"
    warn(
        f"the criterion of the rule {rule!r} is least at the {end} end of the bandwidths tried, "
        f"{shown[best]:.6g}{unit}: {cause}. Use {instead}, or give bandwidth a number."
    )
    return best


def search(
    points: Points,
    criterion: Callable[[Array], float],
    covariance: str | None,
    rule: str,
    several: Callable[[Array, Array], Array] | None = None,
) -> Array:
    """The matrix H at which a criterion of its factor is least: a multiple of Scott's H, then every free entry.

    `several` gives the criterion of many multiples of a factor at once.
    """
    from scipy import optimize

    d = points.X.shape[1]
    shape = covariance or ("full" if d <= 3 else "scaled")
    base = factor_of(scott(points, covariance=shape))
    grid = 2.0 ** np.arange(-3.5, 2.01, 0.25)
    values = None if several is None else several(base, grid)
    unit = " times Scott's bandwidth"
    try:
        rounding = _rounding(points, base)
        best = minimum(lambda s: criterion(s * base), grid, rule, values, unit, rounding=rounding) * base
    except Rounded as reason:
        warn(f"the rule {rule!r} found no bandwidth: {reason}. Silverman's rule was used.")
        return np.asarray(silverman(points, covariance=shape), dtype=np.float64)
    if shape == "scaled":
        return best @ best.T
    rows, columns = np.diag_indices(d) if shape == "diag" else np.tril_indices(d)
    on = rows == columns

    def moved(theta: Array) -> Array:
        step = np.zeros((d, d))
        step[rows, columns] = np.where(on, np.exp(theta), theta)
        return best @ step

    # A factor 8 either way, so that equal rows can't shrink H to zero.
    scale = abs(criterion(best)) or 1.0
    found = optimize.minimize(
        lambda theta: criterion(moved(theta)) / scale,
        np.zeros(len(rows)),
        method="Nelder-Mead",
        bounds=[(-2.08, 2.08)] * len(rows),
        options={
            "xatol": 1e-4,
            "fatol": 1e-9,
            "maxfev": 120 * len(rows),
            "initial_simplex": np.vstack([np.zeros(len(rows)), 0.2 * np.eye(len(rows))]),
        },
    )
    factor = moved(found.x)
    if _rounding(points, factor) > 1:
        warn(
            f"the criterion of the rule {rule!r} has no minimum above the rounding of the rows, many of them equal; "
            "a multiple of Scott's bandwidth was used."
        )
        return best @ best.T
    if (np.abs(found.x[on]) > 2.07).any():
        warn(
            f"the criterion of the rule {rule!r} is least at the end of the bandwidths tried: the data determine it "
            "poorly. Use 'silverman', or give bandwidth a number."
        )
    return factor @ factor.T


def _rounding(points: Points, factor: Array) -> float:
    """Of equal rows, the multiple of a bandwidth below which it is less than the rounding of every column; else 0."""
    if not points.tied:
        return 0.0
    units = np.array([points.column(j).rounding for j in range(len(factor))])
    return float((units / np.sqrt((factor**2).sum(axis=1))).min())
