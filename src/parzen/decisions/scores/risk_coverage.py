"""Risk-coverage curves: the average loss of the most certain rows, over their proportion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.decisions.probabilities import class_probabilities
from parzen.decisions.scores.additive import AdditiveScores
from parzen.decisions.scores.inputs import check_weights, codes_of


@dataclass(frozen=True)
class RiskCoverage(AdditiveScores):
    """The losses of decisions in bins of their expected loss, from the most certain rows to the least.

    Attributes
    ----------
    weight, loss, expected_loss : arrays of shape (1, B)
        Weight of the rows in each bin, and the sums of their losses and of their expected losses.
    """

    weight: Array
    loss: Array
    expected_loss: Array

    @property
    def _filled(self) -> tuple[Array, Array]:
        filled = self.weight[0] > 0
        return self.weight[0, filled], self.loss[0, filled]

    @property
    def coverage(self) -> Array:
        """Proportion of the rows that are decided, the most certain first."""
        total = np.cumsum(self._filled[0])
        return np.asarray(total / total[-1])

    @property
    def risk(self) -> Array:
        """Average loss of the rows that are decided."""
        weight, loss = self._filled
        return np.asarray(np.cumsum(loss) / np.cumsum(weight))

    @property
    def area(self) -> float:
        """Area under the risk-coverage curve: less is better."""
        return float(np.average(self.risk, weights=self._filled[0]))


def risk_coverage(
    y: ArrayLike,
    posterior: ArrayLike,
    decision: Decision | None = None,
    sample_weight: ArrayLike | None = None,
    n_bins: int = 2000,
) -> RiskCoverage:
    """The risk-coverage curve: the average loss of the most certain rows, where the others are abstained from.

    Parameters
    ----------
    y : array of shape (n,), labels
    posterior : array of shape (n, K)
    decision : Decision, with classes; by default by zero-one loss
    n_bins : int
        Number of bins of the expected loss of the best action. Half of them are logarithmic, down to 1e-300, to
        distinguish rows of overconfident classifiers.

    Examples
    --------
    >>> curve = risk_coverage([0, 1, 1, 0], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.7, 0.3]])
    >>> curve.coverage, curve.risk
    (array([0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.  , 0.  , 0.25]))
    """
    P = class_probabilities(posterior)
    labels = np.asarray(y)
    decision = Decision(classes=np.unique(labels).tolist()) if decision is None else decision
    decision.n_classes()
    n, K = P.shape
    codes = codes_of(labels, decision.class_names(K), "y", "classes")
    if len(codes) != n:
        raise ValueError(f"y must be {n} labels, one for each row of probabilities, got {len(codes)}.")
    loss = decision.matrix(K)
    risk = P @ loss.T
    action = risk.argmin(axis=1)
    expected = risk[np.arange(n), action]
    w = check_weights(sample_weight, n)
    low, high = float(loss.min()), float(loss.max(axis=1).min())  # no best action has an expected loss above `high`
    bins = _bin_of((expected - low) / (high - low if high > low else 1.0), n_bins)
    sums = (w, w * loss[action, codes], w * expected)
    return RiskCoverage(*(np.bincount(bins, part, minlength=n_bins)[None].astype(np.float64) for part in sums))


def _bin_of(risk: Array, n_bins: int) -> NDArray[np.intp]:
    """Bin of each expected loss, relative to the largest: logarithmic below one twentieth, of equal width above."""
    half, turn, least = n_bins // 2, 0.05, 1e-300
    decades = np.log(np.clip(risk, least, turn) / least) / np.log(turn / least)
    low = (decades * half).astype(np.intp).clip(0, max(half - 1, 0))
    high = half + ((risk - turn) / (1 - turn) * (n_bins - half)).astype(np.intp).clip(0, n_bins - half - 1)
    return np.where(risk < turn, low, high)
