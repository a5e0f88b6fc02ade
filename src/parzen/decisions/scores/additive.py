"""Statistics whose arrays are all sums."""

from dataclasses import dataclass, fields, replace
from typing import Self

from parzen.statistics.statistic import Statistic


@dataclass(frozen=True)
class AdditiveScores(Statistic):
    """A statistic of sums over rows; fields with ``metadata={"plain": True}`` are no sums and must be equal to add."""

    def __add__(self, other: Self) -> Self:
        for one in fields(self):
            mine, theirs = getattr(self, one.name), getattr(other, one.name)
            if mine != theirs if one.metadata.get("plain") else mine.shape != theirs.shape:
                raise ValueError(f"scores of different {one.name} don't add; give all the same classes and n_bins.")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in self._sums()})

    def __rmul__(self, scale: float) -> Self:
        return replace(self, **{name: scale * getattr(self, name) for name in self._sums()})

    def pooled(self) -> Self:
        return self

    def _sums(self) -> list[str]:
        return [one.name for one in fields(self) if not one.metadata.get("plain")]
