"""Averages around queries, weighted by a kernel, in extended precision."""

import numpy as np

from tests.oracle.kernel_sums import KERNELS


def local_weights(points, w, q, kernel):
    """Log of the sum of weights times kernel around one query, and the weights divided by it: these add to one.

    Where a kernel that ends reaches no point that counts, the nearest ones count, and the log is minus infinity.
    """
    square = np.where(w > 0, ((points - q) ** 2).sum(axis=1), np.inf)
    least = square.min()
    if kernel == "gaussian":
        scale, k = -least / 2, np.exp(-0.5 * (square - least))
    elif kernel == "exponential":
        scale, k = -np.sqrt(least), np.exp(-(np.sqrt(square) - np.sqrt(least)))
    elif least < 1:
        scale, k = 0.0, KERNELS[kernel](np.sqrt(square))
    else:
        scale, k = -np.inf, (square <= least * (1 + 1e-12)).astype(np.longdouble)
    k = np.where(w > 0, k * w, 0)
    return scale + np.log(k.sum()), k / k.sum()


def local_averages(points, values, w, Q, kernel, factors=None, own=None, left=None):
    """Log of the sum of weights at each query, and averages, u the points relative to it: of values, u, u u', u values.

    Points weigh w times the kernel, times factors (m, n) if given; point own[i] has weight left[i] at query i.
    """
    points, values, w, Q = (np.asarray(part, dtype=np.longdouble) for part in (points, values, w, Q))
    found = []
    for i, q in enumerate(Q):
        weight = np.array(w)
        if own is not None and own[i] >= 0:
            weight[own[i]] = left[i]
        log_sum, k = local_weights(points, weight if factors is None else weight * factors[i], q, kernel)
        u = points - q
        found.append((log_sum, k @ values, k @ u, (k[:, None] * u).T @ u, (k[:, None] * u).T @ values))
    return tuple(np.array(part, dtype=float) for part in zip(*found, strict=True))


def local_regression(points, values, w, Q, kernel, order, factors=None):
    """Local constants, or local lines by weighted least squares, at each query."""
    if order == 0:
        return local_averages(points, values, w, Q, kernel, factors)[1]
    points, values, w, Q = (np.asarray(part, dtype=np.longdouble) for part in (points, values, w, Q))
    out = np.empty((len(Q), values.shape[1]))
    for i, q in enumerate(Q):
        _, k = local_weights(points, w if factors is None else w * factors[i], q, kernel)
        root = np.sqrt(k.astype(float))[:, None]
        design = np.column_stack([np.ones(len(points)), points - q]).astype(float)
        out[i] = np.linalg.lstsq(root * design, root * values.astype(float), rcond=None)[0][0]
    return out
