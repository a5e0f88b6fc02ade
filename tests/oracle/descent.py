"""The least of a quadratic function and absolute values, one coordinate at a time, every derivative from scratch."""

import numpy as np


def descend(matrix, slope, start, l1, sweeps=2000):
    """The point, start + d, at which slope'd + d' matrix d / 2 + sum of l1_j |start_j + d_j| is least."""
    z = np.array(start, dtype=float)
    for _ in range(sweeps):
        for j in range(len(z)):
            bend = matrix[j, j]
            if bend > 0:
                first = slope[j] + matrix[j] @ (z - start)
                target = bend * z[j] - first
                z[j] = np.sign(target) * max(abs(target) - l1[j], 0.0) / bend
    return z


def descend_columns(X, shares, weights, start, slope, l1, l2, candidates):
    """The same for the second derivatives of a softmax, which are formed, over some of the coordinates."""
    Y = np.column_stack([X, np.ones(len(X))])
    F, side = start.shape
    matrix = np.diag(np.tile(np.asarray(l2, dtype=float), F))
    for y, p, w in zip(Y, shares, weights, strict=True):
        matrix += w * np.kron(np.diag(p) - np.outer(p, p), np.outer(y, y))
    end = np.array(start, dtype=float).ravel()
    some = np.ix_(candidates, candidates)
    end[candidates] = descend(matrix[some], slope.ravel()[candidates], end[candidates], np.tile(l1, F)[candidates])
    d = end - start.ravel()
    cost = np.tile(l1, F) @ (np.abs(end) - np.abs(start.ravel()))
    return end.reshape(F, side), -float(slope.ravel() @ d + d @ matrix @ d / 2 + cost)
