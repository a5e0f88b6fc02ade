"""Affine functions of rows, and the log-likelihood of labels under their softmax, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array, is_sparse
from parzen.compute.memberships import Labels
from parzen.compute.sparse import check_sound, matrix_of


def linear(X: NDArray[np.floating], table: Array, offset: Array, out: Array, origin: Array | None = None) -> None:
    """Write ``(X - origin) @ table + offset`` for dense rows; table has shape (d, K)."""
    suffix, matrix = native.rows(X, native.FLOATS)
    (n, d), K = X.shape, len(offset)
    native.call(
        f"linear_{suffix}",
        *matrix,
        K,
        None if origin is None else native.pointer(origin, native.F64, (d,), "origin"),
        native.pointer(table, native.F64, (d, K), "table"),
        native.pointer(offset, native.F64, (K,), "offset"),
        native.pointer(out, native.F64, (n, K), "out"),
    )


def softmax(
    X: Any, labels: Labels, table: Array, offset: Array, origin: Array | None = None
) -> tuple[float, float, Array, Array]:
    """Log-likelihood of labels under the softmax of ``(X - origin) @ table + offset``, and its gradient.

    Parameters
    ----------
    X : rows, dense or CSR, float32 or float64
    labels : the label of each row among K, with its weight
    table, offset : arrays of shape (d, K) and (K,)
    origin : array of shape (d,), or None for zero, as it must be for CSR

    Returns
    -------
    weight, log_likelihood : float
    gradient, slope : arrays of shape (d, K) and (K,)
        Derivatives of minus the log-likelihood by table and offset.
    """
    return _softmax(X, labels, table, offset, origin, (0.0, None))


def softmax_curvature(
    X: NDArray[np.floating],
    labels: Labels,
    table: Array,
    offset: Array,
    origin: Array | None = None,
    least: float = 0.0,
) -> tuple[float, float, Array, Array, Array]:
    """The same of dense rows, and second derivatives; of rows and two classes with w p_k p_l above the least only.

    Returns
    -------
    weight, log_likelihood, gradient, slope
    pairs : array of shape (K (K - 1) / 2, d + 1, d + 1)
        Sums of w p_k p_l y y' for all k < l, in the order (0, 1), (0, 2), ..., where y is a row less the origin, and 1.
        Minus these are the second derivatives by (table, offset) of class k and of class l; those by one class twice
        are the sum over all pairs that it is in.
    """
    K, d = len(offset), X.shape[1]
    pairs = np.empty((K * (K - 1) // 2, d + 1, d + 1))
    return *_softmax(X, labels, table, offset, origin, (least, pairs)), pairs


def _softmax(
    X: Any, labels: Labels, table: Array, offset: Array, origin: Array | None, second: tuple[float, Array | None]
) -> tuple[float, float, Array, Array]:
    (n, d), K = X.shape, len(offset)
    sums, gradient, slope = np.empty(2), np.empty((d, K)), np.empty(K)
    suffix, matrix = matrix_of(X) if is_sparse(X) else native.rows(X, native.FLOATS)
    away = () if is_sparse(X) else (None if origin is None else native.pointer(origin, native.F64, (d,), "origin"),)
    least, pairs = second
    last = () if is_sparse(X) else (least, None if pairs is None else native.outputs(pairs)[0])
    status = native.call(
        f"{'csr_' if is_sparse(X) else ''}softmax_{suffix}",
        *matrix,
        native.pointer(labels.codes, native.I32, (n,), "codes"),
        None if labels.weights is None else native.pointer(labels.weights, native.F64, (n,), "weights"),
        K,
        *away,
        native.pointer(table, native.F64, (d, K), "table"),
        native.pointer(offset, native.F64, (K,), "offset"),
        *native.outputs(sums[:1], sums[1:], gradient, slope),
        *last,
    )
    check_sound(status)
    return float(sums[0]), float(sums[1]), gradient, slope
