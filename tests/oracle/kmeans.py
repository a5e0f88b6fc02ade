"""One step of k-means: assign each row to its nearest centre, then add up."""

import numpy as np


def nearest(X, centre):
    """Nearest centre of each row and its squared distance, over the observed cells."""
    X = np.asarray(X, dtype=float)
    squares = np.nansum((X[:, None, :] - centre[None]) ** 2, axis=2)
    return squares.argmin(axis=1), squares.min(axis=1)


def centres(X, w, centre, codes=None):
    """Codes (n,), weights and sums of rows about their centres, both (K, d), and inertia; by given codes, if any."""
    X = np.asarray(X, dtype=float)
    codes = nearest(X, centre)[0] if codes is None else codes
    weight, totals, inertia = np.zeros(centre.shape), np.zeros(centre.shape), 0.0
    for i, (x, k) in enumerate(zip(X, codes, strict=True)):
        for j in np.flatnonzero(~np.isnan(x)):
            own, u = 1.0 if w is None else w[i], x[j] - centre[k, j]
            weight[k, j] += own
            totals[k, j] += own * u
            inertia += own * u**2
    return codes, weight, totals, inertia


def distances(X, points):
    """Squared distances of rows to points, (n, K), over the observed cells."""
    return np.nansum((np.asarray(X, dtype=float)[:, None, :] - points[None]) ** 2, axis=2)


def point_table(points):
    """Points, a row for each column; -|p|^2 / 2 of each; |p|^2 of each in extended precision."""
    squares = (points.astype(np.longdouble) ** 2).sum(axis=1)
    return points.T, -squares / 2, squares


def csr_distances(X, points):
    """Squared distances of sparse rows to points, cell by cell, with the zeros that are not stored."""
    rows = np.zeros(X.shape)
    for i in range(X.shape[0]):
        for at in range(X.indptr[i], X.indptr[i + 1]):
            rows[i, X.indices[at]] += X.data[at]
    return distances(rows, points)
