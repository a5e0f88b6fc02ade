"""Rows of a sample for kernel sums: copied together with their ranges, and sorted by a k-d tree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


def copy_rows(X: Any) -> tuple[Array, Array, Array]:
    """A C-contiguous float64 copy of rows (n, d), and the minimum and maximum of each column, (d,) each.

    The minimum and maximum are not finite where a cell is not.
    """
    n, d = X.shape
    if X.dtype != np.float64 or not X.flags.c_contiguous or not n:
        copy = np.array(X, dtype=np.float64, order="C")
        none = np.zeros(d)
        return copy, copy.min(axis=0) if n else none, copy.max(axis=0) if n else none
    out, low, high = np.empty((n, d)), np.empty(d), np.empty(d)
    native.call("copy_rows_f64", native.pointer(X, native.F64, (n, d), "X"), n, d, *native.outputs(out, low, high))
    return out, low, high


def kd_order(X: Array, leaf: int) -> NDArray[np.int64]:
    """Order of rows (n, d) along the leaves of a k-d tree: rows that follow one another are near each other."""
    n, d = X.shape
    order = np.empty(n, dtype=np.int64)
    if n:
        native.call(
            "kd_order_f64", native.pointer(X, native.F64, (n, d), "X"), n, d, max(leaf, 1), *native.outputs(order)
        )
    return order
