"""Several statistics of the same rows; and a statistic that is expected under a current density."""

from dataclasses import dataclass, replace
from typing import Self

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, check_alike


@dataclass(frozen=True)
class Joint(Statistic):
    """Several statistics of the same rows, added part by part."""

    parts: tuple[Statistic, ...]

    def __add__(self, other: Self) -> Self:
        return replace(self, parts=tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __rmul__(self, scale: float) -> Self:
        return replace(self, parts=tuple(scale * part for part in self.parts))

    def is_possible(self) -> bool:
        return all(part.is_possible() for part in self.parts)

    def pooled(self) -> Self:
        return replace(self, parts=tuple(part.pooled() for part in self.parts))

    def canonical(self) -> Self:
        return replace(self, parts=tuple(part.canonical() for part in self.parts))


@dataclass(frozen=True)
class ExpectedStatistic(Statistic):
    """A statistic that is expected under a current density, with the log-likelihood of the rows there.

    It adds to others that were taken at the same density only: within one iteration of EM.

    Attributes
    ----------
    statistic : the expected statistic
    weight : array of shape (K,), or (K, d) where columns count their own rows
        Weight of the rows.
    log_likelihood : array of shape (K,)
    """

    statistic: Statistic
    weight: Array
    log_likelihood: Array

    def __add__(self, other: Self) -> Self:
        check_alike(self.weight, other.weight)
        return replace(
            self,
            statistic=self.statistic + other.statistic,
            weight=self.weight + other.weight,
            log_likelihood=self.log_likelihood + other.log_likelihood,
        )

    def __rmul__(self, scale: float) -> Self:
        parts = (scale * self.statistic, scale * self.weight, scale * self.log_likelihood)
        return replace(self, statistic=parts[0], weight=parts[1], log_likelihood=parts[2])

    def pooled(self) -> Self:
        weight, total = self.weight.sum(axis=0, keepdims=True), self.log_likelihood.sum(keepdims=True)
        return replace(self, statistic=self.statistic.pooled(), weight=weight, log_likelihood=total)
