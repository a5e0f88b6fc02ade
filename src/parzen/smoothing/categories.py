"""Kernels of categories: how much rows of another category count."""

from dataclasses import dataclass

import numpy as np

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
        """The bandwidth by which all categories count alike."""
        return 1.0 if self.ordered else 1.0 - 1.0 / self.size

    def table(self, bandwidth: float) -> Array:
        """Kernel between categories, (size + 1, size); the last row is of one that no row has."""
        if self.ordered:
            away = np.abs(np.arange(self.size + 1)[:, None] - np.arange(self.size))
            return np.where(away == 0, 1.0, float(bandwidth) ** away)
        other = 1.0 if self.size == 1 else min(bandwidth / (self.size - 1) / (1.0 - bandwidth), 1.0)
        return np.where(np.eye(self.size + 1, self.size) > 0, 1.0, other)

    def shares(self, bandwidth: float) -> Array:
        """Probabilities of categories (rows) around each one (columns), which add to one."""
        table = self.table(bandwidth)[: self.size]
        return table / table.sum(axis=0)
