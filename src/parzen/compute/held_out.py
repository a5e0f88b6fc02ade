"""Held-out log-densities of one column within its classes, and likelihoods of its power transforms, compiled.

A cell has a value x, a class (its code) and a fold; results are log-densities of each cell under each of K classes, by
the cells of that class in the folds other than its own, (n, K). Codes lie between 0 and K - 1, folds between 0 and
their number - 1.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

Codes = NDArray[np.int32]


def held_gaussian(x: Array, codes: Codes, folds: Codes, groups: int, parts: int) -> Array:
    """By predictive densities of Gaussians: Student t, with the default prior of ``Gaussian(estimate="bayes")``."""
    out = np.empty((len(x), groups))
    native.call("held_gaussian_f64", *_cells(x, codes, folds, groups, parts), *native.outputs(out))
    return out


def held_shares(codes: Codes, folds: Codes, groups: int, parts: int, slots: Codes, size: int, strength: float) -> Array:
    """By the shares of slots 0, ..., size - 1, one for each cell, each of which has `strength` cells more."""
    x, out = np.empty(len(codes)), np.empty((len(codes), groups))
    slot = native.pointer(slots, native.I32, x.shape, "slots")
    cells = _cells(x, codes, folds, groups, parts)
    native.call("held_shares_f64", *cells, slot, size, strength, *native.outputs(out))
    return out


def held_bins(
    x: Array, codes: Codes, folds: Codes, groups: int, parts: int, counts: Sequence[int], strength: float
) -> Array:
    """By histograms of bins of about equal counts, open at both ends, for each number of bins: (numbers, n, K).

    Each bin has `strength` cells more. Bins are fewer where values are repeated; where there would be one or two, their
    number is doubled up to the last of `counts`.
    """
    order, numbers = np.argsort(x), np.array(counts, dtype=np.int64)
    out = np.empty((len(numbers), len(x), groups))
    cells = _cells(x, codes, folds, groups, parts)
    if native.call(
        "held_bins_f64", *cells, *native.outputs(order, numbers), len(numbers), strength, *native.outputs(out)
    ):
        raise ValueError("a fold holds every cell, so that no others are left to fit a density to; use more folds.")
    return out


def likeliest_power(
    x: Array, codes: Codes, w: Array, groups: int, tried: Array, largest: float, tolerance: float | None
) -> tuple[float, float, float]:
    """Power, location and scale of the power transform under which a column is likeliest to be Gaussian within groups.

    Parameters
    ----------
    x, codes, w : arrays of shape (n,), finite values, their groups and weights
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


def _cells(x: Array, codes: Codes, folds: Codes, groups: int, parts: int) -> tuple[int, ...]:
    n = len(x)
    address = native.pointer(x, native.F64, (n,), "x")
    marks = (native.pointer(part, native.I32, (n,), name) for part, name in ((codes, "codes"), (folds, "folds")))
    return address, *marks, n, groups, parts
