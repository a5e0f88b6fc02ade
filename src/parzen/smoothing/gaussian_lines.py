"""Mixtures of Gaussians on a line, one for each of many queries: their distribution functions and quantiles."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array
from parzen.smoothing.weighted_line import safe_newton


@dataclass(frozen=True, eq=False)
class GaussianLines:
    """Mixtures of C Gaussians on a line.

    Attributes
    ----------
    weight, mean : arrays of shape (m, C)
    deviation : array of shape (C,)
        Of the components of every mixture.

    Examples
    --------
    >>> import numpy as np
    >>> two = GaussianLines(np.array([[0.5, 0.5]]), np.array([[-1.0, 3.0]]), np.ones(2))
    >>> two.cdf(np.array([1.0])), two.quantiles(np.array([0.25, 0.75])).round(3)
    (array([0.5]), array([[-1.,  3.]]))
    """

    weight: Array
    mean: Array
    deviation: Array

    def cdf(self, x: Array, upper: bool = False) -> Array:
        """Probability of values up to x (m,), or with `upper` above x."""
        u = (x[:, None] - self.mean) / self.deviation
        return (self.weight * special.ndtr(-u if upper else u)).sum(axis=1)

    def quantiles(self, levels: Array) -> Array:
        """Quantiles at levels (L,), (m, L); each by the tail in which its probability is the smaller number."""
        out, upper = np.empty((len(self.mean), len(levels))), levels > 0.5
        out[:, ~upper] = self._below(levels[~upper])
        mirrored = GaussianLines(self.weight, -self.mean, self.deviation)
        out[:, upper] = -mirrored._below(1.0 - levels[upper])
        return out

    def _below(self, levels: Array) -> Array:
        """Quantiles at levels up to 1/2, by Newton's method for the logarithm of the probability."""
        m, known = len(self.mean), levels > 0
        out = np.full((m, len(levels)), -np.inf)
        q = levels[known]
        rows, logs = np.repeat(np.arange(m), len(q)), np.tile(np.log(q), m)
        each = self.mean[rows] + self.deviation * np.tile(special.ndtri(q), m)[:, None]  # quantiles of the components
        each = np.where(self.weight[rows] > 0, each, np.nan)
        low, high = (np.empty(0),) * 2 if not len(rows) else (np.nanmin(each, axis=1), np.nanmax(each, axis=1))

        def log_below(x: Array, some: NDArray[np.int64]) -> tuple[Array, Array]:
            own = rows[some]
            u = (x[:, None] - self.mean[own]) / self.deviation
            with np.errstate(divide="ignore"):
                terms = special.log_ndtr(u) + np.log(self.weight[own])
                top = terms.max(axis=1, keepdims=True)
                value = top[:, 0] + np.log(np.exp(terms - top).sum(axis=1))
                bells = np.log(self.weight[own] / self.deviation) - 0.5 * u * u - 0.5 * np.log(2 * np.pi)
            return value, np.exp(bells - value[:, None]).sum(axis=1)

        start = 0.5 * (low + high)
        unit = float(self.deviation.min())
        out[:, known] = safe_newton(log_below, logs, start, low, high, unit).reshape(m, len(q))
        return out
