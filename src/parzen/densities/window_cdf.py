"""Distribution functions of Parzen windows, to full precision in both tails."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from parzen.compute.arrays import Array
from parzen.densities.folded import FoldedWindows, is_wide, periods, reach, uniform_columns
from parzen.densities.support import Support
from parzen.densities.windows import Windows
from parzen.smoothing.distribution import TAIL, TINY
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.wrapped import wrapped_mass


@dataclass(frozen=True, eq=False)
class WindowDistribution:
    """The distribution function of one kernel density: of one column, or jointly (Gaussian kernel, diagonal H)."""

    window: Windows
    kernel: KernelFunction
    support: Support | None

    def at(self, X: Array, upper: bool = False) -> Array:
        """Probability of values up to those given, or with `upper` above them, (n,)."""
        if X.shape[1] > 1:
            return self._jointly(X, upper, log=False)
        x = X[:, 0]
        line = self.window.line(self.kernel)
        if self.support is None:
            return line.above(x) if upper else line.below(x)
        return self._folded(self._inside(x), upper)

    def log(self, X: Array, upper: bool = False) -> Array:
        """Logarithms of the same."""
        if X.shape[1] > 1:
            return self._jointly(X, upper, log=True)
        x = X[:, 0]
        line = self.window.line(self.kernel)
        if self.support is None:
            return line.log_above(x) if upper else line.log_below(x)
        x, (low, high) = self._inside(x), self._ends
        found = self._folded(x, upper)
        with np.errstate(divide="ignore"):
            other = np.minimum(self._folded(x, not upper), 1.0)
            out = np.where(found > 0.5, np.log1p(-other), np.log(found))
        tiny = np.flatnonzero(found < TINY)
        if upper and not np.isfinite(high):
            out[tiny] = np.logaddexp(line.log_above(x[tiny]), line.log_below(2 * low - x[tiny]))
        elif not upper and not np.isfinite(low):
            out[tiny] = np.logaddexp(line.log_below(x[tiny]), line.log_above(2 * high - x[tiny]))
        return out

    @property
    def _ends(self) -> tuple[float, float]:
        assert self.support is not None
        return float(self.support.low[0]), float(self.support.high[0])

    def _inside(self, x: Array) -> Array:
        """Values moved into the support: to its nearest end, or by whole periods."""
        assert self.support is not None
        low, high = self._ends
        if not self.support.periodic[0]:
            return np.clip(x, low, high)
        return np.where((x >= low) & (x <= high), x, self.support.fold(x[:, None])[:, 0])

    def _folded(self, x: Array, upper: bool) -> Array:
        """The mass of everything that is folded onto values up to x in the support, or above x."""
        assert self.support is not None
        low, high = self._ends
        if np.isfinite(high - low):
            if uniform_columns(self.window, self.kernel, self.support):
                return (high - x if upper else x - low) / (high - low)
            if is_wide(self.window, self.kernel, self.support):
                return self._closed(x, upper)
        out = self._summed(x, upper, rough=True)
        small = np.flatnonzero(out < TAIL)
        if len(small):
            out[small] = self._summed(x[small], upper, rough=False)
        return out

    def _summed(self, x: Array, upper: bool, rough: bool) -> Array:
        """The same, image by image; if `rough`, only what is not small is right in relative terms."""
        assert self.support is not None
        (low, high), line = self._ends, self.window.line(self.kernel)
        if not np.isfinite(high):
            if upper:
                return line.above(x, rough) + line.below(2 * low - x, rough)
            return line.mass(2 * low - x, 2 * (x - low), rough)
        if not np.isfinite(low):
            if upper:
                return line.mass(x, 2 * (high - x), rough)
            return line.below(x, rough) + line.above(2 * high - x, rough)
        begin, width = x, high - x if upper else x - low
        if not upper:
            begin = np.full_like(x, low) if self.support.periodic[0] else 2 * low - x
        width = width if self.support.periodic[0] else 2 * width
        period, beyond = float(periods(self.support)[0]), float(reach(self.window, self.kernel, self.support)[0])
        most = int(np.ceil((beyond + high - low) / period))
        total = np.zeros(len(x))
        for turn in range(-most, most + 1):
            total += line.mass(begin + turn * period, width, rough)
        return total

    def _closed(self, x: Array, upper: bool) -> Array:
        """The same for a kernel that is much wider than the support."""
        assert self.support is not None
        out, (low, high) = self._closed_differences(x, upper), self._ends
        small = np.flatnonzero(out < 1e-6)  # next to a bound: by Gauss's rule, without a difference of larger numbers
        if len(small):
            length, (nodes, weights) = (high - x if upper else x - low)[small], np.polynomial.legendre.leggauss(8)
            steps = 0.5 * length[:, None] * (1.0 + nodes)
            rows = (high - steps if upper else low + steps).reshape(-1, 1)
            density = np.exp(FoldedWindows.of(self.window, self.kernel, self.support, 0.0, 0.0).log(rows))
            out[small] = 0.5 * length * (density.reshape(steps.shape) @ weights)
        return out

    def _closed_differences(self, x: Array, upper: bool) -> Array:
        assert self.support is not None
        (low, high), points = self._ends, self.window.points[:, 0]
        h = self.window.factor[0, 0] * (1.0 if self.window.scales is None else self.window.scales)
        share, period = self.window.w / self.window.total, periods(self.support)[0]
        begin, end = (x, np.full_like(x, high)) if upper else (np.full_like(x, low), x)
        out, rows = np.empty(len(x)), max(1, 2**18 // len(points))
        for first in range(0, len(x), rows):
            part = slice(first, first + rows)
            total = np.zeros((len(x[part]), len(points)))
            for sign, ends in ((1.0, end), (-1.0, begin)):
                turned = wrapped_mass(self.kernel, ends[part, None] - points, period, h)
                if not self.support.periodic[0]:
                    turned = turned + wrapped_mass(self.kernel, (ends[part, None] - low) + (points - low), period, h)
                total += sign * turned
            out[part] = total @ share
        return out

    def _jointly(self, X: Array, upper: bool, log: bool) -> Array:
        """The joint distribution function of several columns."""
        if upper:
            raise TypeError("the probability above a value is offered for one column; take a marginal first.")
        if self.support is not None:
            raise TypeError("cdf of several columns with bounds or a period is not offered; take a marginal.")
        if self.kernel.name != "gaussian" or self.window.diagonal is None:
            raise TypeError(
                "cdf of several columns is offered for the gaussian kernel with one bandwidth for each column; take a "
                "marginal for one column."
            )
        window, share = self.window, self.window.w / self.window.total
        out, rows = np.empty(len(X)), max(1, 2**18 // len(share))
        scales = 1.0 if window.scales is None else window.scales
        for begin in range(0, len(X), rows):
            part = X[begin : begin + rows]
            u = [(part[:, j, None] - window.points[:, j]) / (scales * window.factor[j, j]) for j in range(X.shape[1])]
            if log:
                total = sum(self.kernel.log_cdf(one) for one in u)
                out[begin : begin + rows] = logsumexp(total, axis=1, b=share)
            else:
                out[begin : begin + rows] = np.prod([self.kernel.cdf(one) for one in u], axis=0) @ share
        return out
