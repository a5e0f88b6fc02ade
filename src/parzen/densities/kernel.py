"""Parzen windows: a kernel around every point of a sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array, as_floats
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density
from parzen.densities.gaussian import lower_triangle
from parzen.densities.patterns import over_patterns
from parzen.densities.support import Support
from parzen.smoothing.distribution import KernelDistribution
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.row_weights import without_each
from parzen.smoothing.sums import KernelSum
from parzen.statistics.messages import Collapse


@dataclass(frozen=True, eq=False)
class Windows:
    """One density: kernels around weighted points, ``f(x) = sum_j w_j K(F^-1 (x - x_j) / s_j) / (s_j^d |F| sum w)``.

    Attributes
    ----------
    points : array of shape (n, d)
    weights : array of shape (n,), or None where all are one
    factor : array of shape (d, d)
        Lower triangular F; F F' is the bandwidth matrix H.
    scales : array of shape (n,), optional
        Bandwidths of the points relative to F: adaptive windows.
    ends : pair of arrays of shape (d,), optional
        Least and largest of each column, where they are known.
    """

    points: Array
    weights: Array | None
    factor: Array
    scales: Array | None = None
    ends: tuple[Array, Array] | None = None

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.points.shape[1]

    @cached_property
    def w(self) -> Array:
        """Weights, one for each point."""
        return np.ones(len(self.points)) if self.weights is None else self.weights

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(len(self.points)) if self.weights is None else float(self.weights.sum())

    @cached_property
    def deviations(self) -> Array:
        """Bandwidth of each column alone."""
        return np.sqrt((self.factor**2).sum(axis=1))

    @cached_property
    def diagonal(self) -> Array | None:
        """Bandwidth of each column, where H is diagonal."""
        diagonal = np.diagonal(self.factor)
        return np.array(diagonal) if (self.factor == np.diag(diagonal)).all() else None

    @cached_property
    def _centre(self) -> Array:
        # A place where many points are: differences to it keep their digits.
        return np.asarray(np.median(self.points[:: max(1, len(self.points) // 64)], axis=0))

    def coordinates(self, X: Array) -> Array:
        """Rows as the sums read them: as they are, or in units of H where that is no diagonal matrix."""
        if self.diagonal is not None:
            return X
        off = (X - self._centre).T
        return np.ascontiguousarray(solve_triangular(self.factor, off, lower=True, check_finite=False).T)

    def sums(self, kernel: KernelFunction, rtol: float, atol: float) -> KernelSum:
        """The sum of kernels, up to the total weight, the kernel's constant and |F|."""
        weights = self.weights
        if self.scales is not None:
            weights = self.w * self.scales ** -float(self.width)
        log_peak = kernel.log_constant(self.width) - self.log_volume - np.log(self.total)
        small = atol * np.exp(-log_peak) if atol else 0.0
        ends = None if self.diagonal is None else self.ends
        points = self.coordinates(self.points)
        return KernelSum(kernel, points, weights, self.scales, self.diagonal, rtol, small, ends)

    def line(self, kernel: KernelFunction) -> KernelDistribution:
        """The distribution function of the only column."""
        if kernel.name not in self._lines:
            self._lines[kernel.name] = KernelDistribution.of(kernel, self._placed(self.points), self.w / self.total)
        return self._lines[kernel.name]

    def _placed(self, X: Array) -> Array:
        return (X[:, 0] - self._centre[0]) / self.factor[0, 0]

    def below(self, kernel: KernelFunction, X: Array) -> Array:
        """The distribution function of the only column at rows."""
        return self.line(kernel).at(self._placed(X))

    @cached_property
    def _lines(self) -> dict[str, KernelDistribution]:
        return {}

    @property
    def log_volume(self) -> float:
        """Logarithm of |F|."""
        return float(np.log(np.diagonal(self.factor)).sum())


@dataclass(frozen=True, eq=False)
class WindowDensity(Density):
    """K densities of Parzen windows.

    Attributes
    ----------
    kernel : the kernel
    windows : tuple of K `Windows`
    support : where the columns may lie, or None
    rtol, atol : what a density may be off by: relative to itself, and in its units

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.smoothing.kernel_functions import kernel_function
    >>> window = Windows(np.array([[0.0], [2.0]]), np.ones(2), np.eye(1))
    >>> WindowDensity(kernel_function("gaussian"), (window,)).log_density(np.array([[0.0], [30.0]])).round(3)
    array([[  -1.485],
           [-393.612]])
    """

    kernel: KernelFunction
    windows: tuple[Windows, ...]
    support: Support | None = None
    rtol: float = 0.0
    atol: float = 0.0

    #: A sum is cheapest where all its places are known at once.
    rows_at_once: ClassVar[int] = 2**20

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.windows), self.windows[0].width

    @property
    def independent_columns(self) -> bool:
        return self.shape[1] == 1

    @cached_property
    def _sums(self) -> tuple[KernelSum, ...]:
        return tuple(window.sums(self.kernel, self.rtol, self.atol) for window in self.windows)

    @cached_property
    def _constants(self) -> tuple[float, ...]:
        constant = self.kernel.log_constant(self.shape[1])
        return tuple(constant - window.log_volume - float(np.log(window.total)) for window in self.windows)

    def log_density(self, X: Any) -> Array:
        return over_patterns(self, np.asarray(as_floats(X, self.shape[1]), dtype=np.float64))

    def complete(self, X: Array) -> Array:
        """Log-density of rows without missing cells, (n, K)."""
        return np.stack([self._one(k, X) for k in range(len(self.windows))], axis=1)

    def _one(self, k: int, X: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Log-density of complete rows under density k."""
        window, sums = self.windows[k], self._sums[k]
        if self.support is None:
            return sums.log(window.coordinates(X), own, left) + self._constants[k]
        reach = self._reach(window)
        inside = self.support.fold(X) if self.support.periodic.any() else X
        total = np.full(len(X), -np.inf)
        for image in self.support.images(inside, reach):
            np.logaddexp(total, sums.log(window.coordinates(image), own, left), out=total)
        return np.where(self.support.outside(X), -np.inf, total + self._constants[k])

    def _reach(self, window: Windows) -> Array:
        """How far beyond the support an image matters: its kernel is then 1e-17 of any that lies within."""
        assert self.support is not None
        widest = 1.0 if window.scales is None else float(window.scales.max())
        h = window.deviations * widest
        length = np.where(np.isfinite(self.support.high - self.support.low), self.support.high - self.support.low, 0.0)
        if self.kernel.name == "gaussian":
            return np.sqrt(length**2 + 80.0 * h**2)
        return h if self.kernel.compact else length + 40.0 * h

    def leave_one_out_rows(self) -> tuple[Array, ...]:
        """Log-densities of each density's own points, each without itself.

        A weight that is a whole number counts rows, of which one is left out; any other is left out with its point.
        """
        out = []
        for k, window in enumerate(self.windows):
            left, rest = without_each(window.w)
            if not (rest > 0).all():
                raise Collapse("nothing is left when a row is left out: there is only one; give more rows.")
            out.append(self._without(k, window.points, np.arange(len(left)), left, rest))
        return tuple(out)

    def _without(self, k: int, X: Array, own: NDArray[np.int64], left: Array, rest: Array) -> Array:
        """Log-densities of rows, each without the point `own`: what is left of it and of all weights."""
        window = self.windows[k]
        shrink = 1.0 if window.scales is None else window.scales[own] ** -float(window.width)
        return self._one(k, X, own, left * shrink) + np.log(window.total / rest)

    @property
    def keeps_rows(self) -> bool:
        return True

    def leave_one_out(self, X: Any) -> Array:
        return self.without(X, which_points([self], [X]))

    def without(self, X: Any, own: NDArray[np.int64]) -> Array:
        """Log-density of rows, each without one of the points of each density, (n, K); -1: with all of them."""
        X = np.asarray(as_floats(X, self.shape[1]), dtype=np.float64)
        out = np.empty((len(X), len(self.windows)))
        for k, window in enumerate(self.windows):
            left, rest = without_each(window.w)
            known = (own[:, k] >= 0) & (rest > 0).all()
            mine, new = np.flatnonzero(known), np.flatnonzero(~known)
            points = own[mine, k]
            out[mine, k] = self._without(k, X[mine], points, left[points], rest[points])
            if len(new):
                out[new, k] = self.log_density(X[new])[:, k]
        return out

    def expectation(self) -> Array:
        if self.support is not None:
            raise TypeError("the mean of a kernel density with bounds or a period is not offered.")
        return np.stack([window.w @ window.points / window.total for window in self.windows])

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        d = self.shape[1]
        out = np.empty((len(labels), d))
        for k in np.unique(labels):
            rows, window = np.flatnonzero(labels == k), self.windows[k]
            share = np.cumsum(window.w)
            around = np.searchsorted(share, rng.random(len(rows)) * share[-1], side="right")
            around = np.minimum(around, len(share) - 1)
            noise = self.kernel.sample(len(rows), d, rng) @ window.factor.T
            out[rows] = window.points[around] + noise * (1.0 if window.scales is None else window.scales[around, None])
        return out if self.support is None else self.support.fold(out)

    def marginal(self, columns: Sequence[int]) -> "WindowDensity":
        d = self.shape[1]
        kept = chosen(d, columns)
        windows = tuple(
            replace(
                window,
                points=np.ascontiguousarray(window.points[:, kept]),
                ends=None,
                factor=lower_triangle(window.factor[None, kept])[0],
            )
            for window in self.windows
        )
        support = None if self.support is None else self.support.take(kept)
        return replace(self, kernel=self.kernel.marginal(d, len(kept)), windows=windows, support=support)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "WindowDensity":
        d = self.shape[1]
        given, rest = chosen(d, columns), others(d, columns)
        known = np.asarray(values, dtype=np.float64)
        if known.shape != (len(given),) or not np.isfinite(known).all():
            raise ValueError(f"values must be {len(given)} finite numbers, one for each given column, got {values!r}.")
        self.kernel.marginal(d, len(given))  # refuses kernels without conditionals
        if self.support is not None and self.support.take(given).outside(known[None])[0]:
            raise Collapse(f"values {known.tolist()} lie outside the bounds, where the density is zero.")
        found = [self._given(window, given, rest, known) for window in self.windows]
        if all(window is None for window in found):
            raise Collapse(f"no row is near {known.tolist()}: take a wider bandwidth, or a gaussian kernel.")
        # Where what is given is impossible under one of several densities, anything is right; all its rows are taken.
        windows = tuple(
            self._ignoring(old, given, rest) if new is None else new
            for old, new in zip(self.windows, found, strict=True)
        )
        support = None if self.support is None else self.support.take(rest)
        return replace(self, windows=windows, support=support)

    @staticmethod
    def _ignoring(window: Windows, given: list[int], rest: list[int]) -> Windows:
        triangle = lower_triangle(window.factor[None, given + rest])[0]
        inner = np.ascontiguousarray(triangle[len(given) :, len(given) :])
        return replace(window, points=np.ascontiguousarray(window.points[:, rest]), factor=inner, ends=None)

    def _given(self, window: Windows, given: list[int], rest: list[int], known: Array) -> Windows | None:
        """Windows over the other columns: nearer points weigh more, and a kernel that ends is cut where it is given."""
        places = [known[None]]
        if self.support is not None:
            part = self.support.take(given)
            places = list(part.images(part.fold(known[None]), self._reach(window)[given]))
        p = len(given)
        triangle = lower_triangle(window.factor[None, given + rest])[0]
        points, weights, scales = [], [], []
        own = np.ones(len(window.points)) if window.scales is None else window.scales
        for place in places:
            white = solve_triangular(triangle[:p, :p], (place - window.points[:, given]).T, lower=True).T
            square = ((white / own[:, None]) ** 2).sum(axis=1)
            points.append(window.points[:, rest] + white @ triangle[p:, :p].T)
            with np.errstate(divide="ignore"):
                log_weight = np.log(window.w) - p * np.log(own)
                if self.kernel.power is None:
                    weights.append(log_weight - 0.5 * square)
                    scales.append(own)
                else:
                    height = np.maximum(1.0 - square, 0.0)
                    weights.append(log_weight + (self.kernel.power + 0.5 * len(rest)) * np.log(height))
                    scales.append(own * np.sqrt(height))
        joined = np.concatenate(weights)
        near = np.flatnonzero(joined > -np.inf)
        if not len(near):
            return None
        joined -= joined.max()
        plain = window.scales is None and self.kernel.power is None
        return Windows(
            np.concatenate(points)[near],
            np.exp(joined[near]),
            np.ascontiguousarray(triangle[p:, p:]),
            None if plain else np.concatenate(scales)[near],
        )

    # The line -------------------------------------------------------------------------------------------------------

    def cdf(self, X: Any) -> Array:
        """Probability of values up to those given: on the line, or below all of them (Gaussian, H diagonal), (n, K)."""
        X = np.asarray(as_floats(X, self.shape[1]), dtype=np.float64)
        out = np.empty((len(X), len(self.windows)))
        for k, window in enumerate(self.windows):
            out[:, k] = self._below(window, X)
        return np.where(np.isnan(X).any(axis=1)[:, None], np.nan, np.clip(out, 0.0, 1.0))

    def _below(self, window: Windows, X: Array) -> Array:
        if self.support is None:
            return self._mass(window, X)
        if self.shape[1] > 1:
            raise TypeError("cdf of several columns with bounds or a period is not offered; take a marginal.")
        return self._folded(window, X[:, 0])

    def _folded(self, window: Windows, x: Array) -> Array:
        """The distribution of what is folded: the mass of all stretches that are folded onto those up to x."""
        support = self.support
        assert support is not None
        low, high = float(support.low[0]), float(support.high[0])

        def F(place: Any) -> Array:
            return self._mass(window, np.atleast_1d(place)[:, None])

        folded = support.fold(x[:, None])[:, 0] if support.periodic[0] else np.clip(x, low, high)
        x = np.where((x >= low) & (x <= high), x, folded)
        if not np.isfinite(high):
            return F(x) - F(2 * low - x)
        if not np.isfinite(low):
            return F(x) + 1.0 - F(2 * high - x)
        total = np.zeros(len(x))
        for sign, shift in support.column_images(0, float(self._reach(window)[0])):
            here, begin = F(sign * x + shift), F(sign * low + shift)
            total += sign * (here - begin)
        return total

    def _mass(self, window: Windows, X: Array) -> Array:
        """Distribution function before folding."""
        d = X.shape[1]
        if d > 1 and (self.kernel.name != "gaussian" or window.diagonal is None):
            raise TypeError(
                "cdf of several columns is offered for the gaussian kernel with one bandwidth for each column; take a "
                "marginal for one column."
            )
        if d == 1 and window.scales is None:
            return window.below(self.kernel, X)
        out, share = np.empty(len(X)), window.w / window.total
        rows = max(1, 2**18 // len(share))
        scales = 1.0 if window.scales is None else window.scales
        for begin in range(0, len(X), rows):
            part = X[begin : begin + rows]
            below = np.ones((len(part), len(share)))
            for j in range(d):
                below *= self.kernel.cdf((part[:, j, None] - window.points[:, j]) / (scales * window.factor[j, j]))
            out[begin : begin + rows] = below @ share
        return out


def which_points(parts: Sequence[WindowDensity], blocks: Sequence[Any]) -> NDArray[np.int64]:
    """Which row that was learnt from each row is, (n, K); -1 where it is none.

    Several densities have learnt from blocks of the same rows' columns; where they kept different rows, none is found.
    """
    rows = [np.asarray(as_floats(X, part.shape[1]), dtype=np.float64) for part, X in zip(parts, blocks, strict=True)]
    rows = [X if part.support is None else part.support.fold(X) for part, X in zip(parts, rows, strict=True)]
    out = np.full((len(rows[0]), len(parts[0].windows)), -1, dtype=np.int64)
    for k in range(len(parts[0].windows)):
        points = [part.windows[k].points for part in parts]
        if len({len(one) for one in points}) > 1:
            continue
        known, asked = _as_keys(np.column_stack(points)), _as_keys(np.column_stack(rows))
        order = np.argsort(known, kind="stable")
        known = known[order]
        place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        out[:, k] = np.where(known[place] == asked, order[place], -1)
    return out


def _as_keys(X: Array) -> NDArray[Any]:
    """Rows as things that compare as wholes, bit by bit."""
    rows = np.ascontiguousarray(X + 0.0)  # -0.0 is 0.0
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))[:, 0]
