"""Kernels of categories: the weight of rows that have another category."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array


@dataclass(frozen=True)
class Category:
    """The kernel of a column of categories, relative to that of equal ones.

    Attributes
    ----------
    size : number of categories
    ordered : bool
        Whether their order matters: the kernel is then ``l^|difference|`` (Li and Racine), l from 0 to 1. Else it is
        Aitchison and Aitken's: 1 - l for equal ones and l / (size - 1) for others, l from 0 to 1 - 1 / size.
    """

    size: int
    ordered: bool = False

    @property
    def most(self) -> float:
        """The bandwidth at which all categories weigh the same."""
        return 1.0 if self.ordered else 1.0 - 1.0 / self.size

    def table(self, bandwidth: float) -> Array:
        """Kernel between categories, (size + 1, size); the last row is of a category that no row has."""
        if self.ordered:
            away = np.abs(np.arange(self.size + 1)[:, None] - np.arange(self.size))
            return np.where(away == 0, 1.0, float(bandwidth) ** away)
        other = 1.0 if self.size == 1 else min(bandwidth / (self.size - 1) / (1.0 - bandwidth), 1.0)
        return np.where(np.eye(self.size + 1, self.size) > 0, 1.0, other)

    def probabilities(self, bandwidth: float) -> Array:
        """Probabilities of categories (rows) under the kernel of each one (columns), which sum to one."""
        table = self.table(bandwidth)[: self.size]
        return table / table.sum(axis=0)


@dataclass(frozen=True, eq=False)
class CategoryFactors:
    """Products of the kernels of several columns of categories, between queries and rows.

    Attributes
    ----------
    codes : array of shape (n, e), or None where there are no such columns
        Categories of the rows.
    tables : sequence of e arrays of shape (size + 1, size)
        Kernels of the columns, see `Category.table`.
    given : int, optional
        Number of leading columns in which a query may be unlike all rows: the other columns then decide, or all rows
        count. By default all columns.
    """

    codes: NDArray[np.int64] | None
    tables: Sequence[Array]
    given: int | None = None

    @cached_property
    def combinations(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Distinct combinations of categories among the rows (G, e), and the combination of each row."""
        assert self.codes is not None
        return _distinct(self.codes)

    def at(self, codes: NDArray[np.int64] | None, m: int) -> tuple[Array, NDArray[np.int64]]:
        """Factors between distinct combinations of m queries and of rows, (cells, G), and the cell of each query."""
        if self.codes is None or codes is None:
            return np.ones((1, 1)), np.zeros(m, dtype=np.int64)
        known, _ = self.combinations
        asked, cell = _distinct(codes)
        factors = np.ones((len(asked), len(known)))
        for j, table in enumerate(self.tables):
            factors *= table[asked[:, j]][:, known[:, j]]
            if j + 1 == (len(self.tables) if self.given is None else self.given):
                factors[~(factors > 0).any(axis=1)] = 1.0  # no row is like the query: all rows count
        return factors, cell


def _distinct(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct rows of codes, and the one that each row is."""
    rows, inverse = np.unique(codes, axis=0, return_inverse=True)
    return rows, np.ascontiguousarray(inverse.reshape(-1), dtype=np.int64)
