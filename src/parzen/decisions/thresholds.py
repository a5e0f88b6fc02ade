"""Probabilities at which the best of several actions changes, with two classes."""

from typing import Any

import numpy as np

from parzen.compute.arrays import Array


def bayes_threshold(loss: Array) -> Any:
    """The probability of the second class above which the second of two actions is the better one.

    With more actions, the probabilities at which the best one changes, in order.

    Parameters
    ----------
    loss : array of shape (actions, 2)
    """
    changes = _changes(loss)
    if len(loss) != 2:
        return np.array([p for p, _ in changes])
    if changes and changes[0][1] == 1:
        raise ValueError(
            "the second action is the better one where the second class is unlikely: there is no threshold above which "
            "it is taken; give the rows of loss in the order of the classes."
        )
    return changes[0][0] if changes else (np.inf if loss[0].sum() <= loss[1].sum() else -np.inf)


def _changes(loss: Array) -> list[tuple[float, int]]:
    """Probabilities of the second class at which the best action changes, with the action before.

    The expected loss of an action is a line over that probability; the lower envelope of the lines is followed.
    """
    slope, base = loss[:, 1] - loss[:, 0], loss[:, 0]
    p, best = 0.0, int(np.lexsort((slope, base))[0])
    changes: list[tuple[float, int]] = []
    while True:
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = np.where(slope < slope[best], (base - base[best]) / (slope[best] - slope), np.inf)
        ahead = float(crossing.min())
        if not p <= ahead <= 1:
            return changes
        changes.append((ahead, best))
        nearest = np.flatnonzero(crossing == ahead)
        p, best = ahead, int(nearest[slope[nearest].argmin()])
