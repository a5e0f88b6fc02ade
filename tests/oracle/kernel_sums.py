"""Sums of kernels over points, each pair in extended precision."""

import numpy as np

#: Kernels as functions of the distance in bandwidths; 1 at distance 0.
KERNELS = {
    "gaussian": lambda r: np.exp(-r * r / 2),
    "tophat": lambda r: (r < 1) * 1.0,
    "epanechnikov": lambda r: np.maximum(1 - r * r, 0),
    "triangular": lambda r: np.maximum(1 - r, 0),
    "biweight": lambda r: np.maximum(1 - r * r, 0) ** 2,
    "triweight": lambda r: np.maximum(1 - r * r, 0) ** 3,
    "cosine": lambda r: np.where(r < 1, np.cos(np.pi / 2 * np.minimum(r, 1)), 0),
    "exponential": lambda r: np.exp(-r),
}


def window_sums(points, weights, Q, kernel, scales=None, exclude=None):
    """Log of sum_j w_j k(|q - x_j| / s_j) at each query, in extended precision, relative to the largest term."""
    points, Q = (np.asarray(part, dtype=np.longdouble) for part in (points, Q))
    out = np.empty(len(Q), np.longdouble)
    for i, q in enumerate(Q):
        r = np.sqrt(((q - points) ** 2).sum(axis=1)) / (1 if scales is None else np.asarray(scales, np.longdouble))
        w = np.array(weights, dtype=np.longdouble)
        if exclude is not None:
            w[i] = exclude[i]
        with np.errstate(divide="ignore", invalid="ignore"):
            if kernel in ("gaussian", "exponential"):
                terms = np.log(w) - (r * r / 2 if kernel == "gaussian" else r)
                top = terms.max()
                out[i] = top + np.log(np.exp(terms - top).sum())
            else:
                out[i] = np.log((w * KERNELS[kernel](r)).sum())
    return out


def mean_squares(points, weights, Q):
    """Mean of |q - x|^2 / (2 log 2), the tiles' squared distance, at each query, by weights times Gaussian kernels."""
    points, Q = (np.asarray(part, dtype=np.longdouble) for part in (points, Q))
    out = np.empty(len(Q))
    for i, q in enumerate(Q):
        square = ((q - points) ** 2).sum(axis=1)
        k = weights * np.exp(-square / 2)
        out[i] = (k * square).sum() / k.sum() / (2 * np.log(2))
    return out


def window_ladder(points, weights, Q, own, left):
    """Gaussian sums (m, 8) with point own[i] weighing left[i], for bandwidths 1, 1 / sqrt(2), 1 / 2, ..."""
    points, Q = (np.asarray(part, dtype=np.longdouble) for part in (points, Q))
    out = np.empty((len(Q), 8))
    for i, q in enumerate(Q):
        square = ((q - points) ** 2).sum(axis=1)
        w = np.array(weights, dtype=np.longdouble)
        w[own[i]] = left[i]
        for rung in range(8):
            out[i, rung] = (w * np.exp(-square / 2 * 2**rung)).sum()
    return out


def tree_moments(x, w, unit, kernel):
    """Middles (runs,) and moments (runs, 7) of runs of 16, 32, 64, ... sorted points, until one run holds all.

    Moments are sums of w y^k, k = 0 to 6, y the distance from the middle in bandwidths; of the cosine kernel sums of
    w cos(pi y / 2) and w sin(pi y / 2). Runs of a bandwidth or wider have none: zeros.
    """
    x, w = np.asarray(x, dtype=np.longdouble), np.asarray(w, dtype=np.longdouble)
    centres, moments, length = [], [], 16
    while True:
        for begin in range(0, len(x), length):
            run, weights = x[begin : begin + length], w[begin : begin + length]
            middle, sums = (run[0] + run[-1]) / 2, np.zeros(7)
            y = (run - middle) / unit
            if (run[-1] - run[0]) / unit >= 1:
                pass
            elif kernel == "cosine":
                sums[:2] = (weights * np.cos(np.pi / 2 * y)).sum(), (weights * np.sin(np.pi / 2 * y)).sum()
            else:
                sums[:] = [(weights * y**k).sum() for k in range(7)]
            centres.append(float(middle))
            moments.append(sums)
        if length >= len(x):
            return np.array(centres), np.array(moments)
        length *= 2


def tree_values(x, w, unit, kernel, q):
    """Sum of w_j k(|q - x_j| / h) at each query of a line; kernels that end."""
    x, w, q = (np.asarray(part, dtype=np.longdouble) for part in (x, w, q))
    return np.array([(w * KERNELS[kernel](np.abs(one - x) / unit)).sum() for one in q], dtype=float)
