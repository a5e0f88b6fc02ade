"""Decision regions of a classifier over two columns."""

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
from parzen.plotting import COLOURS, axes, opened, plain


@dataclass
class DecisionRegionDisplay:
    """The predicted class at each point of two columns, and its probability.

    The other columns are missing values for a classifier that takes them; for any other they have the median of the
    rows, or their most frequent category.

    Attributes
    ----------
    grid : two arrays
    predicted : array over the grid
        Position of the predicted class in `classes`.
    probability : array over the grid
        Its predicted probability.
    classes : array
    rows, codes : the rows, and the positions of their classes (-1 without a label)
    names : of the columns
    ax_ : matplotlib's axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from parzen import GaussianDiscriminant
    >>> from parzen.displays import DecisionRegionDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = DecisionRegionDisplay.from_estimator(GaussianDiscriminant().fit(X, y), X, y, columns=[2, 3])
    >>> sorted(set(display.predicted.ravel().tolist()))
    [0, 1, 2]
    """

    grid: tuple[Array, Array]
    predicted: NDArray[np.intp]
    probability: Array
    classes: NDArray[Any]
    rows: Array
    codes: NDArray[np.intp]
    names: tuple[str, ...]
    ax_: Any = field(default=None, repr=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike | None = None, *, columns: Any = None, grid_resolution: int = 160,
        ax: Any = None,
    ) -> Self:  # fmt: skip
        """Draw a fitted classifier over the rows of two columns.

        Parameters
        ----------
        estimator : with `predict_proba` and `classes_`
        X : table
        y : labels of the rows, optional
        columns : two names or positions; by default the first two of numbers
        grid_resolution : number of grid points in each direction
        """
        check_is_fitted(estimator)
        X = as_table(X)
        positions = numeric_positions(X)[:2] if columns is None else column_positions(X, columns)
        if len(positions) != 2:
            raise ValueError(
                f"decision regions are of two columns of numbers, got {positions if columns is None else columns!r}."
            )
        rows = numeric_columns(X, positions)
        known = ~np.isnan(rows).any(axis=1)
        first, second = (evenly_spaced(rows[known, j], grid_resolution, 0.06) for j in range(2))
        allow_nan = get_tags(estimator).input_tags.allow_nan
        posterior = np.asarray(
            estimator.predict_proba(complete_rows(X, positions, mesh_of((first, second)), missing=allow_nan))
        )
        shape = (len(first), len(second))
        predicted, probability = posterior.argmax(axis=1).reshape(shape), posterior.max(axis=1).reshape(shape)
        classes = np.asarray(estimator.classes_)
        codes = _codes(y, classes, len(rows))[known]
        names = tuple(column_name(X, j) for j in positions)
        return cls((first, second), predicted, probability, classes, rows[known], codes, names).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw, on axes that are given or new."""
        ax = axes(ax, (5.6, 4.6))
        extent = (self.grid[0][0], self.grid[0][-1], self.grid[1][0], self.grid[1][-1])
        image = np.swapaxes(self._image(), 0, 1)
        ax.imshow(image, origin="lower", extent=extent, aspect="auto", interpolation="bilinear")
        for k, name in enumerate(self.classes):
            region = (self.predicted == k).astype(float)
            if 0 < region.mean() < 1:
                ax.contour(*self.grid, region.T, levels=[0.5], colors="0.25", linewidths=0.8)
            rows = self.rows[self.codes == k]
            rows = rows[:: max(len(rows) // 1500, 1)]
            ax.plot(*rows.T, ".", color=COLOURS[k % len(COLOURS)], markersize=4, label=plain(name))
        ax.set(xlabel=plain(self.names[0]), ylabel=plain(self.names[1]), xlim=extent[:2], ylim=extent[2:])
        if (self.codes >= 0).any():
            ax.legend(frameon=True, framealpha=0.85, fontsize=8)
        self.ax_ = opened(ax)
        return self

    def _image(self) -> Array:
        """The colour of the predicted class at each point, stronger where its probability is larger."""
        from matplotlib.colors import to_rgb

        K = len(self.classes)
        palette = np.array([to_rgb(COLOURS[k % len(COLOURS)]) for k in range(K)])
        strength = (self.probability - 1 / K) / max(1 - 1 / K, 1e-12)
        shade = 0.08 + 0.37 * np.clip(strength, 0, 1)[:, :, None]
        return 1 - shade + shade * palette[self.predicted]


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
