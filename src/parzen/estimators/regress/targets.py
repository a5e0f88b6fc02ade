"""Targets of a regression: numbers, or tables of numbers and categories."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from parzen.compute.arrays import Array
from parzen.tables.cells import frame_kind


def numeric_targets(X: Any, y: Any) -> Array:
    """Finite numbers, one or several for each row (of X, where it is given), as a copy; or an error."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    try:
        values = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        reason = str(error).replace("np.str_", "")
        raise ValueError(
            f"{reason}: y must be numbers. For categories use a classifier, or ConditionalDensity, which gives their "
            "probabilities."
        ) from None
    if values.ndim > 2 or not values.size:
        raise ValueError(f"y must have shape (n,), or (n, C) for several outputs, got {values.shape}.")
    if X is not None:
        check_consistent_length(X, values)
    return np.array(values)


def target_array(y: Any) -> Any:
    """Targets as an array, unless they are a series or a frame; numbers beside text stay numbers."""
    if y is None or hasattr(y, "to_frame") or frame_kind(y):
        return y
    array = np.asarray(y)
    return np.array(y, dtype=object) if array.ndim == 2 and array.dtype.kind in "US" else array


def target_table(X: Any, y: Any) -> Any:
    """Targets as a table of one or several columns, as many rows as X where it is given; or an error."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None.")
    if hasattr(y, "to_frame") and np.ndim(y) == 1:
        y = y.to_frame()
    if frame_kind(y) is None:
        array = np.asarray(y)
        if array.dtype.kind in "iuf":
            array = numeric_targets(X, array)
        if array.ndim not in (1, 2):
            raise ValueError(f"y must have shape (n,), or (n, p) for several values, got {array.shape}.")
        y = array[:, None] if array.ndim == 1 else array
    if X is not None:
        check_consistent_length(X, y)
    return y


def paired(X: Any, values: Any) -> tuple[Any, Any]:
    """Rows and targets of equal number; a single one of either is repeated."""
    m, n = X.shape[0], values.shape[0]
    if m == 1 and n > 1:
        return _repeated(X, n), values
    if n == 1 and m > 1:
        return X, _repeated(values, m)
    check_consistent_length(X, values)
    return X, values


def _repeated(X: Any, n: int) -> Any:
    return X.iloc[[0] * n] if frame_kind(X) == "pandas" else X[[0] * n]
