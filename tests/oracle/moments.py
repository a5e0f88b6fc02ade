"""Sums and centred moments of groups of rows, in extended precision."""

import numpy as np

from tests.oracle.memberships import dense


def moments_diagonal(X, R):
    """Weight, mean and sum of squared deviations of each column in each group, and what rounding the mean lost.

    A missing cell (NaN) weighs nothing. All of shape (K, d).
    """
    X, R = np.asarray(X, dtype=np.longdouble), dense(R, len(X)).astype(np.longdouble)
    weight, mean, scatter = (np.zeros((R.shape[1], X.shape[1]), np.longdouble) for _ in range(3))
    for k, r in enumerate(R.T):
        for j, x in enumerate(X.T):
            there = ~np.isnan(x) & (r > 0)
            weight[k, j], mean[k, j], scatter[k, j] = (part.item() for part in _moments(x[there, None], r[there]))
    return _rounded(weight, mean, scatter)


def moments_full(X, R):
    """Weight (K,), mean (K, d) and scatter matrix (K, d, d) of each group, and what rounding the mean lost (K, d).

    A missing cell (NaN) makes its column's entries NaN.
    """
    X, R = np.asarray(X, dtype=np.longdouble), dense(R, len(X)).astype(np.longdouble)
    groups = [_moments(X[r > 0], r[r > 0]) for r in R.T]
    return _rounded(*(np.array(part) for part in zip(*groups, strict=True)))


def moments(X, R, full):
    """Weight, mean and scatter alone."""
    return (moments_full if full else moments_diagonal)(X, R)[:3]


def sums(X, R):
    """Weight and total of each column in each group, both of shape (K, d); a missing cell weighs nothing."""
    X, R = np.asarray(X, dtype=float), dense(R, len(X))
    weight, totals = np.zeros((2, R.shape[1], X.shape[1]))
    for x, r in zip(X, R, strict=True):
        there = ~np.isnan(x)
        weight += np.outer(r, there)
        totals += np.outer(r, np.where(there, x, 0.0))
    return weight, totals


def _moments(X, r):
    """Of rows (n, d) with weights (n,), about their mean; an empty group has mean 0."""
    weight = r.sum()
    if weight == 0:
        return weight, np.zeros(X.shape[1], np.longdouble), np.zeros((X.shape[1],) * 2, np.longdouble)
    mean = (r[:, None] * X).sum(axis=0) / weight
    mean += (r[:, None] * (X - mean)).sum(axis=0) / weight  # again: the first mean is rounded at the rows' offset
    Y = X - mean
    return weight, mean, (r[:, None] * Y).T @ Y


def _rounded(weight, mean, scatter):
    rounded = mean.astype(float)
    return weight.astype(float), rounded, scatter.astype(float), (mean - rounded).astype(float)
