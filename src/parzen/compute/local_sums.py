"""Averages of values around query points, weighted by a kernel function, compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array
from parzen.compute.kernel_sums import CODES, ends
from parzen.compute.kernel_sums import factors as factors_of
from parzen.compute.tiles import Tiles


@dataclass(frozen=True)
class Averages:
    """Averages around m query points, by kernel weights that sum to one at each.

    Attributes
    ----------
    log_sum : array of shape (m,)
        Logarithm of the sum of weights; -inf where a compact kernel reaches no point, and the nearest points count.
    value : array of shape (m, C)
    offset : array of shape (m, d), optional
        Of u, the points relative to the query.
    square : array of shape (m, d, d), optional
        Of u u'.
    product : array of shape (m, d, C), optional
        Of u times the values.
    """

    log_sum: Array
    value: Array
    offset: Array | None = None
    square: Array | None = None
    product: Array | None = None


def numbers(d: int, C: int, lines: bool) -> int:
    """Number of averages at a query point."""
    return C + (d + d * (d + 1) // 2 + d * C if lines else 0)


def local_averages(
    tiles: Tiles,
    kernel: str,
    values: Array,
    Q: Array,
    lines: bool,
    factors: Array,
    cell: NDArray[np.int64],
    rtol: float,
    own: NDArray[np.int64] | None = None,
    left: Array | None = None,
) -> Averages:
    """Averages at queries, in the tiles' units of length.

    Parameters
    ----------
    values : array of shape (tiles, C, size), in the order of the tiles' slots
    Q : array of shape (m, d), sorted so that neighbours follow one another, those of one cell together
    lines : whether to compute the averages of u, for local lines
    factors : array of shape (cells, groups)
        Factor of the weights of each group of tiles at the queries of each cell; at most 1, above 0 for some group.
    cell : array of shape (m,)
    rtol : share of the weights that may be left out
    own : slot of a point that has the coefficient `left` instead of its own (leave-one-out); -1 for none
    """
    count, d, size = tiles.points.shape
    m, C = len(Q), values.shape[1]
    if m and not (factors.ndim == 2 and cell.min() >= 0 and cell.max() < len(factors)):
        raise ValueError(f"cell must number the {len(factors)} rows of factors, got {cell.min()} to {cell.max()}.")
    if factors.shape[1] <= int(tiles.groups.max()):
        raise ValueError(f"factors must have a column for each group, got {factors.shape[1]}.")
    log_sum, out = np.empty(m), np.empty((m, numbers(d, C, lines)))
    f64, i64 = native.F64, native.I64
    native.call(
        "local_averages_f64",
        count,
        size,
        d,
        native.pointer(tiles.points, f64, (count, d, size), "points"),
        native.pointer(tiles.coefficients, f64, (count, size), "coefficients"),
        native.pointer(tiles.low, f64, (d, count), "low"),
        native.pointer(tiles.high, f64, (d, count), "high"),
        native.pointer(tiles.centres, f64, (count, d), "centres"),
        native.pointer(tiles.inverse, f64, (d,), "inverse"),
        factors_of(tiles),
        native.pointer(tiles.widest, f64, (count,), "widest"),
        native.pointer(values, f64, (count, C, size), "values"),
        C,
        int(lines),
        native.pointer(tiles.groups, i64, (count,), "groups"),
        native.pointer(factors, f64, factors.shape, "factors"),
        factors.shape[1],
        native.pointer(Q, f64, (m, d), "Q"),
        m,
        native.pointer(cell, i64, (m,), "cell"),
        None if own is None else native.pointer(own, i64, (m,), "own"),
        None if left is None else native.pointer(left, f64, (m,), "left"),
        tiles.total,
        tiles.slack,
        *ends(tiles, kernel),
        rtol,
        max(4, size // 4),
        CODES[kernel],
        *native.outputs(log_sum, out),
    )
    return _split(log_sum, out, d, C, lines)


def _split(log_sum: Array, out: Array, d: int, C: int, lines: bool) -> Averages:
    """The averages of each kind, from the columns in which the compiled routine writes them."""
    if not lines:
        return Averages(log_sum, out)
    m = len(out)
    value, offset, half, product = np.split(out, np.cumsum([C, d, d * (d + 1) // 2]), axis=1)
    square = np.empty((m, d, d))
    rows, columns = np.triu_indices(d)
    square[:, rows, columns] = square[:, columns, rows] = half
    return Averages(log_sum, value, offset, square, product.reshape(m, d, C))


def joined(parts: list[Averages], order: NDArray[np.int64], shape: tuple[int, int], lines: bool) -> Averages:
    """Averages of blocks of queries put together, in the original order of the queries; shape is (d, C)."""
    (d, C), m = shape, len(order)
    shapes = {"log_sum": (), "value": (C,)}
    if lines:
        shapes |= {"offset": (d,), "square": (d, d), "product": (d, C)}
    out = {}
    for name, rest in shapes.items():
        out[name] = np.empty((m, *rest))
        if parts:
            out[name][order] = np.concatenate([getattr(part, name) for part in parts])
    return Averages(**out)
