"""Costs of a classifier of two classes over the threshold of its decisions."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.decisions.probabilities import class_probabilities
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class CostCurveDisplay:
    """The average loss of a classifier of two classes over the threshold; the Bayes threshold is marked.

    Attributes
    ----------
    thresholds : array
        Predicted probabilities of the second class, in rising order: above a threshold the second action is taken.
    cost : array
        Average loss with each threshold.
    bayes_threshold : float
        The threshold of least expected loss where the predicted probabilities are calibrated.
    name : of the classifier
    ax_ : matplotlib's axes
    """

    thresholds: Array
    cost: Array
    bayes_threshold: float
    name: str = "classifier"
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, loss: ArrayLike, *, ax: Any = None) -> Self:
        """Draw the costs of a fitted classifier."""
        return cls.from_predictions(
            y, estimator.predict_proba(X), loss, classes=estimator.classes_, name=type(estimator).__name__, ax=ax
        )

    @classmethod
    def from_predictions(
        cls, y: ArrayLike, posterior: ArrayLike, loss: ArrayLike, *, classes: ArrayLike | None = None,
        name: str = "classifier", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw the costs of predicted probabilities of two classes."""
        P = class_probabilities(posterior)
        if P.shape[1] != 2:
            raise ValueError(f"a curve over thresholds is for two classes, got {P.shape[1]}.")
        labels = np.asarray(y)
        names = np.unique(labels) if classes is None else np.asarray(classes)
        decision = Decision(loss, classes=names)
        thresholds, cost = costs_over_thresholds(labels, P, decision)
        return cls(thresholds, cost, decision.threshold(), name).plot(ax)

    def plot(self, ax: Any = None, color: str | None = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax)
        colour = color or COLOURS[len(ax.lines) // 2 % len(COLOURS)]
        ax.step(self.thresholds, self.cost, where="post", color=colour, linewidth=1.5, label=plain(self.name))
        at = max(int(np.searchsorted(self.thresholds, self.bayes_threshold, side="right")) - 1, 0)
        ax.plot([self.bayes_threshold], [self.cost[at]], "o", color=colour, markersize=6)
        ax.set_xlabel("threshold on the predicted probability (dot: Bayes threshold)")
        ax.set_ylabel("average loss")
        ax.legend(frameon=False, fontsize=9)
        self.ax_ = opened(ax)
        return self


def costs_over_thresholds(y: ArrayLike, posterior: ArrayLike, decision: Decision) -> tuple[Array, Array]:
    """Average losses of two actions over the threshold: those of each threshold up to the next.

    Parameters
    ----------
    y : array of shape (n,), labels among the decision's two classes
    posterior : array of shape (n, 2)
    decision : Decision of two actions, with classes
    """
    labels, P, names = np.asarray(y), np.asarray(posterior), decision.class_names(2)
    L, second = decision.matrix(2), labels == names[1]
    if len(L) != 2:
        raise ValueError(f"a curve over thresholds is for two actions, got {len(L)}.")
    if labels.shape != (len(P),) or not (second | (labels == names[0])).all() or not len(P):
        raise ValueError(f"y must be {len(P)} labels, at least one, all among {names.tolist()}.")
    order = np.argsort(P[:, 1], kind="stable")
    thresholds, second = np.concatenate([[0.0], P[order, 1]]), second[order]
    # With the threshold above the first i rows, these get the first action and the others the second.
    below = np.concatenate([[0.0], np.cumsum(np.where(second, L[0, 1], L[0, 0]))])
    above = np.concatenate([np.cumsum(np.where(second, L[1, 1], L[1, 0])[::-1])[::-1], [0.0]])
    return thresholds, (below + above) / len(P)
