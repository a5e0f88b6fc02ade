"""The bandwidth matrix H of several columns: its shapes, and its Cholesky factor."""

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.bandwidth.points import Points

#: Shapes of H in several columns.
SHAPES = ("scaled", "diag", "full")


class Dependent(ValueError):
    """Columns are linear functions of each other."""


def check_shape(covariance: str | None) -> None:
    """Raise unless covariance is one of the shapes of H, or None."""
    if covariance is not None and covariance not in SHAPES:
        raise ValueError(f"covariance must be one of {', '.join(map(repr, SHAPES))} or None, got {covariance!r}.")


def factor_of(H: Array) -> Array:
    """Cholesky factor of H, or an error where H is singular up to rounding."""
    scale = np.sqrt(np.diagonal(H))
    least = np.linalg.eigvalsh(H / np.outer(scale, scale))[0] if (scale > 0).all() else 0.0
    if not least > 1e-11 * len(H):
        raise Dependent(
            "the columns are linearly dependent, so no full bandwidth matrix follows from them; leave a column out, or "
            "ask for covariance='diag'."
        )
    return np.asarray(np.linalg.cholesky(H), dtype=np.float64)


def shaped(points: Points, covariance: str | None) -> Array:
    """Covariance of the rows, or its diagonal."""
    return np.diag(np.diag(points.covariance)) if covariance == "diag" else points.covariance
