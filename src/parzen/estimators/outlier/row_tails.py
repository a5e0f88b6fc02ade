"""Rows that a gap sets apart from the others: in one of their numbers, or in the score."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, is_sparse
from parzen.decisions.gap_tail import GapTail, gap_tail
from parzen.tables.cells import as_numbers, column_of
from parzen.tables.kinds import Column

#: The position that stands for the score itself.
SCORE = -1


@dataclass(frozen=True, eq=False)
class RowTails:
    """Tails of number columns and of the score, beyond which rows of the fit lie apart.

    Attributes
    ----------
    columns : array of shape (m,)
        Position of the column of each tail; -1 for the score.
    centres : array of shape (m,)
        Median of the column: its tail is of the distances from it.
    tails : tuple of m `GapTail`
    """

    columns: Array
    centres: Array
    tails: tuple[GapTail, ...]

    def p_values(self, X: Any, scores: Array) -> Array:
        """The least p-value of each row among these tails, (n,); 1 for rows that lie beyond none."""
        least = np.ones(len(scores))
        for j, centre, tail in zip(self.columns, self.centres, self.tails, strict=True):
            values = scores if j == SCORE else -np.abs(as_numbers(column_of(X, int(j))) - centre)
            least = np.minimum(least, tail.p_values(values))
        return least


def row_tails(X: Any, scores: Array, w: Array | None, scored: bool) -> RowTails:
    """The tails that rows of the fit lie beyond.

    Columns of numbers are searched for gaps, those of two values excepted: a rare category is no outlier. So is the
    score, where it is the score of numbers alone, without missing cells: a rare category or a missing cell makes a gap
    in it. Columns and score share the error that is allowed.

    Parameters
    ----------
    X, scores, w : rows of the fit, their held-out scores, and weights
    scored : whether the score is searched, too
    """
    numbers = {} if is_sparse(X) else _number_columns(X)
    whole = len(numbers) == X.shape[1] and not any(np.isnan(values).any() for values in numbers.values())
    with_score = scored and (is_sparse(X) or whole)
    share = (0.5 if with_score and numbers else 1.0) / max(len(numbers), 1)
    found: list[tuple[int, float, GapTail]] = []
    for j, values in numbers.items():
        known = ~np.isnan(values)
        centre = float(np.median(values[known]))
        tail = gap_tail(-np.abs(values[known] - centre), share, None if w is None else w[known])
        if tail is not None:
            found.append((j, centre, tail))
    tail = gap_tail(scores, 0.5 if numbers else 1.0, w) if with_score else None
    if tail is not None:
        found.append((SCORE, 0.0, tail))
    columns, centres, tails = zip(*found, strict=True) if found else ((), (), ())
    return RowTails(np.array(columns, dtype=np.int64), np.array(centres, dtype=np.float64), tuple(tails))


def _number_columns(X: Any) -> dict[int, Array]:
    """The columns of numbers of a table that have more than two values, by position."""
    found = {}
    for j in range(X.shape[1]):
        column = Column(column_of(X, j))
        if column.kernel == "continuous" and column.distinct > 2:
            values = as_numbers(column.values)
            if np.isfinite(values[~np.isnan(values)]).all():
                found[j] = values
    return found
