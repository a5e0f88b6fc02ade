"""Full Gaussians and missing cells: moments by patterns of the cells that are there, and what is expected from them."""

from typing import Any

import numpy as np

from parzen.compute.gaussian import expected_moments, patterns
from parzen.compute.memberships import Labels, Memberships, group_count, only_group
from parzen.compute.moments import moments
from parzen.densities.gaussian import GaussianDensity
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.moments import Moments, two_sum
from parzen.statistics.pattern_moments import PatternMoments, PatternRows, check_size, side_by_side


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


def expected_moments_of_patterns(seen: PatternRows, at: GaussianDensity) -> ExpectedStatistic:
    """Moments of complete rows that are expected under the current Gaussians, and the log-likelihood of the rows.

    Both depend on the rows of a pattern through their moments alone: any rows with these will do.
    """
    off = np.ascontiguousarray(at.mean - seen.centre)
    (weight, mean, scatter, carry), _, likelihood = expected_moments(seen.rows, seen.labels, off, at.factor)
    mean, rest = two_sum(np.broadcast_to(seen.centre, mean.shape), mean)
    expected = Moments(weight, mean, scatter, rest + carry, observed=seen.observed)
    return ExpectedStatistic(expected, seen.observed.weight, likelihood)
