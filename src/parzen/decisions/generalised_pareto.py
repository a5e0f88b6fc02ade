"""The generalised Pareto distribution of distances beyond a threshold, fitted by its posterior mode."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.tails import pareto_sums

#: Deviation of the half-normal prior of the shape. Log-densities under the density that rows come from have an
#: exponential tail (shape 0), whether that density has a light tail or a heavy one; under another they may have a
#: heavier one.
SHAPE_DEVIATION = 0.25
#: Largest shape; and the logarithms of ratios of shape to scale, in units of the mean distance, that are tried first.
MOST_SHAPE, RATIOS = 5.0, (-16.0, 10.0, 27)


def exceedance(distance: Array, scale: float, shape: float) -> Array:
    """Probability of a larger distance."""
    with np.errstate(over="ignore"):
        if shape < 1e-9:
            return np.exp(-distance / scale)
        return np.exp(-np.log1p(shape * distance / scale) / shape)


def fit_generalised_pareto(distance: Array, w: Array, limit: float, censored: float) -> tuple[float, float]:
    """Scale and shape, at least 0, of weighted distances up to a limit, and a weight of distances beyond it.

    At a given ratio t of shape to scale, the likeliest shape is the root of a cubic (the profile of Grimshaw 1993, with
    a prior): a minimum along t remains, which is bracketed on a grid and found as a root of the derivative.
    """
    from scipy import optimize

    unit = float(np.average(distance, weights=w))
    tail = _Tail(distance / unit, np.ascontiguousarray(w), limit / unit, censored)
    grid = np.linspace(*RATIOS)
    tried = tail.over(grid)
    best = int(np.argmin([value for value, _, _ in tried]))
    low, high = max(best - 1, 0), min(best + 1, len(grid) - 1)
    at = float(grid[best])
    if tried[low][2] < 0 < tried[high][2]:
        at = float(optimize.brentq(lambda one: tail.at(one)[2], grid[low], grid[high], xtol=1e-13))
    value, shape, _ = tail.at(at)
    scale, without = tail.exponential()
    if without <= value:
        return scale * unit, 0.0
    return shape / float(np.exp(at)) * unit, shape


@dataclass(frozen=True)
class _Tail:
    """Weighted distances, in units of their mean, and a weight of censored ones beyond an end."""

    y: Array
    w: Array
    end: float
    censored: float

    @cached_property
    def weight(self) -> float:
        return float(self.w.sum())

    def exponential(self) -> tuple[float, float]:
        """Scale of an exponential tail, and its negative log-posterior."""
        scale = float(self.w @ self.y + self.censored * self.end) / self.weight
        return scale, self.weight * (float(np.log(scale)) + 1.0)

    def at(self, log_ratio: float) -> tuple[float, float, float]:
        """Least negative log-posterior at a ratio of shape to scale, the shape, and the derivative by the logarithm."""
        return self.over(np.array([log_ratio]))[0]

    def over(self, log_ratios: Array) -> list[tuple[float, float, float]]:
        """The same at each of several ratios: all distances are read once."""
        ratios = np.exp(log_ratios)
        sums = (part.tolist() for part in pareto_sums(self.y, self.w, ratios))
        return [self._posterior(*each) for each in zip(log_ratios.tolist(), ratios.tolist(), *sums, strict=True)]

    def _posterior(self, log_ratio: float, t: float, inside: float, rise: float) -> tuple[float, float, float]:
        n, beyond = self.weight, self.censored * float(np.log1p(t * self.end))
        shape = min(_positive_root(n * SHAPE_DEVIATION**2, (inside + beyond) * SHAPE_DEVIATION**2), MOST_SHAPE)
        value = n * (np.log(shape) - log_ratio) + inside + (inside + beyond) / shape
        value += 0.5 * (shape / SHAPE_DEVIATION) ** 2
        rise_beyond = t * self.censored * self.end / (1.0 + t * self.end)
        return float(value), shape, -n + rise + (rise + rise_beyond) / shape


def _positive_root(p: float, q: float) -> float:
    """The positive root of x^3 + p x = q, p and q positive: by Cardano's formula, and a step of Newton's method."""
    half, root = 0.5 * q, float(np.sqrt(0.25 * q * q + p**3 / 27.0))
    x = q / p if half + root <= 0 else float(np.cbrt(half + root)) - p / (3.0 * float(np.cbrt(half + root)))
    for _ in range(2):  # a difference of two cube roots loses digits where x is small
        x -= (x * x * x + p * x - q) / (3.0 * x * x + p)
    return max(x, np.finfo(float).tiny)
