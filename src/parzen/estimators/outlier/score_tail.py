"""How far scores lie in their lower tail, in units in which that is exponential."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.decisions.p_values import NullDistribution
from parzen.densities.power_transform import PowerTransform
from parzen.estimators.outlier.probability_plot import straightest_tail


@dataclass(frozen=True, eq=False)
class ScoreTail:
    """The lower tail of the scores of a density.

    Scores are transformed until their distances from the highest are exponential, the outermost excepted: under the
    density that rows come from they are already, under another they may have a heavier tail.

    Attributes
    ----------
    transform : PowerTransform of one column
    null : NullDistribution
        Of transformed scores.
    """

    transform: PowerTransform
    null: NullDistribution

    def p_values(self, X: Any, scores: Array) -> Array:
        """Probability that an ordinary row scores as low, (n,)."""
        return self.null.p_values(_transformed(self.transform, scores))


def score_tail(scores: Array, w: Array | None) -> tuple[ScoreTail, Array] | None:
    """The tail of scores (n,), and their p-values; None where they are too few, or don't vary."""
    finite = scores[np.isfinite(scores)]
    if len(finite) < 3 or not np.ptp(finite) > 0:
        return None
    transform = PowerTransform(*(np.array([one]) for one in straightest_tail(finite)))
    moved = _transformed(transform, scores)
    null = NullDistribution.from_scores(moved, w, errors=0.5)
    return (ScoreTail(transform, null), null.p_values(moved)) if null.scale else None


def _transformed(transform: PowerTransform, scores: Array) -> Array:
    least = np.finfo(np.float64).min
    return transform.forward(np.maximum(scores, least)[:, None])[:, 0]
