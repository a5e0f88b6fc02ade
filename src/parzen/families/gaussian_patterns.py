"""Full Gaussians and missing cells: moments by patterns of the cells that are there, and what is expected from them."""

from dataclasses import replace
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.gaussian import LOG_TWO_PI, patterns
from parzen.compute.memberships import Labels, Memberships, group_count, only_group
from parzen.compute.moments import moments
from parzen.densities.gaussian import GaussianDensity
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.moments import Moments, two_sum
from parzen.statistics.pattern_moments import PatternMoments, check_size, side_by_side


def observed_patterns(X: Any, R: Memberships) -> PatternMoments:
    """Moments of a block of rows by patterns: one pass, in which every pattern of every group is a group."""
    n, d = X.shape
    missing = np.isnan(X)
    order, begin = patterns(missing)
    P, K = len(begin) - 1, group_count(R)
    check_size(K, P, d)
    which = np.empty(n, dtype=np.int64)
    which[order] = np.repeat(np.arange(P), np.diff(begin))
    there = ~missing[order[begin[:-1]]]
    place = np.lexsort(there.T[::-1])  # patterns in ascending order
    rank = np.empty(P, dtype=np.int64)
    rank[place] = np.arange(P)
    which, there = rank[which], there[place]
    filled = np.where(missing, X.dtype.type(0), X)
    if R is None or isinstance(R, Labels) or R.ndim == 1:
        codes, weights = (R.codes, R.weights) if isinstance(R, Labels) else (np.zeros(n, dtype=np.int64), R)
        own = np.where(codes < 0, -1, codes * np.int64(P) + which)
        seen = Moments(*moments(filled, Labels(own, weights, groups=K * P)))
        return PatternMoments.of(there, seen)
    parts = [Moments(*moments(filled, Labels(which, only_group(R, k), groups=P))) for k in range(K)]
    return PatternMoments.of(there, side_by_side(parts))


def expected_moments_of_patterns(seen: PatternMoments, at: GaussianDensity) -> ExpectedStatistic:
    """Moments of complete rows that are expected under the current Gaussians, and the log-likelihood of the rows.

    Given the cells that are there, a missing one is affine in them: so the expected moments are affine, too, in the
    moments of each pattern. Covariances of cells that are there are QR factors of rows of the Cholesky factor.
    """
    K, _, d = seen.mean.shape
    factor = np.broadcast_to(at.factor, (K, d, d))[:, None]
    known = seen.there[:, :, None]
    own, rest = np.where(known, factor, 0.0), np.where(known, 0.0, factor)  # rows of the factor, (K, P, d, d)
    units = np.broadcast_to(np.where(seen.there, 0.0, 1.0)[:, :, None] * np.eye(d), own.shape)
    tall = np.concatenate([np.swapaxes(own, 2, 3), units], axis=2)
    root: Any = np.linalg.qr(tall, mode="r")  # whose square is the covariance of the cells that are there
    across = own @ np.swapaxes(rest, 2, 3)
    lower = np.swapaxes(root, 2, 3)
    coefficient = np.linalg.solve(root, np.linalg.solve(lower, across))  # of missing cells (columns) on the others
    cells = seen.there & (seen.weight > 0)[:, :, None]
    off = np.where(cells, (seen.mean - at.mean[:, None]) + seen.carry, 0.0)
    filled = two_sum(at.mean[:, None], np.einsum("kpij,kpi->kpj", coefficient, off))
    mean, carry = (np.where(cells, *pair) for pair in zip((seen.mean, seen.carry), filled, strict=True))
    onto = coefficient + np.where(known, np.eye(d), 0.0)
    noise = rest - np.swapaxes(coefficient, 2, 3) @ own
    spread = np.swapaxes(onto, 2, 3) @ seen.scatter @ onto
    spread = spread + seen.weight[:, :, None, None] * (noise @ np.swapaxes(noise, 2, 3))
    groups = [Moments(seen.weight[k], mean[k], spread[k], carry[k]).pooled() for k in range(K)]
    observed = seen.cells()
    total = replace(side_by_side(groups), observed=observed)
    return ExpectedStatistic(total, observed.weight, _log_likelihood(seen, root, lower, off))


def _log_likelihood(seen: PatternMoments, root: Array, lower: Array, off: Array) -> Array:
    """Of each group's rows, (K,): from the moments of their patterns."""
    half = np.log(np.abs(np.diagonal(root, axis1=2, axis2=3))).sum(axis=2)
    white = np.linalg.solve(lower, off[..., None])[..., 0]
    spread = np.linalg.solve(lower, seen.scatter)  # the trace of the inverse covariance times the scatter
    squares = np.trace(np.linalg.solve(root, spread), axis1=2, axis2=3)
    cells = 0.5 * LOG_TWO_PI * seen.there.sum(axis=1)
    values: Array = -seen.weight * (half + cells + 0.5 * (white**2).sum(axis=2)) - 0.5 * squares
    return values.sum(axis=1)
