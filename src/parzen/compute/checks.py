"""Checks of parameters: a choice among options, and numbers that are probabilities."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array

#: How far a sum of probabilities may lie from 1: ``np.isclose(total, 1)``, as in scikit-learn.
TOLERANCE = 1e-5 + 1e-8


def choose(name: str, value: Any, options: Sequence[Any]) -> None:
    """Raise unless value is one of the options."""
    if not (isinstance(value, str | bool | np.bool_) and value in options):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}, got {value!r}.")


def probabilities(values: ArrayLike, shape: tuple[int | None, ...], name: str, *, axis: int = -1) -> Array:
    """Probabilities as a float64 array, or an error: finite, not negative, summing to one along an axis.

    Parameters
    ----------
    values : array-like
        Returned as they are, without a copy where they are float64 already; they are not divided by their sum.
    shape : tuple of int or None
        The expected shape; None stands for any length.
    name : str
        The parameter's name in messages.
    axis : int
        The axis along which they sum to one, to within `TOLERANCE`.

    Examples
    --------
    >>> probabilities([0.25, 0.75], (2,), "class_prior")
    array([0.25, 0.75])
    >>> probabilities([[0.5, 0.5], [0.5, 0.6]], (2, 2), "transition")
    Traceback (most recent call last):
    ...
    ValueError: row 1 of transition must sum to 1, got 1.1; divide it by its sum.
    """
    try:
        P = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers of shape {_text(shape)}, got {values!r}.") from None
    if P.ndim != len(shape) or any(wanted not in (None, size) for wanted, size in zip(shape, P.shape, strict=True)):
        raise ValueError(f"{name} must have the shape {_text(shape)}, got {P.shape}; give one number for each entry.")
    along = P if axis in (-1, P.ndim - 1) else np.moveaxis(P, axis, -1)
    bounded = P.min(initial=0.0) >= 0.0 and P.max(initial=0.0) <= 2.0  # so that no sum overflows
    if bounded and np.abs(_totals(along) - 1.0).max(initial=0.0) <= TOLERANCE:
        return P
    with np.errstate(invalid="ignore", over="ignore"):
        total = _totals(along)
        close = np.abs(total - 1.0) <= TOLERANCE
    if not (P.min(initial=0.0) >= 0.0 and np.isfinite(P.max(initial=0.0))):
        wrong = P[~((P >= 0.0) & np.isfinite(P))]
        raise ValueError(
            f"{name} must be probabilities, finite and not negative, got {float(wrong[0])}; replace such values."
        )
    if not np.all(close):
        off = int(np.flatnonzero(~np.atleast_1d(close))[0])
        kind = "row" if axis % P.ndim == P.ndim - 1 else "column"
        where = f"{kind} {off} of {name}" if P.ndim > 1 else name
        raise ValueError(f"{where} must sum to 1, got {np.ravel(total)[off]:.6g}; divide it by its sum.")
    return P


def _totals(P: Array) -> Any:
    """Sums along the last axis: quicker than ``P.sum(axis=-1)`` where it is short."""
    return P @ np.ones(P.shape[-1])


def _text(shape: tuple[int | None, ...]) -> str:
    """A shape in words, with n for any length."""
    inside = ", ".join("n" if size is None else str(size) for size in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"
