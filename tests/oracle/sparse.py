"""Rows in CSR form, read cell by cell as the three arrays say."""

import numpy as np

from tests.oracle.memberships import dense


def cells(X):
    """(row, column, value) of each stored cell."""
    for i in range(X.shape[0]):
        for at in range(X.indptr[i], X.indptr[i + 1]):
            yield i, int(X.indices[at]), float(X.data[at])


def csr_sums(X, R):
    """Weight (K,) and column totals (K, d) of each group; whether a cell of a row that counts is negative or NaN."""
    R = dense(R, X.shape[0])
    totals, odd = np.zeros((R.shape[1], X.shape[1])), False
    for i, j, value in cells(X):
        counts = R[i] != 0
        totals[counts, j] += R[i, counts] * value
        odd = odd or (counts.any() and not value >= 0)
    return R.sum(axis=0), totals, odd


def csr_product(X, table):
    """X @ table for a dense table (d, K)."""
    out = np.zeros((X.shape[0], table.shape[1]))
    for i, j, value in cells(X):
        out[i] += value * table[j]
    return out


def bits(data, threshold):
    """1 where a number lies above the threshold, else 0; how many are not finite. float32 is compared in float32."""
    limit = float(np.float32(threshold)) if data.dtype == np.float32 else threshold
    return [int(float(value) > limit) for value in data], sum(not np.isfinite(value) for value in data)
