"""Parameters of Gaussian components in scikit-learn's shapes, read and written."""

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.checks import probabilities

#: scikit-learn's names of covariances, and the family's: its shape, and whether all components share it.
SHAPES = {
    "full": ("full", False),
    "tied": ("full", True),
    "diag": ("diag", False),
    "spherical": ("spherical", False),
}


def covariances_of(factor: Array, shape: str) -> Array:
    """Covariances of Cholesky factors or deviations."""
    if factor.ndim == 2:
        return factor[:, 0] ** 2 if shape == "spherical" else factor**2
    covariance: Array = factor @ np.swapaxes(factor, 1, 2)
    return covariance[0] if shape == "tied" else covariance


def upper_factors_of(factor: Array, shape: str) -> Array:
    """Upper factors of the precisions; one over the deviations where columns are independent."""
    if factor.ndim == 2:
        return 1.0 / (factor[:, 0] if shape == "spherical" else factor)
    upper = np.swapaxes(np.linalg.inv(factor), 1, 2)
    return np.triu(upper[0] if shape == "tied" else upper)


def precisions_of(factor: Array, shape: str) -> Array:
    """Inverses of the covariances."""
    upper = upper_factors_of(factor, shape)
    precision: Array = upper**2 if factor.ndim == 2 else upper @ np.swapaxes(upper, -1, -2)
    return precision


def lower_factors_of(given: ArrayLike, shape: str, C: int, d: int, name: str) -> Array:
    """Cholesky factors (or deviations) of covariances whose precisions have these upper factors."""
    upper = np.asarray(given, dtype=np.float64)
    if shape in ("diag", "spherical"):
        return factors_of(upper**2, shape, C, d, "precisions_")
    matrices = upper[None] if shape == "tied" else upper
    diagonal = np.diagonal(matrices, axis1=1, axis2=2)
    if not np.isfinite(matrices).all() or np.tril(matrices, -1).any() or not (diagonal > 0).all():
        raise ValueError(f"{name} must be finite upper triangular matrices with a positive diagonal, and are not.")
    return np.ascontiguousarray(np.tril(np.swapaxes(np.linalg.inv(matrices), 1, 2)))


def means_of(means: ArrayLike) -> Array:
    """Means of components, (C, d), or an error."""
    mean = np.ascontiguousarray(means, dtype=np.float64)
    if mean.ndim != 2 or not mean.size or not np.isfinite(mean).all():
        raise ValueError(f"means must be finite, one row for each component, got shape {mean.shape}.")
    return mean


def weights_of(weights: ArrayLike, C: int, name: str) -> Array:
    """Weights of C components, or an error that names them."""
    w = probabilities(weights, (C,), name)
    if not (w > 0).all():
        raise ValueError(f"{name} must be above 0, got {w.tolist()}; leave out components of weight 0.")
    return w / w.sum()


def factors_of(given: ArrayLike, shape: str, C: int, d: int, name: str) -> Array:
    """Cholesky factors (or deviations) of covariances, or of inverses of precisions."""
    inverse = name.startswith("precision")
    wanted = {"full": (C, d, d), "tied": (d, d), "diag": (C, d), "spherical": (C,)}[shape]
    array = np.asarray(given, dtype=np.float64)
    if array.shape != wanted:
        raise ValueError(f"{name} must have the shape {wanted} for covariance_type={shape!r}, got {array.shape}.")
    if shape in ("diag", "spherical"):
        if not ((array > 0) & np.isfinite(array)).all():
            raise ValueError(f"{name} must be positive and finite, got {array.tolist()}.")
        variance = 1.0 / array if inverse else array
        return np.sqrt(np.broadcast_to(variance if shape == "diag" else variance[:, None], (C, d))).copy()
    matrices = np.atleast_3d(array.T).T if array.ndim == 2 else array
    try:
        if not np.allclose(matrices, np.swapaxes(matrices, 1, 2), rtol=1e-6, atol=1e-12 * np.abs(matrices).max()):
            raise np.linalg.LinAlgError
        lower = np.asarray(np.linalg.cholesky(matrices), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise ValueError(f"{name} must be symmetric and positive definite, and is not.") from None
    if not inverse:
        return lower
    back = np.linalg.inv(lower)  # P = L L', so that the covariance is L'^-1 L^-1
    return np.asarray(np.linalg.cholesky(np.swapaxes(back, 1, 2) @ back), dtype=np.float64)
