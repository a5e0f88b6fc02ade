"""Local averages by a kernel function that is not compiled, in NumPy."""

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.local_sums import Averages, joined
from parzen.compute.window_border import WindowBorder
from parzen.smoothing.categories import CategoryFactors
from parzen.smoothing.kernel_functions import KernelFunction
from parzen.smoothing.queries import Queries


def averages_by_function(
    kernel: KernelFunction,
    points: Array,
    values: Array,
    w: Array,
    units: Array,
    categories: CategoryFactors,
    queries: Queries,
    lines: bool,
) -> Averages:
    """Averages of values (n, C) of weighted points (n, d) around queries; see `LocalSum`."""
    (n, d), Q, own, left = points.shape, queries.Q, queries.own, queries.left
    factors, cell = categories.at(queries.codes, len(Q))
    group = np.zeros(n, dtype=np.int64) if categories.codes is None else categories.combinations[1]
    width, border = max(1, 2**18 // n), WindowBorder.of(units, np.abs(points).max(axis=0))
    parts: list[Averages] = []
    for begin in range(0, len(Q), width):
        part = slice(begin, begin + width)
        u = (points - Q[part, None]) / units
        r = border.distances(Q[part], points)
        weights = np.broadcast_to(w, r.shape).copy()
        if own is not None and left is not None:
            weights[np.arange(len(r)), own[part]] = left[part]
        weights *= factors[cell[part]][:, group]
        log_sum, k = _normalised(weights, kernel.at(r), r)
        more: tuple[Array, ...] = ()
        if lines:
            ku = k[:, :, None] * u
            more = (ku.sum(axis=1), np.einsum("mni,mnj->mij", ku, u), np.einsum("mni,nc->mic", ku, values))
        parts.append(Averages(log_sum, k @ values, *more))
    return joined(parts, np.arange(len(Q)), (d, values.shape[1]), lines)


def _normalised(weights: Array, kernel: Array, r: Array) -> tuple[Array, Array]:
    """Log of the sums of weights times kernel, (m,), and the products divided by them, (m, n).

    Where the kernel reaches no row, the nearest rows count alone.
    """
    k = weights * kernel
    total = k.sum(axis=1)
    far = np.flatnonzero(~(total > 0))
    if len(far):
        near = np.where(weights[far] > 0, r[far], np.inf)
        k[far] = np.where(near <= near.min(axis=1, keepdims=True) * (1 + 1e-12), weights[far], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_sum: Array = np.log(total)
        k /= k.sum(axis=1, keepdims=True)
    return log_sum, k
