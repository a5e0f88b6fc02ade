"""Cells of a grid over three columns, "cubes", of which only those in use are kept, compiled."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

#: Polynomials of a cube and column.
TERMS = (12, 16)


@dataclass(frozen=True, eq=False)
class Cubes:
    """Rows sorted by the cubes in which they lie.

    Attributes
    ----------
    X : array of shape (n, 3), sorted by cube
    low : array of shape (3,)
        Lower edge of the cubes numbered 0.
    inverse : array of shape (3,)
        Cubes per unit of length.
    corners : array of shape (cubes, 3), int64
        Number of each cube along the columns.
    ends : array of shape (cubes + 1,), int64
        Where the rows of each cube begin in X, and where the last one's end.
    """

    X: Array
    low: Array
    inverse: Array
    corners: NDArray[np.int64]
    ends: NDArray[np.int64]

    def _arguments(self, which: NDArray[np.int64]) -> tuple[tuple[int, ...], tuple[NDArray[np.int64], ...]]:
        """Addresses of the grid and of some of its cubes, and the arrays that they point to."""
        parts = (self.ends[which], self.ends[which + 1], self.corners[which])
        f64, i64, count = native.F64, native.I64, len(which)
        return (
            native.pointer(self.low, f64, (3,), "low"),
            native.pointer(self.inverse, f64, (3,), "inverse"),
            native.pointer(parts[0], i64, (count,), "begin"),
            native.pointer(parts[1], i64, (count,), "end"),
            native.pointer(parts[2], i64, (count, 3), "corners"),
        ), parts

    def moments(self, weights: Array | None, which: NDArray[np.int64], slots: NDArray[np.int64], out: Array) -> None:
        """Write the moments of some cubes into records of out (records, p, p, p): each into its slot."""
        p = _terms(out)
        if len(slots) and not 0 <= slots.min() <= slots.max() < len(out):
            raise ValueError(f"slots must lie within {len(out)} records.")
        w = None if weights is None else native.pointer(weights, native.F64, (len(self.X),), "weights")
        addresses, parts = self._arguments(which)
        native.call(
            "cube_moments_f64",
            native.pointer(self.X, native.F64, (len(self.X), 3), "X"),
            w,
            *addresses,
            native.pointer(slots, native.I64, (len(which),), "slots"),
            len(which),
            p,
            *native.outputs(out),
        )
        del parts

    def values(self, which: NDArray[np.int64], series: Array, out: Array) -> None:
        """Write the values of the series (cubes, p, p, p) of some cubes at their rows into out (n,)."""
        p = _terms(series)
        addresses, parts = self._arguments(which)
        native.call(
            "cube_values_f64",
            native.pointer(self.X, native.F64, (len(self.X), 3), "X"),
            *addresses,
            native.pointer(series, native.F64, (len(which), p, p, p), "series"),
            len(which),
            p,
            native.pointer(out, native.F64, (len(self.X),), "out"),
        )
        del parts


def cube_sweep(records: Array, links: NDArray[np.int64], tables: Array, out: Array) -> None:
    """Apply tables to the first axis of records, sum them, and put that axis last.

    Parameters
    ----------
    records : array of shape (records, p, p, p)
    links : array of shape (cubes, tables), int64
        Record that each table is applied to; -1 for none.
    tables : array of shape (tables, p, p), by moment and term
    out : array of shape (cubes, p, p, p)
    """
    p, (count, across) = _terms(records), links.shape
    if links.size and not -1 <= links.min() <= links.max() < len(records):
        raise ValueError(f"links must lie within {len(records)} records, or be -1.")
    native.call(
        "cube_sweep_f64",
        native.pointer(records, native.F64, (len(records), p, p, p), "records"),
        native.pointer(links, native.I64, (count, across), "links"),
        count,
        across,
        native.pointer(tables, native.F64, (across, p, p), "tables"),
        p,
        native.pointer(out, native.F64, (count, p, p, p), "out"),
    )


def cube_bounds(
    targets: NDArray[np.int64],
    sources: NDArray[np.int64],
    mass: Array,
    points: Array,
    room: tuple[int, int],
    near: int,
    largest: Array,
    errors: Array,
) -> Array:
    """Bounds on the error of series of cubes, from the masses around them.

    Parameters
    ----------
    targets, sources : arrays of shape (m,) and (n,)
        Numbers of cubes, rising: (i rows + j) columns + k, with room for the reach beyond the last of a column.
    mass, points : arrays of shape (n,)
        Sum of the weights in each source, and how many points there are.
    room : rows and columns
    near : cubes along each column within which points are counted
    largest, errors : arrays of shape (reach + 1,)
        The kernel between cubes that are 0, 1, ... apart in one column, and the error of its expansion.

    Returns
    -------
    array of shape (m, 4): the bound; the sum of mass times largest; the mass within reach; points that are near
    """
    m, n, reach = len(targets), len(sources), len(largest) - 1
    out = np.empty((m, 4))
    native.call(
        "cube_bounds_f64",
        native.pointer(targets, native.I64, (m,), "targets"),
        m,
        native.pointer(sources, native.I64, (n,), "sources"),
        native.pointer(mass, native.F64, (n,), "mass"),
        native.pointer(points, native.F64, (n,), "points"),
        n,
        *room,
        reach,
        near,
        native.pointer(largest, native.F64, (reach + 1,), "largest"),
        native.pointer(errors, native.F64, (reach + 1,), "errors"),
        *native.outputs(out),
    )
    return out


def _terms(records: Array) -> int:
    if records.ndim != 4 or records.shape[1] not in TERMS:
        raise ValueError(f"records must have shape (records, p, p, p) with p 12 or 16, got {records.shape}.")
    return records.shape[1]
