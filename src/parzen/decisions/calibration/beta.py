"""Beta calibration: a logistic regression on log p and log(1 - p)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import BinaryCalibrator


@dataclass(frozen=True)
class BetaCalibrator(BinaryCalibrator):
    """Calibrated log-odds a log p - b log(1 - p) + c, a and b at least 0 (Kull, Silva Filho & Flach 2017)."""

    a: float
    b: float
    c: float

    def __call__(self, z: Array) -> Array:
        return expit(self._log_odds(z))

    def complement(self, z: Array) -> Array:
        return expit(-self._log_odds(z))

    def _log_odds(self, z: Array) -> Array:
        found: Array = self.a * log_expit(z) - self.b * log_expit(-z) + self.c
        return found


def fit_beta(z: Array, y: NDArray[np.bool_], w: Array) -> BetaCalibrator:
    """Minimise the log loss by L-BFGS-B, in units in which both features are at most 1, from two starting points."""
    from scipy.optimize import minimize

    x = np.column_stack([log_expit(z), -log_expit(-z)])
    scale = np.maximum(np.abs(x).max(axis=0), 1.0)
    x = x / scale

    def log_loss(theta: Array) -> tuple[float, Array]:
        score = x @ theta[:2] + theta[2]
        residual = w * (expit(score) - y)
        value = -(w * np.where(y, log_expit(score), log_expit(-score))).sum()
        return float(value), np.array([*(residual @ x), residual.sum()])

    bounds = [(0.0, None), (0.0, None), (None, None)]
    options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 2000}
    starts = (np.array([*(0.5 * scale), 0.0]), np.array([1.0, 1.0, 0.0]))
    tries = [minimize(log_loss, at, jac=True, method="L-BFGS-B", bounds=bounds, options=options) for at in starts]
    a, b, c = min(tries, key=lambda found: found.fun).x
    return BetaCalibrator(float(a / scale[0]), float(b / scale[1]), float(c))
