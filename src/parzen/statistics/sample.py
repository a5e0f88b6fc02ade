"""The rows themselves, for densities that have no smaller statistic."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, refuse


@dataclass(frozen=True)
class Sample(Statistic):
    """The rows themselves, with their groups and weights: for densities that have no smaller statistic (kernels).

    Adding concatenates. Its size grows with the rows.

    Attributes
    ----------
    batches : tuple of (points (n, d), codes (n,), weights (n,))
        A row stands once for every group in which it has weight. Codes may be None where all are 0, and weights
        where all are 1.
    groups, width : int
        K and d.
    ends : pair of arrays of shape (d,), optional
        Least and largest of each column, where they are known.
    """

    batches: tuple[tuple[Array, NDArray[np.int32] | None, Array | None], ...]
    groups: int = field(metadata={"plain": True})
    width: int = field(metadata={"plain": True})
    ends: tuple[Array, Array] | None = field(default=None, metadata={"plain": True})

    def __add__(self, other: Self) -> Self:
        if (self.groups, self.width) != (other.groups, other.width):
            refuse((self.groups, self.width), (other.groups, other.width))
        return replace(self, batches=self.batches + other.batches, ends=None)

    def __rmul__(self, scale: float) -> Self:
        kept = self.batches if scale else ()
        scaled = (
            (points, codes, np.full(len(points), float(scale)) if weights is None else scale * weights)
            for points, codes, weights in kept
        )
        return replace(self, batches=tuple(scaled))

    def pooled(self) -> Self:
        return replace(self, batches=tuple((points, None, weights) for points, _, weights in self.batches), groups=1)

    def of_group(self, k: int) -> tuple[Array, Array | None]:
        """Points and weights (None: all one) of one group, in the order in which they came."""
        if self.groups == 1 and len(self.batches) == 1:
            return self.batches[0][0], self.batches[0][2]
        parts = []
        for points, codes, weights in self.batches:
            rows: Any = slice(None) if codes is None and k == 0 else np.flatnonzero(_codes(points, codes) == k)
            parts.append((points[rows], None if weights is None else weights[rows]))
        points = np.concatenate([np.empty((0, self.width)), *(part for part, _ in parts)])
        if all(weights is None for _, weights in parts):
            return points, None
        filled = (np.ones(len(part)) if weights is None else weights for part, weights in parts)
        return points, np.concatenate([np.empty(0), *filled])

    def is_finite(self) -> bool:
        return True  # looked at when the rows were observed

    def is_possible(self) -> bool:
        return all(weights is None or bool((weights >= 0).all()) for _, _, weights in self.batches)

    def canonical(self) -> Self:
        points = np.concatenate([np.empty((0, self.width)), *(batch[0] for batch in self.batches)])
        codes = np.concatenate([np.empty(0), *(_codes(part, codes) for part, codes, _ in self.batches)])
        each = (np.ones(len(part)) if weights is None else weights for part, _, weights in self.batches)
        rows, place = np.unique(np.column_stack([codes, points]), axis=0, return_inverse=True)
        total = np.bincount(place.ravel(), weights=np.concatenate([np.empty(0), *each]), minlength=len(rows))
        return replace(self, batches=((rows[:, 1:], rows[:, 0].astype(np.int32), total.astype(np.float64)),))


def _codes(points: Array, codes: NDArray[np.int32] | None) -> NDArray[np.int32]:
    return np.zeros(len(points), dtype=np.int32) if codes is None else codes
