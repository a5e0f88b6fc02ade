"""Kernel densities folded onto their support: sums over images, and closed forms where a bandwidth is wide.

A wide kernel has as many images as its bandwidth is longer than the support. Of a Gaussian the Fourier series of the
folded kernel says that it is uniform to rounding once h is 1.45 periods (a period is twice the length of a column with
bounds): its column is left out. Other kernels of one column are summed in closed form (`parzen.smoothing.wrapped`).
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array, ColumnError
from parzen.densities.factors import lower_triangle
from parzen.densities.support import Support
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.sums import KernelSum
from parzen.smoothing.wrapped import wrapped, wraps

#: Standard deviation of a Gaussian, in periods, beyond which its images add up to a uniform density: exp(-2 (pi s)^2)
#: is 1e-18.
UNIFORM = 1.45
#: Bandwidth of other kernels, in periods, beyond which their images are summed in closed form.
WIDE, WIDE_EXPONENTIAL = 2.0, 0.1
#: Most images of a place.
MOST_IMAGES = 20_000


@dataclass(frozen=True, eq=False)
class FoldedWindows:
    """One kernel density, on its support if it has one.

    Attributes
    ----------
    window : Windows over the columns that are not uniform
    columns : these columns
    support : where they may lie, or None
    log_uniform : logarithm of the density of the columns that are left out
    """

    window: Windows
    kernel: KernelFunction
    support: Support | None
    columns: list[int]
    log_uniform: float
    rtol: float
    atol: float

    @classmethod
    def of(
        cls, window: Windows, kernel: KernelFunction, support: Support | None, rtol: float, atol: float
    ) -> "FoldedWindows":
        """The density of windows, without the columns in which it is uniform."""
        gone = [] if support is None else uniform_columns(window, kernel, support)
        columns = [j for j in range(window.width) if j not in gone]
        if support is None or not gone:
            return cls(window, kernel, support, columns, 0.0, rtol, atol)
        log_uniform = -float(np.log((support.high - support.low)[gone]).sum())
        kept = without_columns(window, columns)
        return cls(kept, kernel, support.take(columns), columns, log_uniform, rtol, atol * np.exp(-log_uniform))

    @cached_property
    def sums(self) -> KernelSum:
        """The sum of kernels before it is folded."""
        return self.window.sums(self.kernel, self.rtol, self.atol)

    @cached_property
    def _constant(self) -> float:
        constant = self.kernel.log_constant(self.window.width) if self.columns else 0.0
        return constant - self.window.log_volume - float(np.log(self.window.total)) + self.log_uniform

    def log(self, X: Array, own: NDArray[np.int64] | None = None, left: Array | None = None) -> Array:
        """Log-density of complete rows X in the support; a point `own` of each row has the weight `left` instead."""
        X = X[:, self.columns]
        if not self.columns:
            total = np.full(len(X), self.window.total)
            if own is not None and left is not None:
                total = total - self.window.w[own] + left
            return np.asarray(np.log(total)) + self._constant
        if self.support is None:
            return self._sum(X, own, left) + self._constant
        inside = self.support.fold(X) if self.support.periodic.any() else X
        if is_wide(self.window, self.kernel, self.support):
            return self._closed(inside[:, 0], own, left) + self._constant
        total = np.full(len(X), -np.inf)
        for image in images(self.window, self.kernel, self.support, inside):
            np.logaddexp(total, self._sum(image, own, left), out=total)
        return total + self._constant

    def _sum(self, X: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        scales = self.window.scales
        if own is not None and left is not None and scales is not None:
            left = left * scales[own] ** -float(self.window.width)
        return self.sums.log(self.window.coordinates(X), own, left)

    def _closed(self, q: Array, own: NDArray[np.int64] | None, left: Array | None) -> Array:
        """Logarithms of the sums over all images, of one column whose kernels are wider than its support."""
        assert self.support is not None
        x, out = self.window.points[:, 0], np.empty(len(q))
        s = 1.0 if self.window.scales is None else self.window.scales
        h, weights = self.window.factor[0, 0] * s, self.window.w / s
        low, period = float(self.support.low[0]), periods(self.support)[0]
        rows = max(1, 2**19 // len(x))
        for begin in range(0, len(q), rows):
            part = slice(begin, begin + rows)
            values = wrapped(self.kernel, q[part, None] - x, period, h)
            if not self.support.periodic[0]:
                values = values + wrapped(self.kernel, (q[part, None] - low) + (x - low), period, h)
            out[part] = values @ weights
            if own is not None and left is not None:
                at = own[part]
                less = (self.window.w[at] - left[part]) / (s if np.ndim(s) == 0 else np.asarray(s)[at])
                out[part] -= less * values[np.arange(len(at)), at]
        with np.errstate(divide="ignore"):
            return np.log(np.maximum(out, 0.0))


def periods(support: Support) -> Array:
    """Length after which the images of each column are repeated; infinite where a column has not both ends."""
    length = support.high - support.low
    return np.where(support.periodic, length, 2.0 * length)


def uniform_columns(window: Windows, kernel: KernelFunction, support: Support) -> list[int]:
    """Columns in which a folded Gaussian is uniform to rounding, whatever the others are.

    That is where the standard deviation given all other columns is wide: the Fourier series of the folded kernel ends.
    """
    if kernel.name != "gaussian":
        return []
    gone: list[int] = []
    limit, least = UNIFORM * periods(support), 1.0 if window.scales is None else float(window.scales.min())
    while len(gone) < window.width:
        kept = [j for j in range(window.width) if j not in gone]
        factor = lower_triangle(window.factor[None, kept])[0]
        inverse = solve_triangular(factor, np.eye(len(kept)), lower=True)
        ratio = least / np.sqrt((inverse**2).sum(axis=0)) / limit[kept]
        if not ratio.max() > 1.0:
            break
        gone.append(kept[int(np.argmax(ratio))])
    return gone


def without_columns(window: Windows, columns: list[int]) -> Windows:
    """Windows over some of the columns: marginals of Gaussian kernels."""
    points = np.ascontiguousarray(window.points[:, columns])
    return replace(window, points=points, ends=None, factor=lower_triangle(window.factor[None, columns])[0])


def is_wide(window: Windows, kernel: KernelFunction, support: Support) -> bool:
    """Whether the kernels of one column are so wide that their images are summed in closed form."""
    if window.width > 1 or not wraps(kernel):
        return False
    least = 1.0 if window.scales is None else float(window.scales.min())
    limit = WIDE_EXPONENTIAL if kernel.name == "exponential" else WIDE
    return bool(window.factor[0, 0] * least > limit * periods(support)[0])


def images(window: Windows, kernel: KernelFunction, support: Support, X: Array) -> list[Array]:
    """Images of rows X in the support that lie within reach of its points."""
    return list(support.images(X, reach(window, kernel, support)))


def reach(window: Windows, kernel: KernelFunction, support: Support) -> Array:
    """Distance (d,) beyond the support up to which images matter; an error where there are too many of them."""
    found = window.reach(kernel, support)
    count = float(np.prod(np.maximum(1.0, 2.0 * (2.0 + found / periods(support)))))
    if count > MOST_IMAGES:
        j = int(np.argmax(window.deviations / periods(support)))
        raise ColumnError(
            f"the bandwidth {window.deviations[j]:.6g} of column {{column}} is so much wider than its bounds or its "
            f"period, {support.high[j] - support.low[j]:.6g}, that {count:.0e} images of each row would be summed; "
            "take a narrower bandwidth, leave the column out, or use the gaussian kernel with one bandwidth for each "
            "column.",
            j,
        )
    return found
