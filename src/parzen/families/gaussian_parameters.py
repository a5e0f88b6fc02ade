"""Gaussians whose parameters are known."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.densities.gaussian import GaussianDensity


def known_gaussians(mean: Any, covariance: Any) -> GaussianDensity:
    """Densities of given means and covariances; see `Gaussian.from_parameters`."""
    means = np.asarray(mean, dtype=np.float64)
    if means.ndim > 2 or not means.size or not np.isfinite(means).all():
        raise ValueError(f"mean must be a finite number or array of shape (d,) or (K, d), got {mean!r}.")
    means = np.ascontiguousarray(np.atleast_2d(means))
    given = np.asarray(covariance, dtype=np.float64)
    K, d = means.shape
    if given.shape == (K, d, d):
        return GaussianDensity(means, np.stack([_cholesky(one) for one in given]))
    if given.ndim == 2:
        return GaussianDensity(means, _matrix(given, d, "covariance")[None])
    return GaussianDensity(means, known_factor(given, (K, d), True, "covariance"))


def known_factor(covariance: Any, shape: tuple[int, int], diagonal: bool, name: str = "fixed_covariance") -> Array:
    """Factor of a covariance that K groups of d columns share: deviations (K, d), or Cholesky factors (K, d, d)."""
    (K, d), given = shape, np.asarray(covariance, dtype=np.float64)
    if given.ndim < 2 and given.shape in ((), (d,)):
        if not (np.isfinite(given) & (given > 0)).all():
            raise ValueError(f"{name} must be finite and above 0, got {covariance!r}.")
        deviation = np.broadcast_to(np.sqrt(given), (d,))
        return np.tile(deviation, (K, 1)) if diagonal else np.tile(np.diag(deviation), (K, 1, 1))
    if diagonal:
        raise ValueError(
            f"{name} must be a number, the variance of every column, or {d} variances, got shape {given.shape}."
        )
    return np.tile(_matrix(given, d, name), (K, 1, 1))


def _matrix(given: Array, d: int, name: str) -> Array:
    if given.shape != (d, d):
        raise ValueError(f"{name} must be a number, {d} variances or a matrix ({d}, {d}), got shape {given.shape}.")
    return _cholesky(given, name)


def _cholesky(given: Array, name: str = "covariance") -> Array:
    if np.allclose(given, given.T, rtol=1e-8, atol=0):
        try:
            return np.linalg.cholesky(given)
        except np.linalg.LinAlgError:
            pass
    raise ValueError(f"{name} must be symmetric and positive definite, got {given.tolist()}.")
