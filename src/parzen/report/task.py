"""The prediction task of a report: which rows and columns models are fitted to, and what decisions cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.decisions.decision import Decision
from parzen.report.errors import ReportError
from parzen.report.rows import sample_rows
from parzen.tables.features import as_labels, feature_table
from parzen.tables.kinds import CATEGORICAL, NUMERIC

#: Most rows and most classes, and folds of cross-validation.
ROWS, CLASSES, FOLDS = 12_000, 50, 5
#: A column with the numbers of the rows, under a name that no table has.
_ROW = "\x00row"


@dataclass(frozen=True)
class Task:
    """Rows with known classes.

    Attributes
    ----------
    X : table, or array of texts
    codes : array of shape (n,)
        Positions of their classes in `classes`.
    classes : list of str
    numbers, categories : lists of str
        Names of the numeric and of the categorical columns.
    rows : list of int
        Numbers of the rows in the table.
    """

    X: Any
    codes: NDArray[np.intp]
    classes: list[str]
    numbers: list[str]
    categories: list[str]
    rows: list[int]


def prediction_task(
    frame: Any, kinds: Mapping[str, str], target: str, text: str | None, rng: np.random.Generator, notes: list[str]
) -> Task:
    """Rows whose class is known and not rare, at most `ROWS`; what was left out is added to the notes."""
    if text is not None and (text == target or kinds[text] in (*NUMERIC, "date", "empty", "constant")):
        raise ReportError(f"the column {text!r} holds no text to predict {target!r} from.")
    # Rows are drawn by a generator of their own, so that they are the same whatever else a report draws before.
    some, labels = _labelled(frame, target, rng.spawn(1)[0], notes)
    names, codes = np.unique(labels, return_inverse=True)
    rows = [int(i) for i in some[_ROW]]
    if text is not None:
        texts = some[text].fillna("").astype(str).to_numpy(dtype=object)
        return Task(texts, codes, names.tolist(), [], [], rows)
    numbers, categories = predictors(kinds, target)
    if not numbers and not categories:
        raise ReportError(f"no column is left to predict {target!r} from; a report without a target lists their kinds.")
    return Task(predictor_table(some, numbers, categories, kinds), codes, names.tolist(), numbers, categories, rows)


def predictors(kinds: Mapping[str, str], target: str) -> tuple[list[str], list[str]]:
    """Names of the columns that models take as numbers, dates among them, and as categories."""
    numbers = [name for name, kind in kinds.items() if kind in (*NUMERIC, "date") and name != target]
    return numbers, [name for name, kind in kinds.items() if kind in CATEGORICAL and name != target]


def predictor_table(frame: Any, numbers: list[str], categories: list[str], kinds: Mapping[str, str]) -> Any:
    """The columns that models learn from: numbers with NaN, and text with None where a value is missing.

    Binary columns of numbers are categories here.
    """
    X = feature_table(frame, [*numbers, *categories], kinds)
    return X.assign(**{name: _text(X[name]) for name in categories})


def _text(column: Any) -> Any:
    import pandas as pd

    return pd.Series(as_labels(column), index=column.index, dtype=object)


def _labelled(frame: Any, target: str, rng: np.random.Generator, notes: list[str]) -> tuple[Any, NDArray[Any]]:
    """Some of the rows with a class that is not rare, and their classes."""
    labelled = frame[frame[target].notna()]
    if len(labelled) < len(frame):
        left = len(frame) - len(labelled)
        notes.append(f"{left:,} rows with a missing value of “{target}” are left out of the models.")
    labels = as_labels(labelled[target]).astype(str)
    names, counts = np.unique(labels, return_counts=True)
    _check_classes(names, target)
    rare = names[counts < FOLDS]
    if len(rare):
        notes.append(f"Classes of fewer than {FOLDS} rows are left out: {', '.join(rare[:5])}.")
        if len(names) - len(rare) < 2:
            raise ReportError(
                f"only one class of {target!r} has {FOLDS} rows or more; a target needs two such classes."
            )
        keep = ~np.isin(labels, rare)
        labelled, labels = labelled[keep], labels[keep]
    labelled = labelled.set_axis(np.arange(len(labelled)), axis=0).assign(**{_ROW: labelled.index})
    some = sample_rows(labelled, ROWS, rng)
    if len(some) < len(labelled):
        notes.append(f"Models are fitted to {len(some):,} of {len(labelled):,} rows, drawn at random.")
    return some, labels[some.index]


def _check_classes(names: NDArray[Any], target: str) -> None:
    if not len(names):
        raise ReportError(f"the column {target!r} has no values; a target needs at least two classes.")
    if len(names) < 2:
        raise ReportError(
            f"the column {target!r} holds one class only ({str(names[0])!r}); a target needs at least two."
        )
    if len(names) > CLASSES:
        raise ReportError(
            f"the column {target!r} holds {len(names):,} different values; a target may have at most {CLASSES} "
            "classes. Numbers are predicted by the task regression (--task regression)."
        )


def decision_of(loss: Any, classes: list[str]) -> Decision:
    """Decisions for classes by a loss matrix; by default an error costs 1."""
    K = len(classes)
    if loss is None:
        return Decision(1.0 - np.eye(K), classes=classes)
    matrix = np.asarray(loss, dtype=np.float64)
    if matrix.shape != (K, K):
        raise ReportError(
            f"the loss must have {K} rows (decisions) and {K} columns (classes: {', '.join(classes[:6])}), got "
            f"{' x '.join(str(size) for size in matrix.shape)}."
        )
    return Decision(matrix, classes=classes)
