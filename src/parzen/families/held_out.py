"""Held-out log-densities of one column within its classes, under densities that it might have."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.held_out import held_bins, held_gaussian, held_shares
from parzen.compute.memberships import Labels
from parzen.families.family import Family
from parzen.families.sampling import drawn
from parzen.statistics.messages import without_floor_warnings

#: Folds of the cross-validation.
FOLDS = 4
#: Rows of each value or bin that a prior adds.
STRENGTH = 0.5


@dataclass(frozen=True)
class Cells:
    """Different cells of one column, with their classes and folds, sorted by value.

    Attributes
    ----------
    x : array of shape (n,)
    codes, folds : arrays of shape (n,) of int
    count : array of shape (n,)
        How many rows have such a cell.
    place : array of shape (rows,)
        The cell of each row.
    groups : int
        K, the number of classes.
    """

    x: Array
    codes: NDArray[np.int32]
    folds: NDArray[np.int32]
    count: Array
    place: NDArray[np.intp]
    groups: int

    @classmethod
    def of(cls, x: Array, codes: NDArray[np.int32], groups: int, most: int) -> "Cells":
        """Known cells that have a class, of at most so many rows, in random folds that share out every class."""
        rows = np.flatnonzero(np.isfinite(x) & (codes >= 0))
        some, order = drawn(len(rows), most)
        rows = rows[some]
        # Values in order first, so that the order of the rows does not matter; then at random, then by class.
        rows = rows[np.argsort(x[rows])]
        values = x[rows]
        new = np.append(True, values[1:] != values[:-1])[: len(values)]
        slots = np.sort((np.cumsum(new) - 1) * groups + codes[rows])[order]
        slots = slots[np.argsort(slots % groups, kind="stable")] * FOLDS + np.arange(len(rows)) % FOLDS
        count = np.bincount(slots)
        held = np.flatnonzero(count)
        position = np.empty(len(count), dtype=np.intp)
        position[held] = np.arange(len(held))
        own, folds = held // FOLDS, (held % FOLDS).astype(np.int32)
        return cls(
            values[new][own // groups],
            (own % groups).astype(np.int32),
            folds,
            count[held].astype(np.float64),
            position[slots],
            groups,
        )

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, some: NDArray[np.bool_]) -> "Cells":
        place = (np.cumsum(some) - 1)[self.place[some[self.place]]]
        parts = {name: getattr(self, name)[some] for name in ("x", "codes", "folds", "count")}
        return replace(self, **parts, place=place)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.place)

    @cached_property
    def values(self) -> tuple[Array, NDArray[np.intp], Array]:
        """Different values, in order; the position of each cell's among them; how many rows have each."""
        new = np.append(True, self.x[1:] != self.x[:-1])[: len(self.x)]
        rank = np.cumsum(new) - 1
        return self.x[new], rank, np.bincount(rank, weights=self.count).astype(np.float64)

    def memberships(self) -> Labels:
        """Memberships of the cells in the classes, each weighing as many rows as it has."""
        return Labels.sound(self.codes, self.count, self.groups)

    def resolution(self) -> float:
        """The least distance of two different cells, rounding aside: what values are recorded to."""
        gaps = np.diff(self.values[0])
        real = gaps[gaps > 1e-12 * np.abs(self.x).max()]
        return float(real.min()) if len(real) else 1.0

    def under(self, family: Family) -> Array:
        """Log-density of each cell under each class, (n, K), by a family that is fitted to the other folds."""
        values = np.empty((len(self), self.groups))
        for fold in range(FOLDS):
            out = self.folds == fold
            train = self[~out]
            with without_floor_warnings():
                density = family.maximise(family.observe(train.x[:, None], train.memberships()))
            values[out] = density.log_density(self.x[out, None])
        return values

    def under_gaussian(self, y: Array) -> Array:
        """Log-density of values y of the cells, (n, K), under Gaussians of the classes in the other folds.

        They are the predictive densities (Student t) of ``Gaussian("diag", estimate="bayes")`` with its default prior,
        from moments about the means of the classes.
        """
        return held_gaussian(y, self.codes, self.folds, self.count, self.groups, FOLDS)

    def under_bins(self, counts: Sequence[int]) -> Array:
        """Log-density of each cell under each class by histograms of bins of equal counts of the other folds.

        One array of shape (n, K) for each number of bins; the edges are those of `equal_bins`.
        """
        return held_bins(self.x, self.codes, self.folds, self.count, self.groups, FOLDS, counts, STRENGTH)

    def under_masses(self, atoms: NDArray[np.integer], size: int) -> Array:
        """Log-probability of each cell's point mass (the last: of being none of them) under each class, (n, K)."""
        slots = atoms.astype(np.int32)
        return held_shares(self.codes, self.folds, self.count, self.groups, FOLDS, slots, size, STRENGTH)


def equal_bins(x: Array, count: int, most: int) -> Array:
    """Edges of bins of about equal counts of sorted values, the outer ones open; fewer where values are repeated.

    Where too few values differ for as many bins, the number is doubled, up to `most`.
    """
    inner = np.unique(x[np.arange(1, count) * len(x) // count])
    if len(inner) < 2 and count < most:
        return equal_bins(x, 2 * count, most)
    if len(inner) < 2:
        inner = np.unique([x[0], *inner, x[-1]])
    return np.concatenate([[-np.inf], inner, [np.inf]])
