"""Moments of rows with missing cells, apart by which of their cells are there."""

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.statistics.messages import NeedsDensity
from parzen.statistics.moments import Moments
from parzen.statistics.statistic import Statistic, refuse

#: Most numbers that are kept: 32 MiB of them.
MOST = 2**22


@dataclass(frozen=True)
class PatternMoments(Statistic):
    """Moments of rows with missing cells: those of each pattern of cells that are there, over these cells.

    Under a Gaussian they are all that matters of the rows, whatever its parameters: the expected moments of complete
    rows under any current density follow from them (Little & Rubin 2002, chapter 11). So they add, and EM runs over
    patterns instead of rows. Rows without missing cells are one more pattern. Their size grows with the number of
    patterns, at most 2^d; with more than `MOST` numbers they are refused (`NeedsDensity`).

    Attributes
    ----------
    there : array of bool of shape (P, d)
        Which columns the rows of each pattern have; in ascending order.
    weight : array of shape (K, P)
    mean : array of shape (K, P, d)
        Zero, as are the next two, in the columns that are missing.
    scatter : array of shape (K, P, d, d)
    carry : array of shape (K, P, d)
        What rounding took from the mean.
    """

    there: NDArray[np.bool_]
    weight: Array
    mean: Array
    scatter: Array
    carry: Array = field(metadata={"rounding": True})

    @classmethod
    def of(cls, there: NDArray[np.bool_], flat: Moments) -> "PatternMoments":
        """From moments of K x P groups over all columns, of K groups for each pattern."""
        P, d = there.shape
        K = len(flat.weight) // P
        return cls(
            there,
            flat.weight.reshape(K, P),
            flat.mean.reshape(K, P, d),
            flat.scatter.reshape(K, P, d, d),
            flat.carry.reshape(K, P, d),
        )

    def __add__(self, other: Self | Moments) -> Self:
        theirs = _of_complete_rows(other) if isinstance(other, Moments) else other
        mine, given = (len(self.weight), self.there.shape[1]), (len(theirs.weight), theirs.there.shape[1])
        if mine != given:
            refuse(mine, given)
        there = np.unique(np.concatenate([self.there, theirs.there]), axis=0)
        check_size(len(self.weight), *there.shape)
        sums: Any = self._over(there).flat() + theirs._over(there).flat()
        return replace(self, **vars(PatternMoments.of(there, sums)))

    def __radd__(self, other: Any) -> Self:
        return self + other if isinstance(other, Moments) else super().__radd__(other)

    def __rmul__(self, scale: float) -> Self:
        return replace(self, weight=scale * self.weight, scatter=scale * self.scatter)

    def pooled(self) -> Self:
        groups = (self.group(k) for k in range(len(self.weight)))
        return reduce(lambda one, other: one + other, groups)

    def canonical(self) -> Self:
        """Without patterns that no row with weight has."""
        kept = (self.weight > 0).any(axis=0)
        parts = {name: getattr(self, name)[:, kept] for name in ("weight", "mean", "scatter", "carry")}
        return replace(self, there=self.there[kept], **parts)

    def is_possible(self) -> bool:
        spread = np.diagonal(self.scatter, axis1=2, axis2=3)
        return self.is_finite() and bool((self.weight >= 0).all() and (spread >= 0).all())

    def group(self, k: int) -> Self:
        """One group alone: K = 1."""
        parts = {name: getattr(self, name)[k : k + 1] for name in ("weight", "mean", "scatter", "carry")}
        return replace(self, **parts)

    def flat(self) -> Moments:
        """Moments of K x P groups, over all columns."""
        K, P, d = self.mean.shape
        mean, carry = (part.reshape(K * P, d) for part in (self.mean, self.carry))
        return Moments(self.weight.reshape(K * P), mean, self.scatter.reshape(K * P, d, d), carry)

    def cells(self) -> Moments:
        """Moments of the cells that are there, column by column."""
        weight = np.where(self.there, self.weight[:, :, None], 0.0)
        first = (weight > 0).argmax(axis=1)[:, None]
        among = np.take_along_axis(self.mean, first, axis=1)  # a point among the data, where a pattern has none
        mean = np.where(weight > 0, self.mean, among)
        scatter = np.diagonal(self.scatter, axis1=2, axis2=3)
        groups = zip(weight, mean, scatter, self.carry, strict=True)
        return side_by_side([Moments(*parts).pooled() for parts in groups])

    def as_rows(self) -> "PatternRows":
        """Few weighted rows with the same patterns, and the same moments of each."""
        K, _, d = self.mean.shape
        observed = self.cells()
        centre = observed.pooled().mean
        off = np.where(self.there, (self.mean - centre) + self.carry, np.nan)
        rows, codes, weights = [], [], []
        for k, p in np.argwhere(self.weight > 0):
            own, seen = self.scatter[k, p], np.flatnonzero(self.there[p])
            steps = _deviations(own[np.ix_(seen, seen)] / self.weight[k, p])
            some = np.repeat(off[k, p][None], len(steps), axis=0)
            some[:, seen] += steps
            rows.append(some)
            codes.append(np.full(len(some), k))
            weights.append(np.full(len(some), self.weight[k, p] / len(some)))
        labels = Labels(np.concatenate([np.empty(0, int), *codes]), np.concatenate([np.empty(0), *weights]), groups=K)
        return PatternRows(np.concatenate([np.empty((0, d)), *rows]), labels, centre, observed)

    def _over(self, there: NDArray[np.bool_]) -> Self:
        """The same over more patterns: those that it lacks have no weight."""
        if len(there) == len(self.there):
            return self
        place = {row.tobytes(): p for p, row in enumerate(there)}
        at = [place[row.tobytes()] for row in self.there]
        parts = {}
        for name in ("weight", "mean", "scatter", "carry"):
            own = getattr(self, name)
            parts[name] = np.zeros((len(own), len(there), *own.shape[2:]))
            parts[name][:, at] = own
        return replace(self, there=there, **parts)


@dataclass(frozen=True)
class PatternRows:
    """Rows that stand for others, since they have the same moments in each pattern of missing cells.

    Attributes
    ----------
    rows : array of shape (m, d), less the centre
    labels : group and weight of each
    centre : array of shape (1, d)
        The mean of all cells.
    observed : Moments of the cells that are there, column by column
    """

    rows: Array
    labels: Labels
    centre: Array
    observed: Moments


def _deviations(covariance: Array) -> Array:
    """Points of mean zero and this covariance: a pair on each principal axis; one at zero where there is none."""
    values, vectors = np.linalg.eigh(covariance) if covariance.any() else (np.zeros(0), covariance)
    kept = values > 8 * np.finfo(np.float64).eps * values.max(initial=0.0)
    axes = np.sqrt(values[kept] * kept.sum())[:, None] * vectors[:, kept].T if kept.any() else np.zeros((0, 0))
    return np.concatenate([axes, -axes]) if len(axes) else np.zeros((1, len(covariance)))


def side_by_side(groups: list[Moments]) -> Moments:
    """Moments of several groups, from those of each."""
    names = ("weight", "mean", "scatter", "carry")
    weight, mean, scatter, carry = (np.concatenate([getattr(one, name) for one in groups]) for name in names)
    return Moments(weight, mean, scatter, carry)


def _of_complete_rows(seen: Moments) -> PatternMoments:
    if seen.weight.ndim != 1 or len(seen.scatter) != len(seen.weight) or seen.observed is not None:
        raise ValueError(
            "moments of missing cells that were expected under a density, or of columns apart, don't add to moments by "
            "patterns; fit on all rows together."
        )
    d = seen.mean.shape[1]
    return PatternMoments.of(np.ones((1, d), dtype=bool), seen)


def check_size(K: int, P: int, d: int) -> None:
    """Raise where moments of so many patterns of missing cells are too many numbers to keep."""
    if K * P * d * d > MOST:
        raise NeedsDensity(
            f"X has {P:,} patterns of missing cells in {d} columns and {K} groups, whose moments would be more than "
            f"{MOST:,} numbers; fit on all rows together, or use covariance_type='diag'."
        )
