"""Densities of one column that are looked up between sorted values, compiled: histograms, and point masses."""

from parzen.compute import native
from parzen.compute.arrays import Array


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
        *_column(x),
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
        *_column(x),
        native.pointer(at, native.F64, (m,), "at"),
        m,
        K,
        native.pointer(masses, native.F64, (m + 1, K), "masses"),
        native.pointer(out, native.F64, (len(x), K), "out"),
    )


def _column(x: Array) -> tuple[int, int, int]:
    """Address, size and stride of a column of float64, which may be one of a matrix."""
    if x.dtype != native.F64 or x.ndim != 1 or x.strides[0] % x.itemsize:
        raise TypeError(f"x must be a column of float64, got {x.ndim} dimensions of {x.dtype}.")
    return x.__array_interface__["data"][0], len(x), x.strides[0] // x.itemsize
