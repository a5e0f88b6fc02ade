"""Categorical columns, independent of each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.compute.codes import as_codes, lookup
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density


@dataclass(frozen=True)
class CategoricalDensity(Density):
    """K products of categorical columns over codes.

    Attributes
    ----------
    log_probability : array of shape (K, sum(sizes))
    sizes : tuple of int
        Number of categories of each column, whose slots follow one another in `log_probability`.
    open_ended : bool
        Whether each column's last slot is the probability of an unseen category. If not, an unseen code is an error.
    """

    log_probability: Array
    sizes: tuple[int, ...]
    open_ended: bool

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.log_probability), len(self.sizes)

    @cached_property
    def _table(self) -> Array:
        return np.ascontiguousarray(self.log_probability.T)

    def columns(self) -> list[Array]:
        """Log-probabilities of each column, arrays of shape (K, size)."""
        return np.split(self.log_probability, np.cumsum(self.sizes)[:-1], axis=1)

    @property
    def independent_columns(self) -> bool:
        return True

    def log_density(self, X: Any) -> Array:
        return lookup(as_codes(X, self.shape[1]), self._table, self.sizes, self.open_ended)

    def write(self, X: Any, out: Array) -> None:
        lookup(as_codes(X, self.shape[1]), self._table, self.sizes, self.open_ended, out)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        out = np.empty((len(labels), len(self.sizes)))
        for j, column in enumerate(self.columns()):
            known = column[:, :-1] if self.open_ended else column  # an unseen category has no code to draw
            cumulative = np.exp(known).cumsum(axis=1)
            draws = rng.random(len(labels)) * cumulative[labels, -1]
            for k in np.unique(labels):
                rows = labels == k
                out[rows, j] = np.minimum(np.searchsorted(cumulative[k], draws[rows], side="right"), known.shape[1] - 1)
        return out

    def marginal(self, columns: Sequence[int]) -> "CategoricalDensity":
        parts, own = self.columns(), chosen(len(self.sizes), columns)
        logs = np.concatenate([parts[j] for j in own], axis=1)
        return CategoricalDensity(logs, tuple(self.sizes[j] for j in own), self.open_ended)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "CategoricalDensity":
        return self.marginal(others(len(self.sizes), columns, values))
