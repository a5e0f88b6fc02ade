"""Grouped sums and centred moments of a block of rows."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import Labels, Memberships, pointers


def moments(X: NDArray[np.floating], R: Memberships = None, full: bool = True) -> tuple[Array, Array, Array, Array]:
    """Weight, mean and centred scatter of the rows of each group.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, with contiguous rows
    R : memberships of the n rows
    full : bool
        True: scatter matrices; a NaN makes its group's moments NaN. False: each column alone; a NaN weighs nothing.

    Returns
    -------
    weight : array of shape (K,) if full else (K, d)
    mean : array of shape (K, d)
    scatter : array of shape (K, d, d) if full else (K, d)
    carry : array of shape (K, d)
        Rounding error of the mean.
    """
    if is_device(X):
        return routine("moments")(X, R, full)
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    members = pointers(R, n)
    K = members[-1]
    weight = np.empty(K if full else (K, d))
    mean = np.empty((K, d))
    carry = np.empty((K, d))
    scatter = np.empty((K, d, d) if full else (K, d))
    kernel = "moments_full" if full else "moments_diagonal"
    native.call(f"{kernel}_{suffix}", *matrix, *members, *native.outputs(weight, mean, carry, scatter))
    return weight, mean, scatter, carry


def sums(X: NDArray[np.floating], R: Memberships = None) -> tuple[Array, Array]:
    """Weight and total of each column in each group, both of shape (K, d); a NaN weighs nothing."""
    if is_device(X):
        return routine("sums")(X, R)
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    members = pointers(R, n)
    weight, totals = np.empty((members[-1], d)), np.empty((members[-1], d))
    native.call(f"sums_{suffix}", *matrix, *members, *native.outputs(weight, totals))
    return weight, totals


def higher_moments(X: NDArray[np.floating], R: Memberships, mean: Array) -> tuple[Array, Array]:
    """Sums of w y_i^2 y_j and of w y_i^2 y_j^2 in each group, y = x - mean; both of shape (K, d, d)."""
    K, d = mean.shape
    cubic, quartic = np.zeros((K, d, d)), np.zeros((K, d, d))
    for k in range(K):
        if isinstance(R, Labels):
            rows = np.flatnonzero(R.codes == k if R.weights is None else (R.codes == k) & (R.weights != 0))
            w = np.ones(len(rows)) if R.weights is None else R.weights[rows]
        else:
            w = np.ones(len(X)) if R is None else (R[:, None] if R.ndim == 1 else R)[:, k]
            rows = np.flatnonzero(w)
            w = w[rows]
        y = X[rows] - mean[k]
        squares = y * y
        weighted = (w[:, None] * squares).T
        cubic[k], quartic[k] = weighted @ y, weighted @ squares
    return cubic, quartic
