"""Risk-coverage curves."""

from dataclasses import dataclass, field
from typing import Any, Self

from numpy.typing import ArrayLike

from parzen.decisions.decision import Decision
from parzen.decisions.scores import RiskCoverage, risk_coverage
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class RiskCoverageDisplay:
    """The average loss of the rows that are decided over their proportion, the most certain rows first.

    Attributes
    ----------
    curve : RiskCoverage
    name : of the classifier
    ax_ : matplotlib's axes
    """

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
        ax.set_xlabel("coverage: proportion of rows that are decided")
        ax.set_ylabel("risk: their average loss")
        ax.legend(frameon=False, fontsize=9)
        self.ax_ = opened(ax)
        return self
