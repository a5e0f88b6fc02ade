"""Power transforms of one column, and the likeliest of them, compiled."""

from collections.abc import Sequence

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
    x: Array,
    codes: Codes,
    w: Array,
    count: Array,
    groups: int,
    given: Sequence[float],
    scales: Array,
    largest: float,
    tolerance: float,
) -> tuple[float, float, float]:
    """Power, location and scale of the power transform under which a column is likeliest to be Gaussian within groups.

    Locations that are tried are the end without the longer tail and the middle; powers lie between 0 and 1.

    Parameters
    ----------
    x, codes, w, count : arrays of shape (n,), finite values that differ, their groups and weights, and how many rows
        each stands for
    given : the three parameters, NaN where they are to be learnt
    scales : that are tried, in units of the median distance from the location
    largest : most that the exponent of exp may be
    tolerance : of the power
    """
    n = len(x)
    known, found = np.array(given, dtype=np.float64), np.empty(3)
    native.call(
        "likeliest_power_f64",
        native.pointer(x, native.F64, (n,), "x"),
        native.pointer(codes, native.I32, (n,), "codes"),
        native.pointer(w, native.F64, (n,), "w"),
        native.pointer(count, native.F64, (n,), "count"),
        n,
        groups,
        *native.outputs(known),
        native.pointer(scales, native.F64, (len(scales),), "scales"),
        len(scales),
        largest,
        tolerance,
        *native.outputs(found),
    )
    power, location, scale = found.tolist()
    return power, location, scale
