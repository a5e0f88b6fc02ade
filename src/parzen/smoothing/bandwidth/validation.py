"""Cross-validation: least squares and leave-one-out likelihood, in one and several columns."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import optimize
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import RUNGS
from parzen.smoothing.bandwidth.line import fallback
from parzen.smoothing.bandwidth.points import Points, TooWide, asked, factor_of, warn
from parzen.smoothing.bandwidth.spectrum import Spectrum
from parzen.smoothing.bandwidth.thumb import by_scott
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.sums import KernelSum, without_each


def lscv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Least-squares (unbiased) cross-validation over all pairs: the least estimated integrated squared error.

    ``integral f^2 - 2 / n sum_i f_without_i(x_i)``: R's ``bw.ucv`` in one column (which divides the second sum by n^2),
    ks's ``Hlscv`` in several (by n (n - 1)). The criterion often has several minima: the least on a fine grid is taken;
    where it lies at the grid's lower end (many ties), a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.lscv(np.random.default_rng(0).normal(size=500)), 3)
    0.351
    """
    return asked(by_lscv, X, sample_weight, covariance)


def by_lscv(points: Points, covariance: str | None) -> Any:
    """The bandwidth h, or H, of least-squares cross-validation."""
    own = points.own
    if points.X.shape[1] == 1:
        return _line(points)

    def several(factor: Array) -> float:
        wide, narrow = (pair_mean(points, s * factor) for s in (np.sqrt(2.0), 1.0))
        peak = own * np.exp(log_peak(factor))
        return wide - 2.0 * (narrow - peak) / (1.0 - own)

    return search(points, several, covariance, "lscv")


def _line(points: Points) -> float:
    """Least squares in one column; rows in narrow clusters have bandwidths far below what their spread suggests."""
    peak, upper = points.own / np.sqrt(2 * np.pi), 1.144 * points.deviation * points.n**-0.2
    found: Any = None
    for lower in (1e-2, 1e-3, 1e-4):
        grid = upper * np.geomspace(lower, 2.0, int(-42 * np.log10(lower) + 12))
        try:
            spectrum = Spectrum.of(points, float(grid[0]), float(np.sqrt(2.0) * grid[-1]))
        except TooWide as reason:
            if found is None:
                return fallback(points, "lscv", str(reason))
            break

        def criterion(h: float, spectrum: Spectrum = spectrum) -> float:
            return spectrum.pairs(np.sqrt(2.0) * h) - 2.0 * (spectrum.pairs(h) - peak / h)

        values = np.array([criterion(float(h)) for h in grid])
        found = (criterion, grid, "lscv", values)
        if np.argmin(values) > 0:
            break
    return minimum(*found)


def lcv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Leave-one-out likelihood: the greatest product of densities of rows, each without itself.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.lcv(np.random.default_rng(0).normal(size=500)), 3)
    0.304
    """
    return asked(by_lcv, X, sample_weight, covariance)


def by_lcv(points: Points, covariance: str | None) -> Any:
    """The bandwidth h, or H, of greatest leave-one-out likelihood."""
    if points.X.shape[1] == 1:
        grid = 1.144 * points.deviation * points.n**-0.2 * np.geomspace(0.05, 4.0, 24)
        return minimum(lambda h: -_likelihood(points, np.array([[h]])), grid, "lcv")
    return search(
        points,
        lambda factor: -_likelihood(points, factor),
        covariance,
        "lcv",
        lambda base, multiples: -_likelihoods(points, base, multiples),
    )


def leave_one_out(X: Any, bandwidths: Any, sample_weight: Any = None) -> Array:
    """Mean leave-one-out log-likelihood of rows for each of several bandwidths of a Gaussian kernel.

    Parameters
    ----------
    X : rows (n,) or (n, d)
    bandwidths : array of numbers; where they fall by a factor 2^(1/2) or 2^(1/4), one exponential serves many of them

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> x = np.random.default_rng(0).normal(size=(500, 2))
    >>> bandwidth.leave_one_out(x, [0.1, 0.4, 1.6]).round(3)
    array([-3.592, -2.832, -3.365])
    """
    points = Points.of(X, sample_weight)
    h = np.asarray(bandwidths, dtype=np.float64)
    if h.ndim != 1 or not (np.isfinite(h).all() and (h > 0).all()):
        raise ValueError(f"bandwidths must be finite numbers above 0, got {bandwidths!r}.")
    return _likelihoods(points, np.eye(points.X.shape[1]), h)


def _likelihoods(points: Points, factor: Array, multiples: Array) -> Array:
    """Leave-one-out likelihoods of multiples of a bandwidth; those that fall by sqrt(2) are found together."""
    out = np.full(len(multiples), np.nan)
    if points.X.shape[1] > 2:
        octaves = np.log2(multiples)
        for first in np.argsort(-multiples):
            steps = 2.0 * (octaves[first] - octaves)
            rung = np.round(steps)
            chain = np.flatnonzero(np.isnan(out) & (np.abs(steps - rung) < 1e-9) & (rung >= 0) & (rung < RUNGS))
            if np.isnan(out[first]) and len(chain) > 1:
                out[chain] = _ladder(points, multiples[first] * factor)[rung[chain].astype(int)]
    rest = np.flatnonzero(np.isnan(out))
    out[rest] = [_likelihood(points, multiples[i] * factor) for i in rest]
    return out


def _ladder(points: Points, factor: Array) -> Array:
    """Likelihoods of a bandwidth and those below it, by sqrt(2) each."""
    left, rest = _without_each(points)
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], standard(points, factor), points.weights)
    logs = sums.ladder(left)
    for rung in range(RUNGS):
        # Rows so far from the others that the ladder can't see them.
        far = np.flatnonzero(np.isneginf(logs[:, rung]))
        if len(far):
            narrow = replace(sums, units=np.full(len(factor), 2.0 ** (-0.5 * rung)))
            logs[far, rung] = narrow.log(sums.points[far], far, left[far])
    peaks = log_peak(factor) + 0.5 * len(factor) * np.log(2.0) * np.arange(RUNGS)
    return points.share @ (logs - np.log(rest)[:, None]) + peaks


def _without_each(points: Points) -> tuple[Array, Array]:
    """What is left of each row's weight when it is left out, and of all rows' weights."""
    left, rest = without_each(points.w)
    if not (rest > 0).all():
        raise ValueError("leaving one row out leaves none; give more rows, or a number as the bandwidth.")
    return left, rest


def _likelihood(points: Points, factor: Array) -> float:
    """Weighted mean of the leave-one-out log-densities."""
    left, rest = _without_each(points)
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], standard(points, factor), points.weights, rtol=1e-9)
    values = sums.log(sums.points, np.arange(len(left)), left) - np.log(rest) + log_peak(factor)
    return float(points.share @ values)


def pair_mean(points: Points, factor: Array) -> float:
    """Mean over all pairs, each row with itself too, of a Gaussian kernel."""
    sums = KernelSum(KERNEL_FUNCTIONS["gaussian"], standard(points, factor), points.share, rtol=1e-9)
    return float(points.share @ np.exp(sums.log(sums.points) + log_peak(factor)))


def standard(points: Points, factor: Array) -> Array:
    """Rows in units of a factor of H."""
    off = points.X - points.X[0]
    return np.ascontiguousarray(solve_triangular(factor, off.T, lower=True).T)


def log_peak(factor: Array) -> float:
    """Logarithm of a Gaussian kernel's height."""
    return float(-0.5 * len(factor) * np.log(2 * np.pi) - np.log(np.abs(np.diagonal(factor))).sum())


def minimum(
    criterion: Callable[[float], float], grid: Array, rule: str, values: Array | None = None, unit: str = ""
) -> float:
    """Where a criterion of one number is least: its least value on a rising grid, then Brent."""
    values = np.array([criterion(float(h)) for h in grid]) if values is None else values
    values[~np.isfinite(values)] = np.inf
    best = int(np.argmin(values))
    inner = (values[1:-1] < values[:-2]) & (values[1:-1] < values[2:])
    if best in (0, len(grid) - 1):
        end, cause = ("lower", "many rows are equal") if best == 0 else ("upper", "the data say little")
        instead = "'silverman'" if unit else "'silverman' or 'isj'"
        warn(
            f"the criterion of the rule {rule!r} is least at the {end} end of what was tried, {grid[best]:.6g}{unit}: "
            f"{cause}. Use {instead}, or give bandwidth a number."
        )
        return float(grid[best])
    if int(inner.sum()) > 1:
        places = ", ".join(f"{h:.4g}" for h in grid[1:-1][inner])
        warn(f"the criterion of the rule {rule!r} has several minima, near {places}{unit}; the least was taken.")
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
    """H where a criterion of its factor is least: first a multiple of Scott's H, then every free entry.

    `several` gives the criterion of many multiples of a factor at once.
    """
    d = points.X.shape[1]
    shape = covariance or ("full" if d <= 3 else "scaled")
    base = factor_of(by_scott(points, shape))
    grid = 2.0 ** np.arange(-3.5, 2.01, 0.25)
    values = None if several is None else several(base, grid)
    unit = " times Scott's bandwidth"
    best = minimum(lambda s: criterion(s * base), grid, rule, values, unit) * base
    if shape == "scaled":
        return best @ best.T
    rows, columns = np.diag_indices(d) if shape == "diagonal" else np.tril_indices(d)
    on = rows == columns

    def moved(theta: Array) -> Array:
        step = np.zeros((d, d))
        step[rows, columns] = np.where(on, np.exp(theta), theta)
        return best @ step

    # A factor 8 either way, so that equal rows can't draw H to nothing.
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
            f"the criterion of the rule {rule!r} is least at the end of what was tried, as with many equal rows. Use "
            "'silverman', or give bandwidth a number."
        )
    factor = moved(found.x)
    return factor @ factor.T
