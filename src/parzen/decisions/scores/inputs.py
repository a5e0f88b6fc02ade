"""Labels as codes, and sample weights, checked."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.statistics.messages import plain

#: Kinds of arrays of numbers, as NumPy abbreviates them.
NUMBERS = "biuf"


def codes_of(values: ArrayLike, names: NDArray[Any], name: str, kind: str) -> NDArray[np.intp]:
    """Position of each value among names, (n,), or an error with a value that is none of them.

    Parameters
    ----------
    values : array of shape (n,)
    names : array of distinct names
    name, kind : what the values and the names are called in the error
    """
    given = values if isinstance(values, list | tuple) else np.asarray(values)
    if isinstance(given, np.ndarray) and given.ndim != 1:
        raise ValueError(f"{name} must have one dimension, one value for each row, got shape {given.shape}.")
    if isinstance(given, np.ndarray) and _comparable(given, names):
        order = np.argsort(names)
        codes: NDArray[np.intp] = order[np.minimum(np.searchsorted(names[order], given), len(names) - 1)]
        wrong = given[names[codes] != given]
        if not len(wrong):
            return codes
        unknown = wrong[0]
    else:
        positions = {one: k for k, one in enumerate(names.tolist())}
        try:
            listed = given.tolist() if isinstance(given, np.ndarray) else given
            return np.array([positions[one] for one in listed], dtype=np.intp)
        except KeyError as error:
            unknown = error.args[0]
    raise ValueError(f"{name} holds {plain(unknown)!r}, which is none of the {kind} {names.tolist()}.")


def _comparable(values: NDArray[Any], names: NDArray[Any]) -> bool:
    """Whether values can be looked up in sorted names: both are numbers, or both text."""
    both = values.dtype.kind, names.dtype.kind
    return all(kind in NUMBERS for kind in both) or both == ("U", "U")


def check_weights(sample_weight: ArrayLike | None, n: int) -> Array:
    """Weights of n rows, 1 by default: finite, not negative, not all zero."""
    w = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if w.shape != (n,) or not (np.isfinite(w).all() and (w >= 0).all() and w.any()):
        raise ValueError(f"sample_weight must be {n} finite numbers, at least 0 and not all of them 0, got {w.shape}.")
    return w
