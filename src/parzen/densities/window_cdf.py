"""Distribution functions of Parzen windows."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.densities.support import Support
from parzen.densities.windows import Windows
from parzen.smoothing.kernel_functions import KernelFunction


def window_cdf(window: Windows, kernel: KernelFunction, support: Support | None, X: Array) -> Array:
    """Probability of values up to those given, (n,): of one column, or jointly (Gaussian kernel, diagonal H)."""
    if support is None:
        return _unfolded(window, kernel, X)
    if X.shape[1] > 1:
        raise TypeError("cdf of several columns with bounds or a period is not offered; take a marginal.")
    return _folded(window, kernel, support, X[:, 0])


def _folded(window: Windows, kernel: KernelFunction, support: Support, x: Array) -> Array:
    """Distribution function of the folded density: the mass of everything that is folded onto values up to x."""
    low, high = float(support.low[0]), float(support.high[0])

    def F(values: Any) -> Array:
        return _unfolded(window, kernel, np.atleast_1d(values)[:, None])

    folded = support.fold(x[:, None])[:, 0] if support.periodic[0] else np.clip(x, low, high)
    x = np.where((x >= low) & (x <= high), x, folded)
    if not np.isfinite(high):
        return F(x) - F(2 * low - x)
    if not np.isfinite(low):
        return F(x) + 1.0 - F(2 * high - x)
    total = np.zeros(len(x))
    for sign, shift in support.column_images(0, float(window.reach(kernel, support)[0])):
        here, begin = F(sign * x + shift), F(sign * low + shift)
        total += sign * (here - begin)
    return total


def _unfolded(window: Windows, kernel: KernelFunction, X: Array) -> Array:
    """Distribution function on the whole line (or space), before folding."""
    d = X.shape[1]
    if d > 1 and (kernel.name != "gaussian" or window.diagonal is None):
        raise TypeError(
            "cdf of several columns is offered for the gaussian kernel with one bandwidth for each column; take a "
            "marginal for one column."
        )
    if d == 1 and window.scales is None:
        return window.below(kernel, X)
    out, share = np.empty(len(X)), window.w / window.total
    rows = max(1, 2**18 // len(share))
    scales = 1.0 if window.scales is None else window.scales
    for begin in range(0, len(X), rows):
        part = X[begin : begin + rows]
        below = np.ones((len(part), len(share)))
        for j in range(d):
            below *= kernel.cdf((part[:, j, None] - window.points[:, j]) / (scales * window.factor[j, j]))
        out[begin : begin + rows] = below @ share
    return out
