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

    Each given component is completed by the one of that start which it fits best. Given means or weights name the
    components: these come in their order. Given precisions alone go to the components of the start, in its order.
    """
    weights, means, precisions = given
    log_weight = None if weights is None else np.log(weights_of(weights, C, "weights_init"))
    mean = None if means is None else means_of(means)
    if mean is not None and mean.shape != (C, d):
        raise ValueError(f"means_init must have the shape ({C}, {d}), got {mean.shape}.")
    factor = None if precisions is None else factors_of(precisions, shape, C, d, "precisions_init")
    if own is None:
        assert log_weight is not None
        assert mean is not None
        assert factor is not None
        return MixtureDensity(GaussianDensity(mean, factor), log_weight)
    assert isinstance(own, MixtureDensity)
    assert isinstance(own.components, GaussianDensity)
    cost, at = _misfits(own, log_weight, mean, factor), own.components
    if factor is not None and mean is None and log_weight is None:
        factor = factor if len(factor) == 1 else factor[_assigned(cost.T)]
        return MixtureDensity(GaussianDensity(at.mean, factor), own.log_weight)
    order = _assigned(cost)
    if factor is None:
        factor = at.factor if len(at.factor) == 1 else at.factor[order]
    return MixtureDensity(
        GaussianDensity(at.mean[order] if mean is None else mean, factor),
        own.log_weight[order] if log_weight is None else log_weight,
    )


def _misfits(own: MixtureDensity, log_weight: Array | None, mean: Array | None, factor: Array | None) -> Array:
    """How badly each given component (rows) fits each of a start's (columns), (C, C).

    Of given means, by the start's densities of them; else by the expected log-density of rows of a component of the
    start, under what is given and the mean of that component.
    """
    components = own.components
    assert isinstance(components, GaussianDensity)
    C = own.size
    if mean is not None:
        return -components.log_density(np.ascontiguousarray(mean))
    fit = np.zeros((C, C)) if log_weight is None else np.broadcast_to(log_weight[:, None], (C, C))
    if factor is not None and len(factor) == C:
        with np.errstate(over="ignore"):
            fit = fit - _spread_misfits(factor, components.factor)
    return -own.weight * fit


def _spread_misfits(given: Array, own: Array) -> Array:
    """Minus the expected log-density, up to a constant, of each of some Gaussians (columns) under others (rows)."""
    if given.ndim == 2:
        return np.log(given).sum(axis=1)[:, None] + 0.5 * ((own / given[:, None]) ** 2).sum(axis=2)
    logs = np.log(np.diagonal(given, axis1=1, axis2=2)).sum(axis=1)
    return logs[:, None] + 0.5 * (np.linalg.solve(given[:, None], own[None]) ** 2).sum(axis=(2, 3))


def _assigned(cost: Array) -> NDArray[np.intp]:
    """The column that belongs to each row, one to one, of the least cost together."""
    from scipy.optimize import linear_sum_assignment  # seldom needed, and slow to import

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
