"""Checks of a kernel function that a user gives."""

from collections.abc import Callable
from typing import Any

import numpy as np

from parzen.smoothing.quadrature import half_line


def check_own_kernel(function: Callable[[Any], Any]) -> None:
    """Raise unless K(u) is vectorised, finite, symmetric, not negative, and integrates to one."""
    u = np.concatenate([np.linspace(0.0, 3.0, 61), [5.0, 10.0, 40.0]])
    try:
        right, left = (np.asarray(function(side), dtype=np.float64) for side in (u, -u))
        shapes = right.shape == u.shape and left.shape == u.shape
    except Exception as error:
        message = f"kernel must be a function of an array of numbers that gives one number each: {error}."
        raise ValueError(message) from error
    if not shapes or not (np.isfinite(right).all() and np.isfinite(left).all()):
        raise ValueError("kernel must be a function of an array of numbers that gives one finite number each.")
    if not np.allclose(right, left, rtol=1e-9, atol=1e-12):
        at = u[int(np.argmax(np.abs(right - left)))]
        raise ValueError(f"kernel must be symmetric, but K({at:g}) is not K({-at:g}).")
    if (right < 0).any():
        raise ValueError(f"kernel must not be negative, but K({u[right < 0][0]:g}) is.")
    total = 2.0 * half_line(function, np.inf)
    if not abs(total - 1.0) < 1e-6:
        raise ValueError(f"kernel must integrate to 1, but it integrates to {total:.6g}; divide it by that.")
