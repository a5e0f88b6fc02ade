"""Derivatives of a local-constant regression by the columns of numbers."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.local import LocalSum

#: Kernels whose derivative is a multiple of another kernel: d k(r) / d q = factor * other(r) * u / h.
DERIVATIVES = {
    "gaussian": (1.0, "gaussian"),
    "epanechnikov": (2.0, "tophat"),
    "biweight": (4.0, "epanechnikov"),
    "triweight": (6.0, "biweight"),
}


def constant_slopes(sums: LocalSum, Q: Array, codes: NDArray[np.int64] | None = None) -> Array:
    """Derivatives (m, d, C) of the local averages at queries (m, d)."""
    kernel, (_, d), C = sums.kernel.name, sums.points.shape, sums.values.shape[1]
    if kernel == "tophat":
        return np.zeros((len(Q), d, C))
    if kernel not in DERIVATIVES:
        return _differences(sums, Q, codes)
    factor, name = DERIVATIVES[kernel]
    value = sums.averages(Q, codes)
    found = replace(sums, kernel=KERNEL_FUNCTIONS[name]).averages(Q, codes, lines=True)
    assert found.offset is not None
    assert found.product is not None
    if name == kernel:  # from the same sums, so that rounding cancels
        value = found
    with np.errstate(invalid="ignore", over="ignore"):
        share = factor * np.exp(found.log_sum - value.log_sum)
    share = np.where(np.isfinite(found.log_sum) & np.isfinite(value.log_sum), share, 0.0)
    taken = found.offset[:, :, None] * value.value[:, None, :]
    change = found.product - taken
    change[np.abs(change) <= 1e-13 * np.abs(taken)] = 0.0  # mere rounding
    return share[:, None, None] * change / sums.units[:, None]


def _differences(sums: LocalSum, Q: Array, codes: NDArray[np.int64] | None) -> Array:
    """Derivatives by central differences, for kernels with a kink."""
    out = np.empty((len(Q), Q.shape[1], sums.values.shape[1]))
    for j in range(Q.shape[1]):
        step = np.maximum(1e-5 * sums.units[j], 4.0 * np.spacing(np.abs(Q[:, j])))
        sides = []
        for sign in (1.0, -1.0):
            moved = Q.copy()
            moved[:, j] += sign * step
            sides.append((moved[:, j], sums.averages(moved, codes).value))
        (right, above), (left, below) = sides
        out[:, j] = (above - below) / (right - left)[:, None]
    return out
