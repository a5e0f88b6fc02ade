"""Explanations of a classification: what each column adds to the log-odds of a class."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.cell_text import cell_text
from parzen.plotting import bars

#: Positions of columns that depend on each other given the class: one, mostly.
Block = tuple[int, ...]


@dataclass(frozen=True)
class Explanation:
    """Log-odds of one class against another, as a sum over the columns.

    Attributes
    ----------
    labels, against : arrays of shape (n,)
        The two classes compared, for each row.
    prior : array of shape (n,)
        Log-odds of the class priors.
    contributions : array of shape (n, b)
        Log-odds that each column adds (or block of columns that depend on each other); a missing value adds nothing.
    blocks : tuple of b tuples of int
        Positions of the columns of each contribution.
    names : sequence
        Names of the columns.
    rows : the table that is explained
    reasons : tuple of (position of a column, str)
        Why a column has its density, where it was chosen by held-out likelihood; not kept in files.
    """

    _kept: ClassVar = ("labels", "against", "prior", "contributions", "blocks", "names", "rows")

    labels: NDArray[Any]
    against: NDArray[Any]
    prior: Array
    contributions: Array
    blocks: tuple[Block, ...]
    names: Any
    rows: Any
    reasons: tuple[tuple[int, str], ...] = ()

    def __len__(self) -> int:
        return len(self.prior)

    @property
    def total(self) -> Array:
        """Log-odds given all columns, (n,)."""
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

    def text(self, row: int = 0, max_display: int = 12) -> str:
        """One row as text: the `max_display` columns of the largest contributions, in order.

        Of those whose density was chosen by held-out likelihood, it is said which one, and why.
        """
        order = self._order(row, max_display)
        lines = [f"log-odds of {self.labels[row]} against {self.against[row]}: {self.total[row]:+.2f}"]
        width = max([len(self._label(row, j)) for j in order] + [5])
        lines.append(f"  {'prior':<{width}}  {self.prior[row]:+.2f}")
        lines += [f"  {self._label(row, j):<{width}}  {self.contributions[row, j]:+.2f}" for j in order]
        others = np.delete(np.arange(len(self.blocks)), order)
        if len(others):
            lines.append(f"  {f'{len(others)} others':<{width}}  {self.contributions[row, others].sum():+.2f}")
        reasons = dict(self.reasons)
        shown = [column for j in order for column in self.blocks[j] if column in reasons]
        lines += ["densities chosen by held-out log-likelihood:"] if shown else []
        lines += [f"  {self.names[column]}: {reasons[column]}" for column in shown]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text() if len(self) else "no rows"

    def plot(self, row: int = 0, ax: Any = None, max_display: int = 12) -> Any:
        """Bars of one row's contributions, largest on top. Returns matplotlib's axes."""
        order = self._order(row, max_display)
        names = ["prior", *(self._label(row, j) for j in order)]
        values = np.append(self.prior[row], self.contributions[row, order])
        title = f"{self.labels[row]} against {self.against[row]}: log-odds {self.total[row]:+.2f}"
        label = f"towards {self.against[row]}  ←  log-odds  →  towards {self.labels[row]}"
        return bars(names, values, title, label, ax)

    def _order(self, row: int, max_display: int) -> NDArray[np.intp]:
        return np.argsort(-np.abs(self.contributions[row]), kind="stable")[:max_display]

    def _name(self, block: Block) -> str:
        return ", ".join(str(self.names[j]) for j in block)

    def _label(self, row: int, j: int) -> str:
        return ", ".join(f"{self.names[column]} {cell_text(self.rows, row, column)}" for column in self.blocks[j])
