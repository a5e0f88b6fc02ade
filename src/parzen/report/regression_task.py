"""Which task a target asks for, and the rows of a regression."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.report.errors import ReportError
from parzen.report.phrases import counted
from parzen.report.rows import sample_rows
from parzen.report.task import CLASSES, predictor_table, predictors
from parzen.tables.features import as_floats
from parzen.tables.kinds import NUMERIC, Column

#: The tasks that a user can ask for.
TASKS = ("auto", "classification", "regression")
#: A numeric target of more different values than this is predicted as a number; fewest rows, and most.
VALUES, FEWEST, ROWS = 20, 30, 6_000


@dataclass(frozen=True)
class RegressionTask:
    """Rows whose target is known.

    Attributes
    ----------
    X : table
    y : array of shape (n,)
    numbers, categories : lists of str
    rows : list of int, their numbers in the table
    """

    X: Any
    y: Array
    numbers: list[str]
    categories: list[str]
    rows: list[int]


def task_of(asked: str, column: Column, kind: str, name: str) -> tuple[str, str]:
    """The task of a target, "classification" or "regression", and a sentence about it where it could be the other."""
    if asked not in TASKS:
        raise ReportError(f"the task must be one of {', '.join(TASKS)}, got {asked!r}.")
    if kind == "date":
        raise ReportError(f"the column {name!r} holds dates, which no model predicts; convert them to numbers first.")
    numeric = column.storage == "number"
    if asked == "regression":
        if not numeric or kind in ("empty", "constant", "extreme"):
            raise ReportError(
                f"the task regression needs a target of different numbers, but {name!r} is {kind}; leave --task out."
            )
        return asked, ""
    if asked == "classification" or not numeric or kind not in NUMERIC:
        return "classification", ""
    if column.declared in NUMERIC or column.distinct > VALUES:
        said = f"“{name}” is a numeric target: its {column.distinct:,} different values are predicted as numbers."
        other = " The task classification (--task classification) takes them for classes."
        return "regression", said + (other if column.distinct <= CLASSES else "")
    return (
        "classification",
        f"“{name}” has {column.distinct:,} different numbers, which are taken for classes; the task regression "
        "(--task regression) predicts them as numbers.",
    )


def regression_task(
    frame: Any, kinds: Mapping[str, str], target: str, rng: np.random.Generator, notes: list[str]
) -> RegressionTask:
    """Rows with a known target, at most `ROWS`; what was left out is added to the notes."""
    numbers, categories = predictors(kinds, target)
    if not numbers and not categories:
        raise ReportError(f"no column is left to predict {target!r} from; a report without a target lists their kinds.")
    y = as_floats(frame[target])
    known = np.flatnonzero(~np.isnan(y))
    if len(known) < FEWEST:
        raise ReportError(
            f"the column {target!r} holds {counted(len(known), 'number')}; a regression needs at least {FEWEST}."
        )
    if len(known) < len(y):
        left = counted(len(y) - len(known), "row has", "rows have")
        notes.append(f"{left} no value of “{target}”, and no part in the regression.")
    some = sample_rows(frame.iloc[known], ROWS, rng.spawn(1)[0])
    if len(some) < len(known):
        notes.append(f"Models are fitted to {len(some):,} of {len(known):,} rows, drawn at random.")
    rows = [int(i) for i in some.index]
    X = predictor_table(some.reset_index(drop=True), numbers, categories, kinds)
    if X.isna().to_numpy().any():
        notes.append(
            "Missing values of predictors are filled by the median of the training rows, with an indicator in the "
            "linear regression; a missing category is a category."
        )
    return RegressionTask(X, y[rows], numbers, categories, rows)
