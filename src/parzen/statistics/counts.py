"""Counts of categories."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, check_alike


@dataclass(frozen=True)
class Counts(Statistic):
    """Weight of each category of each column.

    Adding counts of alphabets of different sizes is allowed: a category that one side lacks has count zero there.

    Attributes
    ----------
    counts : array of shape (K, sum(sizes))
    sizes : tuple of int
        Categories of each column, whose slots follow one another in `counts`.
    """

    counts: Array
    sizes: tuple[int, ...] = field(metadata={"plain": True})

    def __add__(self, other: Self) -> Self:
        check_alike(self.counts[:, :1], other.counts[:, :1])
        if self.sizes == other.sizes:
            return replace(self, counts=self.counts + other.counts)
        if len(self.sizes) != len(other.sizes):
            raise ValueError(f"statistics of {len(self.sizes)} and of {len(other.sizes)} columns don't add.")
        sizes = tuple(map(max, self.sizes, other.sizes))
        return replace(self, counts=self.resized(sizes).counts + other.resized(sizes).counts, sizes=sizes)

    def __rmul__(self, scale: float) -> Self:
        return replace(self, counts=scale * self.counts)

    def is_possible(self) -> bool:
        return self.is_finite() and bool((self.counts >= 0).all())

    def pooled(self) -> Self:
        return replace(self, counts=self.counts.sum(axis=0, keepdims=True))

    def columns(self) -> list[Array]:
        """Counts of each column, arrays of shape (K, size)."""
        return np.split(self.counts, np.cumsum(self.sizes)[:-1], axis=1)

    def resized(self, sizes: tuple[int, ...]) -> Self:
        """The same counts with room for more categories."""
        if sizes == self.sizes:
            return self
        if any(new < old for new, old in zip(sizes, self.sizes, strict=True)):
            raise ValueError(f"there are counts of {self.sizes} categories, but only {sizes} are declared.")
        wider = [
            np.pad(column, [(0, 0), (0, size - column.shape[1])])
            for column, size in zip(self.columns(), sizes, strict=True)
        ]
        return replace(self, counts=np.concatenate(wider, axis=1), sizes=sizes)
