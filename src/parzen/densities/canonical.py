"""Classes of one covariance: directions in which they differ most, and differences within its span."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.factors import lower_triangle, solved
from parzen.densities.gaussian import GaussianDensity


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
    white = solved(factor, between.T)
    axes, sizes, _ = np.linalg.svd(white, full_matrices=False)
    kept = int((sizes > tol * sizes[0]).sum())
    directions = solved(factor, axes[:, :kept], transposed=True)
    return with_signs(directions), sizes**2 / (sizes @ sizes or 1.0)


def with_signs(directions: Array) -> Array:
    """Columns with signs such that the entry of largest magnitude of each is positive."""
    largest = np.abs(directions).argmax(axis=0)
    return directions * np.where(directions[largest, np.arange(directions.shape[1])] < 0, -1.0, 1.0)


def bounded_below(factor: Array, least: float) -> bool:
    """Whether all eigenvalues of a covariance, given by its Cholesky factor, are surely above a number.

    The trace of the inverse is at least the inverse of the least eigenvalue.
    """
    return bool((np.linalg.inv(factor) ** 2).sum() * least < 1)


def within_span(
    density: GaussianDensity, origin: Array, constant: NDArray[np.bool_], least: float, in_units: bool
) -> GaussianDensity | None:
    """Gaussians of one covariance, whose means differ from an origin only where that covariance has spread.

    Comparing classes by these is comparing them by a pseudo-inverse of the covariance. Directions without spread get
    that of the others, so that nothing is divided by rounding errors.

    Parameters
    ----------
    density : Gaussians that share a factor
    origin : array of shape (d,)
    constant : array of shape (d,)
        Columns that have no spread, whatever variance the density gives them.
    least : float
        Eigenvalues not above it, in units of the columns' variances, are no spread.
    in_units : bool
        Whether the pseudo-inverse is taken in these units, or in those of the data.

    Returns
    -------
    density, or None where all directions have spread
    """
    covariance = density.covariance[0]
    scale = np.sqrt(np.diagonal(covariance))
    covariance[constant], covariance[:, constant] = 0.0, 0.0
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    gone = values <= least
    if not gone.any():
        return None
    if not in_units:
        axes = scale[:, None] * vectors[:, ~gone]
        scale = np.ones(len(scale))
        values, vectors = np.linalg.eigh(axes * values[~gone] @ axes.T)  # as many zeros, which come first
    off = (density.mean - origin) / scale @ vectors
    off[:, gone] = 0.0
    values[gone] = 1.0 if gone.all() else values[~gone].max()
    factor = lower_triangle((scale[:, None] * vectors * np.sqrt(values))[None])
    return GaussianDensity(origin + off @ vectors.T * scale, factor)
