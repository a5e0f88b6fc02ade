"""The generalised Pareto distribution of distances beyond a threshold, fitted by its posterior mode."""

import numpy as np
from scipy import optimize

from parzen.compute.arrays import Array

#: Deviation of the half-normal prior of the shape. Log-densities under the density that rows come from have an
#: exponential tail (shape 0), whether that density has a light tail or a heavy one; under another they may have a
#: heavier one.
SHAPE_DEVIATION = 0.25


def exceedance(distance: Array, scale: float, shape: float) -> Array:
    """Probability of a larger distance."""
    with np.errstate(over="ignore"):
        if shape < 1e-9:
            return np.exp(-distance / scale)
        return np.exp(-np.log1p(shape * distance / scale) / shape)


def fit_generalised_pareto(distance: Array, w: Array, limit: float, censored: float) -> tuple[float, float]:
    """Scale and shape, at least 0, of weighted distances up to a limit, and a weight of distances beyond it."""
    unit = float(np.average(distance, weights=w))
    y, end, n = distance / unit, limit / unit, float(w.sum())

    def negative_log_posterior(theta: Array) -> tuple[float, Array]:
        """With its slopes by the logarithm of the scale and by the shape; `part` is z / (1 + shape z)."""
        shape = theta[1]
        z, last = y / np.exp(theta[0]), end / np.exp(theta[0])
        if shape < 1e-6:
            total = w @ z + censored * last
            return n * theta[0] + total, np.array([n - total, w @ (z - 0.5 * z**2) - 0.5 * censored * last**2])
        part = w @ (z / (1.0 + shape * z)) * (1.0 + shape) + censored * last / (1.0 + shape * last)
        inside, beyond = w @ np.log1p(shape * z), censored * np.log1p(shape * last)
        value = n * theta[0] + inside + (inside + beyond) / shape + 0.5 * (shape / SHAPE_DEVIATION) ** 2
        return value, np.array([n - part, (part - (inside + beyond) / shape) / shape + shape / SHAPE_DEVIATION**2])

    options = {"ftol": 0.0, "gtol": 1e-10 * n}
    bounds = [(-5, 5), (0, 5)]
    found = [
        optimize.minimize(negative_log_posterior, [0.0, shape], jac=True, bounds=bounds, options=options)
        for shape in (0.05, 1.0)
    ]
    best = min(found, key=lambda one: float(one.fun))
    return float(np.exp(best.x[0])) * unit, float(best.x[1])
