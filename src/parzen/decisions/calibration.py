"""Calibration: log-odds that mean too much or too little, and maps that repair them.

A map is learnt from log-odds and labels of rows that the classifier has not seen, and gives probabilities. Log-odds,
not probabilities: posteriors of 1 - 1e-30 are told apart from those of 1 - 1e-20.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_expit, logsumexp
from sklearn.isotonic import isotonic_regression

from parzen.compute.arrays import Array

METHODS = ("sigmoid", "isotonic", "temperature", "beta", "histogram", "venn_abers")


class Map(ABC):
    """From log-odds of the second of two classes to its probability."""

    @abstractmethod
    def __call__(self, z: Array) -> Array:
        """Probabilities at log-odds, both (n,)."""

    def other(self, z: Array) -> Array:
        """Probability of the first class: however small, where it is not one less what rounding left."""
        return 1.0 - self(z)


@dataclass(frozen=True)
class SigmoidCalibrator(Map):
    """Logistic in the log-odds: p = 1 / (1 + exp(-(a z + b))), labels smoothed as by Platt (1999)."""

    a: float
    b: float

    def __call__(self, z: Array) -> Array:
        return expit(self.a * z + self.b)

    def other(self, z: Array) -> Array:
        return expit(-(self.a * z + self.b))


@dataclass(frozen=True)
class IsotonicCalibrator(Map):
    """Level between log-odds, or a line between them where there is a gap: isotonic regression, bins."""

    at: Array
    value: Array
    lines: bool

    def __call__(self, z: Array) -> Array:
        if self.lines:
            return np.interp(z, self.at, self.value)
        return self.value[np.searchsorted(self.at, z, side="right")]


@dataclass(frozen=True)
class BetaCalibrator(Map):
    """Beta calibration (Kull, Silva Filho & Flach 2017): log-odds a log p - b log(1 - p) + c, a and b at least 0."""

    a: float
    b: float
    c: float

    def __call__(self, z: Array) -> Array:
        return expit(self.a * log_expit(z) - self.b * log_expit(-z) + self.c)

    def other(self, z: Array) -> Array:
        return expit(-(self.a * log_expit(z) - self.b * log_expit(-z) + self.c))


@dataclass(frozen=True)
class VennAbers(Map):
    """Two isotonic regressions, one for each label that the row could have (Vovk, Petej & Fedorova 2015).

    Attributes
    ----------
    at : array of shape (m,)
        Log-odds of the calibration rows.
    low, high : arrays of shape (2 m + 1,)
        Probabilities with label 0 and with label 1, at and between them.
    """

    at: Array
    low: Array
    high: Array

    def interval(self, z: Array) -> tuple[Array, Array]:
        """Both probabilities: one of them is perfectly calibrated."""
        left, right = np.searchsorted(self.at, z, side="left"), np.searchsorted(self.at, z, side="right")
        place = left + right  # even between, odd at one of them
        return self.low[place], self.high[place]

    def __call__(self, z: Array) -> Array:
        low, high = self.interval(z)
        return high / (1.0 - low + high)


def learn(method: str, z: Array, y: NDArray[np.bool_], w: Array | None = None) -> Map:
    """Learn a map of two classes.

    Parameters
    ----------
    method : one of METHODS
    z : array of shape (n,), log-odds of the second class
    y : array of shape (n,), whether it is the second
    w : weights of the rows
    """
    z = np.asarray(z, dtype=np.float64)
    weight = np.ones(len(z)) if w is None else w
    positive, negative = float(weight[y].sum()), float(weight[~y].sum())
    if not positive or not negative:
        raise ValueError("calibration needs rows of both classes, but all have one; give more rows, or fewer folds.")
    return {
        "sigmoid": _sigmoid, "isotonic": _isotonic, "temperature": _one_temperature, "beta": _beta,
        "histogram": _histogram, "venn_abers": _venn_abers,
    }[method](z, y, weight, positive, negative)  # fmt: skip


def _sigmoid(z: Array, y: NDArray[np.bool_], w: Array, positive: float, negative: float) -> SigmoidCalibrator:
    target = np.where(y, (positive + 1) / (positive + 2), 1 / (negative + 2))
    scale = float(np.abs(z).max()) or 1.0  # so that slopes of huge and of tiny log-odds are found as well
    x = z / scale

    def cost(theta: Array) -> float:
        score = theta[0] * x + theta[1]
        return -float(w @ (target * score + log_expit(-score)))

    # Newton's steps, halved until they lower the cost: it is convex, and smoothed labels keep its minimum finite.
    theta = np.array([0.0, np.log(positive + 1) - np.log(negative + 1)])
    now = cost(theta)
    for _ in range(100):
        p = expit(theta[0] * x + theta[1])
        off, curve = w * (p - target), w * p * (1 - p)
        slope = np.array([off @ x, off.sum()])
        cross = curve @ x
        bend = np.array([[curve @ (x * x), cross], [cross, curve.sum()]]) + 1e-12 * w.sum() * np.eye(2)
        step = np.linalg.solve(bend, slope)
        while (after := cost(theta - step)) > now and np.abs(step).max() > 1e-14:
            step = 0.5 * step
        done = np.abs(step).max() <= 1e-10 * (1 + np.abs(theta).max())
        theta, now = theta - step, after
        if done:
            break
    return SigmoidCalibrator(float(theta[0] / scale), float(theta[1]))


def _one_temperature(z: Array, y: NDArray[np.bool_], w: Array, positive: float, negative: float) -> SigmoidCalibrator:
    log_posterior = np.column_stack([log_expit(-z), log_expit(z)])
    return SigmoidCalibrator(1.0 / temperature(log_posterior, y.astype(np.intp), w), 0.0)


def temperature(log_posterior: Array, codes: NDArray[np.intp], w: Array | None = None) -> float:
    """The T at which posteriors to the power 1 / T, normalised, have the least log loss (Guo et al. 2017)."""
    weight = np.ones(len(codes)) if w is None else w
    rows = np.arange(len(codes))
    logs = log_posterior - log_posterior.max(axis=1, keepdims=True)
    own = logs[rows, codes]
    two = np.where(codes == 1, 1.0, -1.0) * (logs[:, 1] - logs[:, 0]) if logs.shape[1] == 2 else None

    def cost(log_t: float) -> float:
        power = float(np.exp(-log_t))
        if two is not None:
            return -float(weight @ log_expit(two * power))
        return float(weight @ (np.log(np.exp(logs * power).sum(axis=1)) - own * power))

    spread = float(np.sort(np.abs(logs).max(axis=1))[len(logs) // 2])
    middle = float(np.log(spread)) if spread > 0 else 0.0
    found = minimize_scalar(cost, bounds=(middle - 12.0, middle + 12.0), method="bounded", options={"xatol": 1e-8})
    return float(np.exp(found.x))


def _isotonic(z: Array, y: NDArray[np.bool_], w: Array, positive: float, negative: float) -> IsotonicCalibrator:
    at, share, weight = _grouped(z, y, w)
    return IsotonicCalibrator(at, isotonic_regression(share, sample_weight=weight, y_min=0.0, y_max=1.0), lines=True)


def _histogram(z: Array, y: NDArray[np.bool_], w: Array, positive: float, negative: float) -> IsotonicCalibrator:
    """Ten bins of equal weight; a bin's share is drawn to that of all rows by one row's weight."""
    at, share, weight = _grouped(z, y, w)
    mass = np.cumsum(weight) - 0.5 * weight
    bins = np.minimum((10 * mass / weight.sum()).astype(np.intp), 9)
    _, bins = np.unique(bins, return_inverse=True)
    count, total = np.bincount(bins, weight), np.bincount(bins, weight * share)
    prior = positive / (positive + negative)
    last = np.flatnonzero(np.diff(bins))
    return IsotonicCalibrator(0.5 * (at[last] + at[last + 1]), (total + prior) / (count + 1.0), lines=False)


def _beta(z: Array, y: NDArray[np.bool_], w: Array, positive: float, negative: float) -> BetaCalibrator:
    x = np.column_stack([log_expit(z), -log_expit(-z)])
    scale = np.maximum(np.abs(x).max(axis=0), 1.0)
    x = x / scale

    def cost(theta: Array) -> tuple[float, Array]:
        score = x @ theta[:2] + theta[2]
        off = w * (expit(score) - y)
        value = -(w * np.where(y, log_expit(score), log_expit(-score))).sum()
        return float(value), np.array([*(off @ x), off.sum()])

    begin = np.array([*(0.5 * scale), 0.0])
    bounds = [(0.0, None), (0.0, None), (None, None)]
    options = {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 2000}
    starts = (begin, np.array([1.0, 1.0, 0.0]))
    tries = [minimize(cost, at, jac=True, method="L-BFGS-B", bounds=bounds, options=options) for at in starts]
    a, b, c = min(tries, key=lambda found: found.fun).x
    return BetaCalibrator(float(a / scale[0]), float(b / scale[1]), float(c))


def _venn_abers(z: Array, y: NDArray[np.bool_], w: Array, positive: float, negative: float) -> VennAbers:
    at, share, weight = _grouped(z, y, w, most=500)
    m = len(at)
    low, high = np.empty(2 * m + 1), np.empty(2 * m + 1)
    for place in range(2 * m + 1):
        k = place // 2
        for label, out in ((0.0, low), (1.0, high)):
            if place % 2:  # at one of them
                value, heavy = share.copy(), weight.copy()
                value[k] = (share[k] * weight[k] + label) / (weight[k] + 1.0)
                heavy[k] += 1.0
            else:
                value, heavy = np.insert(share, k, label), np.insert(weight, k, 1.0)
            out[place] = isotonic_regression(value, sample_weight=heavy)[k]
    return VennAbers(at, low, high)


def _grouped(z: Array, y: NDArray[np.bool_], w: Array, most: int | None = None) -> tuple[Array, Array, Array]:
    """Distinct log-odds (at most so many: neighbours together), the share of the second class there, and weights."""
    at, place = np.unique(z, return_inverse=True)
    weight, total = np.bincount(place, w), np.bincount(place, w * y)
    if most is not None and len(at) > most:
        group = np.minimum((most * (np.cumsum(weight) - 0.5 * weight) / weight.sum()).astype(np.intp), most - 1)
        _, group = np.unique(group, return_inverse=True)
        at = np.bincount(group, weight * at) / np.bincount(group, weight)
        weight, total = np.bincount(group, weight), np.bincount(group, total)
    kept = weight > 0
    return at[kept], total[kept] / weight[kept], np.asarray(weight[kept], dtype=np.float64)


@dataclass(frozen=True)
class Calibrator:
    """Maps of K classes: one for all (a temperature, or two classes), or one for each against the rest, normalised.

    Attributes
    ----------
    method : one of METHODS
    maps : tuple of Map
    power : float
        One over the temperature, where that is all.
    least : float
        What stands for the log of a probability of zero: a little below the least that was seen.
    """

    method: str
    maps: tuple[Any, ...]
    power: float
    least: float

    def __call__(self, log_posterior: Array) -> Array:
        """Calibrated probabilities of rows of log-posteriors, both (n, K)."""
        logs = _raised(log_posterior, self.least)
        if not self.maps:
            scaled = logs * self.power
            return np.exp(scaled - logsumexp(scaled, axis=1, keepdims=True))
        if len(self.maps) == 1:
            z = log_odds(logs, 1)
            return np.column_stack([self.maps[0].other(z), self.maps[0](z)])
        P = np.column_stack([one(log_odds(logs, k)) for k, one in enumerate(self.maps)])
        total = P.sum(axis=1, keepdims=True)
        return np.where(total > 0, P / np.where(total > 0, total, 1.0), 1.0 / P.shape[1])


def calibrate(method: str, log_posterior: Array, codes: NDArray[np.intp], w: Array | None = None) -> Calibrator:
    """Learn to calibrate rows of log-posteriors (n, K) from their labels (n,).

    A probability of zero (as forests give) stands a little below the least that is not: how sure such a classifier is
    can't be told from its zeros.
    """
    if method not in METHODS:
        raise ValueError(f"calibration must be one of {', '.join(map(repr, METHODS))}, got {method!r}.")
    K = log_posterior.shape[1]
    weight = np.ones(len(codes)) if w is None else w
    if (np.bincount(codes, weight, minlength=K) > 0).sum() < 2:
        raise ValueError("calibration needs rows of both classes, but all have one; give more rows, or fewer folds.")
    finite = log_posterior[np.isfinite(log_posterior)]
    least = float(finite.min(initial=0.0)) - 1.0
    logs = _raised(log_posterior, least)
    if method == "temperature":
        return Calibrator(method, (), 1.0 / temperature(logs, codes, w), least)
    if K == 2:
        return Calibrator(method, (learn(method, log_odds(logs, 1), codes == 1, w),), 1.0, least)
    maps = tuple(learn(method, log_odds(logs, k), codes == k, w) for k in range(K))
    return Calibrator(method, maps, 1.0, least)


def _raised(log_posterior: Array, least: float) -> Array:
    """Log-posteriors in which a probability of zero has a log."""
    gone = np.isneginf(log_posterior)
    return np.where(gone, least, log_posterior) if gone.any() else log_posterior


def log_odds(log_posterior: Array, k: int) -> Array:
    """Log-odds of class k against the others."""
    others = np.delete(log_posterior, k, axis=1)
    rest = others[:, 0] if others.shape[1] == 1 else logsumexp(others, axis=1)
    odds: Array = log_posterior[:, k] - rest
    return odds
