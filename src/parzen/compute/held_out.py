"""Held-out log-densities of one column within its classes, compiled.

A cell has a value x, a class (its code), a fold, and a count: how many rows have all of these. Results are
log-densities of each cell under each of K classes, by the rows of that class in the folds other than the cell's own,
(n, K). Codes lie between 0 and K - 1, folds between 0 and their number - 1.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

Codes = NDArray[np.int32]


def held_gaussian(x: Array, codes: Codes, folds: Codes, count: Array, groups: int, parts: int) -> Array:
    """By predictive densities of Gaussians: Student t, with the default prior of ``Gaussian(estimate="bayes")``."""
    out = np.empty((len(x), groups))
    native.call("held_gaussian_f64", *_cells(x, codes, folds, count, groups, parts), *native.outputs(out))
    return out


def held_shares(
    codes: Codes, folds: Codes, count: Array, groups: int, parts: int, slots: Codes, size: int, strength: float
) -> Array:
    """By the shares of slots 0, ..., size - 1, one for each cell, each of which has `strength` rows more."""
    out = np.empty((len(codes), groups))
    slot = native.pointer(slots, native.I32, codes.shape, "slots")
    cells = _cells(count, codes, folds, count, groups, parts)  # their values don't matter
    native.call("held_shares_f64", *cells, slot, size, strength, *native.outputs(out))
    return out


def held_bins(
    x: Array,
    codes: Codes,
    folds: Codes,
    count: Array,
    groups: int,
    parts: int,
    counts: Sequence[int],
    strength: float,
) -> Array:
    """By histograms of bins of about equal counts, open at both ends, for each number of bins: (numbers, n, K).

    Each bin has `strength` rows more. Bins are fewer where values are repeated; where there would be one or two, their
    number is doubled up to the last of `counts`.
    """
    order, numbers = np.argsort(x, kind="stable"), np.array(counts, dtype=np.int64)
    out = np.empty((len(numbers), len(x), groups))
    cells = _cells(x, codes, folds, count, groups, parts)
    if native.call(
        "held_bins_f64", *cells, *native.outputs(order, numbers), len(numbers), strength, *native.outputs(out)
    ):
        raise ValueError("a fold holds every cell, so that no others are left to fit a density to; use more folds.")
    return out


def _cells(x: Array, codes: Codes, folds: Codes, count: Array, groups: int, parts: int) -> tuple[int, ...]:
    n = len(x)
    values, counts = (native.pointer(part, native.F64, (n,), name) for part, name in ((x, "x"), (count, "count")))
    marks = (native.pointer(part, native.I32, (n,), name) for part, name in ((codes, "codes"), (folds, "folds")))
    return values, *marks, counts, n, groups, parts
