"""Statistics: what a family remembers of its rows. They add.

Every field has the K groups on its leading axis. ``+`` is associative and commutative up to rounding, a statistic of no
rows adds nothing, ``decay * statistic`` forgets.
"""

from abc import ABC, abstractmethod
from dataclasses import fields
from functools import cache
from typing import Any, NoReturn, Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.storage.files import SaveMixin


class Statistic(SaveMixin, ABC):
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
        """The form in which equivalent statistics are equal."""
        return self

    def is_finite(self) -> bool:
        """Whether all its numbers are."""
        return all(bool(np.isfinite(part).all()) for part in arrays_of(self))

    def is_possible(self) -> bool:
        """Whether rows with weights may have it: differences of statistics need not."""
        return self.is_finite()


def arrays_of(statistic: Any, rounding: bool = True) -> list[Array]:
    """All arrays of a statistic, in the order of its fields, through its parts.

    Without `rounding`, those are left out that hold rounding errors, which differ with the order of additions.
    """
    if isinstance(statistic, np.ndarray):
        return [statistic]
    if isinstance(statistic, tuple):
        return [array for part in statistic for array in arrays_of(part, rounding)]
    if not isinstance(statistic, Statistic):
        return []
    names = _names_of_arrays(type(statistic), rounding)
    return [array for name in names for array in arrays_of(getattr(statistic, name), rounding)]


@cache
def _names_of_arrays(kind: type[Statistic], rounding: bool) -> list[str]:
    """Fields that hold arrays, or statistics."""
    parts = [one for one in fields(kind) if not one.metadata.get("plain")]  # type: ignore[arg-type]
    return [one.name for one in parts if rounding or not one.metadata.get("rounding")]


def check_alike(mine: Array, theirs: Array) -> None:
    """Raise unless two statistics speak of as many groups and columns."""
    if mine.shape != theirs.shape:
        refuse(mine.shape, theirs.shape)


def refuse(mine: tuple[int, ...], theirs: tuple[int, ...]) -> NoReturn:
    """Raise because two statistics have different groups or columns."""
    raise ValueError(
        f"statistics of (groups, columns) {mine} and {theirs} don't add; give every batch the same columns, and the "
        "number of groups to its memberships: Labels(codes, groups=K)."
    )


def summed(part: Array) -> Array:
    """The sum over the groups, as one group."""
    return part.sum(axis=0, keepdims=True)
