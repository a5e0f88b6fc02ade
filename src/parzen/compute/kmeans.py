"""One step of k-means over a block of rows: nearest centres, and the sums of the rows about them."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array


def centre_step(
    X: NDArray[np.floating], w: Array | None, centre: Array, sums: bool = True, codes: NDArray[np.int32] | None = None
) -> tuple[Array, Array, float]:
    """Assign rows to their nearest centres and sum them about these.

    Parameters
    ----------
    X : array of shape (n, d), float32 or float64, with contiguous rows; a missing cell adds nothing to a distance
    w : weights of the rows, (n,), or None
    centre : array of shape (K, d)
    sums : whether to compute the sums, or codes alone
    codes : array of shape (n,) to write each row's nearest centre to, the first of equals

    Returns
    -------
    weight, totals : arrays of shape (K,) and (K, d), of the rows about their centres; both (K, d) with missing cells
    inertia : sum of the rows' weights times their squared distances
    """
    suffix, matrix = native.rows(X, native.FLOATS)
    n, d = X.shape
    K = len(centre)
    weight, totals, inertia = np.zeros(K), np.zeros((K, d)), np.zeros(1)
    origin = np.ascontiguousarray(centre.mean(axis=0))  # keeps the array alive during the call
    odd = native.call(
        f"centres_{suffix}",
        *matrix,
        None if w is None else native.pointer(w, native.F64, (n,), "weights"),
        K,
        native.pointer(origin, native.F64, (d,), "origin"),
        native.pointer(centre, native.F64, (K, d), "centre"),
        *(native.outputs(weight, totals, inertia) if sums else (None, None, None)),
        None if codes is None else native.pointer(codes, native.I32, (n,), "codes"),
    )
    if odd:
        return _with_gaps(X, w, centre, codes)
    return weight, totals, float(inertia[0])


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
