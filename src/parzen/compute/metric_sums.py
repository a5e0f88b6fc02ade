"""Kernel sums over tiles of points by distances that are not Euclidean, compiled."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import CODES, GAUSSIAN_SCALE
from parzen.compute.tiles import Tiles, lay_tiles
from parzen.compute.window_border import WindowBorder

#: Codes of the distances: norms of differences, and arcs between points of the unit sphere in space.
DISTANCES = {"manhattan": 0, "chebyshev": 1, "minkowski": 2, "arc": 3}


def lay_metric_tiles(points: Array, weights: Array, size: int) -> Tiles:
    """Tiles of points (n, d), n > 0, in the user's units: distances are measured there and then scaled."""
    d = points.shape[1]
    with np.errstate(over="ignore"):  # squared lengths, which these sums don't read
        return lay_tiles(points, weights, None, WindowBorder(np.ones(d), None, 1.0), size, sort=d <= 16)


def metric_sums(
    tiles: Tiles,
    distance: str,
    p: float,
    factors: Array | None,
    kernel: str,
    h: float,
    Q: Array,
    rtol: float,
    atol: float,
    own: NDArray[np.int64] | None = None,
    left: Array | None = None,
) -> Array:
    """Log of the sum of coefficients times kernel of distances over h at each query, (m,); kernels are 1 at 0.

    Parameters
    ----------
    tiles : laid by `lay_metric_tiles`; for arcs, of unit vectors relative to any point (n, 3)
    distance : one of `DISTANCES`
    p : power of the Minkowski distance, which alone reads it
    factors : array of shape (d,), optional
        What differences are multiplied by.
    Q : array of shape (m, d), sorted so that neighbours follow one another
    rtol, atol : what may be left out, relative to each sum and in its units
    own, left : slot of a point that has the coefficient `left` instead of its own (leave-one-out); -1 for none
    """
    count, d, size = tiles.points.shape
    m = len(Q)
    out = np.empty(m)
    if not m:
        return out
    if distance == "arc" and (d != 3 or factors is not None):
        raise ValueError("arcs are measured between points in space, without factors.")
    if factors is None and distance != "arc" and d != 2:
        factors = np.ones(d)
    scale = (GAUSSIAN_SCALE if kernel == "gaussian" else 1.0) / h
    f64 = native.F64
    native.call(
        "metric_sums_f64",
        count,
        size,
        d,
        native.pointer(tiles.points, f64, (count, d, size), "points"),
        native.pointer(tiles.coefficients, f64, (count, size), "coefficients"),
        native.pointer(tiles.low, f64, (d, count), "low"),
        native.pointer(tiles.high, f64, (d, count), "high"),
        None if factors is None else native.pointer(factors, f64, (d,), "factors"),
        native.pointer(Q, f64, (m, d), "Q"),
        m,
        None if own is None else native.pointer(own, native.I64, (m,), "own"),
        None if left is None else native.pointer(left, f64, (m,), "left"),
        tiles.total,
        rtol,
        atol,
        max(4, size // 4),
        DISTANCES[distance],
        p,
        CODES[kernel],
        h,
        scale,
        tiles.slack,
        *native.outputs(out),
    )
    return out
