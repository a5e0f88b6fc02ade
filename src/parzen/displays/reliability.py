"""Reliability diagrams."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.decisions.scores import ProbabilityScores, score_probabilities
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class ReliabilityDisplay:
    """A reliability diagram: observed frequency against predicted probability, over a histogram of the latter.

    Attributes
    ----------
    scores : ProbabilityScores
    pos_label : the class that is drawn; by default the second of two, or the most probable one of each row
    name : of the classifier
    ax_ : matplotlib's axes

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import GaussianNB
    >>> from parzen.displays import ReliabilityDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> display = ReliabilityDisplay.from_estimator(GaussianNB().fit(X, y), X, y)
    >>> round(display.scores.calibration_error().expected, 3)
    0.056
    """

    scores: ProbabilityScores
    pos_label: Any = None
    name: str = "classifier"
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, pos_label: Any = None, n_bins: int = 15, ax: Any = None
    ) -> Self:
        """Draw the predicted probabilities of a fitted classifier."""
        scores = score_probabilities(y, estimator.predict_proba(X), estimator.classes_, n_bins=n_bins)
        return cls(scores, pos_label, type(estimator).__name__).plot(ax)

    @classmethod
    def from_predictions(
        cls, y: ArrayLike, posterior: ArrayLike, *, classes: ArrayLike | None = None, pos_label: Any = None,
        n_bins: int = 15, name: str = "classifier", ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw predicted probabilities, (n, K), or (n,) of the second of two classes."""
        return cls(score_probabilities(y, posterior, classes, n_bins=n_bins), pos_label, name).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax, (5.0, 4.6))
        found, error = self.scores.reliability(self.pos_label), self.scores.calibration_error(self.pos_label)
        ax.plot([0, 1], [0, 1], "--", color="0.6", linewidth=1)
        ax.bar(found.predicted, 0.25 * found.weight / found.weight.max(), width=0.02, color="0.85", zorder=0)
        interval = np.abs(np.stack([found.observed - found.low, found.high - found.observed]))
        style = {"fmt": "o-", "color": COLOURS[0], "capsize": 2, "linewidth": 1.4, "markersize": 4}
        ax.errorbar(found.predicted, found.observed, interval, **style)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="predicted probability", ylabel="observed frequency")
        measure = f"expected calibration error {error.expected:.3f} ({error.low:.3f} to {error.high:.3f})"
        ax.set_title(plain(f"{self.name}: {measure}"), fontsize=10)
        self.ax_ = opened(ax)
        return self
