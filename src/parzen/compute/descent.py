"""Coordinate descent for a quadratic function and absolute values, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


def descend(matrix: Array, slope: Array, start: Array, l1: Array, small: float, most: int) -> tuple[Array, Array, int]:
    """Minimise ``slope @ d + d @ matrix @ d / 2 + (l1 * abs(start + d)).sum()`` over d, a coordinate at a time.

    Parameters
    ----------
    matrix : array of shape (m, m), symmetric and not negative
    slope, start, l1 : arrays of shape (m,)
    small : stop when no coordinate moves by more than this in the matrix's own length, ``abs(d_j) sqrt(matrix[j, j])``
    most : most sweeps over the coordinates

    Returns
    -------
    end : array of shape (m,)
        ``start + d``; coordinates that the absolute values hold at zero are exactly zero.
    slope : array of shape (m,)
        ``slope + matrix @ d``.
    sweeps : int

    Examples
    --------
    >>> import numpy as np
    >>> descend(np.eye(2), np.array([-3.0, -0.5]), np.zeros(2), np.ones(2), 0.0, 9)[0]
    array([2., 0.])
    """
    m = len(slope)
    end, moved, sweeps = np.array(start), np.array(slope), np.empty(1)
    native.call(
        "descend_f64",
        m,
        native.pointer(matrix, native.F64, (m, m), "matrix"),
        native.pointer(l1, native.F64, (m,), "l1"),
        small,
        most,
        native.pointer(end, native.F64, (m,), "start"),
        native.pointer(moved, native.F64, (m,), "slope"),
        *native.outputs(sweeps),
    )
    return end, moved, int(sweeps[0])


def descend_columns(
    X: Any,
    shares: Array,
    weights: Array,
    start: Array,
    slope: Array,
    l1: Array,
    l2: Array,
    candidates: NDArray[np.int64],
    share: float,
    most: int,
) -> tuple[Array, float, int]:
    """The same for the second derivatives of a softmax of sparse columns, which are never formed.

    Parameters
    ----------
    X : CSC matrix of shape (n, p), of float64
    shares : array of shape (n, F)
        Probabilities of the classes whose weights are free.
    weights : array of shape (n,)
    start, slope : arrays of shape (F, p + 1)
        The last column is for a column of ones.
    l1, l2 : arrays of shape (p + 1,)
        Weights of absolute values and of half squares; the slope has those of the squares in it.
    candidates : array of places in ``start.ravel()``
        The coordinates that may move.
    share : stop when a sweep gains less than this share of all that was gained
    most : most sweeps over the coordinates

    Returns
    -------
    end : array of shape (F, p + 1)
    gain : float
        How much lower the model is at the end.
    sweeps : int
    """
    (n, p), F = X.shape, shares.shape[1]
    end, out = np.array(start), np.empty(2)
    rows, begin = X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False)
    native.call(
        "descend_columns_f64",
        native.pointer(X.data, native.F64, X.data.shape, "X.data"),
        native.pointer(rows, native.I32, X.data.shape, "X.indices"),
        native.pointer(begin, native.I64, (p + 1,), "X.indptr"),
        n,
        p,
        F,
        native.pointer(shares, native.F64, (n, F), "shares"),
        native.pointer(weights, native.F64, (n,), "weights"),
        native.pointer(candidates, native.I64, candidates.shape, "candidates"),
        len(candidates),
        native.pointer(l1, native.F64, (p + 1,), "l1"),
        native.pointer(l2, native.F64, (p + 1,), "l2"),
        native.pointer(slope, native.F64, (F, p + 1), "slope"),
        share,
        most,
        native.pointer(end, native.F64, (F, p + 1), "start"),
        *native.outputs(out[:1], out[1:]),
    )
    return end, float(out[1]), int(out[0])
