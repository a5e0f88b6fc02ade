"""Affine scores of rows, and the likelihood of labels under the softmax of them."""

import numpy as np

from tests.oracle.sparse import cells


def linear(X, table, offset, origin=None):
    """Scores (n, K): offset + sum of (x_j - origin_j) table_j."""
    out = np.zeros((len(X), len(offset)))
    for i, x in enumerate(np.asarray(X, dtype=float)):
        out[i] = offset + sum((x[j] - (0.0 if origin is None else origin[j])) * table[j] for j in range(len(x)))
    return out


def softmax(X, codes, weights, table, offset, origin=0.0):
    """Weight and log-likelihood of labels, and minus its derivatives by table and offset, one row at a time.

    Unlabelled rows (a negative code) don't count, whatever they hold.
    """
    X = np.asarray(X, dtype=float) - origin
    weight, likelihood, gradient, slope = 0.0, 0.0, np.zeros_like(table), np.zeros_like(offset)
    for x, code, w in zip(X, codes, weights, strict=True):
        if code < 0:
            continue
        scores = x @ table + offset
        p = np.exp(scores - scores.max())
        p /= p.sum()
        residual = w * (p - np.eye(len(offset))[code])
        weight += w
        likelihood += w * (scores[code] - scores.max() - np.log(np.exp(scores - scores.max()).sum()))
        gradient += np.outer(x, residual)
        slope += residual
    return weight, likelihood, gradient, slope


def softmax_curvature(X, codes, weights, table, offset, origin=0.0):
    """Minus the second derivatives of the log-likelihood by (table, offset) of two classes, (K, K, d + 1, d + 1)."""
    K, d = len(offset), X.shape[1]
    second = np.zeros((K, K, d + 1, d + 1))
    for x, code, w in zip(np.asarray(X, dtype=float) - origin, codes, weights, strict=True):
        if code < 0:
            continue
        scores = x @ table + offset
        p = np.exp(scores - scores.max())
        p /= p.sum()
        y = np.append(x, 1.0)
        second += w * np.einsum("kl,i,j->klij", np.diag(p) - np.outer(p, p), y, y)
    return second


def logit_run(X, codes, weights, start, l2, origin=0.0, intercept=True, most=30, rest=None):
    """Newton's method for two classes, step after step, each as long as lowers the objective; all is as at its end."""
    rows = np.column_stack([np.asarray(X, dtype=float) - origin, np.full(len(X), float(intercept))])
    rest = np.zeros(rows.shape[1] + 1) if rest is None else rest

    def look(point):
        scores = rows @ point
        p = 1.0 / (1.0 + np.exp(-scores))
        loss = (weights * (np.logaddexp(0.0, scores) - codes * scores)).sum() + 0.5 * (l2 * point**2).sum()
        loss += rest[:-1] @ point + rest[-1]
        return (
            loss,
            rows.T @ (weights * (p - codes)) + l2 * point + rest[:-1],
            (rows.T * (weights * p * (1.0 - p))) @ rows,
        )

    def length(point, step, value, gain):
        """Where the slope along the step is at most a quarter of what it was: Newton's method between bounds."""
        low, high, share = 0.0, np.inf, 1.0
        while True:
            found, slope, second = look(point + share * step)
            lower, along = found <= value + 1e-14 * value, slope @ step
            if lower and (abs(along) <= 0.25 * gain or gain <= 1e-14 * value):
                return share
            low, high = (share, high) if along < 0 and lower else (low, share)
            following = share - along / (step @ (second + np.diag(l2)) @ step)
            longest = 8.0 * share if high == np.inf else high
            within = low < following < longest
            share = following if within else (0.5 * (low + high) if high < np.inf else longest)

    point, steps = np.array(start, dtype=float), 0
    while steps < most:
        loss, slope, second = look(point)
        step = -np.linalg.lstsq(second + np.diag(l2), slope, rcond=None)[0]
        point, steps = point + length(point, step, loss, -slope @ step) * step, steps + 1
    return steps, point, *look(point)


def csr_softmax(X, codes, weights, table, offset):
    """The same for rows in CSR form."""
    rows = np.zeros(X.shape)
    for i, j, value in cells(X):
        rows[i, j] += value
    return softmax(rows, codes, weights, table, offset)


def csr_softmax_product(X, shares, weights, way):
    """Sum over rows of w (diag(p) - p p') times the scores along a direction, times the row and a 1, (d + 1, F)."""
    rows = np.zeros((X.shape[0], X.shape[1] + 1))
    rows[:, -1] = 1.0
    for i, j, value in cells(X):
        rows[i, j] += value
    return sum(
        np.outer(y, w * (np.diag(p) - np.outer(p, p)) @ (y @ way))
        for y, p, w in zip(rows, shares, weights, strict=True)
    )
