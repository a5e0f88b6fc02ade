"""Weights and totals of columns."""

from dataclasses import dataclass, replace
from typing import Self

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, check_alike


@dataclass(frozen=True)
class Sums(Statistic):
    """Weights and weighted totals of columns, for exponential families whose columns are independent.

    Attributes
    ----------
    weight : array of shape (K, d), or (K, 1) where no cell can be missing
    totals : array of shape (K, d)
    base : array of shape (K, d), optional
        Weighted sum of the logs of the base measure, which only the evidence of a Poisson needs.
    """

    weight: Array
    totals: Array
    base: Array | None = None

    def __add__(self, other: Self) -> Self:
        check_alike(self.totals, other.totals)
        base = None if self.base is None or other.base is None else self.base + other.base
        return replace(self, weight=self.weight + other.weight, totals=self.totals + other.totals, base=base)

    def __rmul__(self, scale: float) -> Self:
        base = None if self.base is None else scale * self.base
        return replace(self, weight=scale * self.weight, totals=scale * self.totals, base=base)

    def is_possible(self) -> bool:
        return self.is_finite() and bool((self.weight >= 0).all()) and bool((self.totals >= 0).all())

    def pooled(self) -> Self:
        base = None if self.base is None else self.base.sum(axis=0, keepdims=True)
        return replace(
            self,
            weight=self.weight.sum(axis=0, keepdims=True),
            totals=self.totals.sum(axis=0, keepdims=True),
            base=base,
        )
