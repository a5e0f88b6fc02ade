"""What a Bayes net remembers of a node: its counts, or its moments, for each configuration of its parents."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.statistics.moments import Moments
from parzen.statistics.statistic import Statistic, check_alike


@dataclass(frozen=True)
class NodeCounts(Statistic):
    """Weight of each state of a node with each configuration of its parents.

    Counts of different numbers of states add: a state that one side lacks has count zero there.

    Attributes
    ----------
    counts : array of shape (K, states of the first parent, ..., states of the node)
    """

    counts: Array

    def __add__(self, other: Self) -> Self:
        mine, theirs = _alike([self.counts], [other.counts])
        return replace(self, counts=mine[0] + theirs[0])

    def __rmul__(self, scale: float) -> Self:
        return replace(self, counts=scale * self.counts)

    def is_possible(self) -> bool:
        return self.is_finite() and bool((self.counts >= 0).all())

    def pooled(self) -> Self:
        return replace(self, counts=self.counts.sum(axis=0, keepdims=True))


@dataclass(frozen=True)
class NodeMoments(Statistic):
    """Moments of a Gaussian node and its Gaussian parents, for each configuration of its discrete parents.

    Attributes
    ----------
    weight : array of shape (K, states of the first discrete parent, ...)
    mean, carry : arrays of the same shape and one more axis, of the p Gaussian parents and the node
    scatter : array of the same shape and two more axes
        About the mean; see `Moments`.
    """

    weight: Array
    mean: Array
    scatter: Array
    carry: Array = field(metadata={"rounding": True})

    @classmethod
    def of(cls, moments: Moments, shape: Sequence[int]) -> "NodeMoments":
        """From moments of all groups and configurations, in C order."""
        p = moments.mean.shape[1]
        return cls(
            moments.weight.reshape(shape),
            moments.mean.reshape(*shape, p),
            moments.scatter.reshape(*shape, p, p),
            moments.carry.reshape(*shape, p),
        )

    def flat(self) -> Moments:
        """Moments of all groups and configurations, in C order."""
        p, n = self.mean.shape[-1], self.weight.size
        scatter = self.scatter.reshape(n, p, p)
        return Moments(self.weight.reshape(n), self.mean.reshape(n, p), scatter, self.carry.reshape(n, p))

    def group(self, k: int) -> Moments:
        """Moments of one group's configurations."""
        whole, C = self.flat(), self.weight[0].size
        own = slice(k * C, (k + 1) * C)
        return Moments(whole.weight[own], whole.mean[own], whole.scatter[own], whole.carry[own])

    def __add__(self, other: Self) -> Self:
        mine, theirs = _alike(self._parts(), other._parts())
        total = NodeMoments(*mine).flat() + NodeMoments(*theirs).flat()
        return type(self).of(total, mine[0].shape)  # type: ignore[return-value]

    def __rmul__(self, scale: float) -> Self:
        return replace(self, weight=scale * self.weight, scatter=scale * self.scatter)

    def is_possible(self) -> bool:
        return self.is_finite() and bool((self.weight >= 0).all())

    def pooled(self) -> Self:
        whole = self.group(0)
        for k in range(1, len(self.weight)):
            whole = whole + self.group(k)
        return type(self).of(whole, (1, *self.weight.shape[1:]))  # type: ignore[return-value]

    def _parts(self) -> list[Array]:
        return [self.weight, self.mean, self.scatter, self.carry]


def _alike(mine: list[Array], theirs: list[Array]) -> tuple[list[Array], list[Array]]:
    """Arrays with room for the states of both in their first axes; an error unless groups and axes agree."""
    a, b = mine[0].shape, theirs[0].shape
    if len(a) != len(b) or a[0] != b[0]:
        check_alike(mine[0], theirs[0])
    if a == b:
        return mine, theirs
    shape = tuple(map(max, a, b))
    return [_wider(part, shape) for part in mine], [_wider(part, shape) for part in theirs]


def _wider(part: Array, shape: tuple[int, ...]) -> Array:
    widths = [(0, new - old) for new, old in zip(shape, part.shape, strict=False)]
    return np.pad(part, widths + [(0, 0)] * (part.ndim - len(shape)))
