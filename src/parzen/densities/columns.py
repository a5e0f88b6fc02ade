"""Positions of columns, for marginals and conditionals, and the values that a conditional is given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array


def chosen(d: int, columns: Sequence[int]) -> list[int]:
    """Positions of columns, counted from 0; an error where one does not exist or is given twice."""
    given = [int(column) % d if -d <= column < d else d for column in columns]
    if d in given or len(set(given)) < len(given):
        raise ValueError(f"columns must be different positions among {d} columns, got {list(columns)}.")
    return given


def others(d: int, columns: Sequence[int], values: Any = None) -> list[int]:
    """Positions of the other columns; an error unless there is a value for each given column."""
    given = chosen(d, columns)
    if values is not None and len(values) != len(given):
        raise ValueError(f"values must be {len(given)}, one for each given column, got {len(values)}.")
    return [j for j in range(d) if j not in given]


def given_values(values: ArrayLike, count: int) -> Array:
    """Finite values of the given columns of a conditional, or an error."""
    known = np.asarray(values, dtype=np.float64)
    if known.shape != (count,) or not np.isfinite(known).all():
        raise ValueError(f"values must be {count} finite numbers, one for each given column, got {values!r}.")
    return known


def pick(parameter: Array, columns: Sequence[int]) -> Array:
    """Some columns of a parameter of shape (K, d), contiguous."""
    return np.ascontiguousarray(parameter[:, chosen(parameter.shape[1], columns)])
