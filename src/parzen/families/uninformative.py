"""Columns without a single value."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships, group_count
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.statistics.sums import Sums
from parzen.tables.table import Table


@dataclass(frozen=True)
class UninformativeDensity(Density):
    """K densities of columns without values: their log-density is zero.

    Attributes
    ----------
    groups, width : int
        K and d.
    """

    groups: int
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.groups, self.width

    @property
    def independent_columns(self) -> bool:
        return True

    def log_density(self, X: Any) -> Array:
        return np.zeros((len(X), self.groups))

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return np.full((len(labels), self.width), np.nan)

    def marginal(self, columns: Sequence[int]) -> "UninformativeDensity":
        return UninformativeDensity(self.groups, len(chosen(self.width, columns)))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "UninformativeDensity":
        return self.marginal(others(self.width, columns, values))


@dataclass(eq=False, repr=False)
class Uninformative(Family):
    """Columns without a single value, which leave every log-density as it is. Its statistic is `Sums`."""

    def bind(self, table: Table) -> Self:
        table.alphabets(None, closed=False)  # whatever a later table may hold
        return self

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Sums:
        K = group_count(R)
        return Sums(np.zeros((K, 1)), np.zeros((K, X.shape[1])))

    def n_parameters(self, density: Any) -> int:
        return 0

    def maximise(self, statistic: Sums) -> UninformativeDensity:
        K, d = statistic.totals.shape
        return UninformativeDensity(K, d)
