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
