"""Pictures of densities, mixtures, bandwidths and regions, in the style of scikit-learn's displays."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.displays.grid import (
    as_table,
    bin_count,
    held,
    is_number,
    label_of,
    name_of,
    numbers_of,
    places_of,
    rows_like,
    spaced,
)
from parzen.estimators.classify.comparison import LearningComparison, compare_learning
from parzen.estimators.density.kernel import KernelDensity
from parzen.estimators.mixture.pictures import draw_components
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class DensityDisplay:
    """A density of one column as a curve over its rows, or of two as regions that hold 50%, 80% and 95% of them.

    Attributes
    ----------
    grid : tuple of one or two arrays
    density : array over the grid
    rows : array of shape (n, 1) or (n, 2)
    levels : densities that 95%, 80% and 50% of the rows are above
    names : what the columns are called
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
    def from_estimator(cls, estimator: Any, X: Any, *, columns: Any = None, size: int = 200, ax: Any = None) -> Self:
        """Draw a fitted density over the rows that it is of.

        Parameters
        ----------
        estimator : with `score_samples`, and `marginal` where some of several columns are asked for
        X : table
        columns : one or two names or positions, optional
            By default all columns, if there are at most two.
        size : how many places the grid has in each direction
        """
        X = as_table(X)
        places = places_of(X, columns)
        if len(places) < X.shape[1]:
            estimator = estimator.marginal(list(places) if columns is None else columns)
        rows = numbers_of(X, places)
        known = rows[~np.isnan(rows).any(axis=1)]
        grid = tuple(spaced(known[:, j], size) for j in range(len(places)))
        mesh = np.stack([axis.ravel() for axis in np.meshgrid(*grid, indexing="ij")], axis=1)
        density = np.exp(estimator.score_samples(rows_like(X, places, mesh)))
        own = np.exp(estimator.score_samples(rows_like(X, places, known)))
        levels = np.unique(np.quantile(own, [0.05, 0.2, 0.5]))
        names = tuple(name_of(X, place) for place in places)
        return cls(grid, density.reshape([len(axis) for axis in grid]), known, levels, names).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        if len(self.grid) == 1:
            ax = axes(ax)
            ax.hist(self.rows[:, 0], bins=bin_count(self.rows[:, 0]), density=True, color="0.88")
            ax.plot(self.grid[0], self.density, color=COLOURS[0], linewidth=1.8)
            ax.set_ylabel("density")
            ax.set_ylim(bottom=0)
        else:
            ax = axes(ax, (5.4, 4.6))
            levels = [*self.levels, self.density.max() * 1.0001]
            if (np.diff(levels) > 0).all():  # else the grid has missed where the rows lie
                ax.contourf(*self.grid, self.density.T, levels=levels, cmap="Blues", extend="neither", alpha=0.85)
                ax.contour(*self.grid, self.density.T, levels=self.levels, colors="0.35", linewidths=0.7)
            step = max(len(self.rows) // 3000, 1)
            ax.plot(*self.rows[::step].T, ".", color="black", markersize=2, alpha=0.35)
            ax.set_ylabel(plain(self.names[1]))
            ax.set_title("regions that hold 50%, 80% and 95% of the rows", fontsize=10)
        ax.set_xlabel(plain(self.names[0]))
        self.ax_ = opened(ax)
        return self


@dataclass
class DecisionRegionDisplay:
    """Which class is likeliest at each place of two columns, and how sure that is.

    A classifier that takes missing cells knows nothing of the other columns; for any other they are held at the median
    of the rows, or at their commonest category.

    Attributes
    ----------
    grid : two arrays
    winner : array over the grid
        Position of the likeliest class.
    sure : array over the grid
        Its probability.
    classes : array
    rows, codes : the rows, and the positions of their classes (-1 without)
    names : what the columns are called
    ax_ : matplotlib's axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianDiscriminant
    >>> from parzen.displays import DecisionRegionDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(X, y), X, y, columns=[2, 3])
    >>> sorted(set(display.winner.ravel().tolist()))
    [0, 1, 2]
    """

    grid: tuple[Array, Array]
    winner: NDArray[np.intp]
    sure: Array
    classes: NDArray[Any]
    rows: Array
    codes: NDArray[np.intp]
    names: tuple[str, ...]
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike | None = None, *, columns: Any = None, size: int = 160, ax: Any = None
    ) -> Self:
        """Draw a fitted classifier over the rows of two columns.

        Parameters
        ----------
        estimator : with `predict_proba` and `classes_`
        X : table
        y : labels of the rows, optional
        columns : two names or positions; by default the first two of numbers
        """
        check_is_fitted(estimator)
        X = as_table(X)
        if columns is None:
            numeric = [place for place in range(X.shape[1]) if is_number(X, place)]
            columns = [label_of(X, place) for place in numeric[:2]]
        places = places_of(X, columns)
        if len(places) != 2:
            raise ValueError(f"regions are of two columns of numbers, got {columns!r}.")
        rows = numbers_of(X, places)
        seen = ~np.isnan(rows).any(axis=1)
        grid = (spaced(rows[seen, 0], size, 0.06), spaced(rows[seen, 1], size, 0.06))
        mesh = np.stack([axis.ravel() for axis in np.meshgrid(*grid, indexing="ij")], axis=1)
        table = held(X, places, mesh, missing=get_tags(estimator).input_tags.allow_nan)
        posterior = np.asarray(estimator.predict_proba(table))
        classes = np.asarray(estimator.classes_)
        codes = np.full(len(rows), -1)
        if y is not None:
            labels = np.asarray(y)
            if labels.shape != (len(rows),):
                raise ValueError(f"y must be {len(rows)} labels, one for each row, got shape {labels.shape}.")
            for code, name in enumerate(classes):
                codes[labels == name] = code
        shape = (size, size)
        names = tuple(name_of(X, place) for place in places)
        winner, sure = posterior.argmax(axis=1).reshape(shape), posterior.max(axis=1).reshape(shape)
        return cls(grid, winner, sure, classes, rows[seen], codes[seen], names).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        from matplotlib.colors import to_rgb

        ax = axes(ax, (5.6, 4.6))
        K = len(self.classes)
        palette = np.array([to_rgb(COLOURS[k % len(COLOURS)]) for k in range(K)])
        strength = (self.sure - 1 / K) / max(1 - 1 / K, 1e-12)
        shade = 0.08 + 0.37 * np.clip(strength, 0, 1)[:, :, None]
        image = 1 - shade + shade * palette[self.winner]
        low, high = ([axis[0] for axis in self.grid], [axis[-1] for axis in self.grid])
        extent = (low[0], high[0], low[1], high[1])
        ax.imshow(np.swapaxes(image, 0, 1), origin="lower", extent=extent, aspect="auto", interpolation="bilinear")
        for k in range(K):
            own = (self.winner == k).astype(float)
            if 0 < own.mean() < 1:
                ax.contour(*self.grid, own.T, levels=[0.5], colors="0.25", linewidths=0.8)
            rows = self.rows[self.codes == k]
            rows = rows[:: max(len(rows) // 1500, 1)]
            ax.plot(*rows.T, ".", color=COLOURS[k % len(COLOURS)], markersize=4, label=plain(self.classes[k]))
        ax.set(xlabel=plain(self.names[0]), ylabel=plain(self.names[1]), xlim=extent[:2], ylim=extent[2:])
        if (self.codes >= 0).any():
            ax.legend(frameon=True, framealpha=0.85, fontsize=8)
        self.ax_ = opened(ax)
        return self


@dataclass
class MixtureDisplay:
    """Components of a Gaussian mixture: ellipses over two columns, or curves over one.

    Attributes
    ----------
    model : the fitted mixture
    X : its rows, optional
    columns : one or two of them
    ax_ : matplotlib's axes

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import GaussianMixture
    >>> from parzen.displays import MixtureDisplay
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) + np.repeat([[0.0], [6.0]], 100, axis=0)
    >>> display = MixtureDisplay.from_estimator(GaussianMixture(2, random_state=0).fit(X), X)
    >>> display.ax_.get_title()
    'components: number and weight; one and two deviations'
    """

    model: Any
    X: Any = field(default=None, repr=False)
    columns: Any = None
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, columns: Any = None, ax: Any = None) -> Self:
        """Draw a fitted `parzen.GaussianMixture`."""
        return cls(estimator, X, columns).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        self.ax_ = draw_components(self.model, self.X, self.columns, ax)
        return self


@dataclass
class BandwidthDisplay:
    """What the bandwidth does: the density of one column by several of them.

    Attributes
    ----------
    grid : array
    bandwidths : array
    densities : array of shape (bandwidths, grid)
    chosen : int
        Which of them the rule has chosen.
    rows : array
    name : what the column is called
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
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: KernelDensity, X: Any, *, factors: Sequence[float] = (0.25, 0.5, 1, 2, 4), ax: Any = None
    ) -> Self:
        """Draw a fitted `parzen.KernelDensity` of one column, and what it would be with other bandwidths.

        Parameters
        ----------
        factors : by how much the bandwidth is multiplied
        """
        check_is_fitted(estimator, "density_")
        X = as_table(X)
        if X.shape[1] != 1:
            raise ValueError(f"the effect of a bandwidth is drawn over one column, got {X.shape[1]}.")
        rows = numbers_of(X, [0])[:, 0]
        rows = rows[~np.isnan(rows)]
        h = float(np.ravel(estimator.bandwidth_)[0])
        grid = spaced(rows, 400, 0.15)
        sizes = sorted({*(float(factor) for factor in factors), 1.0})
        options = {**estimator.get_params(), "bandwidth": h}
        curves = []
        for size in sizes:
            one = KernelDensity(**{**options, "bandwidth": h * size}).fit(rows[:, None])
            curves.append(np.exp(one.score_samples(grid[:, None])))
        return cls(grid, h * np.array(sizes), np.array(curves), sizes.index(1.0), rows, name_of(X, 0)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax)
        ax.hist(self.rows, bins=bin_count(self.rows), density=True, color="0.92")
        for k, (h, density) in enumerate(zip(self.bandwidths, self.densities, strict=True)):
            own = k == self.chosen
            shade = COLOURS[1] if own else str(0.25 + 0.5 * k / max(len(self.bandwidths) - 1, 1))
            label = f"h = {h:.3g}" + (" (chosen)" if own else "")
            ax.plot(self.grid, density, color=shade, linewidth=2.0 if own else 1.0, label=label, zorder=3 if own else 2)
        ax.set_xlabel(plain(self.name))
        ax.set_ylabel("density")
        ax.set_ylim(0, 1.25 * self.densities[self.chosen :].max())
        ax.legend(frameon=False, fontsize=8)
        self.ax_ = opened(ax)
        return self


@dataclass
class LearningCurveDisplay:
    """Error and log loss of two classifiers over the number of rows that they learn from.

    Attributes
    ----------
    comparison : LearningComparison
    ax_ : two of matplotlib's axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianNB, LogisticRegression
    >>> from parzen.displays import LearningCurveDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = LearningCurveDisplay.from_estimators(
    ...     GaussianNB(), LogisticRegression(), X, y, sizes=[10, 90], repeats=3, random_state=0)
    >>> display.comparison.names
    ('GaussianNB', 'LogisticRegression')
    """

    comparison: LearningComparison
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimators(
        cls, generative: Any, discriminative: Any, X: Any, y: ArrayLike, *, ax: Any = None, **options: Any
    ) -> Self:
        """Learn with both from ever more rows, and draw; options are those of `parzen.compare_learning`."""
        return cls(compare_learning(generative, discriminative, X, y, **options)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on two axes that are given or new."""
        self.ax_ = self.comparison.plot(ax)
        return self
