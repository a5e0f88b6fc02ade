"""Rows in CSR form: grouped column sums, and products with a dense table, compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships, pointers


def csr_sums(X: Any, R: Memberships = None) -> tuple[Array, Array, bool]:
    """Weight (K,) and column totals (K, columns) of the rows of each group; and whether a cell is negative or NaN."""
    suffix, matrix, _kept = matrix_of(X)
    members = pointers(R, X.shape[0])
    K = members[-1]
    weight, totals = np.empty(K), np.empty((K, X.shape[1]))
    status = native.call(f"csr_sums_{suffix}", *matrix, *members, *native.outputs(weight, totals))
    check_sound(status == 1)
    return weight, totals, status == 2


def csr_product(X: Any, table: Array, out: Array | None = None) -> Array:
    """X @ table for a dense table of shape (columns, K), written to `out` where it is given."""
    suffix, matrix, _kept = matrix_of(X)
    n, columns = X.shape
    K = table.shape[1]
    out = np.empty((n, K)) if out is None else out
    address = native.pointer(table, native.F64, (columns, K), "table")
    check_sound(
        native.call(f"csr_product_{suffix}", *matrix, K, address, native.pointer(out, native.F64, (n, K), "out"))
    )
    return out


def csr_moments(X: Any, R: Memberships = None) -> tuple[Array, Array, Array, Array]:
    """Weight, mean, scatter about the mean and rounding error of the mean, column by column, all (K, columns).

    Stored cells are taken about their column's mean over all rows; the cells that are not stored are all alike, so that
    their weight is enough. Nothing as large as the dense rows is made.
    """
    n, columns = X.shape
    counts = np.bincount(X.indices, minlength=columns)
    whole, sums, _ = csr_sums(X, R)
    total = float(whole.sum())
    middle = sums.sum(axis=0) / (total if total > 0 else 1.0)
    off = _with_cells(X, X.data.astype(np.float64) - middle[X.indices])
    first, second = csr_sums(off, R)[1], csr_sums(_with_cells(X, off.data**2), R)[1]
    stored = csr_sums(_with_cells(X, np.ones(len(X.data))), R)[1]
    weight = np.repeat(whole[:, None], columns, axis=1)
    rest = np.where(counts == n, 0.0, np.maximum(weight - stored, 0.0))  # no rounding where all cells are stored
    first, second = first - rest * middle, second + rest * middle**2
    step = np.divide(first, weight, out=np.zeros_like(first), where=weight > 0)
    mean = np.where(weight > 0, middle + step, 0.0)
    carry = np.where(weight > 0, step - (mean - middle), 0.0)
    return weight, mean, np.maximum(second - first * step, 0.0), carry


def csr_squares(X: Any, mean: Array, deviation: Array, out: Array | None = None) -> Array:
    """Squared distances of the rows to K means, (n, K), in units of the deviations, (K, columns).

    ``sum_j (x - m)^2 / s^2`` is that of a row of zeros, plus ``x (x - 2 m) / s^2`` of the cells that are stored.
    """
    inverse = 1.0 / deviation**2
    linear = np.ascontiguousarray((-2.0 * mean * inverse).T)
    cells = _with_cells(X, X.data.astype(np.float64))
    out = csr_product(cells, linear, out)
    out += csr_product(_with_cells(X, cells.data**2), np.ascontiguousarray(inverse.T))
    out += (mean**2 * inverse).sum(axis=1)
    return np.maximum(out, 0.0, out=out)


def _with_cells(X: Any, data: Array) -> Any:
    """The matrix with other numbers in its stored cells."""
    return type(X)((data, X.indices, X.indptr), shape=X.shape)


def bits(data: NDArray[Any], threshold: float) -> tuple[NDArray[np.uint8], int]:
    """One where a number lies above the threshold, else zero; and how many numbers are not finite."""
    out = np.empty(len(data), dtype=np.uint8)
    suffix = native.SUFFIX[data.dtype]
    odd = native.call(f"bits_{suffix}", native.pointer(data, data.dtype, data.shape, "data"), len(data), threshold,
                      *native.outputs(out))  # fmt: skip
    return out, odd


def matrix_of(X: Any) -> tuple[str, tuple[int, ...], tuple[NDArray[Any], ...]]:
    """Dtype suffix, (data, indices, row pointers, n, columns, stored) of a CSR matrix, and arrays that lie there.

    Routines read indices of 32 bits and row pointers of 64. The caller must keep the arrays until they have returned.
    """
    if getattr(X, "format", None) != "csr":
        raise TypeError(f"X must be a CSR matrix, got {type(X).__name__}; convert it with X.tocsr().")
    data: NDArray[Any] = X.data
    if native.SUFFIX.get(data.dtype) not in native.CELLS or X.indices.dtype not in (native.I32, native.I64):
        raise TypeError(
            f"X must hold {', '.join(native.CELLS)} at int32 or int64 indices, got {data.dtype} at {X.indices.dtype}."
        )
    n, columns = X.shape
    stored = len(data)
    indices, begins = X.indices.astype(native.I32, copy=False), X.indptr.astype(native.I64, copy=False)
    check_sound(indices is not X.indices and not np.array_equal(indices, X.indices))
    addresses = (
        native.pointer(data, data.dtype, (stored,), "data"),
        native.pointer(indices, native.I32, (stored,), "indices"),
        native.pointer(begins, native.I64, (n + 1,), "indptr"),
    )
    return native.SUFFIX[data.dtype], (*addresses, n, columns, stored), (indices, begins)


def check_sound(status: int) -> None:
    """Raise where a compiled routine found an index outside a CSR matrix."""
    if status:
        raise ValueError("X is not a sound CSR matrix: an index or a row pointer lies outside it; rebuild it.")
