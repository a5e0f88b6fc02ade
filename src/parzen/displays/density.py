"""Densities of one column as a curve, of two as highest density regions."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from parzen.compute.arrays import Array
from parzen.displays.grid import (
    as_table,
    bin_count,
    column_name,
    column_positions,
    evenly_spaced,
    mesh_of,
    numeric_columns,
    table_of_columns,
)
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class DensityDisplay:
    """A density of one column as a curve, or of two as the regions of highest density with 50%, 80%, 95% of the rows.

    Attributes
    ----------
    grid : tuple of one or two arrays
    density : array over the grid
    rows : array of shape (n, 1) or (n, 2)
    levels : densities that 95%, 80% and 50% of the rows exceed
    names : of the columns
    ax_ : matplotlib's axes

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.integrate import trapezoid
    >>> from parzen import KernelDensity
    >>> from parzen.displays import DensityDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> display = DensityDisplay.from_estimator(KernelDensity(bandwidth="sj").fit(X), X)
    >>> bool(abs(trapezoid(display.density, display.grid[0]) - 1) < 0.01)
    True
    """

    grid: tuple[Array, ...]
    density: Array
    rows: Array
    levels: Array
    names: tuple[str, ...]
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, columns: Any = None, grid_resolution: int = 200, ax: Any = None
    ) -> Self:
        """Draw a fitted density over rows.

        Parameters
        ----------
        estimator : with `score_samples`, and `marginal` where some of several columns are chosen
        X : table
        columns : one or two names or positions, optional
            By default all columns, if there are at most two.
        grid_resolution : number of grid points in each direction
        """
        X = as_table(X)
        positions = column_positions(X, columns)
        if len(positions) < X.shape[1]:
            estimator = estimator.marginal(list(positions) if columns is None else columns)
        rows = numeric_columns(X, positions)
        known = rows[~np.isnan(rows).any(axis=1)]
        grid = tuple(evenly_spaced(known[:, j], grid_resolution) for j in range(len(positions)))
        density = np.exp(estimator.score_samples(table_of_columns(X, positions, mesh_of(grid))))
        own = np.exp(estimator.score_samples(table_of_columns(X, positions, known)))
        levels = np.unique(np.quantile(own, [0.05, 0.2, 0.5]))
        names = tuple(column_name(X, j) for j in positions)
        return cls(grid, density.reshape([len(axis) for axis in grid]), known, levels, names).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = self._curve(axes(ax)) if len(self.grid) == 1 else self._regions(axes(ax, (5.4, 4.6)))
        ax.set_xlabel(plain(self.names[0]))
        self.ax_ = opened(ax)
        return self

    def _curve(self, ax: Any) -> Any:
        ax.hist(self.rows[:, 0], bins=bin_count(self.rows[:, 0]), density=True, color="0.88")
        ax.plot(self.grid[0], self.density, color=COLOURS[0], linewidth=1.8)
        ax.set_ylabel("density")
        ax.set_ylim(bottom=0)
        return ax

    def _regions(self, ax: Any) -> Any:
        levels = [*self.levels, self.density.max() * 1.0001]
        if (np.diff(levels) > 0).all():  # else no grid point lies in the innermost region
            ax.contourf(*self.grid, self.density.T, levels=levels, cmap="Blues", extend="neither", alpha=0.85)
            ax.contour(*self.grid, self.density.T, levels=self.levels, colors="0.35", linewidths=0.7)
        step = max(len(self.rows) // 3000, 1)
        ax.plot(*self.rows[::step].T, ".", color="black", markersize=2, alpha=0.35)
        ax.set_ylabel(plain(self.names[1]))
        ax.set_title("highest density regions with 50%, 80% and 95% of the rows", fontsize=10)
        return ax
