"""Blocks of rows in a form that the kernels read."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
    return hasattr(X, "tocsr")


def as_floats(X: Any) -> NDArray[np.floating]:
    """A block of rows as float32 or float64 with contiguous rows: as it is if it can be, else as a float64 copy."""
    if X.dtype not in (np.float32, np.float64):
        if X.dtype.kind not in "biuf":
            raise TypeError(
                f"rows must hold numbers, got an array of {X.dtype}; encode or leave out what is not a number."
            )
        return np.ascontiguousarray(X, dtype=np.float64)
    return X if has_contiguous_rows(X) else np.array(X, dtype=X.dtype.newbyteorder("="), order="C")


def has_contiguous_rows(X: NDArray[Any]) -> bool:
    """Whether each row lies in one piece, aligned, whole numbers of cells apart, none over another."""
    n, d = X.shape
    if X.size == 0:
        return True
    within = d == 1 or X.strides[1] == X.itemsize
    between = n == 1 or (X.strides[0] >= d * X.itemsize and X.strides[0] % X.itemsize == 0)
    return within and between and X.flags.aligned and X.dtype.isnative


def as_csr(X: Any) -> Any:
    """Sparse rows as CSR of float32 or float64."""
    X = X.tocsr()
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
