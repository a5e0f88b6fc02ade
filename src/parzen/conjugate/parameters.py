"""Parameters and data of conjugate priors: checked, and brought into shape."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.memberships import check_memberships


def parameter(name: str, value: Any, above: float | None = None, least: float | None = None) -> Array:
    """A parameter as an array, or an error that names it."""
    array = np.asarray(value, dtype=np.float64)
    wrong = ~np.isfinite(array)
    if above is not None:
        wrong |= ~(array > above)
    if least is not None:
        wrong |= ~(array >= least)
    if wrong.any():
        bound = "finite" + (
            f" and above {above:g}" if above is not None else f" and at least {least:g}" if least is not None else ""
        )
        raise ValueError(f"{name} must be {bound}, got {array[wrong].flat[0]:g}.")
    return array


def checked_parameters(prior: Any, **bounds: dict[str, float]) -> None:
    """Replace fields of a frozen dataclass by checked arrays, in place: for its ``__post_init__``."""
    for name, bound in bounds.items():
        object.__setattr__(prior, name, parameter(name, getattr(prior, name), **bound))


def level_tails(level: float) -> tuple[float, float]:
    """Probabilities below the two ends of a central interval."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}.")
    return 0.5 * (1 - level), 0.5 * (1 + level)


def plain(value: Any) -> Any:
    """A number where there is only one, else the array."""
    array = np.asarray(value)
    return float(array) if array.ndim == 0 else array


def as_column(data: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array | None]:
    """Data as rows, one column if they are a sequence of numbers."""
    X = np.ascontiguousarray(data, dtype=np.float64)
    X = X.reshape(-1, 1) if X.ndim <= 1 else X
    if weights is None:
        return X, None
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (len(X),):
        raise ValueError(f"weights must have shape ({len(X)},), one for each row, got {w.shape}.")
    check_memberships(w, len(X))
    return X, np.ascontiguousarray(w)


def squeezed(statistic: Any) -> Any:
    """A statistic of one group and one column with scalars for arrays, so that scalar priors stay scalar."""
    parts = {
        name: value.reshape(()) for name, value in vars(statistic).items() if value is not None and value.size == 1
    }
    return replace(statistic, **parts)


def two_axes(value: Array) -> Array:
    """Parameters in the shape of a density's, (K, d)."""
    return np.atleast_2d(np.asarray(value, dtype=np.float64))
