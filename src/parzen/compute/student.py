"""Log-densities of Student's t in independent columns, compiled."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


def student(
    X: NDArray[np.floating], location: Array, scale: Array, dof: Array, constant: Array, out: Array | None = None
) -> Array:
    """Sum over the columns of the log-densities of cells, (n, K); missing cells add nothing.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64
    location, scale, dof : arrays of shape (K, d)
    constant : array of shape (K, d), the log-density at the location
    out : C-contiguous array of shape (n, K) to write to, if there is one
    """
    suffix, matrix = native.rows(X, native.FLOATS)
    n, K = len(X), len(location)
    out = np.empty((n, K)) if out is None else out
    names = ("location", "scale", "dof", "constant")
    given = zip((location, scale, dof, constant), names, strict=True)
    pointers = [native.pointer(part, native.F64, (K, X.shape[1]), name) for part, name in given]
    native.call(f"student_{suffix}", *matrix, K, *pointers, native.pointer(out, native.F64, (n, K), "out"))
    return out
