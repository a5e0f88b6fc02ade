"""Confusion matrices in units of loss."""

from dataclasses import dataclass, field
from typing import Any, Self

from numpy.typing import ArrayLike

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.decisions.scores import confusion_matrix
from parzen.plotting import axes, plain


@dataclass
class CostConfusionDisplay:
    """The confusion matrix of actions and classes, in units of loss.

    Attributes
    ----------
    counts : array of shape (actions, classes)
        Weight of the rows of each class for which each action was taken.
    loss : array of shape (actions, classes)
    actions, classes : lists of names
    ax_ : matplotlib's axes
    """

    counts: Array
    loss: Array
    actions: list[Any]
    classes: list[Any]
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_predictions(cls, y: ArrayLike, actions: ArrayLike, decision: Decision, *, ax: Any = None) -> Self:
        """Draw the costs of actions that were taken."""
        counts = confusion_matrix(y, actions, decision)
        K = counts.shape[1]
        names = decision.action_names(K).tolist(), decision.class_names(K).tolist()
        return cls(counts, decision.matrix(K), *names).plot(ax)

    @property
    def expected_cost(self) -> float:
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
        ax.set_title(f"total loss; expected cost {self.expected_cost:.4g}", fontsize=10)
        self.ax_ = ax
        return self
