"""P-values of outlier scores against the scores of held-out rows, and flags at a false discovery rate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.generalised_pareto import exceedance, fit_generalised_pareto

#: Proportion of the scores that are in the tail, and the one up to which their values are used: the rest are censored.
TAIL, CENSORED = 0.5, 0.9
#: Least weight of the uncensored scores of a tail.
LEAST = 20


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """The distribution of scores of rows that are no outliers. Outliers have low scores.

    Attributes
    ----------
    scores : array of shape (n,)
        Scores of held-out rows, in rising order.
    cumulative_weight : array of shape (n + 1,)
        Weight of the scores before each of them, and of all.
    threshold : float
        The tail is of scores below this one.
    scale, shape : float
        Of the generalised Pareto distribution of their distances below the threshold; scale 0 where no tail is fitted.
    """

    scores: Array
    cumulative_weight: Array
    threshold: float
    scale: float
    shape: float

    @classmethod
    def from_scores(
        cls,
        scores: Array,
        weights: Array | None = None,
        tail: float = TAIL,
        censored: float = CENSORED,
        errors: float = 0.0,
    ) -> "NullDistribution":
        """The null distribution of scores, of which a few in a hundred may be of outliers.

        The lower half of the scores is the tail, fitted by its posterior mode. The lowest tenth is censored: only that
        these scores are lower than the others is used, so that outliers among them don't change the fit.

        Parameters
        ----------
        scores, weights : arrays of shape (n,)
        tail : proportion of the scores that are in the tail
        censored : proportion of the scores that are not censored
        errors : how many standard errors are added to the shape of the tail: caution where it is extrapolated

        Examples
        --------
        >>> import numpy as np
        >>> scores = -np.random.default_rng(0).exponential(size=1000)
        >>> null = NullDistribution.from_scores(np.append(scores[:950], np.full(50, -1000.0)))
        >>> null.p_values(np.array([-0.5, -5.0, -20.0])).round(3)
        array([0.655, 0.03 , 0.   ])
        """
        scores = np.asarray(scores, dtype=np.float64)
        order = np.argsort(scores, kind="stable")
        scores, w = scores[order], np.ones(len(scores)) if weights is None else weights[order]
        cumulative = np.append(0.0, np.cumsum(w))
        threshold, limit = (
            float(scores[np.searchsorted(cumulative[1:], proportion * cumulative[-1], side="right")])
            for proportion in (tail, 1.0 - censored)
        )
        lower, known = scores < threshold, (scores < threshold) & (scores >= limit)
        if w[known].sum() < LEAST or not np.isfinite(limit) or not limit < threshold:
            return cls(scores, cumulative, threshold, 0.0, 0.0)
        distances, beyond = threshold - scores[known], float(w[lower & ~known].sum())
        scale, shape = fit_generalised_pareto(distances, w[known], threshold - limit, beyond)
        shape += errors * (1.0 + shape) / np.sqrt(w[known].sum())
        return cls(scores, cumulative, threshold, scale, shape)

    def _weight_up_to(self, scores: Array) -> Array:
        """Weight of the held-out scores that are as low."""
        return self.cumulative_weight[np.searchsorted(self.scores, scores, side="right")]

    @property
    def _tail_probability(self) -> float:
        return float(self.cumulative_weight[np.searchsorted(self.scores, self.threshold)] / self.cumulative_weight[-1])

    def conformal_p_values(self, scores: Array) -> Array:
        """Conformal p-values: (1 + number of held-out scores that are as low) / (n + 1).

        Where held-out and new rows come from one distribution, these are below a level with at most that probability,
        whatever the distribution and the score. They can't be below 1 / (n + 1).
        """
        return (1.0 + self._weight_up_to(scores)) / (self.cumulative_weight[-1] + 1.0)

    def p_values(self, scores: Array) -> Array:
        """Probability that a row which is no outlier scores as low: empirical above the threshold, else of the tail."""
        scores = np.asarray(scores, dtype=np.float64)
        if not self.scale:
            return self.conformal_p_values(scores)
        distance = np.maximum(self.threshold - scores, 0.0)
        empirical = self._weight_up_to(scores) / self.cumulative_weight[-1]
        tail = self._tail_probability * exceedance(distance, self.scale, self.shape)
        return np.where(scores < self.threshold, tail, empirical)

    def quantile(self, p: float) -> float:
        """The score whose p-value is p: of the tail, or empirical where that is not in the tail."""
        if not self.scale or p >= self._tail_probability:
            return self.empirical_quantile(p)
        log_ratio = np.log(self._tail_probability / p)
        distance = log_ratio if self.shape < 1e-9 else np.expm1(self.shape * log_ratio) / self.shape
        return float(self.threshold - self.scale * distance)

    def empirical_quantile(self, p: float) -> float:
        """The held-out score below which a proportion of at most p lies."""
        wanted = p * self.cumulative_weight[-1] * (1 + 1e-12)
        return float(self.scores[np.searchsorted(self.cumulative_weight[1:-1], wanted, side="right")])


def below_ranks(ranks: Array, tail: Array) -> Array:
    """P-values by ranks, and by a tail where that is lower than any rank can be."""
    return np.where(tail < ranks.min(initial=1.0), tail, ranks)


def benjamini_hochberg(p_values: Array, fdr: float) -> NDArray[np.bool_]:
    """Which p-values are discoveries at a false discovery rate (Benjamini & Hochberg 1995).

    Examples
    --------
    >>> import numpy as np
    >>> benjamini_hochberg(np.array([0.001, 0.03, 0.04, 0.9]), 0.1)
    array([ True,  True,  True, False])
    """
    if isinstance(fdr, bool) or not isinstance(fdr, int | float | np.number) or not 0 < fdr < 1:
        raise ValueError(f"fdr must be between 0 and 1, got {fdr!r}.")
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    below = np.flatnonzero(p_values[order] <= fdr * np.arange(1, m + 1) / m)
    discovered = np.zeros(m, dtype=bool)
    if len(below):
        discovered[order[: below[-1] + 1]] = True
    return discovered
