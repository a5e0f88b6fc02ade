"""Power transforms of one column, and the likeliest of them, compiled."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

Codes = NDArray[np.int32]


def power_forward(
    x: Array, power: float, location: float, scale: float, largest: float, slopes: Array | None = None
) -> Array:
    """John and Draper's transform of a column; a missing cell stays missing, and an infinite one infinite.

    Parameters
    ----------
    x : array of shape (n,) of float64, with any stride
    largest : most that the exponent of exp may be
    slopes : C-contiguous array of shape (n,), if there is one: where the logarithm of the derivative at each cell is
        written to, 0 where it is missing
    """
    out = np.empty(len(x))
    written = None if slopes is None else native.pointer(slopes, native.F64, (len(x),), "slopes")
    parameters = (power, location, scale, largest)
    native.call("power_forward_f64", *native.column(x), *parameters, *native.outputs(out), written)
    return out


def likeliest_power(
    x: Array, codes: Codes, w: Array, count: Array, groups: int, tried: Array, largest: float, tolerance: float | None
) -> tuple[float, float, float]:
    """Power, location and scale of the power transform under which a column is likeliest to be Gaussian within groups.

    Parameters
    ----------
    x, codes, w, count : arrays of shape (n,), finite values, their groups and weights, and how many rows have them
    tried : array of shape (m, 3), powers from 0 to 1, locations and scales
    largest : most that the exponent of exp may be
    tolerance : of the power, which is sought near the best of those that are tried; None: it is one of these
    """
    n, m = len(x), len(tried)
    found = np.empty(3)
    native.call(
        "likeliest_power_f64",
        native.pointer(x, native.F64, (n,), "x"),
        native.pointer(codes, native.I32, (n,), "codes"),
        native.pointer(w, native.F64, (n,), "w"),
        native.pointer(count, native.F64, (n,), "count"),
        n,
        groups,
        native.pointer(tried, native.F64, (m, 3), "tried"),
        m,
        largest,
        int(tolerance is not None),
        tolerance or 0.0,
        *native.outputs(found),
    )
    power, location, scale = found.tolist()
    return power, location, scale
