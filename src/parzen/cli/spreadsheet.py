"""Text that a spreadsheet would run as a formula."""

from typing import Any

#: What a formula begins with, in one spreadsheet or another.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def spreadsheet_safe(table: Any) -> Any:
    """A table in which text and names that begin like a formula get an apostrophe first; numbers stay as they are."""
    out = table.rename(columns=_escaped)
    for name in out.columns:
        if getattr(out[name].dtype, "kind", "O") == "O":
            out[name] = out[name].map(_escaped)
    return out


def _escaped(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
