"""Held-out log-densities of one column within its classes, under densities that it might have."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.histogram import bin_of, log_height
from parzen.densities.point_masses import atom_of
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
    folds: NDArray[np.int64]
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
        return cls(x[rows], codes[rows], np.arange(len(rows)) % FOLDS, groups)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, rows: NDArray[np.bool_]) -> "Cells":
        return replace(self, x=self.x[rows], codes=self.codes[rows], folds=self.folds[rows])

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
        slots, shape = self.codes * FOLDS + self.folds, (self.groups, FOLDS)
        rows = np.bincount(slots, minlength=self.groups * FOLDS).reshape(shape)
        total = np.bincount(self.codes, weights=y, minlength=self.groups)
        middle = float(y.mean())
        mean = np.where(rows.any(axis=1), total / np.maximum(rows.sum(axis=1), 1), middle)
        off = y - mean[self.codes]
        first, second = (
            np.bincount(slots, weights=part, minlength=self.groups * FOLDS).reshape(shape) for part in (off, off * off)
        )
        others = rows.sum(axis=1, keepdims=True) - rows  # in the other folds; so are the centre and the scatter
        centre = np.where(others > 0, -first / np.maximum(others, 1), (middle - mean)[:, None])
        scatter = np.maximum(second.sum(axis=1, keepdims=True) - second - others * centre**2, 0.0)
        dof = others + 3.0
        unit = float(y.var()) / self.groups**2
        scale = np.sqrt((scatter + unit) / dof * (1.0 + 1.0 / (others + 0.01)))
        constant = special.gammaln(0.5 * (dof + 1)) - special.gammaln(0.5 * dof) - 0.5 * np.log(np.pi * dof)
        constant, scale, centre, dof = (
            part.T[self.folds] for part in (constant - np.log(scale), scale, centre + mean[:, None], dof)
        )
        return constant - 0.5 * (dof + 1) * np.log1p(((y[:, None] - centre) / scale) ** 2 / dof)

    def under_bins(self, counts: Sequence[int]) -> list[Array]:
        """Log-density of each cell under each class by histograms of bins of equal counts of the other folds.

        One array of shape (n, K) for each number of bins, of which the last is a multiple of all others: the edges of
        few bins are among those of many, and cells are looked up once.
        """
        found = [np.empty((len(self), self.groups)) for _ in counts]
        order = np.argsort(self.x)
        for fold in range(FOLDS):
            out = self.folds == fold
            train = self.x[order[~out[order]]]
            fine = equal_bins(train, counts[-1], counts[-1])
            bins = bin_of(self.x, fine)
            x = self.x[out]
            counted = self._counts(bins, len(fine) - 1, ~out)
            for values, count in zip(found, counts, strict=True):
                edges = equal_bins(train, count, counts[-1])
                first = np.searchsorted(fine, edges[:-1])  # the first fine bin of each
                own = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(fine) - 1)))[bins[out]]
                shares = _log_shares(np.add.reduceat(counted, first, axis=1))
                values[out] = shares.T[own] + log_height(x, edges, own)[:, None]
        return found

    def under_masses(self, at: Array) -> Array:
        """Log-probability of each cell's point mass (or of being none of them) under each class, (n, K)."""
        atoms = atom_of(self.x, at)
        values = np.empty((len(self), self.groups))
        for fold in range(FOLDS):
            out = self.folds == fold
            values[out] = _log_shares(self._counts(atoms, len(at) + 1, ~out)).T[atoms[out]]
        return values

    def _counts(self, slots: NDArray[np.int64], count: int, rows: NDArray[np.bool_]) -> NDArray[np.int64]:
        """How many of some rows are in each slot, of each class, (K, count)."""
        place = self.codes[rows] * count + slots[rows]
        return np.bincount(place, minlength=self.groups * count).reshape(self.groups, count)


def _log_shares(counts: NDArray[np.int64]) -> Array:
    raised = counts + STRENGTH
    return np.log(raised / raised.sum(axis=1, keepdims=True))


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
