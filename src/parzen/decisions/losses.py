"""Losses whose action is a number or a row of probabilities: squared, absolute, quantile and log loss."""

import numpy as np

from parzen.compute.arrays import Array

#: Losses by name; of "zero_one" the actions are the classes, of the others any number, or the probabilities ("log").
NAMES = ("zero_one", "squared", "absolute", "log", "quantile")


def loss_at(loss: str, level: float, y: Array, action: Array) -> Array:
    """Loss of actions that are numbers where the class has the value y; arrays that broadcast."""
    error = y - action
    if loss == "squared":
        return error**2
    level, scale = (0.5, 2.0) if loss == "absolute" else (level, 1.0)
    return np.asarray(scale * np.where(error > 0, level * error, (level - 1) * error))


def bayes_action(loss: str, level: float, P: Array, values: Array | None) -> Array:
    """The action of least expected loss, (n,): the posterior's mean, median or quantile; with "log", P itself.

    Parameters
    ----------
    P : array of shape (n, K), probabilities of the classes
    values : array of shape (K,), the classes as numbers; not needed for "log"
    """
    if values is None:
        return P
    if loss == "squared":
        return P @ values
    order = np.argsort(values)
    level = 0.5 if loss == "absolute" else level
    cumulative = np.cumsum(P[:, order], axis=1)
    first = (cumulative < level * (1 - 1e-12)).sum(axis=1)
    return values[order][np.minimum(first, len(values) - 1)]


def bayes_risk(loss: str, level: float, P: Array, values: Array | None) -> Array:
    """Expected loss of the best action, (n,); with "log", the entropy of the probabilities."""
    if values is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            return -np.where(P > 0, P * np.log(P), 0.0).sum(axis=1)
    action = bayes_action(loss, level, P, values)
    risk: Array = (P * loss_at(loss, level, values[None], action[:, None])).sum(axis=1)
    return risk
