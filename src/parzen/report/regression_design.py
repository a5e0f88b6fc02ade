"""Predictors of a numeric target: columns without gaps, a design matrix, and the columns that explain most."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array

#: Categories that have a column of their own in a design matrix, bins of a column of numbers, and columns of kernels.
LEVELS, BINS, CHOSEN = 20, 12, 3
#: What a column must explain of the remaining variance to be chosen.
LEAST = 0.005
#: How a missing category, and one that is rare or new, is called in a design.
MISSING, OTHER = "\x00missing", "\x00other"


@dataclass(frozen=True)
class Design:
    """How rows become predictors, learnt from training rows alone.

    Attributes
    ----------
    numbers : dict from names to (median, mean, standard deviation)
    gaps : names of the columns of numbers that miss values
    levels : dict from names to the most frequent categories
    """

    numbers: dict[str, tuple[float, float, float]]
    gaps: tuple[str, ...]
    levels: dict[str, list[str]]

    @classmethod
    def learn(cls, X: Any, numbers: Sequence[str], categories: Sequence[str]) -> Self:
        """Learn medians, scales and categories."""
        found = {}
        for name in numbers:
            values = X[name].to_numpy(dtype=np.float64)
            known = values[~np.isnan(values)]
            middle = float(np.median(known)) if len(known) else 0.0
            filled = np.where(np.isnan(values), middle, values)
            found[name] = (middle, float(filled.mean()), float(filled.std()) or 1.0)
        gaps = tuple(name for name in numbers if X[name].isna().any())
        levels = {name: [MISSING, *X[name].value_counts().index[:LEVELS].tolist()] for name in categories}
        return cls(found, gaps, levels)

    def matrix(self, X: Any) -> Array:
        """Standardised numbers with gaps filled by medians; indicators of gaps and of categories."""
        columns = [(self.filled(X, name) - mean) / scale for name, (_, mean, scale) in self.numbers.items()]
        columns += [X[name].isna().to_numpy(dtype=np.float64) for name in self.gaps]
        for name, levels in self.levels.items():
            cells = X[name].fillna(MISSING)
            columns += [(cells == level).to_numpy(dtype=np.float64) for level in levels]
        return np.column_stack(columns)

    def filled(self, X: Any, name: str) -> Array:
        """A column of numbers, gaps filled by the median of the training rows."""
        values = X[name].to_numpy(dtype=np.float64)
        return np.where(np.isnan(values), self.numbers[name][0], values)

    def table(self, X: Any, names: Sequence[str]) -> Any:
        """Some columns as kernels take them: numbers without gaps, and categories of which the rare ones are one."""
        import pandas as pd

        out = {}
        for name in names:
            if name in self.numbers:
                out[name] = self.filled(X, name)
            else:
                cells = X[name].fillna(MISSING)
                out[name] = cells.where(cells.isin(self.levels[name]), OTHER).to_numpy(dtype=object)
        return pd.DataFrame(out)

    def chosen(self, X: Any, y: Array, most: int = CHOSEN) -> list[str]:
        """The columns that explain most of the variance, one after the other, each of what is left by those before."""
        groups = {name: self._groups(X, name) for name in (*self.numbers, *self.levels)}
        rest = y - y.mean()
        names: list[str] = []
        while groups and len(names) < most:
            explained = {name: _explained(codes, rest) for name, codes in groups.items()}
            best = max(explained, key=lambda name: explained[name])
            if explained[best] < LEAST and names:
                break
            names.append(best)
            rest = rest - _means(groups.pop(best), rest)
        return names

    def _groups(self, X: Any, name: str) -> NDArray[np.intp]:
        """The rows in groups: bins of equally many numbers, gaps apart, or categories."""
        if name in self.levels:
            return np.unique(self.table(X, [name])[name].to_numpy(dtype=str), return_inverse=True)[1]
        values = X[name].to_numpy(dtype=np.float64)
        known = values[~np.isnan(values)]
        edges = np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1])) if len(known) else np.empty(0)
        return np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, side="right"))


def _means(codes: NDArray[np.intp], values: Array) -> Array:
    """The mean of each row's group."""
    counts = np.maximum(np.bincount(codes), 1)
    return (np.bincount(codes, values) / counts)[codes]


def _explained(codes: NDArray[np.intp], values: Array) -> float:
    """The fraction of variance between groups, less what is expected by chance (adjusted R squared)."""
    n, k = len(values), len(np.unique(codes))
    total = float(((values - values.mean()) ** 2).sum())
    within = float(((values - _means(codes, values)) ** 2).sum())
    return 1.0 - (within / max(n - k, 1)) / (total / (n - 1)) if total > 0 and n > k else 0.0
