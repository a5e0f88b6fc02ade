"""Kernel densities: K densities of Parzen windows, a kernel function around every point of a sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats, room
from parzen.compute.device import is_device, routine
from parzen.densities.columns import chosen, given_values, others
from parzen.densities.factors import lower_triangle
from parzen.densities.folded import FoldedWindows
from parzen.densities.kept_rows import KeptRows, drawn_rows
from parzen.densities.patterns import write_over_patterns
from parzen.densities.support import Support
from parzen.densities.window_cdf import WindowDistribution
from parzen.densities.window_conditional import conditional_window, unconditional_window
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.statistics.messages import Collapse


@dataclass(frozen=True, eq=False)
class WindowDensity(KeptRows):
    """K densities of Parzen windows.

    Attributes
    ----------
    kernel : the kernel function
    windows : tuple of K `Windows`
    support : where the columns may lie, or None
    rtol, atol : bounds on the error of a density, relative and absolute

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

    #: A kernel sum is cheapest where all queries are known at once.
    rows_at_once: ClassVar[int] = 2**20

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.windows), self.windows[0].width

    @property
    def independent_columns(self) -> bool:
        return self.shape[1] == 1

    @cached_property
    def _folded(self) -> tuple[FoldedWindows, ...]:
        return tuple(FoldedWindows.of(one, self.kernel, self.support, self.rtol, self.atol) for one in self.windows)

    def error_bound(self, k: int = 0) -> float:
        """A bound on the relative error of density k; see `parzen.smoothing.sums.KernelSum.error_bound`."""
        bound = self._folded[k].sums.error_bound if self._folded[k].columns else self.rtol
        return bound + 2.0**-52 * self.shape[1]

    def log_density(self, X: Any) -> Array:
        out = room(X, (len(X), len(self.windows)))
        self.write(X, out)
        return out

    def write(self, X: Any, out: Array) -> None:
        if is_device(X):
            self._write_there(as_floats(X, self.shape[1]), out)
            return
        write_over_patterns(self, np.asarray(as_floats(X, self.shape[1]), dtype=np.float64), out)

    def _write_there(self, X: Any, out: Any) -> None:
        """Log-densities of rows on a device, on that device."""
        for k in range(len(self.windows)):
            out[:, k] = self._one_there(k, X)

    def _one_there(self, k: int, X: Any, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Any:
        window, kernel = self.windows[k], (self.kernel.name, self.kernel.power)
        sums = routine("log_kernel_sums")(X, kernel, window.points, window.weights, window.factor, self.rtol, own, left)
        return sums.plus(self.kernel.log_constant(window.width) - window.log_volume - float(np.log(window.total)))

    def write_complete(self, X: Array, out: Array) -> None:
        for k in range(len(self.windows)):
            out[:, k] = self._one(k, X)

    def _one(self, k: int, X: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Log-density of complete rows under density k."""
        if is_device(X):
            return self._one_there(k, X, own, left)
        logs = self._folded[k].log(X, own, left)
        return logs if self.support is None else np.where(self.support.outside(X), -np.inf, logs)

    def expectation(self) -> Array:
        if self.support is not None:
            raise TypeError("the mean of a kernel density with bounds or a period is not offered.")
        return np.stack([window.w @ window.points / window.total for window in self.windows])

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        d = self.shape[1]
        out = np.empty((len(labels), d))
        for k in np.unique(labels):
            rows, window = np.flatnonzero(labels == k), self.windows[k]
            around = drawn_rows(window.w, len(rows), rng)
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
        known = given_values(values, len(given))
        self.kernel.marginal(d, len(given))  # an error for kernels without conditionals
        if self.support is not None and self.support.take(given).outside(known[None])[0]:
            raise Collapse(f"values {known.tolist()} lie outside the bounds, where the density is zero.")
        found = [conditional_window(window, self.kernel, self.support, given, rest, known) for window in self.windows]
        if all(window is None for window in found):
            raise Collapse(f"no row is near {known.tolist()}: take a wider bandwidth, or a gaussian kernel.")
        # Under a density that is zero at the given values, the conditional is arbitrary: all its rows are used.
        windows = tuple(
            unconditional_window(old, given, rest) if new is None else new
            for old, new in zip(self.windows, found, strict=True)
        )
        support = None if self.support is None else self.support.take(rest)
        return replace(self, windows=windows, support=support)

    def cdf(self, X: Any, upper: bool = False) -> Array:
        """Probability of values up to those given, (n, K); of several columns, jointly (Gaussian, H diagonal).

        With `upper`, of values above them, of one column.
        """
        X, out = self._line(X)
        for k, window in enumerate(self.windows):
            out[:, k] = WindowDistribution(window, self.kernel, self.support).at(X, upper)
        return np.where(np.isnan(X).any(axis=1)[:, None], np.nan, np.clip(out, 0.0, 1.0))

    def log_cdf(self, X: Any, upper: bool = False) -> Array:
        """Logarithms of `cdf`, finite wherever they are."""
        X, out = self._line(X)
        for k, window in enumerate(self.windows):
            out[:, k] = WindowDistribution(window, self.kernel, self.support).log(X, upper)
        return np.where(np.isnan(X).any(axis=1)[:, None], np.nan, np.minimum(out, 0.0))

    def _line(self, X: Any) -> tuple[Array, Array]:
        X = np.asarray(as_floats(X, self.shape[1]), dtype=np.float64)
        return X, np.empty((len(X), len(self.windows)))
