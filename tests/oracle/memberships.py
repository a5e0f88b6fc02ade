"""Memberships R in their three forms, written out as one matrix."""

import numpy as np


def dense(R, n):
    """Memberships as a matrix (n, K): from None, weights (n,), a matrix (n, K), or labels with codes and weights."""
    if R is None:
        return np.ones((n, 1))
    if hasattr(R, "codes"):
        matrix = np.zeros((n, R.groups))
        for i, code in enumerate(R.codes):
            if code >= 0:
                matrix[i, code] = 1.0 if R.weights is None else R.weights[i]
        return matrix
    R = np.asarray(R, dtype=float)
    return R[:, None] if R.ndim == 1 else R
