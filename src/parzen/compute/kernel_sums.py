"""Sums of kernels over points, pair by pair: points in tiles, tiles that are too far left out."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

#: Kernels that the compiled sums know, by their codes.
CODES = {
    "gaussian": 0,
    "tophat": 1,
    "epanechnikov": 2,
    "triangular": 3,
    "biweight": 4,
    "triweight": 5,
    "cosine": 6,
    "exponential": 7,
}
#: What Gaussian coordinates are multiplied by, so that the kernel is a power of two.
GAUSSIAN_SCALE = float(np.sqrt(0.5 / np.log(2.0)))


@dataclass(frozen=True)
class Tiles:
    """Points in tiles of neighbours: what the sums read.

    Attributes
    ----------
    size : points of a tile
    points : array of shape (tiles, d, size), float64 or float32
        Coordinates relative to the tiles' centres, in the kernel's units.
    coefficients : array of shape (tiles, size)
    shrink : array of shape (tiles, size), optional
        Squared inverse scales of the points.
    low, high : arrays of shape (d, tiles)
    least : array of shape (tiles,)
        Least of `shrink` in each tile.
    centres : array of shape (tiles, d)
    inverse : array of shape (d,)
        The kernel's units in a unit of each column.
    order : array of shape (tiles * size,)
        Which row each place in the tiles holds, -1 where a tile is not full.
    places : array of shape (n,)
        Where in the tiles each row is.
    groups : array of shape (tiles,)
        Which group the points of each tile belong to.
    total : float
        Sum of the coefficients.
    slack : float
        Powers of two between it and the least coefficient.
    widest : array of shape (tiles,)
        Largest squared length of a point.
    norms : array of shape (tiles, size), optional
        Squared lengths of the points where there are more than three columns, for distances by products.
    """

    size: int
    points: NDArray[np.floating]
    coefficients: NDArray[np.floating]
    shrink: NDArray[np.floating] | None
    low: Array
    high: Array
    least: Array
    centres: Array
    inverse: Array
    order: NDArray[np.int64]
    places: NDArray[np.int64]
    groups: NDArray[np.int64]
    total: float
    slack: float
    widest: Array
    norms: Array | None


def copy_rows(X: Any) -> tuple[Array, Array, Array]:
    """Rows (n, d) as a C-contiguous float64 copy, and ends of each column (d,): not finite where a cell isn't."""
    n, d = X.shape
    if X.dtype != np.float64 or not X.flags.c_contiguous or not n:
        copy = np.array(X, dtype=np.float64, order="C")
        none = np.zeros(d)
        return copy, copy.min(axis=0) if n else none, copy.max(axis=0) if n else none
    out, low, high = np.empty((n, d)), np.empty(d), np.empty(d)
    native.call("copy_rows_f64", native.pointer(X, native.F64, (n, d), "X"), n, d, *native.outputs(out, low, high))
    return out, low, high


def kd_order(X: Array, leaf: int) -> NDArray[np.int64]:
    """An order of rows (n, d) in which neighbours in the list are neighbours in space."""
    n, d = X.shape
    order = np.empty(n, dtype=np.int64)
    if n:
        native.call(
            "kd_order_f64", native.pointer(X, native.F64, (n, d), "X"), n, d, max(leaf, 1), *native.outputs(order)
        )
    return order


def lay_tiles(
    points: Array,
    coefficients: Array,
    shrink: Array | None,
    inverse: Array,
    size: int,
    single: bool = False,
    sort: bool = True,
    groups: NDArray[np.int64] | None = None,
) -> Tiles:
    """Tiles of points (n, d), n > 0, in single or double precision; see `Tiles`.

    Points of different groups (n,) are in different tiles.
    """
    order, owners = _arranged(points * inverse, size, sort, groups)
    empty = np.flatnonzero(order < 0)
    places = np.empty(len(points), dtype=np.int64)
    full = np.flatnonzero(order >= 0)
    places[order[full]] = full
    count = len(owners)
    filled = order[full[np.searchsorted(full, np.arange(len(order)), side="right") - 1]]  # the last row, once more
    X = points[filled].reshape(count, size, -1)
    low, high = X.min(axis=1), X.max(axis=1)
    centres = np.median(X, axis=1)  # where most points of a tile are: an outlier among them costs no digits of the rest
    weight = coefficients[filled]
    weight[empty] = 0.0
    least = np.ones(count) if shrink is None else shrink[filled].reshape(count, size).min(axis=1)
    kind, total = np.float32 if single else np.float64, float(coefficients.sum())
    relative: NDArray[np.floating] = np.ascontiguousarray(
        ((X - centres[:, None, :]) * inverse).transpose(0, 2, 1), dtype=kind
    )
    squares = (relative.astype(np.float64) ** 2).sum(axis=1)
    norms = None if single or points.shape[1] < 4 else squares
    return Tiles(
        size,
        relative,
        np.ascontiguousarray(weight.reshape(count, size), dtype=kind),
        None if shrink is None else np.ascontiguousarray(shrink[filled].reshape(count, size), dtype=kind),
        np.ascontiguousarray(low.T),
        np.ascontiguousarray(high.T),
        np.ascontiguousarray(least),
        np.ascontiguousarray(centres),
        np.ascontiguousarray(inverse),
        order,
        places,
        owners,
        total,
        float(np.log2(total) - np.log2(coefficients[coefficients > 0].min(initial=total))),
        squares.max(axis=1),
        norms,
    )


def _arranged(
    X: Array, size: int, sort: bool, groups: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows in tiles of neighbours, -1 where a tile is not full, and the group of each tile."""
    found, owners = [], []
    together = np.arange(len(X)) if groups is None else np.argsort(groups, kind="stable")
    ends = [0, len(X)] if groups is None else np.append(0, np.cumsum(np.bincount(groups)))
    for k, (begin, end) in enumerate(pairwise(ends)):
        rows = together[begin:end]
        if sort and len(rows):
            rows = rows[kd_order(np.ascontiguousarray(X[rows]), size)]
        count = -(-len(rows) // size)
        found += [rows, np.full(count * size - len(rows), -1)]
        owners.append(np.full(count, k))
    return np.concatenate(found), np.concatenate(owners)


def window_sums(
    tiles: Tiles,
    kernel: str,
    Q: Array,
    rtol: float,
    atol: float,
    own: NDArray[np.int64] | None = None,
    left: Array | None = None,
) -> tuple[Array, Array | None]:
    """Log of the sum of coefficients times kernel at each query, kernels being 1 at distance 0.

    Parameters
    ----------
    Q : array of shape (m, d), neighbours close to each other
    rtol, atol : what may be left out, relative to each sum and in its units
    own : place in the tiles of a point that is to count with the coefficient `left` instead; -1 for none

    Returns
    -------
    logarithms (m,), and in single precision the means of the squared distances under the kernel
    """
    count, d, size = tiles.points.shape
    m = len(Q)
    single = tiles.points.dtype == np.float32
    out, mean = np.empty(m), np.full(m, np.inf) if single else None
    if not m:
        return out, mean
    kind = np.dtype(tiles.points.dtype)
    f64, i64 = native.F64, native.I64
    native.call(
        "window_sums_f32" if single else "window_sums_f64",
        count,
        size,
        d,
        native.pointer(tiles.points, kind, (count, d, size), "points"),
        native.pointer(tiles.coefficients, kind, (count, size), "coefficients"),
        None if tiles.shrink is None else native.pointer(tiles.shrink, kind, (count, size), "shrink"),
        native.pointer(tiles.low, f64, (d, count), "low"),
        native.pointer(tiles.high, f64, (d, count), "high"),
        native.pointer(tiles.least, f64, (count,), "least"),
        native.pointer(tiles.centres, f64, (count, d), "centres"),
        native.pointer(tiles.inverse, f64, (d,), "inverse"),
        None if tiles.norms is None else native.pointer(tiles.norms, f64, (count, size), "norms"),
        native.pointer(tiles.widest, f64, (count,), "widest"),
        native.pointer(Q, f64, (m, d), "Q"),
        m,
        None if own is None else native.pointer(own, i64, (m,), "own"),
        None if left is None else native.pointer(left, f64, (m,), "left"),
        tiles.total,
        rtol,
        atol,
        max(4, size // 4),
        CODES[kernel],
        tiles.slack,
        *native.outputs(out),
        None if mean is None else native.outputs(mean)[0],
    )
    return out, mean


#: Bandwidths of a ladder, each the one before divided by sqrt(2).
RUNGS = 8


def window_ladder(tiles: Tiles, Q: Array, own: NDArray[np.int64], left: Array) -> Array:
    """Gaussian sums (m, RUNGS) at queries, each without its own point, for falling bandwidths; of float64 tiles."""
    count, d, size = tiles.points.shape
    m = len(Q)
    out = np.empty((m, RUNGS))
    native.call(
        "window_ladder_f64",
        count,
        size,
        d,
        native.pointer(tiles.points, native.F64, (count, d, size), "points"),
        native.pointer(tiles.coefficients, native.F64, (count, size), "coefficients"),
        native.pointer(tiles.centres, native.F64, (count, d), "centres"),
        native.pointer(tiles.inverse, native.F64, (d,), "inverse"),
        native.pointer(Q, native.F64, (m, d), "Q"),
        m,
        native.pointer(own, native.I64, (m,), "own"),
        native.pointer(left, native.F64, (m,), "left"),
        *native.outputs(out),
    )
    return out


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
    """Zeros that begin at a cache line: a cell's moments then never lie across two."""
    size = int(np.prod(shape))
    whole = np.zeros(size + 8)
    begin = -(whole.__array_interface__["data"][0] // 8) % 8
    return whole[begin : begin + size].reshape(shape)


@dataclass(frozen=True)
class Lattice:
    """A regular grid of cells over one or two columns.

    Attributes
    ----------
    low : array of shape (d,)
        Where the first cell begins.
    inverse : array of shape (d,)
        Cells for each unit of length.
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
        """Numbers of the points (n, d) in chosen cells, in their order."""
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
        """The longest stretch of a line without a chosen cell, a little inside its ends."""
        places = np.concatenate([[-1], np.flatnonzero(chosen), [len(chosen)]])
        longest = int(np.argmax(np.diff(places)))
        return self.low + (places[longest : longest + 2] + np.array([1.5, -0.5])) / self.inverse


@dataclass(frozen=True)
class Tree:
    """Sorted points of a line and the moments of runs of them, for sums of compact kernels.

    Attributes
    ----------
    x, w : arrays of shape (n,)
        Places in rising order, and their weights.
    unit : the bandwidth
    starts : array of shape (levels,)
        Where each level's runs begin in `centres` (runs,) and `moments` (runs, 7).
    """

    x: Array
    w: Array
    unit: float
    kernel: str
    starts: NDArray[np.int64]
    centres: Array
    moments: Array

    LEAF_BITS = 4

    @classmethod
    def of(cls, x: Array, w: Array, unit: float, kernel: str) -> "Tree":
        """The tree of n > 0 sorted points."""
        n = len(x)
        counts = [-(-n // (1 << cls.LEAF_BITS))]
        while counts[-1] > 1:
            counts.append(-(-counts[-1] // 2))
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        centres, moments = np.empty(sum(counts)), np.empty((sum(counts), 7))
        tree = cls(x, w, unit, kernel, starts, centres, moments)
        native.call("tree_moments_f64", *tree._arguments(), *native.outputs(centres, moments))
        return tree

    def _arguments(self) -> tuple[float, ...]:
        n = len(self.x)
        return (
            native.pointer(self.x, native.F64, (n,), "x"),
            native.pointer(self.w, native.F64, (n,), "w"),
            1.0 / self.unit,
            n,
            self.LEAF_BITS,
            len(self.starts),
            native.pointer(self.starts, native.I64, self.starts.shape, "starts"),
            CODES[self.kernel],
        )

    def sums(self, q: Array) -> Array:
        """Sum of weights times kernel at each query (m,)."""
        out = np.empty(len(q))
        parts = native.outputs(self.centres, self.moments)
        at = native.pointer(q, native.F64, (len(q),), "q")
        native.call("tree_values_f64", *self._arguments(), *parts, at, len(q), *native.outputs(out))
        return out
