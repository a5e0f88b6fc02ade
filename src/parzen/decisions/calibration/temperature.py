"""Temperature scaling: all log-posteriors divided by one number."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from parzen.compute.arrays import Array
from parzen.decisions.calibration.sigmoid import SigmoidCalibrator


def fit_temperature(log_posterior: Array, codes: NDArray[np.intp], w: Array | None = None) -> float:
    """The T at which posteriors to the power 1 / T, normalised, have the least log loss (Guo et al. 2017).

    Parameters
    ----------
    log_posterior : array of shape (n, K)
    codes : array of shape (n,), the class of each row
    w : weights of the rows
    """
    from scipy.optimize import minimize_scalar

    weight = np.ones(len(codes)) if w is None else w
    logs = log_posterior - log_posterior.max(axis=1, keepdims=True)
    own = logs[np.arange(len(codes)), codes]
    two = np.where(codes == 1, 1.0, -1.0) * (logs[:, 1] - logs[:, 0]) if logs.shape[1] == 2 else None

    def log_loss(log_temperature: float) -> float:
        power = float(np.exp(-log_temperature))
        if two is not None:
            return -float(weight @ log_expit(two * power))
        return float(weight @ (np.log(np.exp(logs * power).sum(axis=1)) - own * power))

    spread = float(np.sort(np.abs(logs).max(axis=1))[len(logs) // 2])
    centre = float(np.log(spread)) if spread > 0 else 0.0  # the search begins at the scale of the log-posteriors
    found = minimize_scalar(log_loss, bounds=(centre - 12.0, centre + 12.0), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x))


def fit_binary_temperature(z: Array, y: NDArray[np.bool_], w: Array) -> SigmoidCalibrator:
    """A sigmoid without an intercept, whose slope is one over the temperature."""
    log_posterior = np.column_stack([log_expit(-z), log_expit(z)])
    return SigmoidCalibrator(1.0 / fit_temperature(log_posterior, y.astype(np.intp), w), 0.0)
