"""How unlikely a score is: p-values against scores of rows that were left out, and flags at a false discovery rate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from parzen.compute.arrays import Array

#: The tail begins where this share of the scores lies below, and is fitted to those up to the second share.
BEGIN, CENSORED = 0.5, 0.9
#: What is believed of a tail's shape before it is seen: half a normal distribution of this deviation. The logarithm of
#: the density that rows come from has an exponential tail (shape 0), be it light or heavy; a density that is not theirs
#: may have a heavier one.
SHAPE = 0.25
#: Rows beyond the beginning that a tail needs.
LEAST = 20


@dataclass(frozen=True, eq=False)
class NullDistribution:
    """What scores of ordinary rows look like. A low score is a sign of an outlier.

    Attributes
    ----------
    scores : array of shape (n,)
        Scores of rows that were left out, in rising order.
    below : array of shape (n + 1,)
        Weight of the scores before each of them, and of all.
    threshold : float
        The tail is of scores below this one.
    scale, shape : float
        Of the generalised Pareto distribution of how far below they are; scale 0 where there is no tail.
    """

    scores: Array
    below: Array
    threshold: float
    scale: float
    shape: float

    @classmethod
    def of(cls, scores: Array, weights: Array | None = None) -> "NullDistribution":
        """The null of scores, of which a few in a hundred may be outliers.

        Half of the scores are in the tail. It is fitted by its posterior mode, those of the lowest tenth being known
        only to be lower than the others: how low outliers are does not move it.

        Examples
        --------
        >>> import numpy as np
        >>> scores = -np.random.default_rng(0).exponential(size=1000)
        >>> null = NullDistribution.of(np.append(scores[:950], np.full(50, -1000.0)))
        >>> null.p_values(np.array([-0.5, -5.0, -20.0])).round(3)
        array([0.655, 0.03 , 0.   ])
        """
        scores = np.asarray(scores, dtype=np.float64)
        order = np.argsort(scores, kind="stable")
        scores, w = scores[order], np.ones(len(scores)) if weights is None else weights[order]
        below = np.append(0.0, np.cumsum(w))
        threshold, limit = (
            float(scores[np.searchsorted(below[1:], share * below[-1], side="right")])
            for share in (1.0 - BEGIN, 1.0 - CENSORED)
        )
        tail, known = scores < threshold, (scores < threshold) & (scores >= limit)
        if w[known].sum() < LEAST or not np.isfinite(limit) or not limit < threshold:
            return cls(scores, below, threshold, 0.0, 0.0)
        far = threshold - scores[known]
        scale, shape = _pareto(far, w[known], threshold - limit, float(w[tail & ~known].sum()))
        return cls(scores, below, threshold, scale, shape)

    def _as_low(self, scores: Array) -> Array:
        """Weight of the known scores that are as low."""
        return self.below[np.searchsorted(self.scores, scores, side="right")]

    @property
    def _mass(self) -> float:
        """Share of the scores in the tail."""
        return float(self.below[np.searchsorted(self.scores, self.threshold)] / self.below[-1])

    def ranks(self, scores: Array) -> Array:
        """Conformal p-values: (1 + how many known scores are as low) / (n + 1).

        Where known and new rows come from one distribution, these are below a level with at most that probability,
        whatever the distribution and the score. They can't be below 1 / (n + 1).
        """
        return (1.0 + self._as_low(scores)) / (self.below[-1] + 1.0)

    def p_values(self, scores: Array) -> Array:
        """Probability that an ordinary row scores as low: the share of known scores, and beyond, the fitted tail."""
        scores = np.asarray(scores, dtype=np.float64)
        if not self.scale:
            return self.ranks(scores)
        far = np.maximum(self.threshold - scores, 0.0)
        body = self._as_low(scores) / self.below[-1]
        return np.where(scores < self.threshold, self._mass * _beyond(far, self.scale, self.shape), body)

    def score_at(self, p: float) -> float:
        """The score at which a p-value is p, in the tail."""
        if not self.scale or p >= self._mass:
            return self.quantile(p)
        odds = np.log(self._mass / p)
        far = odds if self.shape < 1e-9 else np.expm1(self.shape * odds) / self.shape
        return float(self.threshold - self.scale * far)

    def quantile(self, p: float) -> float:
        """The score below which a share p of the known ones lies, at most."""
        return float(self.scores[np.searchsorted(self.below[1:-1], p * self.below[-1] * (1 + 1e-12), side="right")])


def _beyond(far: Array, scale: float, shape: float) -> Array:
    """Probability of a generalised Pareto beyond distances."""
    with np.errstate(over="ignore"):
        if shape < 1e-9:
            return np.exp(-far / scale)
        return np.exp(-np.log1p(shape * far / scale) / shape)


def _pareto(known: Array, w: Array, limit: float, beyond: float) -> tuple[float, float]:
    """Scale and shape (not negative) of distances, of which a weight is known to be beyond a limit."""
    unit = float(np.average(known, weights=w))
    y, end, n = known / unit, limit / unit, float(w.sum())

    def less(theta: Array) -> float:
        scale, shape = np.exp(theta[0]), theta[1]
        if shape < 1e-6:
            return float(n * theta[0] + (w @ y + beyond * end) / scale)
        belief = 0.5 * (shape / SHAPE) ** 2
        logs, last = np.log1p(shape * y / scale), np.log1p(shape * end / scale)
        return float(n * theta[0] + (1.0 + 1.0 / shape) * (w @ logs) + beyond * last / shape + belief)

    options = {"xatol": 1e-9, "fatol": 1e-12 * n, "maxiter": 2000}
    found = [
        optimize.minimize(less, [0.0, shape], method="Nelder-Mead", bounds=[(-5, 5), (0, 5)], options=options)
        for shape in (0.05, 1.0)
    ]
    best = min(found, key=lambda one: float(one.fun))
    return float(np.exp(best.x[0])) * unit, float(best.x[1])


def false_discoveries(p_values: Array, rate: float) -> NDArray[np.bool_]:
    """Which p-values are discoveries, at most a share `rate` of them false on average (Benjamini and Hochberg 1995).

    Examples
    --------
    >>> import numpy as np
    >>> false_discoveries(np.array([0.001, 0.03, 0.04, 0.9]), 0.1)
    array([ True,  True,  True, False])
    """
    if isinstance(rate, bool) or not isinstance(rate, int | float | np.number) or not 0 < rate < 1:
        raise ValueError(f"fdr must be between 0 and 1, got {rate!r}.")
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    under = np.flatnonzero(p_values[order] <= rate * np.arange(1, m + 1) / m)
    out = np.zeros(m, dtype=bool)
    if len(under):
        out[order[: under[-1] + 1]] = True
    return out
