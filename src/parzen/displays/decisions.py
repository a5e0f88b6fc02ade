"""Pictures of decisions, in the style of scikit-learn's displays: from an estimator, or from predictions."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision, probabilities
from parzen.decisions.scores import (
    ProbabilityScores,
    Reliability,
    RiskCoverage,
    cost_table,
    risk_coverage,
    score_probabilities,
)
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class ReliabilityDisplay:
    """What was said against what came, with intervals, over a histogram of what was said.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import GaussianNB
    >>> from parzen.displays import ReliabilityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = ReliabilityDisplay.from_estimator(GaussianNB().fit(X, y), X, y)
    >>> round(display.verification.calibration_error().expected, 3)
    0.056
    """

    verification: ProbabilityScores
    of: Any = None
    name: str = "classifier"
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, of: Any = None, bins: int = 15, ax: Any = None
    ) -> Self:
        """Draw the probabilities of a fitted classifier."""
        found = score_probabilities(y, estimator.predict_proba(X), estimator.classes_, bins=bins)
        return cls(found, of, type(estimator).__name__).plot(ax)

    @classmethod
    def from_predictions(
        cls, y: ArrayLike, posterior: ArrayLike, *, classes: ArrayLike | None = None, of: Any = None, bins: int = 15,
        name: str = "classifier", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw probabilities."""
        return cls(score_probabilities(y, posterior, classes, bins=bins), of, name).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax, (5.0, 4.6))
        found: Reliability = self.verification.reliability(self.of)
        error = self.verification.calibration_error(self.of)
        ax.plot([0, 1], [0, 1], "--", color="0.6", linewidth=1)
        ax.bar(found.said, 0.25 * found.weight / found.weight.max(), width=0.02, color="0.85", zorder=0)
        bars = np.maximum(np.abs(np.stack([found.came - found.low, found.high - found.came])), 0.0)
        ax.errorbar(found.said, found.came, bars, fmt="o-", color=COLOURS[0], capsize=2, linewidth=1.4, markersize=4)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="probability that was said", ylabel="share that came")
        said = f"{self.name}: calibration error {error.expected:.3f} ({error.low:.3f} to {error.high:.3f})"
        ax.set_title(plain(said), fontsize=10)
        self.ax_ = opened(ax)
        return self


@dataclass
class CostCurveDisplay:
    """The average loss of a binary classifier, over the threshold; the one that theory gives is marked."""

    thresholds: Array
    cost: Array
    theory: float
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
        """Draw the costs of probabilities of two classes."""
        P = probabilities(posterior)
        if P.shape[1] != 2:
            raise ValueError(f"a curve over thresholds is for two classes, got {P.shape[1]}.")
        labels = np.asarray(y)
        names = np.unique(labels) if classes is None else np.asarray(classes)
        decision = Decision(loss, classes=names)
        L, second = decision.matrix(2), labels == names[1]
        if len(L) != 2:
            raise ValueError(f"a curve over thresholds is for two actions, got {len(L)}.")
        if labels.shape != (len(P),) or not (second | (labels == names[0])).all() or not len(P):
            raise ValueError(f"y must be {len(P)} labels, at least one, all among {names.tolist()}.")
        order = np.argsort(P[:, 1], kind="stable")
        sure, own = P[order, 1], second[order]
        # With the threshold above the first i rows, these get the first action and the others the second.
        low = np.concatenate([[0.0], np.cumsum(np.where(own, L[0, 1], L[0, 0]))])
        high = np.concatenate([np.cumsum(np.where(own, L[1, 1], L[1, 0])[::-1])[::-1], [0.0]])
        places = np.concatenate([[0.0], sure])
        return cls(places, (low + high) / len(own), decision.threshold(), name).plot(ax)

    def plot(self, ax: Any = None, color: str | None = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax)
        colour = color or COLOURS[len(ax.lines) // 2 % len(COLOURS)]
        ax.step(self.thresholds, self.cost, where="post", color=colour, linewidth=1.5, label=plain(self.name))
        at = max(int(np.searchsorted(self.thresholds, self.theory, side="right")) - 1, 0)
        ax.plot([self.theory], [self.cost[at]], "o", color=colour, markersize=6)
        ax.set_xlabel("threshold; the dot is the one that the loss asks for")
        ax.set_ylabel("average loss")
        ax.legend(frameon=False, fontsize=9)
        self.ax_ = opened(ax)
        return self


@dataclass
class RiskCoverageDisplay:
    """The average loss of the rows that are decided, over their share: the surest first."""

    curve: RiskCoverage
    name: str = "classifier"
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: ArrayLike, *, loss: Any = "zero_one", ax: Any = None) -> Self:
        """Draw the curve of a fitted classifier."""
        decision = Decision(loss, classes=estimator.classes_)
        return cls(risk_coverage(y, estimator.predict_proba(X), decision), type(estimator).__name__).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax)
        colour = COLOURS[len(ax.lines) % len(COLOURS)]
        label = plain(f"{self.name}: area {self.curve.area:.4f}")
        ax.plot(self.curve.coverage, self.curve.risk, color=colour, linewidth=1.5, label=label)
        ax.set_xlabel("share of the rows that are decided")
        ax.set_ylabel("their average loss")
        ax.legend(frameon=False, fontsize=9)
        self.ax_ = opened(ax)
        return self


@dataclass
class CostConfusionDisplay:
    """What each action has cost on rows of each class: the confusion in units of loss."""

    counts: Array
    loss: Array
    actions: list[Any]
    classes: list[Any]
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_predictions(cls, y: ArrayLike, actions: ArrayLike, decision: Decision, *, ax: Any = None) -> Self:
        """Draw the costs of actions that were taken."""
        counts = cost_table(y, actions, decision)
        K = counts.shape[1]
        names = decision.named_actions(K).tolist(), decision.named_classes(K).tolist()
        return cls(counts, decision.matrix(K), *names).plot(ax)

    @property
    def total(self) -> float:
        """Average loss of a row."""
        return float((self.counts * self.loss).sum() / self.counts.sum())

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax, (1.6 + 1.1 * len(self.classes), 1.4 + 0.8 * len(self.actions)))
        cost = self.counts * self.loss
        ax.imshow(cost, cmap="Reds", vmin=0, vmax=max(float(cost.max()), 1e-300) * 1.3, aspect="auto")
        for i, row in enumerate(cost):
            for j, value in enumerate(row):
                text = f"{value:,.4g}\n{self.counts[i, j]:,.0f} rows"
                ax.text(j, i, text, ha="center", va="center", fontsize=9)
        ax.set_xticks(range(len(self.classes)), [plain(name) for name in self.classes])
        ax.set_yticks(range(len(self.actions)), [plain(name) for name in self.actions])
        ax.set_xlabel("class")
        ax.set_ylabel("action")
        ax.set_title(f"cost of each action; {self.total:.4g} a row", fontsize=10)
        self.ax_ = ax
        return self
