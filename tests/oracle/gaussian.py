"""Gaussian and Student densities from covariances, with missing cells left out of every matrix."""

import numpy as np
from scipy import special

from tests.oracle.memberships import dense
from tests.oracle.moments import moments_diagonal


def gaussian_log_density(X, mean, covariance):
    """Log-density (n, K) of rows under Gaussians with covariances (K, d, d); missing cells are marginalised."""
    squares, halves, observed = squared_distances(X, mean, covariance)
    return -0.5 * squares - halves - 0.5 * observed * np.log(2 * np.pi)


def squared_distances(X, mean, covariance):
    """Squared Mahalanobis distances and half log-determinants over the observed cells, (n, K); their number, (n, 1)."""
    X = np.asarray(X, dtype=float)
    squares, halves, observed = np.zeros((len(X), len(mean))), np.zeros((len(X), len(mean))), np.zeros((len(X), 1))
    for i, x in enumerate(X):
        o = np.flatnonzero(~np.isnan(x))
        S, u = covariance[:, o[:, None], o], x[o] - mean[:, o]
        squares[i] = (u * np.linalg.solve(S, u[..., None])[..., 0]).sum(axis=1)
        halves[i] = 0.5 * np.linalg.slogdet(S)[1]
        observed[i] = len(o)
    return squares, halves, observed


def gaussian_separate(X, mean, factor):
    """With Cholesky factors (K, d, d)."""
    return gaussian_log_density(X, mean, covariances(factor, len(mean)))


def gaussian_shared(X, mean, factor):
    """With one factor (1, d, d) of all."""
    return gaussian_log_density(X, mean, covariances(factor, len(mean)))


def gaussian_diagonal(X, mean, deviation):
    """With standard deviations (K, d): the sum over the observed columns of the log-densities of each."""
    X = np.asarray(X, dtype=float)
    out = np.zeros((len(X), len(mean)))
    for i, x in enumerate(X):
        o = ~np.isnan(x)
        z = (x[o] - mean[:, o]) / deviation[:, o]
        out[i] = (-0.5 * z**2 - np.log(deviation[:, o]) - 0.5 * np.log(2 * np.pi)).sum(axis=1)
    return out


def missing_squares(X, mean, factor):
    """Squared distances, half log-determinants and numbers of observed cells, with factors (K, d, d) or (1, d, d)."""
    return squared_distances(X, mean, covariances(factor, len(mean)))


def covariances(factor, K):
    """L L' of each of K groups, from factors (K, d, d), one factor (1, d, d), or standard deviations (K, d)."""
    if factor.ndim == 2:
        return np.array([np.diag(s**2) for s in factor])
    return np.broadcast_to(factor @ np.swapaxes(factor, 1, 2), (K, *factor.shape[1:]))


def missing_expected(X, R, mean, factor):
    """E-step with factors (K, d, d) or (1, d, d)."""
    return expected_moments(X, R, mean, covariances(factor, len(mean)))


def expected(X, R, mean, factor):
    """The same, with the moments of the observed cells alone: they don't depend on the factors."""
    weight, means, scatter, likelihood = missing_expected(X, R, mean, factor)
    return (weight, means, scatter), moments_diagonal(X, R)[:3], likelihood


def expected_moments(X, R, mean, covariance):
    """E-step of a Gaussian with missing cells: Little & Rubin (2002), section 8.2. An empty group is all zeros."""
    X = np.asarray(X, dtype=float)
    R = dense(R, len(X))
    K, d = mean.shape
    weight = R.sum(0)
    first, second = np.zeros((K, d)), np.zeros((K, d, d))
    for x, r in zip(X, R, strict=True):
        o, m = np.flatnonzero(~np.isnan(x)), np.flatnonzero(np.isnan(x))
        oo, mo, mm = (np.ix_(range(K), *pair) for pair in ((o, o), (m, o), (m, m)))
        gain = covariance[mo] @ np.linalg.inv(covariance[oo])
        y, extra = x - mean, np.zeros((K, d, d))
        y[:, m] = (gain @ y[:, o, None])[..., 0]
        extra[mm] = covariance[mm] - gain @ np.swapaxes(covariance[mo], 1, 2)
        first += r[:, None] * y
        second += r[:, None, None] * (y[:, :, None] * y[:, None, :] + extra)
    shift = np.divide(first, weight[:, None], out=np.zeros((K, d)), where=weight[:, None] > 0)
    scatter = second - weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
    likelihood = (R * gaussian_log_density(X, mean, covariance)).sum(0)
    return weight, np.where(weight[:, None] > 0, mean + shift, 0.0), scatter, likelihood


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
