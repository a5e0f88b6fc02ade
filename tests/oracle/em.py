"""One step of EM for a mixture of Gaussians: responsibilities (E-step), then their moments (M-step)."""

import numpy as np
from scipy import special

from tests.oracle.gaussian import covariances, expected_moments, gaussian_log_density
from tests.oracle.moments import moments_diagonal, moments_full


def em(X, w, mean, covariance, weight):
    """E-step: responsibilities times the rows' weights (n, K), and the log-likelihood of the weighted rows."""
    joint = gaussian_log_density(X, mean, covariance) + np.log(weight)
    sums = special.logsumexp(joint, axis=1)
    w = np.ones(len(X)) if w is None else w
    R = np.exp(joint - sums[:, None]) * w[:, None]
    return R, float(w @ sums)


def em_full(X, w, mean, factor, weight):
    """Weights (K,), means and scatter matrices (K, d, d), and the log-likelihood; factors (K, d, d)."""
    R, likelihood = em(X, w, mean, covariances(factor, len(mean)), weight)
    return *moments_full(X, R)[:3], likelihood


def em_diagonal(X, w, mean, deviation, weight):
    """Weights, means and sums of squares, all (K, d), and the log-likelihood; standard deviations (K, d)."""
    R, likelihood = em(X, w, mean, covariances(deviation, len(mean)), weight)
    return *moments_diagonal(X, R)[:3], likelihood


def em_shared(X, w, mean, factor, weight):
    """Weights (K,), means, and the scatter within all components together (1, d, d); one factor (1, d, d)."""
    weights, means, scatter, likelihood = em_full(X, w, mean, factor, weight)
    return weights, means, scatter.sum(axis=0, keepdims=True), likelihood


def em_missing(X, w, mean, factor, weight):
    """Expected moments of the components, moments of the observed cells alone, and the log-likelihood.

    With one factor for all, scatter is that within all components; of observed cells, each one's share of it by weight.
    """
    covariance = covariances(factor, len(mean))
    R, likelihood = em(X, w, mean, covariance, weight)
    weights, means, scatter = expected_moments(X, R, mean, covariance)[:3]
    cells = moments_diagonal(X, R)[:3]
    if len(factor) < len(mean):
        scatter = scatter.sum(axis=0, keepdims=True)
        total = cells[0].sum(axis=0)
        cells = (*cells[:2], cells[2].sum(axis=0) * cells[0] / np.where(total > 0, total, 1.0))
    return (weights, means, scatter), cells, likelihood


def em_missing_diagonal(X, w, mean, deviation, weight):
    """Moments of the observed cells, all (K, d), the components' weights (K,), and the log-likelihood."""
    R, likelihood = em(X, w, mean, covariances(deviation, len(mean)), weight)
    return moments_diagonal(X, R)[:3], R.sum(axis=0), likelihood
