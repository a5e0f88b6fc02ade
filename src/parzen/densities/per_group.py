"""Densities of different families, one for each group, over the same columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.densities.density import Density


@dataclass(frozen=True)
class PerGroupDensity(Density):
    """K densities, each of its own family.

    Attributes
    ----------
    parts : tuple of K densities, with K = 1 each
    """

    parts: tuple[Density, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.parts), self.parts[0].shape[1]

    @property
    def independent_columns(self) -> bool:
        return all(part.independent_columns for part in self.parts)

    def log_density(self, X: Any) -> Array:
        return np.concatenate([part.log_density(X) for part in self.parts], axis=1)

    def elbo(self, X: Any, at: Density) -> Array:
        assert isinstance(at, PerGroupDensity)
        return np.concatenate([part.elbo(X, own) for part, own in zip(self.parts, at.parts, strict=True)], axis=1)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        out = np.empty((len(labels), self.shape[1]))
        for k in np.unique(labels):
            rows = np.flatnonzero(labels == k)
            out[rows] = self.parts[k].sample(np.zeros(len(rows), dtype=np.intp), rng)
        return out

    def marginal(self, columns: Sequence[int]) -> "PerGroupDensity":
        return PerGroupDensity(tuple(part.marginal(columns) for part in self.parts))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "PerGroupDensity":
        return PerGroupDensity(tuple(part.conditional(columns, values) for part in self.parts))
