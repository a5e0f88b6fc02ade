"""What a query to a Bayes net returns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array


@dataclass(frozen=True)
class PosteriorTable:
    """Joint probabilities of some columns' states, given others.

    Attributes
    ----------
    names : tuple
        The columns.
    states : tuple of lists
        Their states.
    probability : array
        One dimension for each column.
    evidence : float
        Probability (density, where numbers are given) of what was given.
    assumes : str
        What is assumed where columns were set from outside (`do`); empty otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> table = PosteriorTable(("lung",), (["no", "yes"],), np.array([0.9, 0.1]), 0.5)
    >>> table["yes"], table.most_probable()
    (0.1, {'lung': 'no'})
    >>> print(table)
    lung  probability
    no         0.9000
    yes        0.1000
    """

    names: tuple[Any, ...]
    states: tuple[list[Any], ...]
    probability: Array
    evidence: float
    assumes: str = ""

    def __getitem__(self, key: Any) -> float:
        given = key if isinstance(key, tuple) and len(self.names) > 1 else (key,)
        if len(given) != len(self.names):
            raise KeyError(f"give one state for each of {list(self.names)}, got {key!r}.")
        return float(self.probability[tuple(self._place(at, state) for at, state in enumerate(given))])

    def _place(self, at: int, state: Any) -> int:
        if state not in self.states[at]:
            raise KeyError(f"{state!r} is no state of {self.names[at]!r}: {self.states[at]}.")
        return self.states[at].index(state)

    def as_dict(self) -> dict[Any, float]:
        """From states (a tuple of them where there are several columns) to probabilities."""
        cells = np.ndindex(self.probability.shape)
        keys = (tuple(own[i] for own, i in zip(self.states, cell, strict=True)) for cell in cells)
        values = self.probability.ravel().tolist()
        return {key[0] if len(self.names) == 1 else key: value for key, value in zip(keys, values, strict=True)}

    def most_probable(self) -> dict[Any, Any]:
        """The most probable states together."""
        if np.isnan(self.probability).any():
            raise ValueError("what was given has probability zero; no state is the most probable one.")
        cell = np.unravel_index(int(np.argmax(self.probability)), self.probability.shape)
        return {name: own[int(i)] for name, own, i in zip(self.names, self.states, cell, strict=True)}

    def __str__(self) -> str:
        rows = [
            (*map(str, key if isinstance(key, tuple) else (key,)), f"{value:.4f}")
            for key, value in self.as_dict().items()
        ]
        head = (*map(str, self.names), "probability")
        widths = [max(len(row[at]) for row in [head, *rows]) for at in range(len(head))]
        lines = [
            "  ".join(
                [*(cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)), row[-1].rjust(widths[-1])]
            )
            for row in [head, *rows]
        ]
        return "\n".join([*lines, *([f"({self.assumes})"] if self.assumes else [])])
