"""Densities of one column within its classes, compared by cross-validation, compiled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parzen.compute import native
from parzen.compute.arrays import Array

Codes = NDArray[np.int32]
Rows = NDArray[np.int64]
#: Densities of a column: Gaussian, power-transformed Gaussian; a larger number is that of a histogram's bins.
GAUSSIAN, POWER = 0, 1


@dataclass(frozen=True)
class Rules:
    """What densities a column might have.

    Attributes
    ----------
    bins : array of int64, rising
        Numbers of bins of histograms.
    masses : array of shape (levels, 2)
        Shares of the rows, and numbers of rows, that make a value a point mass: one of these rules for a candidate.
    strength : float
        Rows of each value or bin that a prior adds.
    least_rows : int
        Rows that any density but a Gaussian needs.
    scales, largest, tolerance : how a power transform is sought, see `likeliest_power`
    """

    bins: Rows
    masses: Array
    strength: float
    least_rows: int
    scales: Array
    largest: float
    tolerance: float


@dataclass(frozen=True)
class Found:
    """Densities that a column might have, and the best of them.

    Attributes
    ----------
    level, density : int
        Of the best one: which rule makes values point masses (0: none, 1: the first), and what the others have.
    gain, error : float
        Its mean held-out log-density of a row above that of the first candidate, and the standard error.
    best : int
        Which candidate it is.
    candidates : array of shape (count, 4)
        Level, density (-1: the usual one), means of the held-out log-density and of the log-probability of the class.
    """

    level: int
    density: int
    gain: float
    error: float
    best: int
    candidates: Array


@dataclass(frozen=True)
class HeldCells:
    """Different cells of some rows of a column, sorted by value, class and fold.

    Attributes
    ----------
    x, codes, folds, count : arrays of shape (n,)
        Their values, classes and folds, and how many rows have each.
    place : array of shape (rows,)
        The cell of each row.
    others : array of shape (levels,)
        How many rows are no point masses by each rule.
    groups, parts : int
        Numbers of classes and of folds.
    """

    x: Array
    codes: Codes
    folds: Codes
    count: Array
    place: Rows
    others: Rows
    groups: int
    parts: int


def known_rows(x: Array, codes: Codes) -> int:
    """How many rows have a finite cell x and a class (a code of at least 0)."""
    return native.call("known_rows_f64", *native.column(x), native.pointer(codes, native.I32, (len(x),), "codes"))


def held_cells(
    x: Array, codes: Codes, groups: int, known: int, some: Rows, order: Rows, parts: int, masses: Array
) -> HeldCells:
    """The different cells of some rows of a column, in folds.

    Rows go to folds in turn, class by class, in an order of the rows by value: the folds don't depend on the table's.

    Parameters
    ----------
    x, codes : arrays of shape (n,); codes lie below `groups`
    known : number of rows that are known (`known_rows`)
    some : which of those rows
    order : a permutation of as many
    parts : number of folds
    masses : see `Rules`
    """
    m, levels = len(some), len(masses)
    marks = [np.empty(m, dtype=np.int32) for _ in range(2)]
    values, count, place, others = np.empty(m), np.empty(m), np.empty(m, np.int64), np.empty(levels, np.int64)
    n = native.call(
        "held_cells_f64",
        *native.column(x),
        native.pointer(codes, native.I32, (len(x),), "codes"),
        groups,
        known,
        native.pointer(some, native.I64, (m,), "some"),
        native.pointer(order, native.I64, (m,), "order"),
        m,
        parts,
        native.pointer(masses, native.F64, (levels, 2), "masses"),
        levels,
        *native.outputs(values, *marks, count, place, others),
    )
    return HeldCells(values[:n], marks[0][:n], marks[1][:n], count[:n], place, others, groups, parts)


def held_choice(cells: HeldCells, usual: Array | None, drawn: Sequence[Rows], rules: Rules) -> Found:
    """The best density of a column, of those that the rules name, by cross-validation.

    Parameters
    ----------
    usual : array of shape (n, K), if there is one
        Log-probabilities of the cells by another density, the first candidate; where there is none, that is a Gaussian.
    drawn : arrays of int64, for the rows, and for those rows that are no point masses by each rule
        Of which of these a power transform is learnt.
    """
    n, bins, masses, scales = len(cells.x), rules.bins, rules.masses, rules.scales
    rows, ends = np.concatenate(drawn), np.cumsum([0, *map(len, drawn)])
    candidates, found = np.empty((1 + (len(masses) + 1) * (2 + len(bins)), 4)), np.empty(3)
    size = native.call(
        "held_choice_f64",
        *native.outputs(cells.x, cells.codes, cells.folds, cells.count),
        n,
        cells.groups,
        cells.parts,
        None if usual is None else native.pointer(usual, native.F64, (n, cells.groups), "usual"),
        *native.outputs(cells.place),
        len(cells.place),
        *native.outputs(rows, ends),
        native.pointer(bins, native.I64, (len(bins),), "bins"),
        len(bins),
        native.pointer(masses, native.F64, (len(masses), 2), "masses"),
        len(masses),
        rules.strength,
        rules.least_rows,
        native.pointer(scales, native.F64, (len(scales),), "scales"),
        len(scales),
        rules.largest,
        rules.tolerance,
        *native.outputs(candidates, found),
    )
    best, (gain, error) = int(found[0]), found[1:].tolist()
    level, density = map(int, candidates[best, :2])
    return Found(level, density, gain, error, best, candidates[:size])
