"""Moments of a node and its parents, for each configuration of others."""

from dataclasses import dataclass, replace
from typing import Self

from parzen.statistics.moments import Moments
from parzen.statistics.statistic import Statistic


@dataclass(frozen=True)
class ConfiguredMoments(Statistic):
    """Moments of some columns for each configuration of others, in K groups.

    Attributes
    ----------
    parts : tuple of Moments
        One for each group; their own leading axis are the configurations.
    """

    parts: tuple[Moments, ...]

    def __add__(self, other: Self) -> Self:
        return replace(self, parts=tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __rmul__(self, scale: float) -> Self:
        return replace(self, parts=tuple(scale * part for part in self.parts))

    def is_possible(self) -> bool:
        return all(part.is_finite() and bool((part.weight >= 0).all()) for part in self.parts)

    def pooled(self) -> Self:
        whole = self.parts[0]
        for part in self.parts[1:]:
            whole = whole + part
        return replace(self, parts=(whole,))
