"""Log-densities of K Gaussians at a block of rows, with and without missing cells."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships, pointers

LOG_TWO_PI = float(np.log(2 * np.pi))


def log_determinant(factor: Array) -> Array:
    """Sum of the logs of the diagonal: half the log-determinant of the covariance. Shape (K,) or (1,)."""
    diagonal = factor if factor.ndim == 2 else np.diagonal(factor, axis1=1, axis2=2)
    return np.log(diagonal).sum(axis=1)


def log_normaliser(mean: Array, factor: Array) -> Array:
    """Log of the highest value of each of K Gaussians, (K,)."""
    return np.repeat(-log_determinant(factor) - 0.5 * mean.shape[1] * LOG_TWO_PI, len(mean) // len(factor))


def gaussian_log_density(
    X: NDArray[np.floating], mean: Array, factor: Array, normaliser: Array | None = None, out: Array | None = None
) -> Array:
    """Log-density of each row under each of K Gaussians; missing cells (NaN) are marginalised.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, with contiguous rows
    mean : array of shape (K, d)
    factor : Cholesky factors of shape (K, d, d), or (1, d, d) for one that all share; or deviations of shape (K, d)
    normaliser : their `log_normaliser`, where it is known already
    out : C-contiguous array of shape (n, K) to write to, optional

    Returns
    -------
    array of shape (n, K), `out` where it was given
    """
    constant = log_normaliser(mean, factor) if normaliser is None else normaliser
    kernel = "diagonal" if factor.ndim == 2 else "shared" if len(factor) == 1 else "separate"
    out, incomplete = _dense(kernel, X, mean, factor, constant, out)
    if incomplete:
        rows = np.flatnonzero(np.isnan(out[:, 0]))
        squares, halves, observed = _marginal(X, rows, mean, factor)
        out[rows] = -0.5 * squares - halves - 0.5 * LOG_TWO_PI * observed
    return out


def mahalanobis(X: NDArray[np.floating], mean: Array, factor: Array) -> tuple[Array, Array, Array]:
    """Squared distances (n, K) over the observed cells, their half log-determinants (n, K), how many they are (n, 1).

    The last two have leading axis 1 where no cell is missing.
    """
    K, d = mean.shape
    kernel = "shared" if len(factor) == 1 else "separate"
    squares, incomplete = _dense(kernel, X, mean, factor, np.zeros(K))
    squares *= -2.0
    halves, observed = np.broadcast_to(log_determinant(factor), (1, K)), np.full((1, 1), float(d))
    if incomplete:
        rows = np.flatnonzero(np.isnan(squares[:, 0]))
        halves, observed = np.repeat(halves, len(X), axis=0), np.repeat(observed, len(X), axis=0)
        squares[rows], halves[rows], observed[rows] = _marginal(X, rows, mean, factor)
    return squares, halves, observed


def _marginal(
    X: NDArray[np.floating], rows: NDArray[np.int64], mean: Array, factor: Array
) -> tuple[Array, Array, Array]:
    """`mahalanobis` of some rows, each over its observed cells."""
    K, d = mean.shape
    X = X[rows]
    missing = np.isnan(X)
    order, begin = patterns(missing)
    squares, halves = np.empty((len(X), K)), np.empty((len(X), K))
    suffix, (address, _, _, stride) = native.rows(X, native.FLOATS)
    native.call(
        f"missing_squares_{suffix}",
        *(address, d, stride, K, len(factor)),
        native.pointer(mean, native.F64, (K, d), "mean"),
        native.pointer(factor, native.F64, (len(factor), d, d), "factor"),
        native.pointer(order, native.I64, order.shape, "order"),
        native.pointer(begin, native.I64, begin.shape, "begin"),
        len(begin) - 1,
        *native.outputs(squares, halves),
    )
    return squares, halves, (d - missing.sum(axis=1, keepdims=True)).astype(np.float64)


def expected_moments(
    X: NDArray[np.floating], R: Memberships, mean: Array, factor: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Expected moments of each group under the current Gaussians, of rows with missing cells.

    Returns
    -------
    weight (K,), mean (K, d), scatter (K, d, d), rounding error of the mean (K, d)
    log_likelihood : array of shape (K,)
        Of each group's weighted rows.
    """
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    members = pointers(R, n)
    K = members[-1]
    order, begin = patterns(np.isnan(X))
    weight, means, scatter = np.empty(K), np.empty((K, d)), np.empty((K, d, d))
    carry, likelihood = np.empty((K, d)), np.empty(K)
    native.call(
        f"missing_expected_{suffix}",
        *matrix,
        *members,
        len(factor),
        native.pointer(mean, native.F64, (K, d), "mean"),
        native.pointer(factor, native.F64, (len(factor), d, d), "factor"),
        native.pointer(order, native.I64, (n,), "order"),
        native.pointer(begin, native.I64, begin.shape, "begin"),
        len(begin) - 1,
        *native.outputs(weight, means, carry, scatter, likelihood),
    )
    return weight, means, scatter, carry, likelihood


def patterns(missing: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order in which rows with the same missing cells follow one another, and the first row of each pattern."""
    packed = np.packbits(missing, axis=1)
    order = np.lexsort(packed.T)
    packed = packed[order]
    changes = (packed[1:] != packed[:-1]).any(axis=1)
    begin = np.flatnonzero(np.concatenate([[len(packed) > 0], changes, [True]]))
    return order.astype(np.int64), begin.astype(np.int64)


def _dense(
    kernel: str, X: NDArray[np.floating], mean: Array, factor: Array, constant: Array, out: Array | None = None
) -> tuple[Array, int]:
    suffix, matrix = native.rows(X, native.FLOATS)
    K, d = len(mean), X.shape[1]
    shapes: dict[str, tuple[Any, ...]] = {"diagonal": (K, d), "separate": (K, d, d), "shared": (1, d, d)}
    out = np.empty((len(X), K)) if out is None else out
    incomplete = native.call(
        f"gaussian_{kernel}_{suffix}",
        *matrix,
        K,
        native.pointer(mean, native.F64, (K, d), "mean"),
        native.pointer(factor, native.F64, shapes[kernel], "factor"),
        native.pointer(constant, native.F64, (K,), "constant"),
        native.pointer(out, native.F64, (len(X), K), "out"),
    )
    return out, incomplete
