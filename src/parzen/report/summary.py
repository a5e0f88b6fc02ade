"""A report as a dict: everything that the page shows, and nothing else."""

import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from parzen.report.columns import describe, kind_of, read_dates
from parzen.report.numbers import clean
from parzen.report.target import ReportError, predicted
from parzen.report.whole import dependence, mixture, outliers
from parzen.tables.cells import frame_kind

#: Most columns that are looked at.
COLUMNS = 500


def summarise(
    table: Any,
    target: Any = None,
    *,
    text: Any = None,
    loss: ArrayLike | None = None,
    name: str = "table",
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """What a table is made of and, with a target, what predicts it: all that a report shows, as JSON holds it.

    Parameters
    ----------
    table : pandas or polars table
    target : name of the column to predict, optional
    text : name of a column of sentences, to predict the target from its words, optional
    loss : array of shape (classes, classes), optional
        What deciding for a class (row) costs when another (column) is true, classes in sorted order; by default an
        error costs 1.
    name : what the table is called
    random_state : int
        Of the rows that are sampled where there are many.
    progress : called with a line about each stage, optional

    Returns
    -------
    dict
        See docs/guide/report.md; `parzen.report.page` draws it.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what matters is said in the notes
        return _summarised(_frame(table), target, text, loss, name, random_state, progress or (lambda _: None))


def _summarised(
    frame: Any, target: Any, text: Any, loss: Any, name: str, random_state: int, tell: Callable[[str], None]
) -> dict[str, Any]:
    rng = np.random.default_rng(random_state)
    notes: list[str] = []
    out: dict[str, Any] = {"report": 1, "name": str(name), "rows": len(frame), "width": frame.shape[1], "notes": notes}
    if frame.shape[1] > COLUMNS:
        keep = [*dict.fromkeys([*(c for c in (target, text) if c is not None), *frame.columns])][:COLUMNS]
        notes.append(f"There are {frame.shape[1]:,} columns; the first {COLUMNS} are looked at.")
        frame = frame[keep]
    for wanted in (target, text):
        if wanted is not None and wanted not in frame.columns:
            raise ReportError(no_column(wanted, list(frame.columns)))
    tell("columns")
    frame = read_dates(frame)
    kinds = {column: kind_of(frame[column]) for column in frame.columns}
    out["columns"] = describe(frame, rng)
    if target is not None:
        parts, more = predicted(frame, kinds, target, text, loss, rng, tell)
        out |= parts
        notes += more
    rest = {column: kind for column, kind in kinds.items() if column != target}
    if text is None:
        tell("dependence")
        out["dependence"] = dependence(frame, kinds, rng)
        tell("mixture")
        out["mixture"] = mixture(frame, rest, rng)
        tell("outliers")
        out["outliers"] = outliers(frame, rest, rng)
    for part, what in (("dependence", "dependence"), ("mixture", "the mixture"), ("outliers", "outliers")):
        found = out.get(part)
        if found and found["rows"] < len(frame) and len(frame) - found["rows"] > 0.01 * len(frame):
            notes.append(f"For {what}, {found['rows']:,} of {len(frame):,} rows were drawn by chance.")
    out["parzen"] = version("parzen")
    return clean(out)


def _frame(table: Any) -> Any:
    kind = frame_kind(table)
    if kind is None:
        raise ReportError(f"the table must be a pandas or polars one, got {type(table).__name__}.")
    frame = table
    if kind == "polars":
        import pandas as pd

        frame = pd.DataFrame({name: table[name].to_list() for name in table.columns})
    if not len(frame):
        raise ReportError("the table has no rows.")
    if not frame.shape[1]:
        raise ReportError("the table has no columns.")
    if frame.columns.duplicated().any():
        raise ReportError(f"two columns are called {frame.columns[frame.columns.duplicated()][0]!r}; rename one.")
    return frame.reset_index(drop=True).rename(columns=str)


def no_column(name: Any, columns: list[str]) -> str:
    """That there is no such column, and which name is nearest."""
    from difflib import get_close_matches

    near = get_close_matches(str(name), columns, n=1, cutoff=0.5)
    some = ", ".join(columns[:8]) + (" and others" if len(columns) > 8 else "")
    return f"there is no column {str(name)!r}" + (f"; did you mean {near[0]!r}?" if near else f"; there are {some}.")
