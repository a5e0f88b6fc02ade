"""A scorer for scikit-learn's searches: minus the expected cost of decisions."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from parzen.decisions.decision import Decision
from parzen.decisions.scores import expected_cost


@dataclass(frozen=True)
class CostScorer:
    """A scorer for scikit-learn's searches: minus the average loss of what a classifier's probabilities decide."""

    loss: Any
    options: dict[str, Any]

    def __call__(self, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Minus the average loss."""
        decision = Decision(self.loss, classes=estimator.classes_, **self.options)
        return -expected_cost(y, decision.act(estimator.predict_proba(X)), decision, sample_weight)


def cost_scorer(loss: Any, **options: Any) -> CostScorer:
    """A scorer for scikit-learn's searches, by a loss (and options of `parzen.Decision`). High is good.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.datasets import load_breast_cancer
    >>> from parzen import GaussianNB, cost_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(float(cross_val_score(GaussianNB(), X, y, scoring=cost_scorer([[0, 1], [10, 0]])).mean()), 2)
    -0.38
    """
    return CostScorer(loss, options)
