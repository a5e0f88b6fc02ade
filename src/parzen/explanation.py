"""Why a row was given its class: what each column adds to the log-odds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.densities.counts import MultinomialDensity
from parzen.family import Density
from parzen.kernels.arrays import Array
from parzen.linear import Linear
from parzen.plotting import bars


@dataclass(frozen=True)
class Explanation:
    """Log-odds of one class against another, as a sum over the columns.

    Attributes
    ----------
    labels, against : arrays of shape (n,)
        The two classes compared, for each row.
    prior : array of shape (n,)
        Log-odds before any column is seen.
    contributions : array of shape (n, d)
        What each column adds; a missing cell adds nothing.
    names : tuple
        What the columns are called.
    cells : array of shape (n, d)
        What they held.
    """

    labels: NDArray[Any]
    against: NDArray[Any]
    prior: Array
    contributions: Array
    names: tuple[Any, ...]
    cells: NDArray[Any]

    def __len__(self) -> int:
        return len(self.prior)

    @property
    def total(self) -> Array:
        """Log-odds with all columns seen, (n,)."""
        return self.prior + self.contributions.sum(axis=1)

    def table(self) -> dict[str, NDArray[Any]]:
        """All rows as columns of a table: ``pandas.DataFrame(explanation.table())`` or polars' shows them."""
        columns = {str(name): self.contributions[:, j] for j, name in enumerate(self.names)}
        return {"label": self.labels, "against": self.against, "prior": self.prior, **columns, "total": self.total}

    def text(self, row: int = 0, most: int = 12) -> str:
        """One row in words: the columns that add most, in order."""
        order = self._order(row, most)
        lines = [f"log-odds of {self.labels[row]} against {self.against[row]}: {self.total[row]:+.2f}"]
        width = max([len(self._said(row, j)) for j in order] + [5])
        lines.append(f"  {'prior':<{width}}  {self.prior[row]:+.2f}")
        lines += [f"  {self._said(row, j):<{width}}  {self.contributions[row, j]:+.2f}" for j in order]
        rest = self.contributions[row].sum() - self.contributions[row, order].sum()
        if len(order) < len(self.names):
            lines.append(f"  {f'{len(self.names) - len(order)} others':<{width}}  {rest:+.2f}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text() if len(self) else "no rows"

    def plot(self, row: int = 0, ax: Any = None, most: int = 12) -> Any:
        """Bars of one row's contributions, largest on top. Returns matplotlib's axes."""
        order = self._order(row, most)
        names = ["prior", *(self._said(row, j) for j in order)]
        values = np.concatenate([self.prior[row : row + 1], self.contributions[row, order]])
        title = f"{self.labels[row]} against {self.against[row]}: log-odds {self.total[row]:+.2f}"
        return bars(
            names, values, title, f"towards {self.against[row]}  ←  log-odds  →  towards {self.labels[row]}", ax
        )

    def _order(self, row: int, most: int) -> NDArray[np.intp]:
        return np.argsort(-np.abs(self.contributions[row]), kind="stable")[:most]

    def _said(self, row: int, j: int) -> str:
        cell = self.cells[row, j]
        if cell is None or cell != cell:
            return f"{self.names[j]} missing"
        return f"{self.names[j]} = {cell:.4g}" if isinstance(cell, float | np.floating) else f"{self.names[j]} = {cell}"


def column_scores(density: Density | Linear, X: Array, j: int) -> Array:
    """What column j alone says of each class, (n, K), where columns are independent (or add, as counts of words do)."""
    if isinstance(density, MultinomialDensity | Linear):
        weights = density.coef[:, j] if isinstance(density, Linear) else density.log_probability[:, j]
        cells = np.nan_to_num(X[:, [j]])
        with np.errstate(invalid="ignore"):
            return np.where(cells == 0, 0.0, cells * weights)
    return density.marginal([j]).log_density(np.ascontiguousarray(X[:, [j]]))
