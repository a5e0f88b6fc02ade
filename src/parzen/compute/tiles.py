"""Points in tiles of neighbours, with the bounding box of each tile: far tiles are left out of a kernel sum at once."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.order import kd_order
from parzen.compute.window_border import WindowBorder


@dataclass(frozen=True)
class Tiles:
    """Points in tiles of neighbours: the layout that the compiled sums read.

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
        The kernel's units in a unit of each column; of a compact kernel a power of two.
    border : WindowBorder, optional
        Of a compact kernel, whose coordinates are relative to zero.
    order : array of shape (tiles * size,)
        Row in each slot of the tiles, -1 in the empty slots of a tile.
    slots : array of shape (n,)
        Slot of each row in the tiles.
    groups : array of shape (tiles,)
        Group of each tile's points.
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
    border: WindowBorder | None
    order: NDArray[np.int64]
    slots: NDArray[np.int64]
    groups: NDArray[np.int64]
    total: float
    slack: float
    widest: Array
    norms: Array | None


def lay_tiles(
    points: Array,
    coefficients: Array,
    shrink: Array | None,
    lengths: Array | WindowBorder,
    size: int,
    single: bool = False,
    sort: bool = True,
    groups: NDArray[np.int64] | None = None,
) -> Tiles:
    """Tiles of points (n, d), n > 0, in single or double precision; see `Tiles`.

    Parameters
    ----------
    lengths : the kernel's units in a unit of each column, or the border of a compact kernel's window
    groups : array of shape (n,), optional
        Points of different groups are in different tiles.
    """
    border = lengths if isinstance(lengths, WindowBorder) else None
    inverse = lengths.powers if isinstance(lengths, WindowBorder) else lengths
    order, owners = _arranged(points * inverse, size, sort, groups)
    empty = np.flatnonzero(order < 0)
    slots = np.empty(len(points), dtype=np.int64)
    full = np.flatnonzero(order >= 0)
    slots[order[full]] = full
    count = len(owners)
    # The rows of a tile fill its empty slots in turn, with coefficient zero: so that none of them decides the median.
    held = (order.reshape(count, size) >= 0).sum(axis=1, keepdims=True)
    filled = order[(np.arange(count)[:, None] * size + np.arange(size) % held).ravel()]
    X = points[filled].reshape(count, size, -1)
    low, high = X.min(axis=1), X.max(axis=1)
    # Not the mean: an outlier would cost the other points digits. At a border no digit may be lost at all.
    centres = np.zeros_like(low) if border is not None else np.median(X, axis=1)
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
        border,
        order,
        slots,
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
