"""Cells of a table as text, for explanations."""

from typing import Any

import numpy as np

from parzen.compute.arrays import is_sparse
from parzen.tables.cells import column_of, is_missing


def cell_text(rows: Any, row: int, column: int) -> str:
    """The value of a cell of a table as text: "missing", or "= value"."""
    cell = rows[row, column] if is_sparse(rows) else column_of(rows, column)
    cell = cell if is_sparse(rows) else cell.iloc[row] if hasattr(cell, "iloc") else cell[row]
    return "missing" if is_missing(cell) else f"= {value_text(cell)}"


def value_text(cell: Any) -> str:
    """A value as text, numbers to four digits."""
    return f"{cell:.4g}" if isinstance(cell, float | np.floating) else f"{cell}"
