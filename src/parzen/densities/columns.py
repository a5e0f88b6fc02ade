"""Positions of columns, for marginals and conditionals."""

from collections.abc import Sequence
from typing import Any


def chosen(d: int, columns: Sequence[int]) -> list[int]:
    """Positions of columns, from 0 on; an error where one is not there, or there twice."""
    given = [int(column) % d if -d <= column < d else d for column in columns]
    if d in given or len(set(given)) < len(given):
        raise ValueError(f"columns must be different positions among {d} columns, got {list(columns)}.")
    return given


def others(d: int, columns: Sequence[int], values: Any = None) -> list[int]:
    """Positions that are not among the columns, of which as many values are given."""
    given = chosen(d, columns)
    if values is not None and len(values) != len(given):
        raise ValueError(f"values must be {len(given)}, one for each given column, got {len(values)}.")
    return [j for j in range(d) if j not in given]
