"""Kernel sums over tiles of points, pair by pair, compiled."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.tiles import Tiles
from parzen.compute.window_border import WindowBorder

#: Codes of the kernel functions in the compiled sums.
CODES = {
    "gaussian": 0,
    "tophat": 1,
    "epanechnikov": 2,
    "triangular": 3,
    "biweight": 4,
    "triweight": 5,
    "cosine": 6,
    "exponential": 7,
}
#: Scale of Gaussian coordinates, by which the kernel is 2^-(r^2).
GAUSSIAN_SCALE = float(np.sqrt(0.5 / np.log(2.0)))


#: Kernels that are positive at all distances; the others are zero from the bandwidth on.
TAILED = ("gaussian", "exponential")


def lengths(kernel: str, units: Array, points: Array) -> Array | WindowBorder:
    """How tiles measure the points of a kernel with bandwidths (d,); see `parzen.compute.tiles.lay_tiles`."""
    if kernel in TAILED:
        return (GAUSSIAN_SCALE if kernel == "gaussian" else 1.0) / units
    return WindowBorder.of(units, np.abs(points).max(axis=0))


def factors(tiles: Tiles) -> int | None:
    """Where the compiled sums find the factors of differences; None where there are none."""
    if tiles.border is None or tiles.border.factors is None:
        return None
    return native.pointer(tiles.border.factors, native.F64, tiles.inverse.shape, "factors")


def ends(tiles: Tiles, kernel: str) -> tuple[float, float]:
    """Radius and squared limit of a compact kernel's window; 1 of other kernels, which have none."""
    if (kernel in TAILED) != (tiles.border is None):
        raise ValueError(f"tiles of the {kernel} kernel must be laid by its own lengths.")
    return (1.0, 1.0) if tiles.border is None else (tiles.border.radius, tiles.border.limit)


def window_sums(
    tiles: Tiles,
    kernel: str,
    Q: Array,
    rtol: float,
    atol: float,
    own: NDArray[np.int64] | None = None,
    left: Array | None = None,
) -> tuple[Array, Array | None]:
    """Log of the sum of coefficients times kernel at each query, kernels being 1 at distance 0.

    Parameters
    ----------
    Q : array of shape (m, d), sorted so that neighbours follow one another
    rtol, atol : what may be left out, relative to each sum and in its units
    own : slot of a point that has the coefficient `left` instead of its own (leave-one-out); -1 for none

    Returns
    -------
    logarithms (m,), and in single precision the means of the squared distances under the kernel
    """
    count, d, size = tiles.points.shape
    m = len(Q)
    single = tiles.points.dtype == np.float32
    out, mean = np.empty(m), np.full(m, np.inf) if single else None
    if not m:
        return out, mean
    kind = np.dtype(tiles.points.dtype)
    f64, i64 = native.F64, native.I64
    native.call(
        "window_sums_f32" if single else "window_sums_f64",
        count,
        size,
        d,
        native.pointer(tiles.points, kind, (count, d, size), "points"),
        native.pointer(tiles.coefficients, kind, (count, size), "coefficients"),
        None if tiles.shrink is None else native.pointer(tiles.shrink, kind, (count, size), "shrink"),
        native.pointer(tiles.low, f64, (d, count), "low"),
        native.pointer(tiles.high, f64, (d, count), "high"),
        native.pointer(tiles.least, f64, (count,), "least"),
        native.pointer(tiles.centres, f64, (count, d), "centres"),
        native.pointer(tiles.inverse, f64, (d,), "inverse"),
        factors(tiles),
        None if tiles.norms is None else native.pointer(tiles.norms, f64, (count, size), "norms"),
        native.pointer(tiles.widest, f64, (count,), "widest"),
        native.pointer(Q, f64, (m, d), "Q"),
        m,
        None if own is None else native.pointer(own, i64, (m,), "own"),
        None if left is None else native.pointer(left, f64, (m,), "left"),
        tiles.total,
        rtol,
        atol,
        max(4, size // 4),
        CODES[kernel],
        tiles.slack,
        *ends(tiles, kernel),
        *native.outputs(out),
        None if mean is None else native.outputs(mean)[0],
    )
    return out, mean


#: Bandwidths that `window_ladder` evaluates together, each the one before divided by sqrt(2).
RUNGS = 8


def window_ladder(tiles: Tiles, Q: Array, own: NDArray[np.int64], left: Array) -> Array:
    """Leave-one-out Gaussian sums (m, RUNGS) for falling bandwidths, of float64 tiles."""
    count, d, size = tiles.points.shape
    m = len(Q)
    out = np.empty((m, RUNGS))
    native.call(
        "window_ladder_f64",
        count,
        size,
        d,
        native.pointer(tiles.points, native.F64, (count, d, size), "points"),
        native.pointer(tiles.coefficients, native.F64, (count, size), "coefficients"),
        native.pointer(tiles.centres, native.F64, (count, d), "centres"),
        native.pointer(tiles.inverse, native.F64, (d,), "inverse"),
        native.pointer(Q, native.F64, (m, d), "Q"),
        m,
        native.pointer(own, native.I64, (m,), "own"),
        native.pointer(left, native.F64, (m,), "left"),
        *native.outputs(out),
    )
    return out
