"""Least and largest values of columns."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, check_alike, summed


@dataclass(frozen=True)
class Range(Statistic):
    """Weight, least and largest value of each column: for densities that are level between two ends.

    Adding takes the outer ends. Forgetting does not bring them closer.

    Attributes
    ----------
    weight : array of shape (K, d)
    low, high : arrays of shape (K, d)
        Infinite, and the wrong way round, where there is no row with weight.
    """

    weight: Array
    low: Array
    high: Array

    def __add__(self, other: Self) -> Self:
        check_alike(self.low, other.low)
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return replace(self, weight=self.weight + other.weight, low=low, high=high)

    def __rmul__(self, scale: float) -> Self:
        if not scale:
            return replace(self, weight=0.0 * self.weight, low=self.low + np.inf, high=self.high - np.inf)
        return replace(self, weight=scale * self.weight)

    def is_finite(self) -> bool:
        there = self.weight > 0
        return bool(
            np.isfinite(self.weight).all()
            and np.isfinite(self.low[there]).all()
            and np.isfinite(self.high[there]).all()
        )

    def is_possible(self) -> bool:
        return self.is_finite() and bool((self.weight >= 0).all())

    def pooled(self) -> Self:
        low, high = self.low.min(axis=0, keepdims=True), self.high.max(axis=0, keepdims=True)
        return replace(self, weight=summed(self.weight), low=low, high=high)
