"""Sums over distances beyond a threshold, compiled."""

import numpy as np

from parzen.compute import native
from parzen.compute.arrays import Array


def pareto_sums(y: Array, w: Array, ratios: Array) -> tuple[Array, Array]:
    """Sums over i of ``w log(1 + t y)`` and of ``w t y / (1 + t y)``, at each ratio t: two arrays of shape (m,).

    Parameters
    ----------
    y, w : arrays of shape (n,), finite distances of at least 0, and their weights
    ratios : array of shape (m,), at least 0
    """
    n, m = len(y), len(ratios)
    logs, shares = np.empty(m), np.empty(m)
    native.call(
        "pareto_sums_f64",
        native.pointer(y, native.F64, (n,), "y"),
        native.pointer(w, native.F64, (n,), "w"),
        n,
        native.pointer(ratios, native.F64, (m,), "ratios"),
        m,
        *native.outputs(logs, shares),
    )
    return logs, shares
