"""The density of a number column that fits it best within its classes, by held-out likelihood."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships, group_count
from parzen.compute.posterior import normalise
from parzen.compute.power import power_forward
from parzen.compute.steps import counted, mass_places
from parzen.conjugate import Dirichlet
from parzen.densities.power_transform import LARGEST
from parzen.families.chosen import Chosen
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.held_out import STRENGTH, Cells, equal_bins
from parzen.families.histogram import Histogram
from parzen.families.point_masses import PointMasses, frequent, frequent_values
from parzen.families.power import codes_and_weights, likeliest_power
from parzen.families.transformed import Transformed

#: Rows of each group that are needed for a choice, on average, and most rows in all that it looks at.
LEAST_ROWS, MOST_ROWS = 30, 3000
#: Numbers of bins that are tried, with at least three rows each.
BINS = (4, 8, 16, 32, 64)
#: Shares of the cells, and numbers of rows, that make a value a point mass.
MASSES = ((0.05, 10), (0.005, 20))
#: By how much a family must be better than the usual one: standard errors, and nats a row.
ERRORS, NATS = 2.0, 0.01


@dataclass(frozen=True)
class Candidate:
    """A family that a column might have.

    Attributes
    ----------
    values : array of shape (n, K)
        Held-out log-density of each cell under each class, to the column's resolution.
    make : function of the column and the memberships of its rows that gives the family
    """

    values: Array
    make: Callable[[Array, Memberships], Family]


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
    R = Labels.sound(codes_and_weights(R, len(x))[0], None, K)
    cells = Cells.of(x, R.codes, K, MOST_ROWS)
    if K == 1 or cells.rows < LEAST_ROWS * K or not np.ptp(cells.x) > 0:
        return usual
    with np.errstate(all="ignore"):
        found = _candidates(cells, usual)
        values, codes, w = np.stack([one.values for one in found]), cells.codes, cells.count
        log_prior = np.log(np.bincount(codes, weights=w, minlength=K))
        scores = np.minimum(_of_own_class(values, codes), 0.0)
        best = _near_best(scores, w, _near_best(_log_posterior(values, codes, log_prior), w, range(len(found))))[0]
        gain, error = (float(one[0]) for one in _means_and_errors(scores[[best]] - scores[0], w))
    if best == 0 or not gain > max(ERRORS * error, NATS):
        return usual
    return Chosen(found[best].make(x, R), gain, error, type(usual).__name__)


def _candidates(cells: Cells, usual: Family) -> list[Candidate]:
    """The usual family, and others from simple to flexible."""
    log_unit = np.log(cells.resolution())
    found = [Candidate(cells.under(usual), lambda x, R: usual)] if not isinstance(usual, Gaussian) else []
    found += _densities(cells, log_unit)
    tried: list[int] = []
    for share, rows in MASSES:
        values, _, count = cells.values
        at = values[frequent(count, share, rows)]
        if len(at) and len(at) not in tried:
            tried.append(len(at))
            found += _with_masses(cells, at, share, rows, log_unit)
    return found


def _densities(cells: Cells, log_unit: float) -> list[Candidate]:
    """Gaussian, power-transformed Gaussian, histograms."""
    found = [Candidate(cells.under_gaussian(cells.x) + log_unit, lambda x, R: _gaussian())]
    if not np.ptp(cells.x) > 0:
        return found
    found_power = likeliest_power(cells.x, Labels.sound(cells.codes, None, cells.groups), place=cells.place)
    power, location, scale = (float(part[0]) for part in found_power.arrays())
    slopes = np.empty(len(cells))
    transformed = power_forward(cells.x, power, location, scale, LARGEST, slopes)
    found.append(Candidate(cells.under_gaussian(transformed) + (slopes[:, None] + log_unit), _transformed))
    counts = [count for count in BINS if 3 * count <= cells.rows]
    for count, values in zip(counts, cells.under_bins(counts) if counts else (), strict=True):
        found.append(Candidate(values + log_unit, partial(_histogram, count)))
    return found


def _with_masses(cells: Cells, at: Array, share: float, rows: int, log_unit: float) -> list[Candidate]:
    """Point masses, and densities of all other values."""
    atoms = mass_places(cells.x, at)[0]
    masses, others = cells.under_masses(atoms, len(at) + 1), atoms == len(at)
    rest = cells[others]

    def made(make: Callable[[Array, Memberships], Family]) -> Callable[[Array, Memberships], Family]:
        def family(x: Array, R: Memberships) -> Family:
            values = frequent_values(x, share, rows)
            values = values if len(values) else at
            return PointMasses(make(mass_places(x, values)[1], R), values, STRENGTH)

        return family

    if not others.any():
        return [Candidate(masses, made(lambda x, R: _gaussian()))]
    densities = _densities(rest, log_unit)
    found = []
    for one in densities if rest.rows >= LEAST_ROWS else densities[:1]:
        values = masses.copy()
        values[others] += one.values
        found.append(Candidate(values, made(one.make)))
    return found


def _of_own_class(values: Array, codes: NDArray[np.int32]) -> Array:
    """What each cell has under its own class, (candidates, n), of (candidates, n, K)."""
    return values[:, np.arange(len(codes)), codes]


def _log_posterior(values: Array, codes: NDArray[np.int32], log_prior: Array) -> Array:
    """Log-probability of each cell's class, (candidates, n), from log-densities."""
    joint, sums = values.copy(), np.empty(values.shape[:2])
    normalise(joint.reshape(-1, values.shape[2]), log_prior, "sums", sums.reshape(-1))
    return _of_own_class(joint, codes) - sums


def _near_best(scores: Array, w: Array, among: Sequence[int]) -> list[int]:
    """Those of some candidates whose mean score is within a standard error of the best one, in order."""
    means = scores @ w
    known = [at for at in among if np.isfinite(means[at])]
    if not known:
        return [0]
    short, errors = _means_and_errors(scores[max(known, key=lambda at: float(means[at]))] - scores[known], w)
    return [at for at, near in zip(known, short <= errors, strict=True) if near] or [0]


def _means_and_errors(values: Array, w: Array) -> tuple[Array, Array]:
    """Means of rows of values, of which there are w each, and their standard errors."""
    n = w.sum()
    means = values @ w / n
    return means, np.sqrt((values - means[:, None]) ** 2 @ w / n / n)


def _gaussian() -> Family:
    return Gaussian("diag", estimate="bayes")


def _transformed(x: Array, R: Memberships) -> Family:
    return Transformed(_gaussian(), *likeliest_power(x, R).arrays())


def _histogram(count: int, x: Array, R: Memberships) -> Family:
    return Histogram([equal_bins(np.repeat(*counted(x)), count, BINS[-1])], prior=Dirichlet(STRENGTH))
