"""Canonical variates: directions in which classes of one covariance differ most."""

import numpy as np
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array


def canonical_variates(mean: Array, weights: Array, factor: Array, tol: float = 1e-4) -> tuple[Array, Array]:
    """Canonical variates of classes of one covariance, and the ratio of the between-class variance that each explains.

    Parameters
    ----------
    mean : array of shape (K, d)
    weights : array of shape (K,)
        Class priors.
    factor : array of shape (d, d)
        Cholesky factor of the covariance that they share.
    tol : float
        Directions whose singular value is below `tol` times the largest are left out.

    Returns
    -------
    directions : array of shape (d, r)
        In which the covariance is the identity.
    ratios : array of shape (min(K, d),)
    """
    between = np.sqrt(weights)[:, None] * (mean - weights @ mean)
    white = solve_triangular(factor, between.T, lower=True)
    axes, sizes, _ = np.linalg.svd(white, full_matrices=False)
    kept = int((sizes > tol * sizes[0]).sum())
    directions = solve_triangular(factor, axes[:, :kept], lower=True, trans="T")
    return with_signs(directions), sizes**2 / (sizes @ sizes or 1.0)


def with_signs(directions: Array) -> Array:
    """Columns with signs such that the entry of largest magnitude of each is positive."""
    largest = np.abs(directions).argmax(axis=0)
    return directions * np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)
