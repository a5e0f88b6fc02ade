"""Held-out log-densities of one column within its classes, under densities that it might have."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.held_out import held_bins, held_gaussian, held_shares
from parzen.compute.memberships import Labels
from parzen.families.family import Family
from parzen.statistics.messages import without_floor_warnings

#: Folds of the cross-validation.
FOLDS = 4
#: Rows of each value or bin that a prior adds.
STRENGTH = 0.5


@dataclass(frozen=True)
class Cells:
    """Known cells of one column, with their classes and folds.

    Attributes
    ----------
    x : array of shape (n,)
    codes, folds : arrays of shape (n,) of int
    groups : int
        K, the number of classes.
    """

    x: Array
    codes: NDArray[np.int32]
    folds: NDArray[np.int32]
    groups: int

    @classmethod
    def of(cls, x: Array, codes: NDArray[np.int32], groups: int, most: int) -> "Cells":
        """Cells that are there and have a class, at most so many, in random folds that share out every class."""
        rng = np.random.default_rng(0)
        rows = np.flatnonzero(np.isfinite(x) & (codes >= 0))
        if len(rows) > most:
            rows = rng.choice(rows, most, replace=False)
        # Values in order first, so that the order of the rows does not matter; then at random.
        rows = rng.permutation(rows[np.lexsort((codes[rows], x[rows]))])
        rows = rows[np.argsort(codes[rows], kind="stable")]
        return cls(x[rows], codes[rows], np.arange(len(rows), dtype=np.int32) % FOLDS, groups)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, rows: NDArray[np.bool_]) -> "Cells":
        return replace(self, x=self.x[rows], codes=self.codes[rows], folds=self.folds[rows])

    def different(self) -> tuple[NDArray[np.intp], Array]:
        """One of each set of cells that are alike in value, class and fold, and how many there are of it."""
        rank = np.unique(self.x, return_inverse=True)[1]
        slots = (rank * self.groups + self.codes) * FOLDS + self.folds
        count = np.bincount(slots)
        some = np.zeros(len(count), dtype=np.intp)
        some[slots] = np.arange(len(slots))
        return some[count > 0], count[count > 0].astype(np.float64)

    def memberships(self) -> Labels:
        """Memberships in the classes."""
        return Labels.sound(self.codes, None, self.groups)

    def resolution(self) -> float:
        """The least distance of two different cells, rounding aside: what values are recorded to."""
        gaps = np.diff(np.unique(self.x))
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
        return held_gaussian(y, self.codes, self.folds, self.groups, FOLDS)

    def under_bins(self, counts: Sequence[int]) -> Array:
        """Log-density of each cell under each class by histograms of bins of equal counts of the other folds.

        One array of shape (n, K) for each number of bins; the edges are those of `equal_bins`.
        """
        return held_bins(self.x, self.codes, self.folds, self.groups, FOLDS, counts, STRENGTH)

    def under_masses(self, atoms: NDArray[np.integer], size: int) -> Array:
        """Log-probability of each cell's point mass (the last: of being none of them) under each class, (n, K)."""
        slots = atoms.astype(np.int32)
        return held_shares(self.codes, self.folds, self.groups, FOLDS, slots, size, STRENGTH)


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
