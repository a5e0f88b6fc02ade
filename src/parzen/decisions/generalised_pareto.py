"""The generalised Pareto distribution of distances beyond a threshold, fitted by its posterior mode."""

import numpy as np

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
    from scipy import optimize

    unit = float(np.average(distance, weights=w))
    y, end, n = distance / unit, limit / unit, float(w.sum())

    def negative_log_posterior(theta: Array) -> float:
        scale, shape = np.exp(theta[0]), theta[1]
        if shape < 1e-6:
            return float(n * theta[0] + (w @ y + censored * end) / scale)
        log_prior = -0.5 * (shape / SHAPE_DEVIATION) ** 2
        logs, last = np.log1p(shape * y / scale), np.log1p(shape * end / scale)
        return float(n * theta[0] + (1.0 + 1.0 / shape) * (w @ logs) + censored * last / shape - log_prior)

    options = {"xatol": 1e-9, "fatol": 1e-12 * n, "maxiter": 2000}
    bounds = [(-5, 5), (0, 5)]
    found = [
        optimize.minimize(negative_log_posterior, [0.0, shape], method="Nelder-Mead", bounds=bounds, options=options)
        for shape in (0.05, 1.0)
    ]
    best = min(found, key=lambda one: float(one.fun))
    return float(np.exp(best.x[0])) * unit, float(best.x[1])
