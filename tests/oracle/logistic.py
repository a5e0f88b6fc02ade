"""Logistic regression with an elastic net, by the proximal gradient method with fixed steps."""

import numpy as np


def objective(X, codes, weights, coef, intercept, l1, l2):
    """Minus the weighted log-likelihood plus the penalty; one row of weights stands for two classes."""
    coef, intercept = (coef, intercept) if len(coef) > 1 else (np.vstack([0 * coef, coef]), np.append(0.0, intercept))
    scores = X @ coef.T + intercept
    most = scores.max(axis=1)
    logs = scores[np.arange(len(X)), codes] - most - np.log(np.exp(scores - most[:, None]).sum(axis=1))
    return -(weights * logs).sum() + l1 * np.abs(coef).sum() + l2 / 2 * (coef**2).sum()


def slopes(X, codes, weights, coef, intercept):
    """Derivatives of minus the log-likelihood by weights and intercepts."""
    free = len(coef)
    coef, intercept = (coef, intercept) if free > 1 else (np.vstack([0 * coef, coef]), np.append(0.0, intercept))
    scores = X @ coef.T + intercept
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    residual = weights[:, None] * (p - np.eye(len(coef))[codes])
    return (residual.T @ X)[-free:], residual.sum(axis=0)[-free:]


def proximal_gradient(X, codes, weights, K, l1, l2, steps):
    """Weights and intercepts after many steps of one over the largest curvature that there can be."""
    free = 1 if K == 2 else K
    coef, intercept = np.zeros((free, X.shape[1])), np.zeros(free)
    Y = np.column_stack([X, np.ones(len(X))])
    length = 1.0 / (0.5 * np.linalg.norm((Y.T * weights) @ Y, 2) + l2)
    for _ in range(steps):
        by_weight, by_intercept = slopes(X, codes, weights, coef, intercept)
        moved = coef - length * (by_weight + l2 * coef)
        coef = np.sign(moved) * np.maximum(np.abs(moved) - length * l1, 0.0)
        intercept = intercept - length * by_intercept
    return coef, intercept
