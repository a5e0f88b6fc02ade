"""Kernel densities of rows that were summed into moments of cells: Gaussian kernels, one or two columns."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from parzen.compute.arrays import Array, as_floats
from parzen.densities.columns import chosen
from parzen.densities.density import Density
from parzen.densities.kept_rows import drawn_rows
from parzen.densities.patterns import write_over_patterns
from parzen.smoothing.summed_cells import TERMS, SummedCells
from parzen.statistics.cell_moments import CellMoments
from parzen.statistics.messages import caller_stacklevel


class PrecisionWarning(UserWarning):
    """A density is known less precisely than was asked for."""


@dataclass(frozen=True, eq=False)
class SummedKernelDensity(Density):
    """K densities of Gaussian kernels around rows of which moments of cells are kept.

    Attributes
    ----------
    statistic : CellMoments
        Of the rows in units of the bandwidth; every group has rows.
    factor : array of shape (d, d)
        Lower triangular F; F F' is the bandwidth matrix H.
    cell_width : float
        Width of a cell, in bandwidths.
    rtol, atol : bounds on the error of a density, relative and absolute
        Where the moments can't tell it that well, far from all rows, a warning says how well they can.
    """

    statistic: CellMoments
    factor: Array
    cell_width: float
    rtol: float = 1e-6
    atol: float = 0.0

    rows_at_once: ClassVar[int] = 2**20

    @property
    def shape(self) -> tuple[int, int]:
        return self.statistic.groups, self.statistic.width

    @property
    def independent_columns(self) -> bool:
        return self.shape[1] == 1

    @cached_property
    def _sums(self) -> tuple[SummedCells, ...]:
        return tuple(SummedCells(*self.statistic.of_group(k), self.cell_width) for k in range(self.shape[0]))

    @property
    def error_bound(self) -> float:
        """What is promised of the error, relative to a density."""
        return self.rtol

    def log_density(self, X: Any) -> Array:
        out = np.empty((len(X), self.shape[0]))
        write_over_patterns(self, np.asarray(as_floats(X, self.shape[1]), dtype=np.float64), out)
        return out

    def write_complete(self, X: Array, out: Array) -> None:
        d = self.shape[1]
        z = solve_triangular(self.factor, X.T, lower=True, check_finite=False).T
        constant = -0.5 * d * np.log(2.0 * np.pi) - np.log(np.diagonal(self.factor)).sum()
        for k, sums in enumerate(self._sums):
            logs, relative = sums.log(np.ascontiguousarray(z), self.rtol)
            out[:, k] = logs + (constant - np.log(sums.total))
            with np.errstate(over="ignore", invalid="ignore"):
                absolute = relative * np.exp(out[:, k])
            _warn(relative[~((relative <= self.rtol) | (absolute <= self.atol))], self.rtol)

    def expectation(self) -> Array:
        parts = (sums.means for sums in self._sums)
        return np.stack([self.factor @ np.average(means, axis=0, weights=weight) for means, _, weight in parts])

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        """One row for each label: within a cell by its mean and variance, which the kernel blurs."""
        d = self.shape[1]
        out = np.empty((len(labels), d))
        for k in np.unique(labels):
            rows = np.flatnonzero(labels == k)
            means, variance, weight = self._sums[int(k)].means
            drawn = drawn_rows(weight, len(rows), rng)
            noise = rng.standard_normal((len(rows), d)) * np.sqrt(1.0 + variance[drawn])
            out[rows] = (means[drawn] + noise) @ self.factor.T
        return out

    def marginal(self, columns: Sequence[int]) -> "SummedKernelDensity":
        d = self.shape[1]
        kept = chosen(d, columns)
        if list(kept) == list(range(d)):
            return self
        if (self.factor != np.diag(np.diagonal(self.factor))).any():
            raise TypeError(
                "the marginal of a kernel density of a source needs one bandwidth for each column, not a matrix; fit "
                "the columns apart."
            )
        cube = self.statistic.moments.reshape(-1, *(TERMS,) * d)
        if len(kept) == d:  # in another order
            cells, moments = self.statistic.cells[:, [0, 2, 1]], cube.transpose(0, 2, 1)
        else:
            cells = self.statistic.cells[:, [0, 1 + kept[0]]]
            moments = cube[:, :, 0] if kept[0] == 0 else cube[:, 0]
        own = CellMoments(
            np.ascontiguousarray(cells), np.ascontiguousarray(moments).reshape(len(cells), -1), self.shape[0], len(kept)
        ).canonical()
        return replace(self, statistic=own, factor=np.ascontiguousarray(self.factor[np.ix_(kept, kept)]))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Density:
        raise TypeError(
            "the conditional of a kernel density of a source is not offered: its rows are not kept; fit a table in "
            "memory."
        )


def _warn(relative: Array, rtol: float) -> None:
    if len(relative):
        worst = relative.max()
        known = f"to {worst:.1e} of itself" if np.isfinite(worst) else "to no digit"
        warnings.warn(
            f"{len(relative):,} rows lie so far from all that were fitted, or their numbers are so large next to the "
            f"bandwidth, that their density is known {known}, not to rtol={rtol:g}: moments of cells stand for rows "
            "of a source. Fit a table in memory where it matters.",
            PrecisionWarning,
            stacklevel=caller_stacklevel(),
        )
