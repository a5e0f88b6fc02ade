"""Tables indexed by category codes: tallies, and sums of log-probabilities."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array, ColumnError, check_columns, has_contiguous_columns, has_contiguous_rows, room
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import Memberships, pointers


class BadCode(ColumnError):
    """A cell that is not the code of a category of its column."""

    def __init__(self, column: int, value: Any, size: int) -> None:
        self.value, self.size = value, size
        super().__init__(
            f"column {{column}} holds {value!r}, but its categories have codes 0 to {size - 1}; "
            "declare them all with categories=, and mark a missing cell by NaN or -1.",
            column,
        )


def offsets_of(sizes: Any) -> NDArray[np.int64]:
    """First slot of each column in a common table, and the number of slots."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def as_codes(X: NDArray[Any], d: int | None = None) -> NDArray[Any]:
    """Cells in a type that is compiled for, without a copy where that is possible."""
    check_columns(X, d)
    if is_device(X):
        return X if X.dtype.kind != "b" else X.astype(np.uint8)
    if X.dtype == np.bool_:
        X = X.view(np.uint8)
    elif X.dtype not in native.SUFFIX:
        if X.dtype.kind not in "iuf":
            raise TypeError(
                f"codes must be whole numbers, got an array of {X.dtype}; use an estimator, which encodes them."
            )
        X = X.astype(np.int64 if X.dtype.kind in "iu" and X.dtype.itemsize < 8 else np.float64)
    return X if has_contiguous_rows(X) or has_contiguous_columns(X) else np.array(X, order="C")


def tally(X: NDArray[Any], R: Memberships, sizes: tuple[int, ...]) -> Array:
    """Weight of each category of each column in each group, shape (K, sum(sizes)); missing cells weigh nothing."""
    if is_device(X):
        return _sound(routine("tally")(X, R, sizes), sizes)
    suffix, matrix = native.cells(X, native.CODES)
    n, d = X.shape
    offsets = offsets_of(sizes)
    members = pointers(R, n)
    counts = np.empty((members[-1], offsets[-1]))
    bad = native.call(
        f"tally_{suffix}",
        *matrix,
        *members,
        native.pointer(offsets, native.I64, (d + 1,), "offsets"),
        *native.outputs(counts),
    )
    _refuse(bad, X, sizes)
    return counts


def tally_pairs(
    state: NDArray[np.int32],
    states: int,
    columns: NDArray[np.int32],
    chosen: Sequence[int],
    sizes: Sequence[int],
    weights: Array | None = None,
    ends: NDArray[np.integer] | None = None,
) -> Array:
    """Weight of each pair of a code and a state, for some columns of codes: (sum(sizes), states), column by column.

    Parameters
    ----------
    state : (n,) numbers from 0 to states - 1
    columns : (d, n) codes of columns, from 0 to their size - 1
    chosen, sizes : which columns, and how many codes each has
    ends : (d,) numbers of codes that the columns are known to keep to, so that they are not looked through
    """
    n, own = len(state), np.asarray(chosen, dtype=np.int64)
    offsets = offsets_of([size * states for size in sizes])
    if n and (state.min() < 0 or state.max() >= states):
        raise ValueError(f"states must be 0 to {states - 1}, got {state.min()} to {state.max()}.")
    for column, size in zip(own, sizes, strict=True):
        inside = columns[column].min() >= 0 and columns[column].max() < size if ends is None else ends[column] <= size
        if n and not inside:
            raise ValueError(f"codes of column {column} must be 0 to {size - 1}.")
    counts = np.empty(offsets[-1])
    native.call(
        "pairs_i32",
        native.pointer(state, native.I32, (n,), "state"),
        n,
        states,
        native.pointer(columns, native.I32, (len(columns), n), "columns"),
        *native.outputs(own),
        len(own),
        None if weights is None else native.pointer(weights, native.F64, (n,), "weights"),
        *native.outputs(offsets, counts),
    )
    return counts.reshape(-1, states)


def lookup(X: NDArray[Any], table: Array, sizes: tuple[int, ...], open_ended: bool, out: Array | None = None) -> Array:
    """Sum over the columns of ``table[slot of the cell]``, shape (n, K); missing cells add nothing.

    Parameters
    ----------
    X : codes of shape (n, d)
    table : array of shape (sum(sizes), K)
    open_ended : bool
        True: the last slot of a column serves every code from there on. False: such a code is an error.
    out : C-contiguous array of shape (n, K) to write to, if there is one
    """
    if is_device(X):
        there = room(X, (len(X), table.shape[1])) if out is None else out
        return _sound(routine("lookup")(X, table, sizes, open_ended, there), sizes)
    suffix, matrix = native.cells(X, native.CODES)
    n, d = X.shape
    offsets = offsets_of(sizes)
    K = table.shape[1]
    out = np.empty((n, K)) if out is None else out
    bad = native.call(
        f"lookup_{suffix}",
        *matrix,
        K,
        native.pointer(offsets, native.I64, (d + 1,), "offsets"),
        native.pointer(table, native.F64, (int(offsets[-1]), K), "table"),
        int(open_ended),
        native.pointer(out, native.F64, (n, K), "out"),
    )
    _refuse(bad, X, sizes)
    return out


def places(y: NDArray[np.integer]) -> tuple[int, NDArray[np.int64], NDArray[np.int32]] | None:
    """Minimum of whole numbers, counts of all numbers from it on, and the offset of each number from it.

    None where they lie so far apart that counting them would cost more than sorting.
    """
    n = len(y)
    if not n or y.dtype.kind not in "iu":
        return None
    low, high = int(y.min()), int(y.max())
    if high - low >= max(1024, n) or high >= 2**63:
        return None
    values = np.ascontiguousarray(y, dtype=np.int32 if y.dtype == np.int32 else np.int64)
    counts, codes = np.empty(high - low + 1, dtype=np.int64), np.empty(n, dtype=np.int32)
    kind = native.SUFFIX[values.dtype]
    native.call(f"places_{kind}", *native.outputs(values)[:1], n, low, len(counts), *native.outputs(counts, codes))
    return low, counts, codes


def _sound(found: Any, sizes: tuple[int, ...]) -> Any:
    """What a routine for devices gives, or the error of the cell that is no code."""
    if isinstance(found, tuple):
        raise BadCode(found[1], found[2], sizes[found[1]])
    return found


def _refuse(bad: int, X: NDArray[Any], sizes: tuple[int, ...]) -> None:
    if bad:
        row, column = divmod(bad - 1, X.shape[1])
        raise BadCode(column, X[row, column].item(), sizes[column])
