"""A kernel density with several bandwidths."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.displays.grid import as_table, bin_count, column_name, evenly_spaced, numeric_columns
from parzen.estimators.density.kernel import KernelDensity
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class BandwidthDisplay:
    """The effect of the bandwidth: kernel densities of one column with several of them.

    Attributes
    ----------
    grid : array
    bandwidths : array
    densities : array of shape (bandwidths, grid)
    chosen : int
        Position of the estimator's own bandwidth.
    rows : array
    name : of the column
    truth : array over the grid, optional
        The true density.
    ax_ : matplotlib's axes

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import KernelDensity
    >>> from parzen.displays import BandwidthDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> display = BandwidthDisplay.from_estimator(KernelDensity(bandwidth="sj").fit(X), X, factors=(0.25, 1, 4))
    >>> (display.bandwidths / display.bandwidths[display.chosen]).tolist()
    [0.25, 1.0, 4.0]
    """

    grid: Array
    bandwidths: Array
    densities: Array
    chosen: int
    rows: Array
    name: str = "x"
    truth: Array | None = None
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: KernelDensity,
        X: Any,
        *,
        factors: Sequence[float] = (0.25, 0.5, 1, 2, 4),
        bandwidths: Sequence[float] | None = None,
        truth: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw a fitted `parzen.KernelDensity` of one column, with its bandwidth and with multiples of it.

        Parameters
        ----------
        factors : the multiples
        bandwidths : in the data's units, instead of multiples; the estimator's own is drawn as well
        truth : the true density, where it is known: a function of points (n,), or a distribution with `pdf`
        """
        check_is_fitted(estimator, "density_")
        X = as_table(X)
        if X.shape[1] != 1:
            raise ValueError(f"the effect of a bandwidth is drawn over one column, got {X.shape[1]}.")
        rows = numeric_columns(X, [0])[:, 0]
        rows = rows[~np.isnan(rows)]
        h = float(np.ravel(estimator.bandwidth_)[0])
        grid = evenly_spaced(rows, 400, 0.15)
        multiples = [float(factor) for factor in factors] if bandwidths is None else [one / h for one in bandwidths]
        if not all(0 < one < np.inf for one in multiples):
            raise ValueError(f"bandwidths must be above 0, got {list(factors if bandwidths is None else bandwidths)}.")
        multiples = sorted({*multiples, 1.0})
        options = estimator.get_params()
        densities = []
        for multiple in multiples:
            one = KernelDensity(**{**options, "bandwidth": h * multiple}).fit(rows[:, None])
            densities.append(np.exp(one.score_samples(grid[:, None])))
        chosen = multiples.index(1.0)
        known = None if truth is None else np.asarray(getattr(truth, "pdf", truth)(grid), dtype=np.float64)
        name = column_name(X, 0)
        return cls(grid, h * np.array(multiples), np.array(densities), chosen, rows, name, known).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax)
        ax.hist(self.rows, bins=bin_count(self.rows), density=True, color="0.92")
        for k, (h, density) in enumerate(zip(self.bandwidths, self.densities, strict=True)):
            own = k == self.chosen
            shade = COLOURS[1] if own else str(0.25 + 0.5 * k / max(len(self.bandwidths) - 1, 1))
            label = f"h = {h:.3g}" + (" (chosen)" if own else "")
            ax.plot(self.grid, density, color=shade, linewidth=2.0 if own else 1.0, label=label, zorder=3 if own else 2)
        if self.truth is not None:
            ax.plot(self.grid, self.truth, "--", color="black", linewidth=1.4, label="true density", zorder=4)
        ax.set_xlabel(plain(self.name))
        ax.set_ylabel("density")
        ax.set_ylim(0, 1.25 * self.densities[self.chosen :].max())
        ax.legend(frameon=False, fontsize=8)
        self.ax_ = opened(ax)
        return self
