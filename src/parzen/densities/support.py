"""Boundary correction by reflection, and periodic columns: densities folded onto their support.

If Y has a density f on the whole line, ``fold(Y)`` (reflected at the ends of the support, or taken modulo the period)
has the density ``sum f(y)`` over all y that are folded onto x, the images of x. So a folded density integrates to one
whatever f is, and its draws are folded draws.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, ColumnError


@dataclass(frozen=True, eq=False)
class Support:
    """Bounds and periods of d columns.

    Attributes
    ----------
    low, high : arrays of shape (d,)
        Ends, infinite where there is none.
    periodic : array of shape (d,), bool
        Whether the column is periodic, its ends being the same value.

    Examples
    --------
    >>> import numpy as np
    >>> Support.of(1, bounds=(0.0, np.inf)).fold(np.array([[-0.5], [2.0]]))
    array([[0.5],
           [2. ]])
    """

    low: Array
    high: Array
    periodic: NDArray[np.bool_]

    @classmethod
    def of(cls, d: int, bounds: object = None, period: object = None) -> "Support | None":
        """Support of d columns from ``bounds`` and ``period`` as an estimator takes them; None for the whole space."""
        low, high, periodic = np.full(d, -np.inf), np.full(d, np.inf), np.zeros(d, dtype=bool)
        for j, pair in _given(d, bounds, "bounds", 2):
            low[j], high[j] = pair
            if not low[j] < high[j]:
                raise ColumnError(f"bounds of column {{column}} must be (low, high) with low < high, got {pair}.", j)
        for j, pair in _given(d, period, "period", 1):
            begin, length = pair if len(pair) == 2 else (0.0, pair[0])
            if not (np.isfinite(begin) and 0 < length < np.inf):
                raise ColumnError(f"period of column {{column}} must be a finite number above 0, got {pair[-1]}.", j)
            if np.isfinite(low[j]) or np.isfinite(high[j]):
                raise ColumnError("column {column} has both bounds and a period; give one of them.", j)
            low[j], high[j], periodic[j] = begin, begin + length, True
        return cls(low, high, periodic) if np.isfinite(low).any() or np.isfinite(high).any() else None

    def take(self, columns: Sequence[int]) -> "Support":
        """The support of some of the columns."""
        picked = list(columns)
        return Support(self.low[picked], self.high[picked], self.periodic[picked])

    def outside(self, X: Array) -> NDArray[np.bool_]:
        """Which rows lie outside in some column; nothing lies outside a periodic column."""
        away = ((self.low > X) | (self.high < X)) & ~self.periodic
        return np.asarray(away.any(axis=1), dtype=bool)

    def check(self, X: Array) -> None:
        """Raise where a training row lies outside."""
        for j in np.flatnonzero(~self.periodic):
            cells = X[:, j]
            bad = (cells < self.low[j]) | (cells > self.high[j])
            if bad.any():
                raise ColumnError(
                    f"bounds of column {{column}} are {self.low[j]:g} and {self.high[j]:g}, but it holds "
                    f"{cells[bad][0]:g}; widen the bounds, or leave out such rows.",
                    int(j),
                )

    def fold(self, X: Array) -> Array:
        """Rows moved into the support: reflected at its ends, or taken modulo the period."""
        X = np.array(X, dtype=np.float64)
        for j, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            x = X[:, j]
            if self.periodic[j]:
                X[:, j] = _within(low + np.mod(x - low, high - low), low, high)
            elif np.isfinite(low) and np.isfinite(high):
                length = high - low
                X[:, j] = _within(low + (length - np.abs(np.mod(x - low, 2 * length) - length)), low, high)
            elif np.isfinite(low):
                X[:, j] = np.where(x < low, 2 * low - x, x)
            elif np.isfinite(high):
                X[:, j] = np.where(x > high, 2 * high - x, x)
        return X

    def cut(self, X: Array) -> Array:
        """Rows in which periodic columns begin in their longest gap, so that no cluster is cut in two."""
        X = np.array(X)
        for j in np.flatnonzero(self.periodic):
            length = self.high[j] - self.low[j]
            ordered = np.sort(X[:, j])
            gaps = np.diff(ordered, append=ordered[0] + length)
            widest = int(np.argmax(gaps))
            X[:, j] = np.mod(X[:, j] - (ordered[widest] + 0.5 * gaps[widest]), length)
        return X

    def images(self, X: Array, reach: Array) -> Iterator[Array]:
        """Images of rows X in the support: all rows that are folded onto them, up to `reach` (d,) beyond it."""
        columns = [self.column_images(j, float(reach[j])) for j in range(len(self.low))]
        for combination in product(*columns):
            signs, shifts = (np.array(part) for part in zip(*combination, strict=True))
            yield signs * X + shifts

    def column_images(self, j: int, reach: float) -> list[tuple[float, float]]:
        """Pairs (sign, shift): sign * x + shift are the images of x."""
        low, high = float(self.low[j]), float(self.high[j])
        if not (np.isfinite(low) and np.isfinite(high)):
            ends = [end for end in (low, high) if np.isfinite(end)]
            return [(1.0, 0.0), *((-1.0, 2 * end) for end in ends)]
        step = high - low if self.periodic[j] else 2 * (high - low)
        # An image that lies further than `reach` from the support is left out.
        most = int(np.ceil((reach + high - low) / step))
        turns = step * np.arange(-most, most + 1)
        straight = [(1.0, float(turn)) for turn in turns]
        return straight if self.periodic[j] else straight + [(-1.0, float(2 * low + turn)) for turn in turns]


def _within(x: Array, low: float, high: float) -> Array:
    return np.clip(x, low, high)


def _given(d: int, value: object, name: str, size: int) -> Iterator[tuple[int, tuple[float, ...]]]:
    """Pairs (column, numbers) of a parameter: one for the only column, a list for all, or a dict from positions."""
    if value is None:
        return
    if isinstance(value, dict):
        items = list(value.items())
    elif d == 1 and not (isinstance(value, Sequence) and len(value) == 1 and np.ndim(value[0]) > 0):
        items = [(0, value)]
    else:
        plain = isinstance(value, Sequence | np.ndarray) and not any(np.ndim(one) for one in value)
        if not isinstance(value, Sequence | np.ndarray) or len(value) != d or (size == 2 and plain and any(value)):
            raise ValueError(
                f"{name} must be a list with one for each of {d} columns (None where there is none), or a dict from "
                f"columns, got {value!r}."
            )
        items = list(enumerate(value))
    for column, one in items:
        if one is None:
            continue
        if not isinstance(column, int | np.integer) or not 0 <= column < d:
            raise ValueError(f"{name} names the column {column!r}, but there are {d}, 0 to {d - 1}.")
        try:
            given = np.atleast_1d(np.asarray(one, object))
            numbers = tuple(float("nan") if x is None else float(x) for x in given)
            if any(x is not None and np.isnan(float(x)) for x in given):
                raise ValueError
        except (TypeError, ValueError):
            raise ColumnError(f"{name} of column {{column}} must be numbers, got {one!r}.", int(column)) from None
        if size == 2 and len(numbers) == 2:
            low, high = numbers
            yield int(column), (-np.inf if np.isnan(low) else low, np.inf if np.isnan(high) else high)
        elif size == 1 and len(numbers) in (1, 2):
            yield int(column), numbers
        else:
            expected = "(low, high)" if size == 2 else "a length, or (begin, length)"
            raise ColumnError(f"{name} of column {{column}} must be {expected}, got {one!r}.", int(column))
