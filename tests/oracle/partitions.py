"""Partitions where EM begins, by greedy k-means++ and Lloyd's steps or by merging; and EM from a partition."""

import numpy as np

from tests.oracle.em import em_diagonal, em_full, em_shared
from tests.oracle.kmeans import nearest


def _drawn(mass, at):
    total = np.cumsum(mass)
    return int(np.searchsorted(total, at * total[-1], side="right"))


def _lloyd(X, w, centre, steps):
    codes = nearest(X, centre)[0]
    for _ in range(steps):
        centre = np.array(
            [
                np.average(X[codes == k] if (codes == k).any() else X, axis=0, weights=w[codes == k]
                           if (codes == k).any() else w)
                for k in range(len(centre))
            ]
        )  # fmt: skip
        codes = nearest(X, centre)[0]
    return centre, codes


def _plus_plus(X, w, K, trials, uniform):
    """Each further centre is the best of a few rows, drawn by weight times the squared distance to the others."""
    centre = [X[_drawn(w, uniform[0])]]
    for k in range(1, K):
        far = nearest(X, np.array(centre))[1]
        tries = [X[_drawn(w * far, u)] for u in uniform[1 + (k - 1) * trials :][:trials]]
        left = [w @ nearest(X, np.array([*centre, one]))[1] for one in tries]
        centre.append(tries[int(np.argmin(left))])
    return np.array(centre)


def kmeans_partition(X, w, K, uniform, steps, some=None):
    """The nearest centres of all rows, for the k-means of some of them with the least inertia."""
    w = np.ones(len(X)) if w is None else w
    part, own = (X, w) if some is None else (X[some], w[some])
    trials = (uniform.shape[1] - 1) // (K - 1)
    runs = [_lloyd(part, own, _plus_plus(part, own, K, trials, row), steps)[0] for row in uniform]
    best = min(runs, key=lambda centre: own @ nearest(part, centre)[1])
    return nearest(X, best)[0]


def merged_partition(X, w, first, C, steps):
    """Small clusters, of which the two are merged whose joint cost n log |S| is least above that of both, until C."""
    w = np.ones(len(X)) if w is None else w
    d, few = X.shape[1], X.shape[1] + 1.0
    codes = _lloyd(X, w, X[first], steps)[1]

    def scatter(rows):
        y = X[rows] - np.average(X[rows], axis=0, weights=w[rows])
        return (w[rows, None] * y).T @ y

    ridge = sum(scatter(codes == k) for k in np.unique(codes)) / w.sum() + 1e-9 * np.eye(d)

    def cost(rows):
        n = w[rows].sum()
        return n * np.linalg.slogdet((scatter(rows) + few * ridge) / (n + few))[1]

    while len(np.unique(codes)) > C:
        names = np.unique(codes)
        pairs = [(a, b) for a in names for b in names if a < b]
        rise = [cost((codes == a) | (codes == b)) - cost(codes == a) - cost(codes == b) for a, b in pairs]
        into, gone = pairs[int(np.argmin(rise))]
        codes = np.where(codes == gone, into, codes)
    return np.unique(codes, return_inverse=True)[1].ravel()


def _maximised(shape, weight, scatter, noise):
    """Factors, or deviations, of the covariances of moments."""
    if shape in ("diag", "spherical"):
        variance = scatter / weight
        variance = variance.mean(axis=1, keepdims=True) + 0 * variance if shape == "spherical" else variance
        return np.sqrt(variance + noise)
    n = np.array([weight.sum()]) if shape == "tied" else weight
    return np.linalg.cholesky(scatter / n[:, None, None] + noise * np.eye(scatter.shape[1]))


def em_run(X, w, codes, K, shape, noise, floor, steps, tol):
    """Log-weights, means, factors, and the log-likelihood at the last E-step, of EM from a partition."""
    w = np.ones(len(X)) if w is None else w
    step = {"full": em_full, "tied": em_shared}.get(shape, em_diagonal)
    R = w[:, None] * (codes[:, None] == np.arange(K))
    counts, mean = R.sum(axis=0), R.T @ X / R.sum(axis=0)[:, None]
    y = X[:, None, :] - mean
    scatter = np.einsum("nk,nki,nkj->kij", R, y, y)
    scatter = scatter.sum(axis=0, keepdims=True) if shape == "tied" else scatter
    if shape in ("diag", "spherical"):
        scatter = np.diagonal(scatter, axis1=1, axis2=2)
    weight = counts if scatter.ndim == 3 else np.repeat(counts[:, None], X.shape[1], axis=1)
    share, before = (counts + 1e-3) / (counts + 1e-3).sum(), -np.inf
    for _ in range(steps):
        weight, mean, scatter, likelihood = step(X, w, mean, _maximised(shape, weight, scatter, noise), share)
        counts = weight if weight.ndim == 1 else weight[:, 0]
        share = counts / counts.sum()
        if abs(likelihood - before) <= tol * w.sum():
            break
        before = likelihood
    return np.log(share), mean, _maximised(shape, weight, scatter, noise), likelihood
