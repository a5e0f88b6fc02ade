"""The density of a number column that fits it best within its classes, by held-out likelihood."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.held_out import GAUSSIAN, POWER, HeldCells, Rules
from parzen.compute.memberships import Labels, Memberships, group_count
from parzen.compute.steps import counted, mass_places
from parzen.conjugate import Dirichlet
from parzen.densities.power_transform import LARGEST
from parzen.families.chosen import Chosen
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.held_out import best_density, cells_of, different_values
from parzen.families.histogram import Histogram
from parzen.families.point_masses import PointMasses, frequent, spread
from parzen.families.power import MOST_ROWS as POWER_ROWS
from parzen.families.power import SCALES, TOLERANCE, codes_of, likeliest_power
from parzen.families.transformed import Transformed

#: Rows of each group that are needed for a choice, on average, and most rows in all that it looks at.
LEAST_ROWS, MOST_ROWS = 30, 3000
#: Numbers of bins that are tried, with at least three rows each.
BINS = np.array([4, 8, 16, 32, 64], dtype=np.int64)
#: Shares of the cells, and numbers of rows, that make a value a point mass.
MASSES = np.array([[0.05, 10], [0.005, 20]])
#: Rows of each value or bin that a prior adds.
STRENGTH = 0.5
#: By how much a family must be better than the usual one: standard errors, and nats a row.
ERRORS, NATS = 2.0, 0.01
RULES = Rules(BINS, MASSES, STRENGTH, LEAST_ROWS, SCALES, LARGEST, TOLERANCE)


def choose_family(x: Array, R: Memberships, usual: Family) -> Family:
    """The family of a column x (n,) that is likeliest on held-out rows within groups R; `usual` where none is better.

    Candidates are the usual family, a Gaussian, a power-transformed one, histograms of bins of equal counts, and, where
    values are repeated, each of these with point masses. They are compared by cross-validation:

    1. Those that predict the class from the column alone clearly worse than another one are left out, by the held-out
       log-probability of the class: a histogram of many bins may well have the shape that all classes share, and be
       too noisy to tell them apart.
    2. Of the others, the held-out log-likelihoods within the classes are compared, as probabilities of values as they
       are recorded: a density's is its height times the column's resolution, the least distance of two values; a point
       mass has one of its own. Of those within a standard error of the best one, the simplest is taken.
    3. It must be better than the usual family by two standard errors and 0.01 nats a row.

    Weights don't count here: what a column looks like is a matter of its rows. Where there is one group only, its
    density is not compared with another but read as it is, smooth and in units that a probability doesn't have: the
    usual family stays.
    """
    K = group_count(R)
    if K == 1:
        return usual
    codes = codes_of(R, len(x))
    cells = cells_of(x, codes, K, MOST_ROWS, RULES)
    if len(cells.place) < LEAST_ROWS * K or not cells.x[-1] > cells.x[0]:
        return usual
    with np.errstate(all="ignore"):
        found = best_density(cells, None if isinstance(usual, Gaussian) else usual, POWER_ROWS, RULES)
    if found.best == 0 or not (found.gain > ERRORS * found.error and found.gain > NATS):
        return usual
    family = _Made(x, Labels.sound(codes, None, K), cells).family(found.level, found.density)
    return Chosen(family, found.gain, found.error, type(usual).__name__)


class _Made:
    """Families of a column, learnt from all of its rows; `cells` are those that the choice looked at."""

    def __init__(self, x: Array, R: Memberships, cells: HeldCells) -> None:
        self.x, self.R, self.cells = x, R, cells

    @cached_property
    def values(self) -> tuple[Array, NDArray[np.int64]]:
        """Different values, rising, and how many cells have each."""
        return counted(self.x)

    def family(self, level: int, density: int) -> Family:
        """The family of a density, with point masses by the rule of a level, where it has one."""
        if level == 0:
            return self._density(density, None)
        values, count = self.values
        at = values[frequent(count, *MASSES[level - 1])]
        if not len(at):
            seen, rows = different_values(self.cells)
            at = seen[frequent(rows, *MASSES[level - 1])]
        others = ~np.isin(values, at)
        return PointMasses(self._density(density, others), at, STRENGTH, spread(values, count, others))

    def _density(self, density: int, others: NDArray[np.bool_] | None) -> Family:
        """The family of those values that are no point masses (None: there are none)."""
        if density == GAUSSIAN:
            return _gaussian()
        if density == POWER:
            rest = self.x if others is None else mass_places(self.x, self.values[0][~others])[1]
            return Transformed(_gaussian(), *likeliest_power(rest, self.R).arrays())
        values, count = self.values
        if others is not None:
            values, count = values[others], count[others]
        return Histogram([equal_bins(values, count, density, int(BINS[-1]))], prior=Dirichlet(STRENGTH))


def equal_bins(values: Array, count: NDArray[np.int64], bins: int, most: int) -> Array:
    """Edges of bins of about equal counts of rows that have rising values, the outer ones open.

    They are fewer where values are repeated; where too few values differ, their number is doubled, up to `most`.
    """
    upto = np.cumsum(count)
    inner = np.unique(values[np.searchsorted(upto, np.arange(1, bins) * upto[-1] // bins, side="right")])
    if len(inner) < 2 and bins < most:
        return equal_bins(values, count, 2 * bins, most)
    if len(inner) < 2:
        inner = np.unique([values[0], *inner, values[-1]])
    return np.concatenate([[-np.inf], inner, [np.inf]])


def _gaussian() -> Family:
    return Gaussian("diag", estimate="bayes")
