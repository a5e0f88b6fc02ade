"""Why a row was given its class, or is unlikely: what each column adds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.densities.counts import MultinomialDensity
from parzen.densities.density import Density
from parzen.densities.linear import Linear
from parzen.densities.product import ProductDensity
from parzen.plotting import bars
from parzen.tables.cells import column_of, is_missing

Block = tuple[int, ...]


@dataclass(frozen=True)
class Explanation:
    """Log-odds of one class against another, as a sum over the columns.

    Attributes
    ----------
    labels, against : arrays of shape (n,)
        The two classes compared, for each row.
    prior : array of shape (n,)
        Log-odds before any column is seen.
    contributions : array of shape (n, b)
        What each column adds (or block of columns that depend on each other); a missing cell adds nothing.
    blocks : tuple of b tuples of int
        Positions of the columns of each contribution.
    names : sequence
        What the columns are called.
    rows : the table that was explained
    """

    labels: NDArray[Any]
    against: NDArray[Any]
    prior: Array
    contributions: Array
    blocks: tuple[Block, ...]
    names: Any
    rows: Any

    def __len__(self) -> int:
        return len(self.prior)

    @property
    def total(self) -> Array:
        """Log-odds with all columns seen, (n,)."""
        return self.prior + self.contributions.sum(axis=1)

    def table(self) -> dict[str, NDArray[Any]]:
        """All rows as columns of a table: ``pandas.DataFrame(explanation.table())`` or polars' shows them.

        Where a column of the data is called label, against, prior or total, ours are in parentheses.
        """
        columns = {self._name(block): self.contributions[:, j] for j, block in enumerate(self.blocks)}
        label, against, prior, total = (
            f"({name})" if name in columns else name for name in ("label", "against", "prior", "total")
        )
        before = {label: self.labels, against: self.against, prior: self.prior}
        return {**before, **columns, total: self.total}

    def text(self, row: int = 0, most: int = 12) -> str:
        """One row in words: the columns that add most, in order."""
        order = self._order(row, most)
        lines = [f"log-odds of {self.labels[row]} against {self.against[row]}: {self.total[row]:+.2f}"]
        width = max([len(self._said(row, j)) for j in order] + [5])
        lines.append(f"  {'prior':<{width}}  {self.prior[row]:+.2f}")
        lines += [f"  {self._said(row, j):<{width}}  {self.contributions[row, j]:+.2f}" for j in order]
        others = np.delete(np.arange(len(self.blocks)), order)
        if len(others):
            lines.append(f"  {f'{len(others)} others':<{width}}  {self.contributions[row, others].sum():+.2f}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text() if len(self) else "no rows"

    def plot(self, row: int = 0, ax: Any = None, most: int = 12) -> Any:
        """Bars of one row's contributions, largest on top. Returns matplotlib's axes."""
        order = self._order(row, most)
        names = ["prior", *(self._said(row, j) for j in order)]
        values = np.append(self.prior[row], self.contributions[row, order])
        title = f"{self.labels[row]} against {self.against[row]}: log-odds {self.total[row]:+.2f}"
        label = f"towards {self.against[row]}  ←  log-odds  →  towards {self.labels[row]}"
        return bars(names, values, title, label, ax)

    def _order(self, row: int, most: int) -> NDArray[np.intp]:
        return np.argsort(-np.abs(self.contributions[row]), kind="stable")[:most]

    def _name(self, block: Block) -> str:
        return ", ".join(str(self.names[j]) for j in block)

    def _said(self, row: int, j: int) -> str:
        return ", ".join(f"{self.names[column]} {_cell(self.rows, row, column)}" for column in self.blocks[j])


@dataclass(frozen=True)
class OutlierExplanation:
    """Why rows are unlikely: what each column adds.

    Attributes
    ----------
    scores : array of shape (n,)
        Log-densities.
    p_values : array of shape (n,)
        How often an ordinary row is as unlikely.
    contributions : array of shape (n, d)
        By how much the log-density would rise if a column held the value that is likeliest with the others; at least 0.
    typical : array of shape (n, d)
        Those values.
    names : sequence
        What the columns are called.
    rows : the table that was explained
    """

    scores: Array
    p_values: Array
    contributions: Array
    typical: NDArray[Any]
    names: Any
    rows: Any

    def __len__(self) -> int:
        return len(self.scores)

    def table(self) -> dict[str, NDArray[Any]]:
        """All rows as columns of a table; where a column of the data is called score or p, ours are in parentheses."""
        columns = {str(name): self.contributions[:, j] for j, name in enumerate(self.names)}
        score, p = (f"({name})" if name in columns else name for name in ("score", "p"))
        return {score: self.scores, p: self.p_values, **columns}

    def text(self, row: int = 0, most: int = 12) -> str:
        """One row in words: the columns that add most, in order."""
        order = self._order(row, most)
        lines = [f"log-density {self.scores[row]:.2f}, p = {self.p_values[row]:.2g}"]
        width = max((len(self._said(row, j)) for j in order), default=0)
        lines += [f"  {self._said(row, j):<{width}}  {self.contributions[row, j]:+.2f}" for j in order]
        if len(order) < len(self.names):
            lines.append(f"  {len(self.names) - len(order)} others")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text() if len(self) else "no rows"

    def plot(self, row: int = 0, ax: Any = None, most: int = 12) -> Any:
        """Bars of one row's columns, largest on top. Returns matplotlib's axes."""
        order = self._order(row, most)
        title = f"log-density {self.scores[row]:.2f}, p = {self.p_values[row]:.2g}"
        label = "rise of the log-density with a typical value"
        return bars([self._said(row, j) for j in order], self.contributions[row, order], title, label, ax)

    def _order(self, row: int, most: int) -> NDArray[np.intp]:
        return np.argsort(-self.contributions[row], kind="stable")[:most]

    def _said(self, row: int, j: int) -> str:
        own = f"{self.names[j]} {_cell(self.rows, row, j)}"
        if not self.contributions[row, j] > 0:
            return own
        return f"{own} ({_shown(self.typical[row, j])} would be likely)"


def _cell(rows: Any, row: int, column: int) -> str:
    """What a cell of a table holds, as it is said."""
    cell = rows[row, column] if is_sparse(rows) else column_of(rows, column)
    cell = cell if is_sparse(rows) else cell.iloc[row] if hasattr(cell, "iloc") else cell[row]
    return "missing" if is_missing(cell) else f"= {_shown(cell)}"


def _shown(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float | np.floating) else f"{cell}"


def block_scores(density: Density | Linear, X: Array) -> Iterator[tuple[Block, Array]]:
    """What each block of columns that depend on each other (one column, mostly) says of each class, (n, K).

    Up to a term of the row alone; what no class explains says nothing.
    """
    if isinstance(density, MultinomialDensity | Linear):
        yield from _counts(density, X)
    elif isinstance(density, ProductDensity):
        for part, columns in zip(density.parts, density.columns, strict=True):
            for block, scores in block_scores(part, np.ascontiguousarray(X[:, list(columns)])):
                yield tuple(columns[j] for j in block), scores
    elif density.independent_columns or X.shape[1] == 1:
        for j in range(X.shape[1]):
            yield (j,), _informative(density.marginal([j]) if X.shape[1] > 1 else density, X[:, [j]])
    else:
        yield tuple(range(X.shape[1])), _informative(density, X)


def _informative(density: Density, X: Array) -> Array:
    scores = np.empty((len(X), density.shape[0]))
    density.compare(np.ascontiguousarray(X), scores)
    scores[np.isneginf(scores).all(axis=1)] = 0.0
    return scores


def _counts(density: MultinomialDensity | Linear, X: Array) -> Iterator[tuple[Block, Array]]:
    weights = density.coef if isinstance(density, Linear) else density.log_probability
    share = np.zeros((len(X), len(weights)))
    missing = np.isnan(X)
    if isinstance(density, MultinomialDensity) and missing.any():  # a multinomial of the counts that are there
        share = np.log((~missing).astype(np.float64) @ np.exp(weights.T))
    for j, weight in enumerate(weights.T):
        cells = np.nan_to_num(X[:, [j]])
        with np.errstate(invalid="ignore"):
            yield (j,), np.where(cells == 0, 0.0, cells * (weight - share))
