"""Platt scaling: a logistic regression on the log-odds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from parzen.compute.arrays import Array
from parzen.decisions.calibration.base import BinaryCalibrator


@dataclass(frozen=True)
class SigmoidCalibrator(BinaryCalibrator):
    """Logistic in the log-odds, p = 1 / (1 + exp(-(a z + b))), fitted to smoothed labels (Platt 1999)."""

    a: float
    b: float

    def __call__(self, z: Array) -> Array:
        return expit(self.a * z + self.b)

    def complement(self, z: Array) -> Array:
        return expit(-(self.a * z + self.b))


def fit_sigmoid(z: Array, y: NDArray[np.bool_], w: Array) -> SigmoidCalibrator:
    """Minimise the log loss of smoothed labels by Newton's method with step halving.

    The log loss is convex in a and b, and the smoothed labels keep its minimum finite.
    """
    positive, negative = float(w[y].sum()), float(w[~y].sum())
    target = np.where(y, (positive + 1) / (positive + 2), 1 / (negative + 2))
    scale = float(np.abs(z).max()) or 1.0  # log-odds in units of the largest: slopes of any magnitude are found
    x = z / scale

    def log_loss(theta: Array) -> float:
        score = theta[0] * x + theta[1]
        return -float(w @ (target * score + log_expit(-score)))

    theta = np.array([0.0, np.log(positive + 1) - np.log(negative + 1)])
    current = log_loss(theta)
    for _ in range(100):
        step = _newton_step(theta, x, target, w)
        while (after := log_loss(theta - step)) > current and np.abs(step).max() > 1e-14:
            step = 0.5 * step
        done = np.abs(step).max() <= 1e-10 * (1 + np.abs(theta).max())
        theta, current = theta - step, after
        if done:
            break
    return SigmoidCalibrator(float(theta[0] / scale), float(theta[1]))


def _newton_step(theta: Array, x: Array, target: Array, w: Array) -> Array:
    p = expit(theta[0] * x + theta[1])
    residual, curvature = w * (p - target), w * p * (1 - p)
    gradient = np.array([residual @ x, residual.sum()])
    cross = curvature @ x
    hessian = np.array([[curvature @ (x * x), cross], [cross, curvature.sum()]])
    return np.linalg.solve(hessian + 1e-12 * w.sum() * np.eye(2), gradient)
