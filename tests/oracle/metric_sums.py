"""Sums of kernels of distances that are not Euclidean, each pair in extended precision."""

import numpy as np

from tests.oracle.kernel_sums import KERNELS


def distance(q, points, kind, p, factors=None):
    """Distances between one row and points (n, d): a norm of differences, or arcs between points of the unit sphere."""
    u = np.abs(np.asarray(points, np.longdouble) - np.asarray(q, np.longdouble))
    u = u if factors is None else u * np.asarray(factors, np.longdouble)
    if kind == "arc":
        return 2 * np.arcsin(np.minimum(np.sqrt((u * u).sum(axis=1)) / 2, 1))
    if kind in ("manhattan", "chebyshev"):
        return u.sum(axis=1) if kind == "manhattan" else u.max(axis=1)
    most = np.maximum(u.max(axis=1), np.longdouble(1e-300))
    return most * ((u / most[:, None]) ** p).sum(axis=1) ** (1 / np.longdouble(p))


def metric_sums(points, weights, Q, kind, p, factors, kernel, h, exclude=None):
    """Log of sum_j w_j k(distance(q, x_j) / h) at each query, relative to the largest term."""
    out = np.empty(len(Q), np.longdouble)
    for i, q in enumerate(Q):
        r = distance(q, points, kind, p, factors) / np.longdouble(h)
        w = np.array(weights, dtype=np.longdouble)
        if exclude is not None:
            w[i] = exclude[i]
        with np.errstate(divide="ignore", invalid="ignore"):
            if kernel in ("gaussian", "exponential"):
                terms = np.log(w) - (r * r / 2 if kernel == "gaussian" else r)
                out[i] = terms.max() + np.log(np.exp(terms - terms.max()).sum())
            else:
                out[i] = np.log((w * KERNELS[kernel](r)).sum())
    return out
