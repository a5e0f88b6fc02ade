"""The kernels' twins in NumPy, as on the blackboard: slow, plain, one row at a time where that is clearest."""

import numpy as np
from scipy import special


def dense(R, n):
    """Memberships as a matrix (n, K)."""
    if R is None:
        return np.ones((n, 1))
    if hasattr(R, "dense"):
        return R.dense()
    R = np.asarray(R, dtype=float)
    return R[:, None] if R.ndim == 1 else R


def moments(X, R, full):
    X = np.asarray(X, dtype=np.longdouble)
    R = dense(R, len(X)).astype(np.longdouble)
    d, K = X.shape[1], R.shape[1]
    weight = np.zeros((K, d), np.longdouble)
    mean = np.zeros((K, d), np.longdouble)
    scatter = np.zeros((K, d, d), np.longdouble)
    for k in range(K):
        for j in range(d):
            rows = ~np.isnan(X[:, j]) & (R[:, k] > 0)
            weight[k, j] = R[rows, k].sum()
            mean[k, j] = (R[rows, k] * X[rows, j]).sum() / weight[k, j] if weight[k, j] else 0
        rows = R[:, k] > 0
        Y = np.where(np.isnan(X[rows]), 0, X[rows] - mean[k])
        scatter[k] = (R[rows, k, None] * Y).T @ Y
    if full:
        return weight[:, 0].astype(float), mean.astype(float), scatter.astype(float)
    return weight.astype(float), mean.astype(float), np.diagonal(scatter, axis1=1, axis2=2).astype(float)


def sums(X, R):
    R = dense(R, len(X))
    X = np.asarray(X, dtype=float)
    known = ~np.isnan(X)
    filled = np.where(known, X, 0.0)
    return np.array([(r[:, None] * known).sum(0) for r in R.T]), np.array([(r[:, None] * filled).sum(0) for r in R.T])


def gaussian_log_density(X, mean, covariance):
    """Covariance (K, d, d); missing cells integrated out."""
    out = np.zeros((len(X), len(mean)))
    for i, x in enumerate(np.asarray(X, dtype=float)):
        o = ~np.isnan(x)
        for k in range(len(mean)):
            if o.any():
                S = covariance[k][np.ix_(o, o)]
                u = x[o] - mean[k][o]
                out[i, k] = -0.5 * (u @ np.linalg.solve(S, u) + np.linalg.slogdet(2 * np.pi * S)[1])
    return out


def expected_moments(X, R, mean, covariance):
    """E-step of a Gaussian with missing cells: Little & Rubin (2002), section 8.2."""
    X = np.asarray(X, dtype=float)
    R = dense(R, len(X))
    K, d = mean.shape
    weight = R.sum(0)
    first, second = np.zeros((K, d)), np.zeros((K, d, d))
    for k in range(K):
        for x, r in zip(X, R[:, k], strict=True):
            o, m = ~np.isnan(x), np.isnan(x)
            S = covariance[k]
            y, extra = x - mean[k], np.zeros((d, d))
            gain = S[np.ix_(m, o)] @ np.linalg.inv(S[np.ix_(o, o)])
            y[m] = gain @ y[o]
            extra[np.ix_(m, m)] = S[np.ix_(m, m)] - gain @ S[np.ix_(o, m)]
            first[k] += r * y
            second[k] += r * (np.outer(y, y) + extra)
    shift = first / weight[:, None]
    scatter = second - weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
    likelihood = (R * gaussian_log_density(X, mean, covariance)).sum(0)
    return weight, mean + shift, scatter, likelihood


def tally(X, R, sizes):
    R = dense(R, len(X))
    offsets = np.cumsum([0, *sizes])
    counts = np.zeros((R.shape[1], offsets[-1]))
    for x, r in zip(np.asarray(X, dtype=float), R, strict=True):
        for j, value in enumerate(x):
            if value >= 0:
                counts[:, offsets[j] + int(value)] += r
    return counts


def lookup(X, table, sizes):
    offsets = np.cumsum([0, *sizes])
    out = np.zeros((len(X), table.shape[1]))
    for i, x in enumerate(np.asarray(X, dtype=float)):
        for j, value in enumerate(x):
            if value >= 0:
                out[i] += table[offsets[j] + min(int(value), sizes[j] - 1)]
    return out


def student_log_density(x, location, scale, dof):
    """Joint Student t, scale matrix (d, d)."""
    u, d = x - location, len(x)
    q = u @ np.linalg.solve(scale, u)
    return (
        special.gammaln((dof + d) / 2)
        - special.gammaln(dof / 2)
        - 0.5 * np.linalg.slogdet(dof * np.pi * scale)[1]
        - 0.5 * (dof + d) * np.log1p(q / dof)
    )


def posterior(values, prior):
    """Posteriors of rows of log-densities, the largest subtracted first; the prior where no class explains a row."""
    joint = np.asarray(values, dtype=np.longdouble) + prior
    out = np.empty_like(joint)
    for i, row in enumerate(joint):
        row = prior.astype(np.longdouble) if np.isneginf(row).all() else row
        e = np.exp(row - row.max())
        out[i] = e / e.sum()
    return out.astype(float)


def softmax(X, codes, weights, table, offset):
    """Log-likelihood of labels, and minus its slope by table and offset, one row at a time."""
    likelihood, gradient, slope = 0.0, np.zeros_like(table), np.zeros_like(offset)
    for x, code, w in zip(np.asarray(X, dtype=float), codes, weights, strict=True):
        if code < 0:
            continue
        scores = x @ table + offset
        p = np.exp(scores - scores.max())
        p /= p.sum()
        likelihood += w * np.log(p[code])
        residual = w * (p - np.eye(len(offset))[code])
        gradient += np.outer(x, residual)
        slope += residual
    return likelihood, gradient, slope


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


def chebyshev_moments(X, weights, low, inverse, counts, terms):
    """Sums of w T_k(xi) (and T_l(eta)) in each cell of a grid."""
    shape = (*counts, *(terms,) * len(counts))
    out = np.zeros(shape)
    for x, w in zip(X, weights, strict=True):
        u = (x - low) * inverse
        cell = np.clip(u.astype(int), 0, np.asarray(counts) - 1)
        T = [np.polynomial.chebyshev.chebvander(np.array([place]), terms - 1)[0] for place in 2 * (u - cell) - 1]
        out[tuple(cell)] += w * (T[0] if len(T) == 1 else np.outer(*T))
    return out


def em(X, w, mean, covariance, weight):
    """One step of EM: memberships (n, K), log-likelihood, and expected moments where cells are missing."""
    joint = gaussian_log_density(X, mean, covariance) + np.log(weight)
    sums = special.logsumexp(joint, axis=1)
    w = np.ones(len(X)) if w is None else w
    R = np.exp(joint - sums[:, None]) * w[:, None]
    return R, float(w @ sums)


def nearest(X, centre):
    """Nearest centre of each row and its squared distance, over the cells that are there."""
    X = np.asarray(X, dtype=float)
    squares = np.nansum((X[:, None, :] - centre[None]) ** 2, axis=2)
    return squares.argmin(axis=1), squares.min(axis=1)


def local_averages(points, values, w, Q, kernel, order, factors=None):
    """Averages of values around queries in extended precision: a constant, or a line by weighted least squares.

    Far from all points the weights are those of the nearest ones, relative to the nearest.
    """
    points, values, w, Q = (np.asarray(part, dtype=np.longdouble) for part in (points, values, w, Q))
    out = np.empty((len(Q), values.shape[1]))
    for i, q in enumerate(Q):
        u = points - q
        square = (u**2).sum(axis=1)
        weight = w if factors is None else w * factors[i]
        square = np.where(weight > 0, square, np.inf)
        least = square.min()
        if kernel == "gaussian":
            k = np.exp(-0.5 * (square - least))
        elif kernel == "exponential":
            k = np.exp(-(np.sqrt(square) - np.sqrt(least)))
        elif least < 1:
            k = KERNELS[kernel](np.sqrt(square))
        else:
            k = (square <= least * (1 + 1e-12)).astype(np.longdouble)
        k = np.where(weight > 0, k * weight, 0)
        k /= k.sum()
        if order == 0:
            out[i] = k @ values
            continue
        root = np.sqrt(k.astype(float))[:, None]
        design = np.column_stack([np.ones(len(u)), u]).astype(float)
        out[i] = np.linalg.lstsq(root * design, root * values.astype(float), rcond=None)[0][0]
    return out
