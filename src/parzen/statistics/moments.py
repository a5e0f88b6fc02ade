"""Weights, means and scatter about the mean."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.statistics.statistic import Statistic, check_alike, summed


@dataclass(frozen=True)
class Moments(Statistic):
    """Weight, mean and scatter about the mean: centred, so that no offset costs digits (Chan, Golub & LeVeque 1983).

    Attributes
    ----------
    weight : array of shape (K,), or (K, d) where each column counts its own rows
    mean : array of shape (K, d)
    scatter : array of shape (K, d, d), or (K, d) of independent columns, or (1, d, d): within all groups together
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
        if not isinstance(other, Moments):  # those of rows with missing cells know how to add these
            return NotImplemented
        check_alike(self.mean, other.mean)
        weight = self.weight + other.weight
        share = np.divide(other.weight, weight, out=np.zeros_like(weight), where=weight != 0)
        off = other._distance(self.mean, self.carry)
        mean, carry = two_sum(self.mean, self.carry + _columns(share) * off)
        if self.cubic is not None:
            return self._about(mean, carry)._plus(other._about(mean, carry), weight)
        partly = self.observed is not None or other.observed is not None
        observed = self._cells() + other._cells() if partly else None
        between = self.weight * share
        mine, theirs = self.scatter, other.scatter
        if len(mine) != len(theirs):  # one is that within all groups together
            mine, theirs = summed(mine), summed(theirs)
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
        weight = summed(self.weight)
        middle = self.mean[:1]  # any point among the data: differences to it keep their digits
        share = np.divide(self.weight, weight, out=np.zeros_like(self.weight), where=weight != 0)
        drift = summed(_columns(share) * self._distance(middle, 0.0))
        mean, carry = two_sum(middle, drift)
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
        cubic, quartic = (None if part is None else summed(part) for part in (self.cubic, self.quartic))
        return replace(self, weight=summed(self.weight), scatter=summed(self.scatter), cubic=cubic, quartic=quartic)

    def variances(self) -> Array:
        """Variance of each column, (K, d); zero where there is no weight."""
        scatter = self.scatter if self.weight.ndim == 2 else np.diagonal(self.scatter, axis1=1, axis2=2)
        weight = self.weight if len(scatter) == len(self.weight) else summed(self.weight)
        weight = _columns(weight)
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
        """The same sums about another point instead of the mean."""
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


def _columns(weight: Array) -> Array:
    return weight if weight.ndim == 2 else weight[:, None]


def _outer(weight: Array, off: Array, like: Array) -> Array:
    """Weight times off times off', of each group, or summed where the scatter is that of all together."""
    apart = weight[:, None, None] * off[:, :, None] * off[:, None, :]
    return apart if len(like) == len(weight) else summed(apart)


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """A + b as a rounded sum and the rest that rounding lost (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)
