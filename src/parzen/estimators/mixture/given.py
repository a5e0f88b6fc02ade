"""Parameters of a Gaussian mixture that the user gives: where EM begins, and components that stay as they are."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.mixture import MixtureDensity
from parzen.estimators.base.covariances import factors_of, means_of, weights_of


def start_density(given: tuple[Any, Any, Any], own: Density | None, shape: str, C: int, d: int) -> MixtureDensity:
    """The mixture of given weights, means and precisions, those that are None taken from another start.

    Its components are those that lie nearest to the given means, where there are any.
    """
    weights, means, precisions = given
    if own is not None:
        assert isinstance(own, MixtureDensity)
        assert isinstance(own.components, GaussianDensity)
        log_weight, mean, factor = own.log_weight, own.components.mean, own.components.factor
        if means is not None and means_of(means).shape == mean.shape:
            order = _nearest(means_of(means), own.components)
            log_weight, factor = log_weight[..., order], factor if len(factor) == 1 else factor[order]
    if weights is not None:
        log_weight = np.log(weights_of(weights, C, "weights_init"))
    if means is not None:
        mean = means_of(means)
        if mean.shape != (C, d):
            raise ValueError(f"means_init must have the shape ({C}, {d}), got {mean.shape}.")
    if precisions is not None:
        factor = factors_of(precisions, shape, C, d, "precisions_init")
    return MixtureDensity(GaussianDensity(mean, factor), log_weight)


def _nearest(means: Array, components: GaussianDensity) -> NDArray[np.intp]:
    """Which component belongs to each of some means, one to one, so that the densities of the means are highest."""
    from scipy.optimize import linear_sum_assignment  # seldom needed, and slow to import

    cost = -components.log_density(np.ascontiguousarray(means))
    return np.asarray(linear_sum_assignment(np.nan_to_num(cost, posinf=1e300))[1])


def fixed_components(model: Any, shape: str, C: int) -> tuple[list[int], GaussianDensity]:
    """Which components stay as they are, and what they are: `means_init` and `precisions_init`."""
    which = [int(k) for k in model.fixed] if isinstance(model.fixed, Iterable) else [-1]
    if any(not 0 <= k < C for k in which):
        raise ValueError(f"fixed must be components between 0 and {C - 1}, got {model.fixed!r}.")
    if model.means_init is None or model.precisions_init is None or shape == "tied":
        raise ValueError(
            "fixed components need means_init and precisions_init, which say what they are, and covariances of their "
            f"own: not covariance_type='tied'; got {shape!r}."
        )
    mean = means_of(model.means_init)
    if len(mean) != C:
        raise ValueError(f"means_init must have {C} rows, one for each component, got {len(mean)}.")
    factor = factors_of(model.precisions_init, shape, C, mean.shape[1], "precisions_init")
    return which, GaussianDensity(mean, factor)
