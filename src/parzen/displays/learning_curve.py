"""Learning curves of two classifiers."""

from dataclasses import dataclass, field
from typing import Any, Self

from numpy.typing import ArrayLike

from parzen.estimators.classify.comparison import LearningComparison, compare_learning


@dataclass
class LearningCurveDisplay:
    """Error and log loss of two classifiers on held-out rows, over the number of training rows.

    Attributes
    ----------
    comparison : LearningComparison
    ax_ : two of matplotlib's axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianNB, LogisticRegression
    >>> from parzen.displays import LearningCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = LearningCurveDisplay.from_estimators(
    ...     GaussianNB(), LogisticRegression(), X, y, sizes=[10, 90], repeats=3, random_state=0)
    >>> display.comparison.names
    ('GaussianNB', 'LogisticRegression')
    """

    comparison: LearningComparison
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimators(
        cls, generative: Any, discriminative: Any, X: Any, y: ArrayLike, *, ax: Any = None, **options: Any
    ) -> Self:
        """Fit both to more and more rows, and draw; options are those of `parzen.compare_learning`."""
        return cls(compare_learning(generative, discriminative, X, y, **options)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on two axes that are given or new."""
        self.ax_ = self.comparison.plot(ax)
        return self
