"""Blocks of rows as the compiled routines read them, and errors that name a column."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from parzen.compute.device.array import DeviceArray, is_device

Array: TypeAlias = NDArray[np.float64]


class ColumnError(ValueError):
    """An error about one column. Its message has the placeholder {column} for the column's name.

    Where the error is raised, a column is known by its position in a block. `Product` replaces that by the position in
    the table and an estimator by the column's name, both with `renamed`.
    """

    def __init__(self, message: str, column: Any = None) -> None:
        self.message, self.column = message, column
        super().__init__(message.replace("{column}", str(column)))

    def __reduce__(self) -> Any:
        return _restored_error, (type(self), self.__dict__)

    def renamed(self, names: Any) -> "ColumnError":
        """The same error with ``names[column]`` as its column; the error itself where it is about no column."""
        if self.column is None:
            return self
        column = names[self.column]
        error = type(self).__new__(type(self))
        error.__dict__.update(self.__dict__)
        ColumnError.__init__(error, self.message, column)
        return error


def _restored_error(kind: Any, state: dict[str, Any]) -> Any:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    ColumnError.__init__(error, state["message"], state["column"])
    return error


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
    return hasattr(X, "tocsr")


def check_columns(X: Any, d: int | None) -> None:
    """Raise unless X has rows of d columns (of any number, with None)."""
    if (X.ndim if is_device(X) else np.ndim(X)) != 2 or (d is not None and X.shape[1] != d):
        wanted = "(rows, columns)" if d is None else f"(rows, {d})"
        raise ValueError(f"X must have shape {wanted}, got {np.shape(X)}.")


def as_floats(X: Any, d: int | None = None) -> NDArray[np.floating]:
    """A block of rows as float32 or float64 with contiguous rows, without a copy where that is possible."""
    check_columns(X, d)
    if is_device(X):
        return X if X.dtype.kind == "f" else X.astype(np.float64)
    if X.dtype not in (np.float32, np.float64):
        if X.dtype.kind not in "biuf":
            raise TypeError(
                f"rows must hold numbers, got an array of {X.dtype}; encode or leave out the other columns."
            )
        return np.ascontiguousarray(X, dtype=np.float64)
    return X if has_contiguous_rows(X) else np.array(X, dtype=X.dtype.newbyteorder("="), order="C")


def has_contiguous_rows(X: NDArray[Any]) -> bool:
    """Whether each row is contiguous and aligned, and no two rows overlap."""
    n, d = X.shape
    if X.size == 0:
        return True
    within = d == 1 or X.strides[1] == X.itemsize
    between = n == 1 or (X.strides[0] >= d * X.itemsize and X.strides[0] % X.itemsize == 0)
    return within and between and X.flags.aligned and X.dtype.isnative


def has_contiguous_columns(X: NDArray[Any]) -> bool:
    """Whether each column is contiguous and aligned, and no two columns overlap."""
    return has_contiguous_rows(X.T)


def column_block(X: Any, columns: Sequence[int]) -> Any:
    """Some columns of rows: where they lie if they are neighbours, else a copy, contiguous as the columns of X are."""
    first, last = columns[0], columns[-1]
    if list(columns) == list(range(first, last + 1)):
        return X[:, first : last + 1]
    own = list(columns)
    return X.T[own].T if isinstance(X, np.ndarray) and has_contiguous_columns(X) else X[:, own]


def canonical(X: Any) -> Any:
    """Sparse rows as CSR without duplicate entries; the given matrix is not changed."""
    X = X.tocsr()
    steps = np.diff(X.indptr)  # SciPy would read beyond the arrays
    if X.indptr[0] != 0 or (steps < 0).any() or X.indptr[-1] > min(len(X.data), len(X.indices)):
        raise ValueError("X is not a sound CSR matrix: a row pointer lies outside it; rebuild it.")
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def as_csr(X: Any, d: int | None = None) -> Any:
    """Sparse rows as CSR of a cell type that is compiled for: uint8, int64, float32 or float64."""
    check_columns(X, d)
    X = X.tocsr()
    if X.dtype in (np.uint8, np.int64, np.float32, np.float64):
        return X
    return X.astype(np.uint8 if X.dtype == np.bool_ else np.int64 if X.dtype.kind in "i" else np.float64)


def row_block(X: Any, begin: int, end: int) -> Any:
    """Rows begin to end - 1 of an array or a CSR matrix, without a copy of their cells."""
    if not is_sparse(X):
        return X[begin:end]
    end = min(end, X.shape[0])
    first, last = X.indptr[begin], X.indptr[end]
    # SciPy's constructor would copy what is a small part of a larger array.
    part = type(X)((end - begin, X.shape[1]), dtype=X.dtype)
    part.data, part.indices = X.data[first:last], X.indices[first:last]
    part.indptr = X.indptr[begin : end + 1] - first
    if getattr(X, "_has_canonical_format", False):  # true of the whole matrix, and costly to find out again
        part.has_canonical_format = True
    return part


def picked(X: Any, rows: Any) -> Any:
    """Rows of an array by number or by a mask: `take` is several times faster than brackets where rows are short."""
    if not isinstance(X, np.ndarray) or not isinstance(rows, np.ndarray) or not X.flags.c_contiguous:
        return X[rows]
    return X.take(np.flatnonzero(rows) if rows.dtype == np.bool_ else rows, axis=0)


def room(X: Any, shape: Any, dtype: Any = np.float64) -> Any:
    """An array for results of rows X, its cells not yet written: where the rows are."""
    return X.empty(shape, dtype) if is_device(X) else np.empty(shape, dtype=dtype)


def named(names: NDArray[Any], codes: Any) -> Any:
    """The name of each code; on the codes' device, where names are numbers."""
    if not is_device(codes):
        return names[codes]
    if names.dtype.kind not in "biuf":
        return names[codes.host()]
    return codes.looked_up(names)


def same(one: Any, other: Any) -> bool:
    """Whether two arrays of codes, both on the host or both on a device, are equal."""
    return bool((one.tensor == other.tensor).all()) if is_device(one) else bool((one == other).all())


def all_finite(values: Any) -> bool:
    """Whether every number of a result is finite."""
    return bool(values.tensor.isfinite().all()) if is_device(values) else bool(np.isfinite(values).all())


def on_host(values: Any) -> Any:
    """An array in the host's memory: a copy of one that lies on a device."""
    return values.host() if isinstance(values, DeviceArray) else values
