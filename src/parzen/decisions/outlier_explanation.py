"""Explanations of an outlier: how much each column lowers its log-density."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.cell_text import cell_text, value_text
from parzen.plotting import bars


@dataclass(frozen=True)
class OutlierExplanation:
    """Log-densities of rows, and how much each column lowers them.

    Attributes
    ----------
    scores : array of shape (n,)
        Log-densities.
    p_values : array of shape (n,)
        Probabilities that a row which is no outlier is as unusual (see `DensityOutlier.p_values`).
    contributions : array of shape (n, d)
        Rise of the log-density if a column held its most likely value given the other columns; at least 0.
    typical : array of shape (n, d)
        Those values.
    names : sequence
        Names of the columns.
    rows : the table that is explained
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

    def text(self, row: int = 0, max_display: int = 12) -> str:
        """One row as text: the `max_display` columns of the largest contributions, in order."""
        order = self._order(row, max_display)
        lines = [f"log-density {self.scores[row]:.2f}, p = {self.p_values[row]:.2g}"]
        width = max((len(self._label(row, j)) for j in order), default=0)
        lines += [f"  {self._label(row, j):<{width}}  {self.contributions[row, j]:+.2f}" for j in order]
        if len(order) < len(self.names):
            lines.append(f"  {len(self.names) - len(order)} others")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text() if len(self) else "no rows"

    def plot(self, row: int = 0, ax: Any = None, max_display: int = 12) -> Any:
        """Bars of one row's columns, largest on top. Returns matplotlib's axes."""
        order = self._order(row, max_display)
        title = f"log-density {self.scores[row]:.2f}, p = {self.p_values[row]:.2g}"
        label = "rise of the log-density with a typical value"
        return bars([self._label(row, j) for j in order], self.contributions[row, order], title, label, ax)

    def _order(self, row: int, max_display: int) -> NDArray[np.intp]:
        return np.argsort(-self.contributions[row], kind="stable")[:max_display]

    def _label(self, row: int, j: int) -> str:
        own = f"{self.names[j]} {cell_text(self.rows, row, j)}"
        if not self.contributions[row, j] > 0:
            return own
        return f"{own} ({value_text(self.typical[row, j])} would be likely)"
