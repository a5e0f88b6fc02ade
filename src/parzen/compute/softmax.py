"""Affine functions of rows, and the log-likelihood of labels under their softmax, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array, is_sparse
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import Labels
from parzen.compute.sparse import check_sound, matrix_of

#: Bytes of a number.
NUMBER = 8


def linear(X: NDArray[np.floating], table: Array, offset: Array, out: Array, origin: Array | None = None) -> None:
    """Write ``(X - origin) @ table + offset`` for dense rows; table has shape (d, K)."""
    if is_device(X):
        routine("linear")(X, table, offset, out, origin)
        return
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
    found = softmax_sums(X, labels, table, offset, origin)
    gradient, slope = _slopes(found, table)
    return float(found[0]), float(found[1]), gradient, slope


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
    found = softmax_sums(X, labels, table, offset, origin, least)
    gradient, slope = _slopes(found, table)
    side = len(table) + 1
    return (
        float(found[0]),
        float(found[1]),
        gradient,
        slope,
        found[2 + table.size + len(slope) :].reshape(-1, side, side),
    )


def softmax_sums(
    X: Any, labels: Labels, table: Array, offset: Array, origin: Array | None = None, least: float | None = None
) -> Array:
    """All of these in one array: weight, log-likelihood, gradient, slope and, with a least share, the pairs."""
    if is_device(X):
        sums: Array = routine("softmax_sums")(X, labels, table, offset, origin, least)
        return sums
    (n, d), K = X.shape, len(offset)
    first = 2 + (d + 1) * K
    out = np.empty(first if least is None else first + K * (K - 1) // 2 * (d + 1) ** 2)
    (begin,) = native.outputs(out)
    suffix, matrix, *_kept = matrix_of(X) if is_sparse(X) else native.rows(X, native.FLOATS)
    away = () if is_sparse(X) else (None if origin is None else native.pointer(origin, native.F64, (d,), "origin"),)
    second = None if least is None else begin + NUMBER * first
    status = native.call(
        f"{'csr_' if is_sparse(X) else ''}softmax_{suffix}",
        *matrix,
        native.pointer(labels.codes, native.I32, (n,), "codes"),
        None if labels.weights is None else native.pointer(labels.weights, native.F64, (n,), "weights"),
        K,
        *away,
        native.pointer(table, native.F64, (d, K), "table"),
        native.pointer(offset, native.F64, (K,), "offset"),
        begin,
        begin + NUMBER,
        begin + NUMBER * 2,
        begin + NUMBER * (2 + d * K),
        *(() if is_sparse(X) else (least or 0.0, second)),
    )
    check_sound(status)
    return out


def logit_run(
    X: NDArray[np.floating],
    labels: Labels,
    start: Array,
    l2: Array,
    origin: Array | None = None,
    *,
    rest: Array | None = None,
    intercept: bool = True,
    negligible: float = 0.0,
    enough: float = 0.0,
    relative: float = 0.0,
    done: float = 0.0,
    most: int = 30,
) -> tuple[int, Array, Array, Array, Array] | None:
    """Newton's method for two classes: minus the log-likelihood of labels and half of l2 times squares.

    Parameters
    ----------
    X : rows (n, d)
    labels : the label of each row among two, with its weight
    start, l2 : arrays of shape (d + 1,)
        Where to begin, the intercept last, and weights of half squares.
    origin : array of shape (d,), or None for zero
        What rows are less.
    rest : array of shape (d + 2,), or None for zero
        A linear function to add: its slopes, and its value at zero.
    intercept : whether it is free; it is zero otherwise
    negligible : rows of at most this share of the loss are left out of curvatures after the first
    enough, relative : stop where no more than this is left to gain, or than this share of the objective
    done : stop where the objective is no more than this
    most : steps at most

    Returns
    -------
    steps, point, values, slope, curvature
        Values are the objective, and what there was to gain before the last step (infinite if there was none). The
        curvature, (d + 1, d + 1), is that of the loss alone. None where no step could be found.
    """
    (n, d), steps = X.shape, np.empty(1, dtype=np.int64)
    point, slope, second, values = (
        np.array(start, dtype=np.float64),
        np.empty(d + 1),
        np.empty((d + 1, d + 1)),
        np.empty(2),
    )
    suffix, matrix = native.rows(X, native.FLOATS)
    status = native.call(
        f"logit_run_{suffix}",
        *matrix,
        native.pointer(labels.codes, native.I32, (n,), "codes"),
        None if labels.weights is None else native.pointer(labels.weights, native.F64, (n,), "weights"),
        None if origin is None else native.pointer(origin, native.F64, (d,), "origin"),
        native.pointer(l2, native.F64, (d + 1,), "l2"),
        None if rest is None else native.pointer(rest, native.F64, (d + 2,), "rest"),
        int(intercept),
        negligible,
        enough,
        relative,
        done,
        most,
        native.pointer(point, native.F64, (d + 1,), "start"),
        *native.outputs(values, slope, second, steps),
    )
    return (int(steps[0]), point, values, slope, second) if status == 0 else None


def softmax_product(X: Any, shares: Array, weights: Array, way: Array) -> Array:
    """Second derivatives of minus a log-likelihood, of CSR rows, times a direction.

    Parameters
    ----------
    X : CSR rows (n, d) of float32 or float64
    shares : array of shape (n, F)
        Probabilities of the classes whose weights are free.
    weights : array of shape (n,)
    way : array of shape (d + 1, F)
        The direction; its last row is for a column of ones.

    Returns
    -------
    array of shape (d + 1, F)
    """
    (n, d), F = X.shape, way.shape[1]
    suffix, matrix, _kept = matrix_of(X)
    out = np.empty((d + 1, F))
    status = native.call(
        f"csr_softmax_product_{suffix}",
        *matrix,
        F,
        native.pointer(shares, native.F64, (n, F), "shares"),
        native.pointer(weights, native.F64, (n,), "weights"),
        native.pointer(way, native.F64, (d + 1, F), "way"),
        *native.outputs(out),
    )
    check_sound(status)
    return out


def _slopes(found: Array, table: Array) -> tuple[Array, Array]:
    d, K = table.shape
    return found[2 : 2 + d * K].reshape(d, K), found[2 + d * K : 2 + d * K + K]
