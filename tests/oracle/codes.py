"""Columns of category codes: tallies, tables looked up, whole numbers counted."""

import numpy as np

from tests.oracle.memberships import dense


def tally(X, R, sizes):
    """Weight of each category of each column in each group, (K, sum(sizes)); -1 and NaN are missing."""
    R = dense(R, len(X))
    offsets = np.cumsum([0, *sizes])
    counts = np.zeros((R.shape[1], offsets[-1]))
    for x, r in zip(np.asarray(X, dtype=float), R, strict=True):
        for j in np.flatnonzero(x >= 0):
            counts[:, offsets[j] + int(x[j])] += r
    return counts


def lookup(X, table, sizes):
    """Sum over the columns of the table's row of each code, (n, K); beyond the last code the last row."""
    offsets = np.cumsum([0, *sizes])
    out = np.zeros((len(X), table.shape[1]))
    for i, x in enumerate(np.asarray(X, dtype=float)):
        slots = [offsets[j] + min(int(x[j]), sizes[j] - 1) for j in np.flatnonzero(x >= 0)]
        out[i] = table[slots].sum(axis=0)
    return out


def first_bad_code(X, sizes):
    """Row and column of the first cell that is neither missing nor a code of its column; None where there is none."""
    for i, x in enumerate(X):
        for j, value in enumerate(x):
            if not (np.isnan(value) or value in range(-1, sizes[j])):
                return i, j
    return None


def places(y):
    """The least of some whole numbers, how often each from there on comes, and each one less the least."""
    numbers = [int(value) for value in y]
    low = min(numbers)
    counts = [0] * (max(numbers) - low + 1)
    for value in numbers:
        counts[value - low] += 1
    return low, counts, [value - low for value in numbers]
