"""What the priors of Gaussians share: their parameters, the statistic of independent columns, tied variances."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.compute.moments import moments
from parzen.conjugate.parameters import as_column, plain, squeezed
from parzen.statistics.moments import Moments

LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class NormalParameters:
    """Mean and variance (or covariance) of a Normal."""

    mean: Any
    variance: Any


def column_moments(data: ArrayLike, weights: ArrayLike | None) -> Moments:
    """Moments of the columns of data, each on its own; of scalars for a sequence of numbers."""
    X, w = as_column(data, weights)
    found: Moments = squeezed(Moments(*moments(X, w, full=False)))
    return found


def normal_log_likelihood(observed: Moments, mean: Any, variance: Any) -> Any:
    """Log-likelihood of independent columns, of which the moments are known, at means and variances."""
    squares = observed.scatter + observed.weight * (observed.mean - np.asarray(mean, dtype=np.float64)) ** 2
    return plain(-0.5 * (observed.weight * (LOG_TWO_PI + np.log(variance)) + squares / variance))


def tied_parameter(after: Array, before: Array, sizes: tuple[int, ...], axis: int) -> Array:
    """One parameter for all along an axis: the prior's plus the sum of what the data add to each."""
    after = np.broadcast_to(after, np.broadcast_shapes(after.shape, sizes))
    before = np.broadcast_to(before, after.shape)
    first = before.take([0], axis=axis)
    if not np.array_equal(np.broadcast_to(first, before.shape), before):
        raise ValueError("a shared variance has one prior; give the same shape (dof) and scale to all groups.")
    return first + (after - before).sum(axis=axis, keepdims=True)
