"""The cost of decisions: average losses, and the confusion matrix of actions and classes."""

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.decisions.scores.inputs import check_weights, codes_of
from parzen.decisions.scores.probability import score_probabilities


def expected_cost(
    y: ArrayLike, actions: ArrayLike, decision: Decision, sample_weight: ArrayLike | None = None
) -> float:
    """Average loss of actions that were taken.

    Parameters
    ----------
    y : array of shape (n,), labels, among the decision's classes
    actions : array of shape (n,), among its actions
    decision : Decision, with classes

    Examples
    --------
    >>> from parzen import Decision
    >>> spam = Decision([[0, 1], [20, 0]], classes=["letter", "spam"])
    >>> expected_cost(["letter", "spam"], ["spam", "spam"], spam)
    10.0
    """
    if decision.is_continuous:
        return _continuous_cost(y, actions, decision, sample_weight)
    counts = confusion_matrix(y, actions, decision, sample_weight)
    return float((counts * decision.matrix(counts.shape[1])).sum() / counts.sum())


def _continuous_cost(y: ArrayLike, actions: ArrayLike, decision: Decision, sample_weight: ArrayLike | None) -> float:
    """Average loss where an action is a number, or a row of probabilities."""
    if decision.loss == "log":
        return score_probabilities(y, actions, decision.classes, sample_weight).mean_log_loss
    labels = np.asarray(y, dtype=np.float64)
    taken = np.asarray(actions, dtype=np.float64)
    if labels.shape != taken.shape or labels.ndim != 1:
        raise ValueError(f"there are labels of shape {labels.shape}, but actions of shape {taken.shape}; one each.")
    return float(np.average(decision.cost(labels, taken), weights=check_weights(sample_weight, len(labels))))


def confusion_matrix(
    y: ArrayLike, actions: ArrayLike, decision: Decision, sample_weight: ArrayLike | None = None
) -> Array:
    """Weight of the rows of each class for which each action was taken, (actions, classes)."""
    K = decision.n_classes()
    rows = codes_of(actions, decision.action_names(K), "actions", "actions")
    columns = codes_of(y, decision.class_names(K), "y", "classes")
    if len(rows) != len(columns):
        raise ValueError(f"there are {len(columns)} labels, but {len(rows)} actions; one each.")
    counts = np.zeros((len(decision.matrix(K)), K))
    np.add.at(counts, (rows, columns), check_weights(sample_weight, len(rows)))
    return counts
