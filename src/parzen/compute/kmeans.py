"""One step of k-means over a block of rows: nearest centres, and the sums of the rows about them; dense or CSR."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array, is_sparse
from parzen.compute.device import is_device, routine
from parzen.compute.memberships import Labels
from parzen.compute.sparse import check_sound, csr_sums, matrix_of


@dataclass(frozen=True)
class Points:
    """Dense points as the routines read them: made once for all blocks of rows.

    Attributes
    ----------
    point : array of shape (K, d), float64
    origin : array of shape (d,)
        Their mean.
    table, offset, squares : what rows in CSR form are compared with (see native/csr_centres.cpp), else None
    """

    point: Array
    origin: Array
    table: Array | None = None
    offset: Array | None = None
    squares: Array | None = None


def points_of(point: NDArray[np.floating], sparse: bool) -> Points:
    """Points for dense or for sparse rows."""
    own: Array = np.ascontiguousarray(point, dtype=np.float64)
    origin = own.sum(axis=0) / max(len(own), 1)
    if not sparse:
        return Points(own, origin)
    K, d = own.shape
    width = -(-K // 4) * 4
    table, offset, squares = np.empty((d, width)), np.empty(width), np.empty((K, 2))
    address = native.pointer(own, native.F64, (K, d), "point")
    native.call("point_table_f64", K, d, width, address, *native.outputs(table, offset, squares))
    return Points(own, origin, table, offset, squares)


def centre_step(
    X: Any, w: Array | None, centre: Array | Points, sums: bool = True, codes: NDArray[np.int32] | None = None
) -> tuple[Array, Array, float]:
    """Assign rows to their nearest centres and sum them about these.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, with contiguous rows, in which a missing cell adds nothing to a
        distance; or a CSR matrix of such cells, none missing and none stored twice
    w : weights of the rows, (n,), or None
    centre : array of shape (K, d), or the same as `Points`
    sums : whether to compute the sums, or codes alone
    codes : array of shape (n,) to write each row's nearest centre to, the first of equals

    Returns
    -------
    weight, totals : arrays of shape (K,) and (K, d), of the rows about their centres; both (K, d) with missing cells
    inertia : sum of the rows' weights times their squared distances
    """
    at = centre if isinstance(centre, Points) else points_of(centre, is_sparse(X))
    if is_device(X):
        return routine("centre_step")(X, w, at, sums, codes)
    if is_sparse(X):
        return _sparse_step(X, w, at, sums, codes)
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    K = len(at.point)
    weight, totals, inertia = np.zeros(K), np.zeros((K, d)), np.zeros(1)
    odd = native.call(
        f"centres_{suffix}",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        K,
        native.pointer(at.origin, native.F64, (d,), "origin"),
        native.pointer(at.point, native.F64, (K, d), "centre"),
        *(native.outputs(weight, totals, inertia) if sums else (None, None, None)),
        None if codes is None else native.pointer(codes, native.I32, (n,), "codes"),
    )
    if odd:
        return _with_gaps(X, w, at.point, codes)
    return weight, totals, float(inertia[0])


def _sparse_step(
    X: Any, w: Array | None, at: Points, sums: bool, codes: NDArray[np.int32] | None
) -> tuple[Array, Array, float]:
    """`centre_step` of rows in CSR form."""
    n, K = X.shape[0], len(at.point)
    codes = np.empty(n, dtype=np.int32) if codes is None else codes
    squares = np.empty(n) if sums else None
    _csr_distances(X, at, codes, squares, None)
    if squares is None:
        return np.zeros(K), np.zeros(at.point.shape), 0.0
    weight, totals, _ = csr_sums(X, Labels.sound(codes, w, K))
    totals -= weight[:, None] * at.point
    return weight, totals, float(squares.sum() if w is None else w @ squares)


def nearest_squares(X: Any, at: Points) -> Array:
    """Squared distance of each row to the point that is nearest to it, (n,); over the cells that are there."""
    codes = np.empty(X.shape[0], dtype=np.int32)
    if is_sparse(X):
        squares = np.empty(X.shape[0])
        _csr_distances(X, at, codes, squares, None)
        return squares
    centre_step(X, None, at, sums=False, codes=codes)
    apart = X - at.point[codes]
    return np.asarray(np.nansum(apart * apart, axis=1))


def distances(X: Any, at: Points, out: Array | None = None) -> Array:
    """Squared distances of a block of rows to each point, (n, K); over the cells that are there.

    Parameters
    ----------
    X : rows as `centre_step` takes them
    at : the points
    out : where to write them, C-contiguous
    """
    n, d = X.shape
    K = len(at.point)
    out = np.empty((n, K)) if out is None else out
    if is_sparse(X):
        _csr_distances(X, at, None, None, out)
        return out
    suffix, matrix = native.rows(X, native.FLOATS)
    native.call(
        f"distances_{suffix}",
        *matrix,
        K,
        native.pointer(at.origin, native.F64, (d,), "origin"),
        native.pointer(at.point, native.F64, (K, d), "point"),
        native.pointer(out, native.F64, (n, K), "out"),
    )
    return out


def _csr_distances(
    X: Any, at: Points, codes: NDArray[np.int32] | None, nearest: Array | None, every: Array | None
) -> None:
    suffix, matrix, _kept = matrix_of(X)
    n, d = X.shape
    K = len(at.point)
    if at.table is None or at.offset is None or at.squares is None:
        raise TypeError("these points were made for dense rows; use points_of(point, sparse=True).")
    width = at.table.shape[1]
    check_sound(
        native.call(
            f"csr_distances_{suffix}",
            *matrix,
            K,
            width,
            native.pointer(at.table, native.F64, (d, width), "table"),
            native.pointer(at.offset, native.F64, (width,), "offset"),
            native.pointer(at.point, native.F64, (K, d), "point"),
            native.pointer(at.squares, native.F64, (K, 2), "squares"),
            None if codes is None else native.pointer(codes, native.I32, (n,), "codes"),
            None if nearest is None else native.pointer(nearest, native.F64, (n,), "nearest"),
            None if every is None else native.pointer(every, native.F64, (n, K), "every"),
        )
    )


def _with_gaps(
    X: NDArray[np.floating], w: Array | None, centre: Array, codes: NDArray[np.int32] | None
) -> tuple[Array, Array, float]:
    """`centre_step` of rows with missing cells: distances over the observed cells."""
    there = ~np.isnan(X)
    K, d = centre.shape
    best, nearest = np.full(len(X), np.inf), np.zeros(len(X), dtype=np.int32)
    for k in range(K):
        with np.errstate(over="ignore"):
            squares = np.where(there, X - centre[k], 0.0) ** 2
        far = squares.sum(axis=1)
        nearest[far < best] = k
        np.minimum(best, far, out=best)
    if codes is not None:
        codes[:] = nearest
    weights = np.ones(len(X)) if w is None else w
    cells = there * weights[:, None]
    offs = np.where(there, X - centre[nearest], 0.0) * weights[:, None]
    weight, totals = np.zeros((K, d)), np.zeros((K, d))
    np.add.at(weight, nearest, cells)
    np.add.at(totals, nearest, offs)
    return weight, totals, float(weights @ best)
