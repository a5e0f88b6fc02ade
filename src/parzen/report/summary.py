"""A report as a dict: everything that the page shows, and nothing else."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parzen.compute.blas import one_blas_thread
from parzen.compute.version import __version__
from parzen.report.columns import describe
from parzen.report.dependence import dependence
from parzen.report.errors import ReportError
from parzen.report.intervals import as_json
from parzen.report.mixture import mixture
from parzen.report.outliers import outliers
from parzen.report.phrases import counted
from parzen.report.regression import regressed
from parzen.report.regression_task import task_of
from parzen.report.target import predicted
from parzen.report.verdict import answer
from parzen.tables.cells import frame_kind
from parzen.tables.features import parse_dates, unknown_column
from parzen.tables.kinds import Column

#: Most columns that are used.
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
    kinds: Mapping[str, str] | None = None,
    models: Sequence[str] | None = None,
    read_as: Mapping[str, str] | None = None,
    budget: float | None = None,
    task: str = "auto",
) -> dict[str, Any]:
    """Summarise a table and, with a target, compare models that predict it: all that a report shows, as JSON holds it.

    Parameters
    ----------
    table : pandas or polars table
    target : name of the column to predict, optional
    text : name of a column of sentences, to predict the target from its words, optional
    loss : array of shape (classes, classes), optional
        ``loss[i, j]`` is the cost of deciding for class i when class j is true, classes in sorted order; by default an
        error costs 1.
    name : name of the table
    random_state : int
        Seed of the rows that are drawn where there are many.
    progress : called with a line about each stage, optional
    kinds : dict from names of columns to kinds, optional
        What columns hold, where their values don't show it: ``{"zip": "categorical"}``.
    models : list of str, optional
        Names of the models to compare, as the report has them (``"naive Bayes"``, or ``"naive-bayes"``); by default
        all.
    read_as : dict from names of columns to sentences, optional
        How the cells of a file were read; the report shows it.
    budget : seconds that one fit of a model may take, optional
        A model whose fit takes longer is left out, with a note (default: 20).
    task : "auto", "classification" or "regression"
        By default a numeric target with more than 20 different values is predicted as a number, any other target as a
        class.

    Returns
    -------
    dict
        See docs/guide/report.md; `parzen.report.page` draws it.
    """
    # Matrices are as large as the columns are many: threads of BLAS wait for each other longer than they work on them.
    with np.errstate(all="ignore"), warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore")  # what matters is in the notes
        given = Given(kinds or {}, models, read_as or {}, budget, task)
        return _summary(_frame(table), target, text, loss, name, random_state, progress or (lambda _: None), given)


class Given(NamedTuple):
    """What a user declares: kinds of columns, the models, how cells were read, seconds for a fit, and the task."""

    kinds: Mapping[str, str]
    models: Sequence[str] | None
    read_as: Mapping[str, str]
    budget: float | None
    task: str


def _summary(
    frame: Any,
    target: Any,
    text: Any,
    loss: Any,
    name: str,
    random_state: int,
    progress: Callable[[str], None],
    given: Given,
) -> dict[str, Any]:
    rng = np.random.default_rng(random_state)
    notes: list[str] = []
    out: dict[str, Any] = {
        "report": 1, "name": str(name), "rows": len(frame), "n_columns": frame.shape[1], "notes": notes,
    }  # fmt: skip
    frame = _some_columns(frame, [one for one in (target, text) if one is not None], notes)
    progress("columns")
    frame = parse_dates(frame)
    columns = {column: Column(frame[column], given.kinds.get(column)) for column in frame.columns}
    kinds = {name: column.role for name, column in columns.items()}
    out["columns"] = describe(frame, columns, rng)
    for one in out["columns"]:
        one |= {"read_as": given.read_as[one["name"]]} if one["name"] in given.read_as else {}
    if target is not None:
        parts, more = _of_target(frame, columns, target, text, loss, rng, progress, given)
        out |= parts
        notes += more
    elif given.task != "auto":
        raise ReportError(f"the task {given.task} needs a target, the column to predict.")
    if text is None:
        rest = {column: kind for column, kind in kinds.items() if column != target}
        progress("dependence")
        out["dependence"] = dependence(frame, kinds, rng, target)
        progress("mixture")
        out["mixture"] = mixture(frame, rest, rng)
        progress("outliers")
        out["outliers"] = outliers(frame, rest, rng)
    notes += _sampled(out, len(frame))
    out["answer"] = answer(out)
    out["verdict"] = [one["text"] for one in out["answer"]]
    out["parzen"] = __version__
    return as_json(out)


def _of_target(
    frame: Any,
    columns: Mapping[str, Column],
    target: str,
    text: str | None,
    loss: Any,
    rng: np.random.Generator,
    progress: Callable[[str], None],
    given: Given,
) -> tuple[dict[str, Any], list[str]]:
    """The parts about the target, a class or a number, and notes."""
    kinds = {name: column.role for name, column in columns.items()}
    asked = "classification" if given.task == "auto" and (text is not None or loss is not None) else given.task
    task, said = task_of(asked, columns[target], kinds[target], target)
    if task == "regression":
        for what in ("loss" if loss is not None else None, "text" if text is not None else None):
            if what:
                raise ReportError(f"a {what} is for a target of classes; give the task classification, or no {what}.")
        parts, notes = regressed(frame, kinds, target, rng, progress, given.models, given.budget)
    else:
        parts, notes = predicted(frame, kinds, target, text, loss, rng, progress, given.models, given.budget)
    return parts, [*([said] if said else []), *notes]


def _some_columns(frame: Any, wanted: list[Any], notes: list[str]) -> Any:
    """At most `COLUMNS` columns of a table, those that are wanted among them."""
    if frame.shape[1] > COLUMNS:
        keep = [*dict.fromkeys([*wanted, *frame.columns])][:COLUMNS]
        notes.append(f"There are {frame.shape[1]:,} columns; the first {COLUMNS} are used.")
        frame = frame[[name for name in keep if name in frame.columns]]
    for name in wanted:
        if name not in frame.columns:
            raise ReportError(unknown_column(name, list(frame.columns)))
    return frame


def _sampled(out: dict[str, Any], n: int) -> list[str]:
    """Notes on the parts that were computed from a sample of the rows, from rows with values, or from some columns."""
    parts = {"dependence": "Dependence", "mixture": "The mixture", "outliers": "Outliers"}
    notes = []
    for part, name in parts.items():
        found = out.get(part)
        if not found:
            continue
        drawn = found.get("drawn", found["rows"])
        if drawn < n:
            notes.append(f"{name}: {drawn:,} of {n:,} rows were drawn at random.")
        if found["rows"] < drawn:
            left = counted(drawn - found["rows"], "row without a value", "rows without values")
            notes.append(
                f"{name}: {left} in the numeric columns {'is' if drawn - found['rows'] == 1 else 'are'} left out."
            )
        used, every = found["columns"]
        if used < every:
            notes.append(f"{name}: the first {used:,} of {every:,} columns are used.")
    return notes


def _frame(table: Any) -> Any:
    """A table as a pandas one with text for names, checked."""
    kind = frame_kind(table)
    if kind is None:
        raise ReportError(f"the table must be a pandas or polars DataFrame, got {type(table).__name__}.")
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
