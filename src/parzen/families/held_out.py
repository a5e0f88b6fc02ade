"""Cells of one column in folds, and how densities of it within its classes are compared by cross-validation."""

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.held_out import Found, HeldCells, Rules, held_cells, held_choice, known_rows
from parzen.compute.memberships import Labels
from parzen.families.family import Family
from parzen.families.sampling import drawn
from parzen.statistics.messages import without_floor_warnings

#: Folds of the cross-validation.
FOLDS = 4


def cells_of(x: Array, codes: NDArray[np.int32], groups: int, most: int, rules: Rules) -> HeldCells:
    """Known cells that have a class, of at most so many rows, in random folds that share out every class."""
    known = known_rows(x, codes)
    return held_cells(x, codes, groups, known, *drawn(known, most), FOLDS, rules.masses)


def best_density(cells: HeldCells, usual: Family | None, power_rows: int, rules: Rules) -> Found:
    """The best density by cross-validation, against a usual family's, or against a Gaussian.

    Power transforms are learnt from so many rows at most.
    """
    rows = [drawn(count, power_rows)[0] for count in (len(cells.place), *cells.others.tolist())]
    return held_choice(cells, None if usual is None else _held_out(cells, usual), rows, rules)


def _held_out(cells: HeldCells, family: Family) -> Array:
    """Log-density of each cell under each class, (n, K), by a family that is fitted to the other folds."""
    values = np.empty((len(cells.x), cells.groups))
    for fold in range(cells.parts):
        out, kept = cells.folds == fold, cells.folds != fold
        R = Labels.sound(cells.codes[kept], cells.count[kept], cells.groups)
        with without_floor_warnings():
            density = family.maximise(family.observe(cells.x[kept, None], R))
        values[out] = density.log_density(cells.x[out, None])
    return values


def different_values(cells: HeldCells) -> tuple[Array, Array]:
    """Different values, in order, and how many rows have each."""
    new = np.append(True, cells.x[1:] != cells.x[:-1])
    return cells.x[new], np.add.reduceat(cells.count, np.flatnonzero(new))
