"""Densities of one column that are looked up between sorted values, compiled: histograms, and point masses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

#: Rows of a block in which repeated values are looked for, and how many there must be of each on average.
MANY_ROWS, ROWS_FOR_EACH = 1024, 16


def different(x: NDArray[Any], most: int) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Rows of the different values of a column, as they first appear, and the place of each cell among these.

    None where they are more than `most`, which is found out without reading on.

    Parameters
    ----------
    x : array of shape (n,) of float64 (missing cells are one value), int32, or objects (told apart by identity), with
        any stride
    """
    firsts, places = np.empty(most, dtype=np.int64), np.empty(len(x), dtype=np.int32)
    suffix = "i64" if x.dtype == object else native.SUFFIX[x.dtype]
    count = native.call(f"different_{suffix}", *native.column(x, x.dtype), most, *native.outputs(firsts, places))
    return (firsts[:count], places) if count or not len(x) else None


def counted(x: Array) -> tuple[Array, NDArray[np.int64]]:
    """Different finite values of a column (n,) of float64, rising, and how many cells have each."""
    same = different(x, len(x) // ROWS_FOR_EACH) if len(x) >= MANY_ROWS else None
    if same is None:
        values, count = np.unique(x[np.isfinite(x)], return_counts=True)
        return values, count
    values, count = x[same[0]], np.bincount(same[1], minlength=len(same[0]))
    order = np.argsort(values)
    order = order[np.isfinite(values[order])]
    return values[order], count[order]


def repeated(block: Any) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """The same of a block (n, 1) of one column that repeats a few values; None for any other block.

    What is to be known of each row is then found at the different values alone; not by what keeps rows, whose sums are
    to a stated error of many.
    """
    one = isinstance(block, np.ndarray) and block.shape[1] == 1 and block.dtype == np.float64
    if not one or len(block) < MANY_ROWS or block.strides[0] % 8:
        return None
    return different(block[:, 0], len(block) // ROWS_FOR_EACH)


def add_places(table: Array, places: NDArray[np.int32], out: Array) -> None:
    """Add to each row of out (n, K) the row of a table (m, K) that its place says; places lie between 0 and m - 1."""
    native.call(
        "add_places_f64",
        native.pointer(places, native.I32, (len(out),), "places"),
        *out.shape,
        native.pointer(table, native.F64, (len(table), out.shape[1]), "table"),
        native.pointer(out, native.F64, out.shape, "out"),
    )


def bin_places(x: Array, edges: Array) -> NDArray[np.int32] | None:
    """Bin of each value, -1 where it is missing; None where a value is outside or infinite, or all are missing.

    Parameters
    ----------
    x : array of shape (n,) of float64, with any stride
    edges : array of shape (m + 1,), rising; the last bin has its right edge
    """
    out = np.empty(len(x), dtype=np.int32)
    inner, m = np.ascontiguousarray(edges[1:-1]), len(edges) - 2
    between = native.pointer(inner, native.F64, (m,), "edges")
    ends = (float(edges[0]), float(edges[-1]))
    return None if native.call("bin_places_f64", *native.column(x), between, m, *ends, *native.outputs(out)) else out


def mass_places(x: Array, at: Array) -> tuple[NDArray[np.int32], Array]:
    """Place of each value among rising ones, and the column without these, where they are missing.

    The place of a value that is none of them is their number, and that of a missing one -1.
    """
    places, rest = np.empty(len(x), dtype=np.int32), np.empty(len(x))
    values = native.pointer(at, native.F64, (len(at),), "at")
    native.call("mass_places_f64", *native.column(x), values, len(at), *native.outputs(places, rest))
    return places, rest


def bin_lookup(x: Array, edges: Array, table: Array, length: float, out: Array) -> None:
    """Write the log-density of histograms at each value: 0 where it is missing, minus infinity outside of all bins.

    Parameters
    ----------
    x : array of shape (n,) of float64, with any stride
    edges : array of shape (m + 1,), rising; the first may be -inf and the last inf
    table : array of shape (m, K), logs of heights; at the inner edge in an open outer bin, where the density falls off
        exponentially
    length : the distance over which it falls off by e
    out : C-contiguous array of shape (n, K)
    """
    m, K = table.shape
    native.call(
        "bin_lookup_f64",
        *native.column(x),
        native.pointer(edges, native.F64, (m + 1,), "edges"),
        m,
        K,
        native.pointer(table, native.F64, (m, K), "table"),
        length,
        native.pointer(out, native.F64, (len(x), K), "out"),
    )


def mass_lookup(x: Array, at: Array, masses: Array, out: Array) -> None:
    """Turn log-densities of other values into those of densities with point masses, in place.

    Parameters
    ----------
    x : array of shape (n,) of float64, with any stride; the log-density of a missing value is 0
    at : array of shape (m,), rising values that have a mass
    masses : array of shape (m + 1, K), their log-densities, and, last, what is added elsewhere
    out : C-contiguous array of shape (n, K)
    """
    m, K = len(at), masses.shape[1]
    native.call(
        "mass_lookup_f64",
        *native.column(x),
        native.pointer(at, native.F64, (m,), "at"),
        m,
        K,
        native.pointer(masses, native.F64, (m + 1, K), "masses"),
        native.pointer(out, native.F64, (len(x), K), "out"),
    )
