"""Statistics: what a family remembers of its rows. They add.

Every field has the K groups on its leading axis. ``+`` is associative and commutative up to rounding, a statistic of no
rows adds nothing, ``decay * statistic`` forgets.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, replace
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from parzen.kernels.arrays import Array
from parzen.storage import Saving


class Statistic(Saving, ABC):
    """Weighted rows of K groups, remembered in arrays whose size does not grow with the rows."""

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...

    @abstractmethod
    def __rmul__(self, scale: float) -> Self: ...

    def __radd__(self, zero: Any) -> Self:
        if zero != 0:
            return NotImplemented
        return self

    @abstractmethod
    def pooled(self) -> Self:
        """The same rows without their groups: K = 1."""

    def canonical(self) -> Self:
        """The form in which statistics that say the same are the same."""
        return self

    def is_finite(self) -> bool:
        """Whether all its numbers are."""
        return all(bool(np.isfinite(part).all()) for part in arrays_of(self))

    def is_possible(self) -> bool:
        """Whether rows with weights may have it: differences of statistics need not."""
        return self.is_finite()


@dataclass(frozen=True)
class Sums(Statistic):
    """Weights and weighted totals of columns, for exponential families whose columns stand alone.

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
        _check_alike(self.totals, other.totals)
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


@dataclass(frozen=True)
class Counts(Statistic):
    """Weight of each category of each column.

    Adding counts of alphabets of different sizes is allowed: a category that one side never met has count zero there.

    Attributes
    ----------
    counts : array of shape (K, sum(sizes))
    sizes : tuple of int
        Categories of each column, whose slots follow one another in `counts`.
    """

    counts: Array
    sizes: tuple[int, ...] = field(metadata={"plain": True})

    def __add__(self, other: Self) -> Self:
        _check_alike(self.counts[:, :1], other.counts[:, :1])
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


@dataclass(frozen=True)
class Moments(Statistic):
    """Weight, mean and scatter about the mean: centred, so that no offset costs digits (Chan, Golub & LeVeque 1983).

    Attributes
    ----------
    weight : array of shape (K,), or (K, d) where each column counts its own rows
    mean : array of shape (K, d)
    scatter : array of shape (K, d, d), or (K, d) of columns that stand alone, or (1, d, d): within all groups together
    carry : array of shape (K, d)
        What rounding took from the mean. Without it, adding blocks at an offset of 1e8 would cost digits of scatter.
    cubic, quartic : arrays of shape (K, d, d), optional
        Sums of y_i^2 y_j and of y_i^2 y_j^2, y = x - mean, for shrinkage after Ledoit and Wolf.
    observed : Moments, optional
        Where the others are expected under a current density: those of the cells that were there, column by column.
    """

    weight: Array
    mean: Array
    scatter: Array
    carry: Array = field(metadata={"rounding": True})
    cubic: Array | None = None
    quartic: Array | None = None
    observed: "Moments | None" = None

    def __add__(self, other: Self) -> Self:
        _check_alike(self.mean, other.mean)
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight != 0)
        off = other._distance(self.mean, self.carry)
        mean, carry = _two_sum(self.mean, self.carry + _columns(share) * off)
        if self.cubic is not None:
            return self._about(mean, carry)._plus(other._about(mean, carry), weight)
        partly = self.observed is not None or other.observed is not None
        observed = self._cells() + other._cells() if partly else None
        between = self.weight * share
        mine, theirs = self.scatter, other.scatter
        if len(mine) != len(theirs):  # one is that within all groups together
            mine, theirs = _summed(mine), _summed(theirs)
        apart = between * off * off if between.ndim == 2 else _outer(between, off, mine)
        scatter = mine + theirs + apart
        return type(self)(weight, mean, scatter, carry, observed=observed)

    def __rmul__(self, scale: float) -> Self:
        parts = {
            name: None if part is None else scale * part
            for name, part in (("cubic", self.cubic), ("quartic", self.quartic), ("observed", self.observed))
        }
        return replace(self, weight=scale * self.weight, scatter=scale * self.scatter, **parts)  # type: ignore[arg-type]

    def pooled(self) -> Self:
        weight = _summed(self.weight)
        middle = self.mean[:1]  # any point among the data: differences to it keep their digits
        share = np.divide(self.weight, weight, out=np.zeros_like(self.weight), where=weight != 0)
        drift = _summed(_columns(share) * self._distance(middle, 0.0))
        mean, carry = _two_sum(middle, drift)
        observed = None if self.observed is None else self.observed.pooled()
        return replace(self._about(mean, carry).within(), mean=mean, carry=carry, observed=observed)

    def is_possible(self) -> bool:
        whole = self.weight.ndim == 1
        spread = np.diagonal(self.scatter, axis1=1, axis2=2) if whole else self.scatter
        if not self.is_finite() or not (self.weight > 0).all() or not (spread >= 0).all():
            return False
        if whole and np.linalg.eigvalsh(self.scatter).min() < 0:
            return False
        return self.observed is None or self.observed.is_possible()

    def within(self) -> Self:
        """One scatter for all: that of each group about its own mean, summed over the groups."""
        cubic, quartic = (None if part is None else _summed(part) for part in (self.cubic, self.quartic))
        return replace(self, weight=_summed(self.weight), scatter=_summed(self.scatter), cubic=cubic, quartic=quartic)

    def variances(self) -> Array:
        """Variance of each column, (K, d); zero where there is no weight."""
        scatter = self.scatter if self.weight.ndim == 2 else np.diagonal(self.scatter, axis1=1, axis2=2)
        weight = self.weight if len(scatter) == len(self.weight) else _summed(self.weight)
        weight = np.broadcast_to(_columns(weight), scatter.shape)
        return np.divide(scatter, weight, out=np.zeros(scatter.shape), where=weight != 0)

    def _cells(self) -> "Moments":
        """What was observed, column by column: all of it, where nothing was missing."""
        if self.observed is not None:
            return self.observed
        weight = np.repeat(self.weight[:, None], self.mean.shape[1], axis=1)
        scatter = np.diagonal(self.scatter, axis1=1, axis2=2)
        if len(scatter) != len(weight):  # every group's share of what is within all
            total = self.weight.sum()
            scatter = scatter * (self.weight / (total if total > 0 else 1.0))[:, None]
        return Moments(weight, self.mean, scatter, self.carry)

    def _distance(self, mean: Array, carry: Any) -> Array:
        """How far this mean lies from another one, beyond the rounding of either."""
        return (self.mean - mean) + (self.carry - carry)

    def _about(self, mean: Array, carry: Array) -> Self:
        """The same sums about another point, which then stands in the place of the mean."""
        shift = -self._distance(mean, carry)
        mean, carry = (np.broadcast_to(part, self.mean.shape) for part in (mean, carry))
        if self.weight.ndim == 2:
            return replace(self, mean=mean, carry=carry, scatter=self.scatter + self.weight * shift * shift)
        weight = self.weight[:, None, None]
        moved = replace(self, mean=mean, carry=carry, scatter=self.scatter + _outer(self.weight, shift, self.scatter))
        if self.cubic is None or self.quartic is None:
            return moved
        outer = shift[:, :, None] * shift[:, None, :]
        i, j = shift[:, :, None], shift[:, None, :]
        square = np.diagonal(self.scatter, axis1=1, axis2=2)
        across, down = square[:, :, None], square[:, None, :]
        cubic = self.cubic - j * across - 2 * i * self.scatter - weight * i**2 * j
        quartic = self.quartic - 2 * j * self.cubic - 2 * i * np.swapaxes(self.cubic, 1, 2)
        quartic = quartic + j**2 * across + i**2 * down + 4 * outer * self.scatter + weight * outer**2
        return replace(moved, cubic=cubic, quartic=quartic)

    def _plus(self, other: Self, weight: Array) -> Self:
        cubic, quartic = (
            None if mine is None or theirs is None else mine + theirs
            for mine, theirs in ((self.cubic, other.cubic), (self.quartic, other.quartic))
        )
        return replace(self, weight=weight, scatter=self.scatter + other.scatter, cubic=cubic, quartic=quartic)


@dataclass(frozen=True)
class Sample(Statistic):
    """The rows themselves, with their groups and weights: for densities that have no smaller statistic (kernels).

    Adding is putting together. Its size grows with the rows, and it says so by its name.

    Attributes
    ----------
    batches : tuple of (points (n, d), codes (n,), weights (n,))
        A row stands once for every group in which it weighs something. Codes may be None where all are 0, and weights
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
            _refuse((self.groups, self.width), (other.groups, other.width))
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


@dataclass(frozen=True)
class Extent(Statistic):
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
        _check_alike(self.low, other.low)
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
        return replace(self, weight=_summed(self.weight), low=low, high=high)


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
class Expected(Statistic):
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
        _check_alike(self.weight, other.weight)
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


def arrays_of(statistic: Any, rounding: bool = True) -> list[Array]:
    """All arrays of a statistic, in the order of its fields, through its parts.

    Without `rounding`, those are left out that say only what rounding lost, and differ wherever it does.
    """
    if isinstance(statistic, np.ndarray):
        return [statistic]
    if isinstance(statistic, tuple):
        return [array for part in statistic for array in arrays_of(part, rounding)]
    if not isinstance(statistic, Statistic):
        return []
    parts = [one for one in fields(statistic) if not one.metadata.get("plain")]  # type: ignore[arg-type]
    kept = [one for one in parts if rounding or not one.metadata.get("rounding")]
    return [array for one in kept for array in arrays_of(getattr(statistic, one.name), rounding)]


def _check_alike(mine: Array, theirs: Array) -> None:
    """Raise unless two statistics speak of as many groups and columns."""
    if mine.shape != theirs.shape:
        _refuse(mine.shape, theirs.shape)


def _refuse(mine: tuple[int, ...], theirs: tuple[int, ...]) -> NoReturn:
    raise ValueError(
        f"statistics of (groups, columns) {mine} and {theirs} don't add; give every batch the same columns, and the "
        "number of groups to its memberships: Labels(codes, groups=K)."
    )


def _columns(weight: Array) -> Array:
    return weight if weight.ndim == 2 else weight[:, None]


def _outer(weight: Array, off: Array, like: Array) -> Array:
    """Weight times off times off', of each group, or summed where the scatter is that of all together."""
    apart = weight[:, None, None] * off[:, :, None] * off[:, None, :]
    return apart if len(like) == len(weight) else _summed(apart)


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """A + b as a rounded sum and the rest that rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _summed(part: Array) -> Array:
    return part.sum(axis=0, keepdims=True)
