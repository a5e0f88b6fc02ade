"""Cholesky factors: of marginals and conditionals by QR rotations, so that no covariance is formed or inverted."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dtrtri, dtrtrs

from parzen.compute.arrays import Array
from parzen.densities.columns import chosen, given_values, others, pick


def lower_triangle(rows: Array) -> Array:
    """Lower triangular T with T T' = rows rows', positive diagonal; `rows` has shape (K, p, q), p <= q."""
    upper = np.linalg.qr(np.swapaxes(rows, 1, 2), mode="r")
    sign = np.where(np.diagonal(upper, axis1=1, axis2=2) < 0, -1.0, 1.0)
    return np.ascontiguousarray(np.swapaxes(upper * sign[:, :, None], 1, 2))


def solved(factor: Array, b: Array, transposed: bool = False) -> Array:
    """Solution of L x = b, or of L' x = b, for a lower triangle L: LAPACK's, which small systems wait least for."""
    x, info = dtrtrs(factor, b, lower=1, trans=int(transposed))
    if info:
        raise np.linalg.LinAlgError(f"a triangular matrix is singular: entry {info} of its diagonal is zero.")
    return np.asarray(x)


def covariances(factor: Array, K: int) -> Array:
    """Covariances (K, d, d) of factors, or of deviations."""
    if factor.ndim == 2:
        return np.einsum("ki,ij->kij", factor**2, np.eye(factor.shape[1]))
    return np.repeat(factor @ np.swapaxes(factor, 1, 2), K // len(factor), axis=0)


def least_variances(factor: Array, enough: float) -> Array:
    """Least variance in any direction under each factor, or deviations, (K,); where all are above `enough`, less of it.

    The trace of the inverse covariance bounds it from below: only where that does not decide, singular values do.
    """
    if factor.ndim == 2:
        return np.asarray(factor.min(axis=1) ** 2)
    inverses = [dtrtri(one, lower=1) for one in factor]
    with np.errstate(over="ignore"):
        bound = np.array([0.0 if singular else 1.0 / np.square(one).sum() for one, singular in inverses])
    if (bound > enough).all():
        return bound
    return np.asarray(np.linalg.svd(factor, compute_uv=False)[:, -1] ** 2)


def correlated(normal: Array, factor: Array, labels: NDArray[np.integer]) -> Array:
    """Standard normal rows (n, d) multiplied by the factor of each row's label."""
    if factor.ndim == 2:
        return factor[labels] * normal
    out = np.empty_like(normal)
    for k in np.unique(labels):
        rows = labels == k
        out[rows] = normal[rows] @ factor[k % len(factor)].T
    return out


def marginal_factor(factor: Array, columns: Sequence[int]) -> Array:
    """Factors (or deviations) of some columns."""
    return pick(factor, columns) if factor.ndim == 2 else lower_triangle(factor[:, chosen(factor.shape[1], columns)])


def conditioned(mean: Array, factor: Array, columns: Sequence[int], values: ArrayLike) -> tuple[Array, Array, Array]:
    """Mean and factor of the other columns given these, and the squared distance of the values."""
    d = mean.shape[1]
    given, rest = chosen(d, columns), others(d, columns)
    differences = given_values(values, len(given)) - mean[:, given]
    if factor.ndim == 2:
        return pick(mean, rest), pick(factor, rest), ((differences / factor[:, given]) ** 2).sum(axis=1)
    p = len(given)
    triangle = lower_triangle(factor[:, given + rest])
    white = np.linalg.solve(triangle[:, :p, :p], differences[:, :, None])
    moved = mean[:, rest] + (triangle[:, p:, :p] @ white)[:, :, 0]
    return np.ascontiguousarray(moved), np.ascontiguousarray(triangle[:, p:, p:]), (white[:, :, 0] ** 2).sum(axis=1)
