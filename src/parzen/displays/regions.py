"""Decision regions of a classifier over one or two columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.displays.grid import (
    as_table,
    column_name,
    column_positions,
    complete_rows,
    evenly_spaced,
    mesh_of,
    numeric_columns,
    numeric_positions,
)
from parzen.plotting import COLOURS, axes, axes_above, opened, plain


@dataclass
class DecisionRegionDisplay:
    """The predicted class at each point of one or two columns, and the posterior probabilities.

    Of one column, a curve for each class (its prior times its density, where the classifier has one), the posterior
    probabilities below it, and the roots between them: the points at which the prediction changes. Of two columns, the
    regions, the boundaries between them (of two classes the line P = 1/2) and contours of the probability.

    The other columns are missing values for a classifier that takes them; for any other they have the median of the
    rows, or their most frequent category.

    Attributes
    ----------
    grid : one or two arrays
    posterior : array over the grid, and the classes last
        Predicted probabilities.
    classes : array
    rows, codes : the rows, and the positions of their classes (-1 without a label)
    names : of the columns
    joint : array of shape (grid, classes), or None
        Of one column: class priors times class-conditional densities; None for a classifier without `score_samples`.
    roots : array
        Of one column: where the predicted class changes, in order.
    levels : probabilities of the predicted class at which contours are drawn
    ax_ : matplotlib's axes, of one column one or two of them

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianDiscriminant
    >>> from parzen.displays import DecisionRegionDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(X, y), X, y, columns=[2, 3])
    >>> sorted(set(display.predicted.ravel().tolist()))
    [0, 1, 2]
    >>> length = X[:, [2]]
    >>> DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(length, y), length, y).roots.round(2)
    array([2.25, 4.89])
    """

    grid: tuple[Array, ...]
    posterior: Array
    classes: NDArray[Any]
    rows: Array
    codes: NDArray[np.intp]
    names: tuple[str, ...]
    joint: Array | None = None
    roots: Array = field(default_factory=lambda: np.empty(0))
    levels: Sequence[float] = (0.75, 0.9)
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike | None = None, *, columns: Any = None, grid_resolution: int = 160,
        levels: Sequence[float] = (0.75, 0.9), ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw a fitted classifier over the rows of one or two columns.

        Parameters
        ----------
        estimator : with `predict_proba` and `classes_`
        X : table
        y : labels of the rows, optional
        columns : one or two names or positions; by default the first two of numbers, or the only one
        grid_resolution : number of grid points in each direction; of one column, four times as many
        levels : probabilities of the predicted class at which contours are drawn over two columns
        ax : matplotlib's axes; of one column two, for the densities and for the probabilities
        """
        check_is_fitted(estimator)
        X = as_table(X)
        positions = numeric_positions(X)[:2] if columns is None else column_positions(X, columns)
        if not positions:
            raise ValueError("decision regions are of one or two columns of numbers, and X has none.")
        rows = numeric_columns(X, positions)
        known = ~np.isnan(rows).any(axis=1)
        resolution = 4 * grid_resolution if len(positions) == 1 else grid_resolution
        grid = tuple(evenly_spaced(rows[known, j], resolution, 0.06) for j in range(len(positions)))
        allow_nan = get_tags(estimator).input_tags.allow_nan

        def table(points: Array) -> Any:
            return complete_rows(X, positions, points, missing=allow_nan)

        mesh = table(mesh_of(grid))
        posterior = np.asarray(estimator.predict_proba(mesh))
        joint, roots = None, np.empty(0)
        if len(positions) == 1:
            density = getattr(estimator, "score_samples", None)
            joint = None if density is None else np.exp(density(mesh))[:, None] * posterior
            roots = _roots(grid[0], posterior, lambda x: np.asarray(estimator.predict_proba(table(x[:, None]))))
        posterior = posterior.reshape(*(len(axis) for axis in grid), -1)
        classes = np.asarray(estimator.classes_)
        codes = _codes(y, classes, len(rows))[known]
        names = tuple(column_name(X, j) for j in positions)
        return cls(grid, posterior, classes, rows[known], codes, names, joint, roots, levels).plot(ax)

    @property
    def predicted(self) -> NDArray[np.intp]:
        """Position in `classes` of the predicted class, over the grid."""
        return self.posterior.argmax(axis=-1)

    @property
    def probability(self) -> Array:
        """Predicted probability of the predicted class, over the grid."""
        highest: Array = self.posterior.max(axis=-1)
        return highest

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        self.ax_ = self._curves(ax) if len(self.grid) == 1 else opened(self._regions(axes(ax, (5.6, 4.6))))
        return self

    def _curves(self, ax: Any) -> Any:
        """Of one column: densities of the classes, posterior probabilities below, roots."""
        wanted = 1 if self.joint is None else 2
        panels = np.atleast_1d(axes_above(wanted) if ax is None else ax)
        if len(panels) != wanted:
            need = "one axis, of the probabilities" if wanted == 1 else "two axes, of the densities and probabilities"
            raise ValueError(f"ax must be {need}; got {len(panels)}.")
        x = self.grid[0]
        for k, name in enumerate(self.classes):
            colour, rows = COLOURS[k % len(COLOURS)], self.rows[self.codes == k, 0]
            if self.joint is not None:
                panels[0].plot(x, self.joint[:, k], color=colour, linewidth=1.6)
            panels[-1].plot(x, self.posterior[:, k], color=colour, linewidth=1.6, label=plain(name))
            step = max(len(rows) // 500, 1)
            height = (-0.03 if wanted == 2 else 0.08) - 0.06 * k / len(self.classes)  # a line of ticks for each class
            panels[0].plot(rows[::step], np.full(len(rows[::step]), height), "|", color=colour, markersize=4,
                           alpha=0.6, transform=panels[0].get_xaxis_transform(), clip_on=False)  # fmt: skip
        panels[-1].axhline(0.5, color="0.6", linewidth=0.8)
        low = -0.02 if wanted == 2 else -0.14
        panels[-1].set(xlabel=plain(self.names[0]), ylabel="posterior probability", ylim=(low, 1.02))
        panels[0].set_xlim(x[0], x[-1])
        if self.joint is not None:
            panels[0].set(ylabel="prior times density", ylim=(0, None))
            panels[0].tick_params(axis="x", labelbottom=False, length=0)
        for panel in panels:
            opened(panel)
            for root in self.roots:
                panel.axvline(root, color="0.4", linestyle="--", linewidth=0.9)
        panels[-1].legend(frameon=True, framealpha=0.85, fontsize=8)
        return panels if self.joint is not None else panels[0]

    def _regions(self, ax: Any) -> Any:
        """Of two columns: regions, boundaries, contours of the probability, rows."""
        extent = (self.grid[0][0], self.grid[0][-1], self.grid[1][0], self.grid[1][-1])
        image = np.swapaxes(self._image(), 0, 1)
        ax.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="bilinear")
        for k, name in enumerate(self.classes):
            own = self.posterior[..., k]
            for level in self.levels:
                if own.min() < level < own.max():
                    lines = ax.contour(*self.grid, own.T, levels=[level], colors="0.45", linewidths=0.5)
                    ax.clabel(lines, fmt=f"{level:g}", fontsize=6)
            excess = own - np.delete(self.posterior, k, axis=-1).max(axis=-1, initial=0.0)
            if excess.min() < 0 < excess.max() and (k > 0 or len(self.classes) > 2):  # two classes share one boundary
                ax.contour(*self.grid, excess.T, levels=[0.0], colors="0.15", linewidths=1.2)
            rows = self.rows[self.codes == k]
            rows = rows[:: max(len(rows) // 1500, 1)]
            ax.plot(*rows.T, ".", color=COLOURS[k % len(COLOURS)], markersize=4, label=plain(name))
        ax.set(xlabel=plain(self.names[0]), ylabel=plain(self.names[1]), xlim=extent[:2], ylim=extent[2:])
        if (self.codes >= 0).any():
            ax.legend(frameon=True, framealpha=0.85, fontsize=8)
        return ax

    def _image(self) -> Array:
        """The colour of the predicted class at each point, stronger where its probability is larger."""
        from matplotlib.colors import to_rgb

        K = len(self.classes)
        palette = np.array([to_rgb(COLOURS[k % len(COLOURS)]) for k in range(K)])
        strength = (self.probability - 1 / K) / max(1 - 1 / K, 1e-12)
        shade = 0.08 + 0.37 * np.clip(strength, 0, 1)[:, :, None]
        return 1 - shade + shade * palette[self.predicted]


def _roots(x: Array, posterior: Array, predict_proba: Callable[[Array], Array]) -> Array:
    """Where the predicted class changes between points of a grid, by bisection."""
    predicted = posterior.argmax(axis=1)
    change = np.flatnonzero(np.diff(predicted))
    if not len(change):
        return np.empty(0)
    low, high, before = x[change], x[change + 1], predicted[change]
    for _ in range(45):
        middle = 0.5 * (low + high)
        same = predict_proba(middle).argmax(axis=1) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return 0.5 * (low + high)


def _codes(y: ArrayLike | None, classes: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Position of each label among the classes, -1 where there is none."""
    codes = np.full(n, -1)
    if y is None:
        return codes
    labels = np.asarray(y)
    if labels.shape != (n,):
        raise ValueError(f"y must be {n} labels, one for each row, got shape {labels.shape}.")
    for code, name in enumerate(classes):
        codes[labels == name] = code
    return codes
