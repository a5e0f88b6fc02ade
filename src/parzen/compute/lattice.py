"""Chebyshev moments of points in the cells of a regular grid, and series of the cells evaluated at points, compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Lattice:
    """A regular grid of cells over one or two columns.

    Attributes
    ----------
    low : array of shape (d,)
        Lower edge of the first cell.
    inverse : array of shape (d,)
        Cells per unit of length.
    counts : array of shape (d,), int64
    terms : int
        Polynomials of each cell and column: 16, or 8 of one column.
    """

    low: Array
    inverse: Array
    counts: NDArray[np.int64]
    terms: int = 16

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each column, then polynomials of each."""
        d = len(self.counts)
        return (*(int(count) for count in self.counts), *(self.terms,) * d)

    def _arguments(self) -> tuple[int, ...]:
        d = len(self.counts)
        if d not in (1, 2) or (d, self.terms) not in ((1, 8), (1, 16), (2, 16)):
            raise ValueError(f"a lattice has one or two columns and 16 terms, or one and 8, got {d} and {self.terms}.")
        return (
            native.pointer(self.low, native.F64, (d,), "low"),
            native.pointer(self.inverse, native.F64, (d,), "inverse"),
            native.pointer(self.counts, native.I64, (d,), "counts"),
        )

    def moments(self, X: Array, weights: Array | None) -> Array:
        """Chebyshev moments of the points (n, d) in each cell; a point outside counts in the nearest cell's series."""
        out = _aligned_zeros(self.shape)
        n, d = X.shape
        w = None if weights is None else native.pointer(weights, native.F64, (n,), "weights")
        at = native.pointer(X, native.F64, (n, len(self.counts)), "X")
        native.call("cell_moments_f64", at, n, d, self.terms, w, *self._arguments(), *native.outputs(out))
        return out

    def values(self, X: Array, series: Array) -> tuple[Array, NDArray[np.int64]]:
        """Values of the cells' series at points (m, d), and the cell of each point, -1 outside."""
        m, d = X.shape
        out, cells = np.empty(m), np.empty(m, dtype=np.int64)
        at = native.pointer(X, native.F64, (m, len(self.counts)), "X")
        c = native.pointer(series, native.F64, self.shape, "series")
        native.call("cell_values_f64", at, m, d, self.terms, c, *self._arguments(), *native.outputs(out, cells))
        return out, cells

    def select(self, X: Array, chosen: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Indices of the points (n, d) in chosen cells, in rising order."""
        n, d = X.shape
        out = np.empty(n + 1, dtype=np.int64)
        at = native.pointer(X, native.F64, (n, len(self.counts)), "X")
        flags = native.pointer(chosen, native.U8, (int(np.prod(self.counts)),), "chosen")
        quiet = self._quiet(chosen) if d == 1 else np.zeros(2)
        native.call(
            "cell_select_f64", at, n, d, flags, *native.outputs(quiet), *self._arguments(), *native.outputs(out)
        )
        return out[1 : 1 + out[0]]

    def _quiet(self, chosen: NDArray[np.uint8]) -> Array:
        """Ends of the longest interval of a line without a chosen cell, moved a little inwards."""
        cells = np.concatenate([[-1], np.flatnonzero(chosen), [len(chosen)]])
        longest = int(np.argmax(np.diff(cells)))
        return self.low + (cells[longest : longest + 2] + np.array([1.5, -0.5])) / self.inverse


def cell_spread(moments: Array, by_moment: Array, begin: int, end: int, out: Array) -> None:
    """Write the series of cells `begin` to `end` - 1 of a row into out (B, inner, p), p 8 or 16.

    Parameters
    ----------
    moments : array of shape (B, inner, p)
    by_moment : array of shape (2 R + 1, p, p)
        Tables by distance, moment and term.
    """
    B, inner, p = moments.shape
    if p not in (8, 16) or not 0 <= begin <= end <= B:
        raise ValueError(f"cells have 8 or 16 terms, got {p}; {begin} to {end} must lie within {B} cells.")
    reach = len(by_moment) // 2
    at = native.pointer(moments, native.F64, (B, inner, p), "moments")
    table = native.pointer(by_moment, native.F64, (2 * reach + 1, p, p), "by_moment")
    into = native.pointer(out, native.F64, (B, inner, p), "out")
    native.call("cell_spread_f64", at, B, inner, p, table, reach, begin, end, into)


def _aligned_zeros(shape: tuple[int, ...]) -> Array:
    """Zeros aligned to a cache line, so that the moments of a cell never lie across two."""
    size = int(np.prod(shape))
    whole = np.zeros(size + 8)
    begin = -(whole.__array_interface__["data"][0] // 8) % 8
    return whole[begin : begin + size].reshape(shape)
