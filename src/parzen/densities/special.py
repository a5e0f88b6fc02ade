"""Special functions that keep their digits where differences of large logs would lose them."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from parzen.compute.arrays import Array

HALF_LOG_TWO_PI = 0.5 * float(np.log(2 * np.pi))


def stirling_error(x: Any) -> Array:
    """Log x! minus Stirling's formula, for x > 0."""
    x = np.asarray(x, dtype=np.float64)
    with np.errstate(all="ignore"):
        inverse = 1.0 / x
        square = inverse * inverse
        series = (1 / 12 - (1 / 360 - (1 / 1260 - square / 1680) * square) * square) * inverse
        direct = gammaln(x + 1.0) - (x + 0.5) * np.log(x) + x - HALF_LOG_TWO_PI
    return np.where(x > 15, series, direct)


def deviance(x: Any, mean: Any) -> Array:
    """Poisson deviance x log(x / mean) + mean - x without cancellation, for x >= 0 and mean > 0 (Loader 2000)."""
    x, mean = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(mean, dtype=np.float64))
    with np.errstate(all="ignore"):
        plain = np.where(x == 0, mean, x * np.log(x / mean) + mean - x)
        v = (x - mean) / (x + mean)
        square = v * v
        # x log((1 + v) / (1 - v)) = 2 x (v + v^3/3 + ... + v^17/17), and mean - x = -v (x + mean).
        terms = square / 17.0
        for power in range(15, 1, -2):
            terms = (1.0 / power + terms) * square
        close = ((x - mean) + 2 * x * terms) * v
    return np.where(np.abs(v) < 0.1, close, plain)


def log_rising(a: Any, x: Any) -> Array:
    """Log Gamma(a + x) / Gamma(a), for a > 0 and x >= 0, accurate also for large a, where both logs nearly cancel."""
    a, x = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(x, dtype=np.float64))
    with np.errstate(all="ignore"):
        direct = gammaln(a + x) - gammaln(a)
        # log Gamma(z) = (z - 1/2) log z - z + log(2 pi) / 2 + e(z), and e is Stirling's error.
        large = (a - 0.5) * np.log1p(x / a) + x * np.log(a + x) - x + stirling_error(a + x) - stirling_error(a)
    return np.where(a > 100, large, direct)


def log_gammas(concentration: Any, rng: np.random.Generator) -> Array:
    """Logs of Gamma variates, finite however small the concentration is (Gamma(a) = Gamma(a + 1) U^(1/a))."""
    concentration = np.asarray(concentration, dtype=np.float64)
    uniform = 1.0 - rng.random(concentration.shape)  # in (0, 1]
    return np.log(rng.standard_gamma(concentration + 1.0)) + np.log(uniform) / concentration


def dirichlet(concentration: Any, rng: np.random.Generator) -> Array:
    """One Dirichlet draw for each row of concentrations (the last axis)."""
    logs = log_gammas(concentration, rng)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)
