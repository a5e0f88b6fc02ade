"""Choosing the bandwidth: rules of thumb, plug-in and cross-validation, each equivariant to shift and scale.

Every rule takes rows (n,) or (n, d) and weights, and gives the standard deviation h of a Gaussian kernel for one
column, the bandwidth matrix H (in squared units, as a covariance) for several. Whole weights count rows; other weights
say how much a row matters, and their effective number is Kish's, (sum w)^2 / sum w^2.

In one column all sums over pairs are sums over frequencies: with Phi(k) = sum_j w_j exp(i k x_j),
``sum_ij w_i w_j g(x_i - x_j) = 1/(2 pi) integral |Phi(k)|^2 G(k) dk`` for a kernel g with transform G. Phi is computed
once, exactly to rounding, from Chebyshev moments of cells; after that a bandwidth costs a few thousand products.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from scipy import fft, optimize, special
from scipy.linalg import solve_triangular

from parzen.kernels.arrays import Array, ColumnError
from parzen.kernels.windows import RUNGS, Lattice
from parzen.profiles import PROFILES
from parzen.summation import WindowSum, gathered

__all__ = [
    "BandwidthWarning",
    "choose",
    "isj",
    "lcv",
    "leave_one_out",
    "lscv",
    "plug_in",
    "scott",
    "scv",
    "silverman",
    "sj",
]

#: How H may be shaped in several columns.
SHAPES = ("scaled", "diagonal", "full")


class BandwidthWarning(UserWarning):
    """A bandwidth was found, but the criterion left doubts: it is worth a look."""


class Dependent(ValueError):
    """Columns are linear functions of each other."""


class TooWide(ValueError):
    """Rows spread over so many bandwidths that frequencies don't pay."""


# The sample ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Points:
    """Rows and weights that a bandwidth is chosen for, with what every rule asks of them."""

    X: Array
    weights: Array | None = None

    @classmethod
    def of(cls, X: Any, sample_weight: Any = None) -> "Points":
        """Rows (n,) or (n, d), checked."""
        X = np.asarray(X, dtype=np.float64)
        X = X[:, None] if X.ndim == 1 else X
        if X.ndim != 2 or not X.size:
            raise ValueError(f"X must have shape (n,) or (n, d), with at least one row, got {X.shape}.")
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if w is not None:
            if w.shape != (len(X),) or not (np.isfinite(w).all() and (w >= 0).all()):
                raise ValueError(f"sample_weight must be {len(X)} finite numbers, none negative, got shape {w.shape}.")
            if not w.any():
                raise ValueError("sample_weight is zero for every row; at least one must weigh something.")
            X, w = X[w > 0], w[w > 0]
        points = cls(np.ascontiguousarray(X), None if w is None or (w == 1.0).all() else w)
        points._check_spread()
        return points

    @cached_property
    def w(self) -> Array:
        """Weights, one for each row."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @cached_property
    def low(self) -> Array:
        """Least of each column."""
        return self.X.min(axis=0)

    @cached_property
    def high(self) -> Array:
        """Largest of each column."""
        return self.X.max(axis=0)

    def _check_spread(self) -> None:
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ValueError("X holds a NaN or an infinity; leave out such rows, or fill the cells first.")
        for j in range(self.X.shape[1]):
            if not self.high[j] > self.low[j]:
                if len(self.X) == 1:
                    raise ColumnError(
                        "one row (n_samples = 1) has no spread, so no bandwidth follows; give bandwidth a number."
                    )
                raise ColumnError(
                    "column {column} is constant, so no bandwidth follows from it; leave it out, or give bandwidth a "
                    "number for each column.",
                    j,
                )

    @cached_property
    def counted(self) -> bool:
        """Whether weights count rows."""
        return self.weights is None or bool((self.weights == np.floor(self.weights)).all())

    @cached_property
    def n(self) -> float:
        """Number of rows that the weights are worth."""
        if self.weights is None:
            return float(len(self.X))
        return float(self.w.sum()) if self.counted else float(self.w.sum() ** 2 / (self.w**2).sum())

    @cached_property
    def w_total(self) -> float:
        """Sum of the weights."""
        return float(len(self.X)) if self.weights is None else float(self.weights.sum())

    @cached_property
    def share(self) -> Array:
        """Weights that add to one."""
        return self.w / self.w.sum()

    @cached_property
    def own(self) -> float:
        """Sum of squared shares, each of a row with itself: 1 / n."""
        return 1.0 / self.n

    @cached_property
    def covariance(self) -> Array:
        """Covariance, with n - 1 in the denominator."""
        if self.weights is None and self.X.shape[1] == 1:
            return np.array([[np.var(self.X[:, 0], ddof=1)]])
        off = self.X - self.X[0]
        off = off - self.share @ off
        return (off * self.share[:, None]).T @ off / max(1.0 - self.own, 2.0**-52)

    def column(self, j: int) -> "Points":
        """One column alone."""
        return Points(np.ascontiguousarray(self.X[:, j : j + 1]), self.weights)

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of the only column."""
        return float(np.sqrt(self.covariance[0, 0]))

    def quantiles(self, levels: tuple[float, ...]) -> Array:
        """Quantiles of the only column, as NumPy and R define them for rows repeated by whole weights."""
        x = self.X[:, 0]
        if self.weights is None:
            return np.quantile(x, levels)
        order = np.argsort(x, kind="stable")
        x, reach = x[order], np.cumsum(self.w[order])
        if self.counted:
            place = np.asarray(levels) * (reach[-1] - 1)
            low, high = (
                x[np.minimum(np.searchsorted(reach, np.floor(place) + step, side="right"), len(x) - 1)]
                for step in (0, 1)
            )
            return low + (place - np.floor(place)) * (high - low)
        middle = (reach - 0.5 * self.w[order]) / reach[-1]
        return np.interp(levels, middle, x)

    def scale(self, unit: float) -> float:
        """Robust deviation: the lesser of the standard deviation and the interquartile range / unit."""
        low, high = self.quantiles((0.25, 0.75))
        return min(self.deviation, (high - low) / unit) if high > low else self.deviation


def choose(rule: str, X: Any, sample_weight: Any = None, covariance: str | None = None) -> Array:
    """Lower triangular factor F of the bandwidth matrix H = F F' that a rule chooses.

    Parameters
    ----------
    rule : one of `RULES`
    X : rows (n,) or (n, d)
    sample_weight : weights (n,)
    covariance : "scaled", "diagonal" or "full"
        How H is shaped where there are several columns: the covariance of the rows times a number; a number for each
        column; any matrix. By default the rule's own.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> bandwidth.choose("sj", x).round(3)
    array([[0.309]])
    """
    check_rule(rule, covariance)
    points = Points.of(X, sample_weight)
    try:
        found = RULES[rule](points, covariance)
        return np.atleast_2d(found) if np.ndim(found) == 0 else _factor(found)
    except Dependent:
        if covariance is not None:
            raise
        _warn(
            "the columns are linearly dependent, so no full bandwidth matrix follows from them; one bandwidth for each "
            "column was taken. Leave a column out, or ask for covariance='diagonal'."
        )
        return _factor(RULES[rule](points, "diagonal"))


def check_rule(rule: str, covariance: str | None) -> None:
    """Raise where there is no such rule, or no such shape."""
    if not isinstance(rule, str) or rule not in RULES:
        raise ValueError(
            f"bandwidth must be a number, an array, or one of {', '.join(map(repr, RULES))}, got {rule!r}."
        )
    check_shape(covariance)


def check_shape(covariance: str | None) -> None:
    """Raise where there is no such shape."""
    if covariance is not None and covariance not in SHAPES:
        raise ValueError(f"covariance must be one of {', '.join(map(repr, SHAPES))} or None, got {covariance!r}.")


def _factor(H: Array) -> Array:
    """Cholesky factor of H, or an error where its columns are dependent, as far as rounding can tell."""
    scale = np.sqrt(np.diagonal(H))
    least = np.linalg.eigvalsh(H / np.outer(scale, scale))[0] if (scale > 0).all() else 0.0
    if not least > 1e-11 * len(H):
        raise Dependent(
            "the columns are linearly dependent, so no full bandwidth matrix follows from them; leave a column out, or "
            "ask for covariance='diagonal'."
        )
    return np.asarray(np.linalg.cholesky(H), dtype=np.float64)


def _public(
    rule: Callable[[Points, str | None], Any], X: Any, sample_weight: Any, covariance: str | None = None
) -> Any:
    check_shape(covariance)
    return rule(Points.of(X, sample_weight), covariance)


# Rules of thumb -----------------------------------------------------------------------------------------------------


def scott(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Scott's rule: the best bandwidth if the density is normal.

    One column: ``1.06 min(sd, IQR / 1.34) n^(-1/5)``, R's ``bw.nrd``. Several: ``n^(-2 / (d + 4))`` times the
    covariance, as in SciPy (diagonal: of each column's variance).

    Examples
    --------
    >>> from parzen import bandwidth
    >>> round(bandwidth.scott([1.0, 2.0, 4.0, 8.0]), 3)
    1.948
    """
    return _public(_scott, X, sample_weight, covariance)


def _scott(points: Points, covariance: str | None) -> Any:
    n, d = points.n, points.X.shape[1]
    if d == 1:
        return float(1.06 * points.scale(1.34) * n**-0.2)
    return n ** (-2.0 / (d + 4)) * _shaped(points, covariance)


def silverman(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Silverman's rule of thumb, with a robust scale.

    One column: ``0.9 min(sd, IQR / 1.34) n^(-1/5)``, R's ``bw.nrd0``. Several: ``(n (d + 2) / 4)^(-2 / (d + 4))`` times
    the covariance of the rows, each column scaled down to its interquartile range where that is less.

    Examples
    --------
    >>> from parzen import bandwidth
    >>> round(bandwidth.silverman([1.0, 2.0, 4.0, 8.0]), 3)
    1.654
    """
    return _public(_silverman, X, sample_weight, covariance)


def _silverman(points: Points, covariance: str | None) -> Any:
    n, d = points.n, points.X.shape[1]
    if d == 1:
        return float(0.9 * points.scale(1.34) * n**-0.2)
    columns = [points.column(j) for j in range(d)]
    robust = np.array([column.scale(1.349) / column.deviation for column in columns])
    return (0.25 * n * (d + 2)) ** (-2.0 / (d + 4)) * _shaped(points, covariance) * np.outer(robust, robust)


def _shaped(points: Points, covariance: str | None) -> Array:
    """The covariance, or its diagonal."""
    return np.diag(np.diag(points.covariance)) if covariance == "diagonal" else points.covariance


# Sums over pairs, by frequencies ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Spectrum:
    """|Phi(k)|^2 of points on a line: all that sums over pairs of Gaussian kernels and their derivatives ask for.

    Attributes
    ----------
    k : array of frequencies, from 0 in equal steps
    squares : array of the same shape
        |Phi|^2, Phi the transform of weights that add to one.
    """

    k: Array
    squares: Array

    @classmethod
    def of(cls, points: Points, least: float, widest: float) -> "Spectrum":
        """For Gaussian kernels with standard deviations from `least` to `widest`.

        By Poisson's summation the sum over frequencies is the sum over pairs and their repetitions, which lie beyond
        the reach of the widest kernel; frequencies end where the narrowest kernel's transform is 1e-17.
        """
        x, low, high = points.X[:, 0], float(points.low[0]), float(points.high[0])
        if high - low > 1e4 * least:
            x = _without_gaps(x, 12.0 * widest)
            low, high = 0.0, float(x.max())
        step = 2 * np.pi / (high - low + 9.5 * widest)
        count = int(np.ceil(8.9 / least / step)) + 1
        if count > MOST_FREQUENCIES:
            raise TooWide("the rows spread over too many bandwidths")
        k = step * np.arange(count, dtype=np.float64)
        found = transform(x, points.weights, k, low)
        return cls(k, (found.real**2 + found.imag**2) / points.w_total**2)

    def pairs(self, s: float, order: int = 0) -> float:
        """Sum over all pairs of the shares times the `order`-th derivative of a Gaussian of deviation s."""
        sign = 1.0 if order % 4 == 0 else -1.0
        end = int(min(len(self.k), (8.9 + 0.4 * order) / s / self.k[1] + 2))  # beyond, less than rounding
        k = self.k[:end]
        terms = self.squares[:end] * np.exp(-0.5 * (s * k) ** 2)
        if order:
            terms = terms * k**order
        return float(sign * k[1] / np.pi * (terms.sum() - 0.5 * terms[0]))


MOST_FREQUENCIES = 2**19


def _without_gaps(x: Array, reach: float) -> Array:
    """Points in which gaps that no kernel bridges are shortened: far outliers then cost no frequencies."""
    order = np.argsort(x, kind="stable")
    gaps = np.diff(x[order])
    moved = np.concatenate([[0.0], np.cumsum(np.minimum(gaps, reach))])
    out = np.empty(len(x))
    out[order] = moved
    return out


def transform(x: Array, w: Array | None, k: Array, origin: float) -> Any:
    """Sum of w_j exp(i k (x_j - origin)) at frequencies 0, dk, 2 dk, ...: exact to rounding.

    Points lie between the origin and 2 pi / dk beyond it. They are gathered in cells by their Chebyshev moments, and
    ``exp(i z t) = sum_p i^p (2 - [p = 0]) J_p(z) T_p(t)`` (Jacobi and Anger) turns moments into the transform, one FFT
    for each p; |J_p(z)| <= (z / 2)^p / p! bounds what is cut off: 1e-15 at the largest z, pi / 2.
    """
    count, period = len(k), 2 * np.pi / float(k[1])
    size = fft.next_fast_len(max(2 * count, 64), real=True)
    lattice = Lattice(np.array([origin]), np.array([size / period]), np.array([size], dtype=np.int64))
    moments = gathered(lattice, np.ascontiguousarray(x[:, None]), w)
    spectrum = np.conj(fft.rfft(moments, axis=0)[:count])
    return (spectrum * _bessel(count, size)).sum(axis=1)


@lru_cache(maxsize=8)
def _bessel(count: int, size: int) -> Any:
    """Coefficients (count, 16) of Jacobi and Anger's expansion about the centres of `size` cells."""
    half = np.pi / size * np.arange(count)  # half a cell, in radians of each frequency
    p = np.arange(Lattice.terms)
    phase = np.exp(1j * half)  # the FFT numbers cells from their beginnings
    return phase[:, None] * (1j**p) * np.where(p == 0, 1.0, 2.0) * special.jv(p, half[:, None])


# One column ---------------------------------------------------------------------------------------------------------


def _one_column(points: Points, rule: str) -> None:
    if points.X.shape[1] > 1:
        raise ValueError(
            f"the rule {rule!r} is for one column, but there are {points.X.shape[1]}; use 'plug-in', 'scv' or 'lscv'."
        )


def sj(X: Any, sample_weight: Any = None, *, method: str = "ste") -> float:
    """Bandwidth of Sheather and Jones (1991): solve the equation ("ste"), or plug in directly ("dpi"), over all pairs.

    R's ``bw.SJ``, without its bins and with its equation solved to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.sj(np.random.default_rng(0).normal(size=500)), 4)
    0.3093
    """
    if method not in ("ste", "dpi"):
        raise ValueError(f"method must be 'ste' or 'dpi', got {method!r}.")
    return _sheather_jones(Points.of(X, sample_weight), method)


def _sheather_jones(points: Points, method: str) -> float:
    _one_column(points, "sj")
    try:
        return _solved(points, method)
    except TooWide as reason:
        return _fallback(points, "sj", str(reason))


def _solved(points: Points, method: str) -> float:
    n, scale = points.n, points.scale(1.349)
    a, b = 1.24 * scale * n ** (-1 / 7), 1.23 * scale * n ** (-1 / 9)
    upper = 1.144 * points.deviation * n**-0.2
    grown = n / (n - 1.0) if n > 1 else 1.0  # R divides by n (n - 1), its sums include each row with itself
    pilots = Spectrum.of(points, min(a, b), max(a, b))
    slope, start = -grown * pilots.pairs(b, 6), grown * pilots.pairs(a, 4)
    if not (slope > 0 and start > 0):
        return _fallback(points, "sj", "its pilots can't be estimated")
    constant = 1.0 / (2.0 * np.sqrt(np.pi) * n)
    if method == "dpi":
        s = float((2.394 / (n * slope)) ** (1 / 7))
        return float((constant / (grown * Spectrum.of(points, s, s).pairs(s, 4))) ** 0.2)
    ratio = 1.357 * (start / slope) ** (1 / 7)
    high = 1.5 * upper
    for _ in range(5):  # rows in narrow clusters have bandwidths far below what their spread suggests
        grid = np.geomspace(high, 0.05 * high, 24)
        widths = ratio * grid ** (5 / 7)
        spectrum = Spectrum.of(points, float(widths[-1]), float(widths[0]))

        def equation(h: float, spectrum: Spectrum = spectrum) -> float:
            return float((constant / (grown * spectrum.pairs(ratio * h ** (5 / 7), 4))) ** 0.2 - h)

        before = high
        for h in grid:
            with np.errstate(invalid="ignore", divide="ignore"):
                above = equation(float(h)) > 0
            if above:
                if h == grid[0]:
                    break
                return float(optimize.brentq(equation, h, before, xtol=1e-14 * upper, rtol=1e-13))
            before = float(h)
        high = 10.0 * high if h == grid[0] else 0.06 * high
    return _fallback(points, "sj", "its equation has no root, as with many ties or very few rows")


def _warn(message: str) -> None:
    warnings.warn(message, BandwidthWarning, stacklevel=6)


def _fallback(points: Points, rule: str, why: str) -> float:
    h = float(_silverman(points, None))
    warnings.warn(
        f"the rule {rule!r} found no bandwidth: {why}. Silverman's rule was used: {h:.6g}.",
        BandwidthWarning,
        stacklevel=4,
    )
    return h


def isj(X: Any, sample_weight: Any = None) -> float:
    """Bandwidth of Botev, Grotowski and Kroese (2010), the improved Sheather-Jones: right for densities of many modes.

    The fixed point of t = xi gamma^[5](t) over the cosine transform of the points themselves, not of bins, on the range
    of the points widened by half of it on each side. n counts all rows (Botev's program counts distinct values).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> round(bandwidth.isj(np.concatenate([x, 100 + x])), 2)
    0.34
    """
    return _botev(Points.of(X, sample_weight))


def _botev(points: Points) -> float:
    _one_column(points, "isj")
    x, low, high = points.X[:, 0], float(points.low[0]), float(points.high[0])
    span = 2.0 * (high - low)
    n = points.n
    for count in (2**10, 2**12, 2**14, 2**16):
        # Cosine coefficients over [low - (high - low) / 2, ...]: the even part of the transform from that end on.
        k = np.pi / span * np.arange(count + 1, dtype=np.float64)
        squares = (transform(x, points.weights, k, low - 0.25 * span).real[1:] / points.w_total) ** 2
        t = _fixed_point(squares, n)
        if t is None or np.pi**2 * count**2 * t > 60.0:
            break
    if t is None:
        try:
            h = _sheather_jones(points, "ste")
        except ValueError:
            return _fallback(points, "isj", "its fixed point was not found")
        _warn(f"the rule 'isj' found no fixed point: few rows, or many ties; the rule 'sj' was used: {h:.6g}.")
        return h
    return float(np.sqrt(t) * span)


def _fixed_point(squares: Array, n: float) -> float | None:
    """The root of t = xi gamma^[5](t), given squared cosine coefficients; None where there is none."""
    count = len(squares)
    modes = np.pi**2 * np.arange(1, count + 1, dtype=np.float64) ** 2

    def norm(s: int, t: float) -> float:
        end = int(min(count, 12.0 / np.sqrt(np.pi**2 * t) + 2))  # beyond, exp(-k^2 pi^2 t) is 1e-62
        return float(2.0 * (modes[:end] ** s * squares[:end]) @ np.exp(-modes[:end] * t))

    def equation(t: float) -> float:
        f = norm(7, t)
        for s in range(6, 1, -1):
            odd = np.prod(np.arange(1, 2 * s, 2)) / np.sqrt(2 * np.pi)
            time = (2.0 * (1 + 0.5 ** (s + 0.5)) / 3.0 * odd / (n * f)) ** (2 / (3 + 2 * s))
            f = norm(s, time)
        return float(t - (2 * n * np.sqrt(np.pi) * f) ** -0.4)

    grid = np.geomspace(min(1e-9, 60.0 / (np.pi * count) ** 2), 0.1, 16)
    with np.errstate(all="ignore"):
        values = np.array([equation(t) for t in grid])
    good = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0) & np.isfinite(values[:-1]))
    if not len(good):
        return None
    return float(optimize.brentq(equation, grid[good[0]], grid[good[0] + 1], xtol=1e-300, rtol=1e-10))


# Cross-validation ---------------------------------------------------------------------------------------------------


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
    return _public(_lscv, X, sample_weight, covariance)


def _lscv(points: Points, covariance: str | None) -> Any:
    own = points.own
    if points.X.shape[1] == 1:
        return _lscv_line(points)

    def several(factor: Array) -> float:
        wide, narrow = (_pair_mean(points, s * factor) for s in (np.sqrt(2.0), 1.0))
        peak = own * np.exp(_log_peak(factor))
        return wide - 2.0 * (narrow - peak) / (1.0 - own)

    return _search(points, several, covariance, "lscv")


def _lscv_line(points: Points) -> float:
    """Least squares in one column; rows in narrow clusters have bandwidths far below what their spread suggests."""
    peak, upper = points.own / np.sqrt(2 * np.pi), 1.144 * points.deviation * points.n**-0.2
    found: Any = None
    for lower in (1e-2, 1e-3, 1e-4):
        grid = upper * np.geomspace(lower, 2.0, int(-42 * np.log10(lower) + 12))
        try:
            spectrum = Spectrum.of(points, float(grid[0]), float(np.sqrt(2.0) * grid[-1]))
        except TooWide as reason:
            if found is None:
                return _fallback(points, "lscv", str(reason))
            break

        def criterion(h: float, spectrum: Spectrum = spectrum) -> float:
            return spectrum.pairs(np.sqrt(2.0) * h) - 2.0 * (spectrum.pairs(h) - peak / h)

        values = np.array([criterion(float(h)) for h in grid])
        found = (criterion, grid, "lscv", values)
        if np.argmin(values) > 0:
            break
    return _minimum(*found)


def lcv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Leave-one-out likelihood: the greatest product of densities of rows, each without itself.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.lcv(np.random.default_rng(0).normal(size=500)), 3)
    0.304
    """
    return _public(_lcv, X, sample_weight, covariance)


def _lcv(points: Points, covariance: str | None) -> Any:
    if points.X.shape[1] == 1:
        grid = 1.144 * points.deviation * points.n**-0.2 * np.geomspace(0.05, 4.0, 24)
        return _minimum(lambda h: -_likelihood(points, np.array([[h]])), grid, "lcv")
    return _search(
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
    sums = WindowSum(PROFILES["gaussian"], _standard(points, factor), points.weights)
    logs = sums.ladder(left)
    for rung in range(RUNGS):
        # Rows so far from the others that the ladder can't see them.
        far = np.flatnonzero(np.isneginf(logs[:, rung]))
        if len(far):
            narrow = replace(sums, units=np.full(len(factor), 2.0 ** (-0.5 * rung)))
            logs[far, rung] = narrow.log(sums.points[far], far, left[far])
    peaks = _log_peak(factor) + 0.5 * len(factor) * np.log(2.0) * np.arange(RUNGS)
    return points.share @ (logs - np.log(rest)[:, None]) + peaks


def _without_each(points: Points) -> tuple[Array, Array]:
    """What is left of each row's weight when it is left out, and of all rows' weights."""
    left = points.w - 1.0 if points.counted else np.zeros(len(points.X))
    rest = points.w_total - (points.w - left)
    if not (rest > 0).all():
        raise ValueError("leaving one row out leaves none; give more rows, or a number as the bandwidth.")
    return left, rest


def _likelihood(points: Points, factor: Array) -> float:
    """Weighted mean of the leave-one-out log-densities."""
    left, rest = _without_each(points)
    sums = WindowSum(PROFILES["gaussian"], _standard(points, factor), points.weights, rtol=1e-9)
    values = sums.log(sums.points, np.arange(len(left)), left) - np.log(rest) + _log_peak(factor)
    return float(points.share @ values)


def _pair_mean(points: Points, factor: Array) -> float:
    """Mean over all pairs, each row with itself too, of a Gaussian kernel."""
    sums = WindowSum(PROFILES["gaussian"], _standard(points, factor), points.share, rtol=1e-9)
    return float(points.share @ np.exp(sums.log(sums.points) + _log_peak(factor)))


def _standard(points: Points, factor: Array) -> Array:
    off = points.X - points.X[0]
    return np.ascontiguousarray(solve_triangular(factor, off.T, lower=True).T)


def _log_peak(factor: Array) -> float:
    return float(-0.5 * len(factor) * np.log(2 * np.pi) - np.log(np.abs(np.diagonal(factor))).sum())


def _minimum(
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
        _warn(
            f"the criterion of the rule {rule!r} is least at the {end} end of what was tried, {grid[best]:.6g}{unit}: "
            f"{cause}. Use {instead}, or give bandwidth a number."
        )
        return float(grid[best])
    if int(inner.sum()) > 1:
        places = ", ".join(f"{h:.4g}" for h in grid[1:-1][inner])
        _warn(f"the criterion of the rule {rule!r} has several minima, near {places}{unit}; the least was taken.")
    found = optimize.minimize_scalar(
        lambda t: criterion(float(np.exp(t))),
        bracket=tuple(np.log(grid[best - 1 : best + 2])),
        method="brent",
        options={"xtol": 1e-9},
    )
    return float(np.exp(found.x))


def _search(
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
    base = _factor(_scott(points, shape))
    grid = 2.0 ** np.arange(-3.5, 2.01, 0.25)
    values = None if several is None else several(base, grid)
    unit = " times Scott's bandwidth"
    best = _minimum(lambda s: criterion(s * base), grid, rule, values, unit) * base
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
        _warn(
            f"the criterion of the rule {rule!r} is least at the end of what was tried, as with many equal rows. Use "
            "'silverman', or give bandwidth a number."
        )
    factor = moved(found.x)
    return factor @ factor.T


# Several columns: plug-in and smoothed cross-validation ---------------------------------------------------------------


def plug_in(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Plug-in bandwidth: the least asymptotic error, with the density's curvature estimated by a pilot.

    One column: Sheather and Jones's direct two-stage plug-in. Several: Wand and Jones's (1994), with the fourth
    derivatives of a kernel density whose pilot bandwidth is the best for normal densities (Chacon and Duong 2010).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> bandwidth.plug_in(np.random.default_rng(0).normal(size=(500, 2))).round(3) + 0.0
    array([[0.12 , 0.002],
           [0.002, 0.118]])
    """
    return _public(_plug_in, X, sample_weight, covariance)


def _plug_in(points: Points, covariance: str | None) -> Any:
    d, n = points.X.shape[1], points.n
    if d == 1:
        return _sheather_jones(points, "dpi")
    pilot = _factor((2.0 / (n * (d + 4))) ** (2.0 / (d + 6)) * 2.0 * _shaped(points, covariance))
    zero, second, fourth = _pair_moments(points, pilot)
    inverse = np.linalg.inv(pilot)

    def criterion(factor: Array) -> float:
        A = inverse @ factor
        A = A @ A.T
        curvature = np.einsum("ab,cd,abcd->", A, A, fourth) - 2.0 * np.trace(A) * np.sum(A * second)
        curvature += -4.0 * np.sum((A @ A) * second) + (np.trace(A) ** 2 + 2.0 * np.trace(A @ A)) * zero
        log_det = np.log(np.abs(np.diagonal(factor))).sum()
        return float(np.exp(-0.5 * d * np.log(4 * np.pi) - log_det) / n + 0.25 * curvature)

    return _search(points, criterion, covariance or "full", "plug-in")


def _pair_moments(points: Points, factor: Array) -> tuple[float, Array, Array]:
    """Mean over pairs of the kernel times 1, z z' and z z' z z', z the difference in its units.

    Of 6,000 rows at most, drawn at random: the functional of a density is then known well enough.
    """
    z, w = _standard(points, factor), points.share
    z = z - w @ z
    n, d = z.shape
    if n > 6_000:
        keep = np.sort(np.random.default_rng(0).choice(n, 6_000, replace=False))
        z, w, n = z[keep], w[keep] / w[keep].sum(), 6_000
    powers = _monomials(d, 4)
    columns = np.stack([np.prod(z**power, axis=1) for power in powers], axis=1)
    place = {tuple(power): i for i, power in enumerate(powers.tolist())}
    table = np.zeros((len(powers), len(powers)))
    rows = max(1, 2**21 // n)
    weighted = w[:, None] * columns
    for begin in range(0, n, rows):
        part = slice(begin, begin + rows)
        square = ((z[part, None, :] - z[None, :, :]) ** 2).sum(axis=2) if d <= 3 else _squares(z[part], z)
        table += weighted[part].T @ (np.exp(-0.5 * square) @ weighted)

    def moment(alpha: Array) -> float:
        total = 0.0
        for beta in np.ndindex(*(alpha + 1)):
            rest = alpha - np.array(beta)
            sign = (-1.0) ** rest.sum() * np.prod(special.comb(alpha, np.array(beta)))
            total += sign * table[place[beta], place[tuple(rest.tolist())]]
        return float(total)

    unit = np.eye(d, dtype=int)
    peak = np.exp(_log_peak(factor))
    second = np.array([[moment(unit[a] + unit[b]) for b in range(d)] for a in range(d)])
    fourth = np.empty((d,) * 4)
    known: dict[tuple[int, ...], float] = {}
    for a, b, c, e in np.ndindex(*fourth.shape):
        alpha = unit[a] + unit[b] + unit[c] + unit[e]
        key = tuple(alpha.tolist())
        if key not in known:
            known[key] = moment(alpha)
        fourth[a, b, c, e] = known[key]
    return moment(np.zeros(d, dtype=int)) * peak, second * peak, fourth * peak


def _squares(a: Array, b: Array) -> Array:
    total = np.zeros((len(a), len(b)))
    for j in range(a.shape[1]):
        total += (a[:, j, None] - b[:, j]) ** 2
    return total


def _monomials(d: int, degree: int) -> Any:
    """Exponents of all products of d columns up to a degree."""
    found = [power for power in np.ndindex(*(degree + 1,) * d) if sum(power) <= degree]
    return np.array(found)


def scv(X: Any, sample_weight: Any = None, *, covariance: str | None = None) -> Any:
    """Smoothed cross-validation (Hall, Marron and Park 1992): less noisy than least squares, ks's ``Hscv``.

    The bias is estimated under a pilot density, whose bandwidth is the best for normal densities (Chacon and Duong
    2011).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import bandwidth
    >>> round(bandwidth.scv(np.random.default_rng(0).normal(size=500)), 3)
    0.354
    """
    return _public(_scv, X, sample_weight, covariance)


def _scv(points: Points, covariance: str | None) -> Any:
    d, n = points.X.shape[1], points.n
    G = (2.0 / (n * (d + 4))) ** (2.0 / (d + 6)) * 2.0 * _shaped(points, covariance)
    constant = -0.5 * d * np.log(4 * np.pi)
    if d == 1:
        g = float(np.sqrt(G[0, 0]))
        grid = 1.144 * points.deviation * n**-0.2 * np.geomspace(0.05, 3.0, 64)
        widest = float(np.sqrt(2 * grid[-1] ** 2 + 2 * g**2))
        try:
            spectrum = Spectrum.of(points, np.sqrt(2.0) * g, widest)
        except TooWide as reason:
            return _fallback(points, "scv", str(reason))

        def line(h: float) -> float:
            parts = (spectrum.pairs(np.sqrt(a * h * h + 2 * g * g)) for a in (2.0, 1.0, 0.0))
            two, one, none = parts
            return float(np.exp(constant) / (n * h) + two - 2 * one + none)

        return _minimum(line, grid, "scv")
    none = _pair_mean(points, _factor(2 * G))

    def criterion(factor: Array) -> float:
        H = factor @ factor.T
        two, one = (_pair_mean(points, _factor(a * H + 2 * G)) for a in (2.0, 1.0))
        return float(np.exp(constant - np.log(np.abs(np.diagonal(factor))).sum()) / n + two - 2 * one + none)

    return _search(points, criterion, covariance, "scv")


#: The rules by name.
RULES: dict[str, Callable[[Points, str | None], Any]] = {
    "scott": _scott,
    "silverman": _silverman,
    "isj": lambda points, covariance: _botev(points),
    "sj": lambda points, covariance: _sheather_jones(points, "ste"),
    "lscv": _lscv,
    "lcv": _lcv,
    "plug-in": _plug_in,
    "scv": _scv,
}
