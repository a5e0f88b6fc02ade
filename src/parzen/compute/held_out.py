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


def power_likelihood(
    x: Array, codes: Codes, w: Array, groups: int, transforms: NDArray[np.float64], largest: float
) -> Array:
    """Profile log-likelihoods of power transforms of a column, Gaussian within groups once it is transformed.

    Parameters
    ----------
    x, codes, w : arrays of shape (n,), finite values, their groups and weights
    transforms : array of shape (m, 3), powers of at least 0, locations and scales; cheapest where neighbours share the
        last two
    largest : most that the exponent of exp may be
    """
    n, m = len(x), len(transforms)
    out = np.empty(m)
    native.call(
        "power_likelihood_f64",
        native.pointer(x, native.F64, (n,), "x"),
        native.pointer(codes, native.I32, (n,), "codes"),
        native.pointer(w, native.F64, (n,), "w"),
        n,
        groups,
        native.pointer(transforms, native.F64, (m, 3), "transforms"),
        m,
        largest,
        *native.outputs(out),
    )
    return out


def _cells(x: Array, codes: Codes, folds: Codes, groups: int, parts: int) -> tuple[int, ...]:
    n = len(x)
    address = native.pointer(x, native.F64, (n,), "x")
    marks = (native.pointer(part, native.I32, (n,), name) for part, name in ((codes, "codes"), (folds, "folds")))
    return address, *marks, n, groups, parts
