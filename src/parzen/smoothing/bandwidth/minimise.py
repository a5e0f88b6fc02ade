"""Minimising a criterion of a bandwidth: of one number on a grid and by Brent, of a matrix by Nelder and Mead."""

from collections.abc import Callable

import numpy as np
from scipy import optimize

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.matrix import factor_of
from parzen.smoothing.bandwidth.points import Points, warn
from parzen.smoothing.bandwidth.thumb import scott


def minimum(
    criterion: Callable[[float], float],
    grid: Array,
    rule: str,
    values: Array | None = None,
    unit: str = "",
    points: Points | None = None,
) -> float:
    """The minimum of a criterion of one number: the least value on a rising grid, refined by Brent's method.

    Warnings tell bandwidths of `points` in the units of the rows as they came.
    """
    shown = grid if points is None else [points.restored(h) for h in grid]
    values = np.array([criterion(float(h)) for h in grid]) if values is None else values
    values[~np.isfinite(values)] = np.inf
    best = int(np.argmin(values))
    inner = (values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])
    if best in (0, len(grid) - 1):
        end, cause = ("lower", "many rows are equal") if best == 0 else ("upper", "the data determine it poorly")
        instead = "'silverman'" if unit else "'silverman' or 'isj'"
        warn(
            f"the criterion of the rule {rule!r} is least at the {end} end of the bandwidths tried, "
            f"{shown[best]:.6g}{unit}: {cause}. Use {instead}, or give bandwidth a number."
        )
        return float(grid[best])
    if int(inner.sum()) > 1:
        minima = ", ".join(f"{shown[1 + i]:.4g}" for i in np.flatnonzero(inner))
        warn(f"the criterion of the rule {rule!r} has several minima, near {minima}{unit}; the least was taken.")
    found = optimize.minimize_scalar(
        lambda t: criterion(float(np.exp(t))),
        bracket=tuple(np.log(grid[best - 1 : best + 2])),
        method="brent",
        options={"xtol": 1e-9},
    )
    return float(np.exp(found.x))


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
    d = points.X.shape[1]
    shape = covariance or ("full" if d <= 3 else "scaled")
    base = factor_of(scott(points, covariance=shape))
    grid = 2.0 ** np.arange(-3.5, 2.01, 0.25)
    values = None if several is None else several(base, grid)
    unit = " times Scott's bandwidth"
    best = minimum(lambda s: criterion(s * base), grid, rule, values, unit) * base
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
    if (np.abs(found.x[on]) > 2.07).any():
        warn(
            f"the criterion of the rule {rule!r} is least at the end of the bandwidths tried, as with many equal rows. "
            "Use 'silverman', or give bandwidth a number."
        )
    factor = moved(found.x)
    return factor @ factor.T
