"""Histograms as density estimators."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.conjugate import Dirichlet
from parzen.densities.histogram import BinDensity, tail_length
from parzen.estimators.density.univariate import UnivariateMixin
from parzen.families.family import Family
from parzen.families.histogram import Histogram


class HistogramDensity(UnivariateMixin):
    """Histogram density of one to three columns; more where there are rows enough to fill their boxes.

    Parameters
    ----------
    bins, width, estimate, prior :
        See `parzen.Histogram`.

    Attributes
    ----------
    edges_ : tuple of arrays
        Edges of the bins of each column.
    probability_ : array
        Probability of each box, an axis for each column.
    density_ : BinDensity
    statistic_ : Counts where the edges were given, else Sample
    n_features_in_ : int
    feature_names_in_ : array of str, where X has names

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import HistogramDensity
    >>> X = np.array([[0.1], [0.2], [0.9], [2.5]])
    >>> model = HistogramDensity(bins=[0, 1, 2, 3]).fit(X)
    >>> model.probability_.round(3)
    array([0.667, 0.067, 0.267])
    >>> HistogramDensity(bins="knuth").fit(np.random.default_rng(0).normal(size=(1000, 1))).probability_.shape
    (9,)
    """

    def __init__(
        self, bins: Any = "fd", *, width: Any = None, estimate: str = "bayes", prior: Dirichlet | None = None
    ) -> None:
        self.bins = bins
        self.width = width
        self.estimate = estimate
        self.prior = prior

    def _family(self) -> Family:
        return Histogram(self.bins, self.width, self.estimate, self.prior)

    @property
    def _bins(self) -> BinDensity:
        check_is_fitted(self, "density_")
        assert isinstance(self.density_, BinDensity)
        return self.density_

    @property
    def edges_(self) -> tuple[Array, ...]:
        """Edges of the bins of each column."""
        return self._bins.edges

    @property
    def probability_(self) -> Array:
        """Probability of each box."""
        return np.exp(self._bins.log_mass[0])

    def _ends(self) -> tuple[float, float]:
        edges = self._shown_edges()
        return float(edges[0]), float(edges[-1])

    def _shown_edges(self) -> Array:
        """Edges of the only column; open outer bins end where the density has fallen by e."""
        edges = self._bins.edges[0]
        length = tail_length(edges)
        return np.clip(edges, edges[1] - length, edges[-2] + length) if np.isinf(edges[[0, -1]]).any() else edges

    def _grid(self, size: int) -> Array:
        edges = self._shown_edges()
        return np.sort(np.concatenate([edges, np.nextafter(edges[1:-1], edges[0])]))
