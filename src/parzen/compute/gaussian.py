"""Log-densities of K Gaussians at a block of rows, with and without missing cells."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import Memberships, pointers
from parzen.compute.moments import moments

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
    if is_device(X):
        return routine("gaussian_log_density")(X, mean, factor, constant, out)
    kernel = "diagonal" if factor.ndim == 2 else "shared" if len(factor) == 1 else "separate"
    out, incomplete = _dense(kernel, X, mean, factor, constant, True, out)
    if incomplete:
        _marginal(X, np.isnan(out[:, 0]), mean, factor, out, None)
    return out


def mahalanobis(X: NDArray[np.floating], mean: Array, factor: Array) -> tuple[Array, Array, Array]:
    """Squared distances (n, K) over the observed cells, their half log-determinants (n, K), how many they are (n, 1).

    The last two have leading axis 1 where no cell is missing.
    """
    K, d = mean.shape
    kernel = "shared" if len(factor) == 1 else "separate"
    squares, incomplete = _dense(kernel, X, mean, factor, np.zeros(K), False)
    squares *= -2.0
    halves, observed = np.broadcast_to(log_determinant(factor), (1, K)), np.full((1, 1), float(d))
    if incomplete:
        halves = np.repeat(halves, len(X), axis=0)
        _marginal(X, np.isnan(squares[:, 0]), mean, factor, squares, halves)
        observed = d - np.isnan(X).sum(axis=1, keepdims=True).astype(np.float64)
    return squares, halves, observed


def _marginal(
    X: NDArray[np.floating], incomplete: NDArray[np.bool_], mean: Array, factor: Array, out: Array, halves: Array | None
) -> None:
    """Write log-densities of incomplete rows, over their observed cells; or squared distances, if with `halves`."""
    K, d = mean.shape
    rows = np.flatnonzero(incomplete)
    order, begin = patterns(np.isnan(X[rows]))
    order = rows[order]
    suffix, (address, n, _, stride) = native.rows(X, native.FLOATS)
    native.call(
        f"missing_squares_{suffix}",
        *(address, d, stride, K, len(factor)),
        native.pointer(mean, native.F64, (K, d), "mean"),
        native.pointer(factor, native.F64, (len(factor), d, d), "factor"),
        native.pointer(order, native.I64, order.shape, "order"),
        native.pointer(begin, native.I64, begin.shape, "begin"),
        len(begin) - 1,
        native.pointer(out, native.F64, (n, K), "out"),
        None if halves is None else native.pointer(halves, native.F64, (n, K), "halves"),
    )


def expected_moments(
    X: NDArray[np.floating], R: Memberships, mean: Array, factor: Array
) -> tuple[tuple[Array, Array, Array, Array], tuple[Array, Array, Array, Array], Array]:
    """Expected moments of each group under the current Gaussians, of rows with missing cells.

    What rows with the same missing cells share is computed once where they follow one another.

    Returns
    -------
    weight, mean, scatter, carry of each group, (K,), (K, d), (K, d, d), (K, d)
    weight, mean, scatter, carry of the observed cells, column by column, all (K, d)
    log_likelihood : array of shape (K,)
        Of each group's weighted rows.
    """
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    members = pointers(R, n)
    K = members[-1]
    weight, means, scatter = np.empty(K), np.empty((K, d)), np.empty((K, d, d))
    carry, cells, likelihood = np.empty((K, d)), np.empty((4, K, d)), np.empty(K)
    gaussians = (
        len(factor),
        native.pointer(mean, native.F64, (K, d), "mean"),
        native.pointer(factor, native.F64, (len(factor), d, d), "factor"),
    )
    found = native.outputs(weight, means, carry, scatter)
    if not native.call(
        f"expected_{suffix}", *matrix, *members, *gaussians, *found, *native.outputs(*cells, likelihood)
    ):
        return (weight, means, scatter, carry), (cells[0], cells[1], cells[3], cells[2]), likelihood
    order, begin = patterns(np.isnan(X))  # conditional means would lose digits
    native.call(
        f"missing_expected_{suffix}",
        *matrix,
        *members,
        *gaussians,
        native.pointer(order, native.I64, (n,), "order"),
        native.pointer(begin, native.I64, begin.shape, "begin"),
        len(begin) - 1,
        *found,
        *native.outputs(likelihood),
    )
    return (weight, means, scatter, carry), moments(X, R, full=False), likelihood


def patterns(missing: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order in which rows with the same missing cells follow one another, and the first row of each pattern."""
    packed: NDArray[Any] = np.packbits(missing, axis=1)
    if packed.shape[1] <= 2:  # one number for a row, which is sorted by its digits
        code = packed[:, 0].astype(np.uint16)
        if packed.shape[1] == 2:
            code |= packed[:, 1].astype(np.uint16) << 8
        packed = code[:, None]
    order = np.argsort(packed[:, 0], kind="stable") if packed.shape[1] == 1 else np.lexsort(packed.T)
    packed = packed[order]
    changes = (packed[1:] != packed[:-1]).any(axis=1)
    begin = np.flatnonzero(np.concatenate([[len(packed) > 0], changes, [True]]))
    return order.astype(np.int64), begin.astype(np.int64)


def _dense(
    kernel: str,
    X: NDArray[np.floating],
    mean: Array,
    factor: Array,
    constant: Array,
    missing: bool,
    out: Array | None = None,
) -> tuple[Array, int]:
    """Log-densities and how many rows are NaN: with `missing` those alone that a few missing cells make inexact."""
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
        int(missing),
        native.pointer(out, native.F64, (len(X), K), "out"),
    )
    return out, incomplete
