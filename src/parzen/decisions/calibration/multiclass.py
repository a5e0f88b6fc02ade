"""Calibration of K classes: one temperature, or one calibrator for each class against the rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.decisions.calibration.base import BinaryCalibrator
from parzen.decisions.calibration.binary import METHODS, fit_binary
from parzen.decisions.calibration.temperature import fit_temperature
from parzen.decisions.log_odds import log_odds


@dataclass(frozen=True)
class Calibrator:
    """Calibrated probabilities of K classes from their log-posteriors.

    Attributes
    ----------
    method : one of METHODS
    calibrators : tuple of BinaryCalibrator
        None with a temperature; one with two classes; else one for each class against the rest, whose probabilities
        are normalised.
    inverse_temperature : float
        1 where there are calibrators.
    log_zero : float
        Replaces the log of a probability of zero.
    """

    method: str
    calibrators: tuple[BinaryCalibrator, ...]
    inverse_temperature: float
    log_zero: float

    def __call__(self, log_posterior: Array) -> Array:
        """Calibrated probabilities of rows of log-posteriors, both (n, K)."""
        logs = _finite(log_posterior, self.log_zero)
        if not self.calibrators:
            scaled = logs * self.inverse_temperature
            return np.exp(scaled - logsumexp(scaled, axis=1, keepdims=True))
        if len(self.calibrators) == 1:
            z, second = log_odds(logs, 1), self.calibrators[0]
            return np.column_stack([second.complement(z), second(z)])
        P = np.column_stack([one(log_odds(logs, k)) for k, one in enumerate(self.calibrators)])
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), 1.0 / P.shape[1])


def calibrate(method: str, log_posterior: Array, codes: NDArray[np.intp], w: Array | None = None) -> Calibrator:
    """Fit a calibrator to log-posteriors (n, K) of held-out rows and their classes (n,).

    The log of a predicted probability of zero (as forests give) is taken to be one less than the least finite
    log-posterior: the zeros of such a classifier don't tell how small its probabilities are.
    """
    choose("calibration", method, METHODS)
    K = log_posterior.shape[1]
    weight = np.ones(len(codes)) if w is None else w
    if (np.bincount(codes, weight, minlength=K) > 0).sum() < 2:
        raise ValueError("calibration needs rows of both classes, but all have one; give more rows, or fewer folds.")
    log_zero = float(log_posterior[np.isfinite(log_posterior)].min(initial=0.0)) - 1.0
    logs = _finite(log_posterior, log_zero)
    if method == "temperature":
        return Calibrator(method, (), 1.0 / fit_temperature(logs, codes, w), log_zero)
    against_rest = (1,) if K == 2 else range(K)
    calibrators = tuple(fit_binary(method, log_odds(logs, k), codes == k, w) for k in against_rest)
    return Calibrator(method, calibrators, 1.0, log_zero)


def _finite(log_posterior: Array, log_zero: float) -> Array:
    """Log-posteriors with `log_zero` in the place of minus infinity."""
    zero = np.isneginf(log_posterior)
    return np.where(zero, log_zero, log_posterior) if zero.any() else log_posterior
