"""What predicts a column of a table: which rows and columns are learnt from, the race of models, and what follows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.report import classes as supervised
from parzen.report import words
from parzen.report.columns import as_text
from parzen.report.numbers import rounded, share
from parzen.report.whole import chosen, ready

#: Most classes.
CLASSES = 50


class ReportError(ValueError):
    """A table, or a wish, that no report can be made of."""


@dataclass(frozen=True)
class Task:
    """Rows that are learnt from.

    Attributes
    ----------
    X : table, or texts
    codes : array of shape (n,)
        Positions of their classes in `classes`.
    classes : list of str
    numbers, categories : names of columns
    rows : numbers of the rows in the table
    """

    X: Any
    codes: NDArray[np.intp]
    classes: list[str]
    numbers: list[str]
    categories: list[str]
    rows: list[int]


def predicted(
    frame: Any,
    kinds: dict[str, str],
    target: str,
    text: str | None,
    loss: Any,
    rng: np.random.Generator,
    tell: Callable[[str], None],
) -> tuple[dict[str, Any], list[str]]:
    """The parts of a summary that are about a target, and notes."""
    notes: list[str] = []
    if text is not None and (text == target or kinds[text] in ("number", "date", "empty", "constant")):
        raise ReportError(f"the column {text!r} holds no text to predict {target!r} from.")
    some, values = _labelled(frame, target, rng, notes)
    task = _task(some, values, kinds, target, text)
    K = len(task.classes)
    decision = _decision(loss, K, task.classes)
    counts = np.bincount(task.codes, minlength=K)
    out: dict[str, Any] = {
        "target": {
            "name": target,
            "text": text,
            "classes": [
                {"name": name, "rows": int(n), "share": share(int(n), len(task.codes))}
                for name, n in zip(task.classes, counts, strict=True)
            ],
            "loss": decision.matrix(K).tolist(),
            "loss_given": loss is not None,
            "rows": len(task.codes),
        }
    }
    if text is None:
        candidates, left = supervised.models(task.X, task.numbers, task.categories, len(task.codes))
        notes += left
    else:
        candidates = words.models()
    out |= _race(task, candidates, decision, notes, tell)
    if text is None:
        out |= _follows(task, rng, tell)
    else:
        tell("words")
        out["words"] = words.speaking(task.X, task.codes, task.classes)
    return out, notes


def _labelled(frame: Any, target: str, rng: np.random.Generator, notes: list[str]) -> tuple[Any, Array]:
    """Rows whose class is known and common enough, at most so many; and their classes."""
    labelled = frame[frame[target].notna()]
    if len(labelled) < len(frame):
        notes.append(f"{len(frame) - len(labelled):,} rows without “{target}” are left out where it is predicted.")
    if not len(labelled):
        raise ReportError(f"the column {target!r} holds nothing; a target needs at least two classes.")
    values = as_text(labelled[target]).astype(str)
    names, counts = np.unique(values, return_counts=True)
    if len(names) < 2:
        raise ReportError(f"the column {target!r} holds one class only ({names[0]!r}); a target needs at least two.")
    if len(names) > CLASSES:
        raise ReportError(
            f"the column {target!r} holds {len(names):,} different values; a target is a class, of which there may be "
            f"{CLASSES}. Cut numbers into classes first."
        )
    rare = names[counts < supervised.FOLDS]
    if len(rare):
        notes.append(f"Classes of fewer than {supervised.FOLDS} rows are left out: {', '.join(rare[:5])}.")
        if len(names) - len(rare) < 2:
            raise ReportError(
                f"only one class of {target!r} has {supervised.FOLDS} rows or more; nothing can be learnt."
            )
        keep = ~np.isin(values, rare)
        labelled, values = labelled[keep], values[keep]
    labelled = labelled.set_axis(np.arange(len(labelled)), axis=0).assign(**{_ROW: labelled.index})
    some = chosen(labelled, supervised.ROWS, rng)
    if len(some) < len(labelled):
        notes.append(
            f"Models learn from {len(some):,} of {len(labelled):,} rows, drawn by chance; with all of them they would "
            "be a little better."
        )
    return some, values[some.index]


#: A column of the numbers of rows, by a name that no table has.
_ROW = "\x00row"


def _task(some: Any, values: Array, kinds: dict[str, str], target: str, text: str | None) -> Task:
    names, codes = np.unique(values, return_inverse=True)
    rows = [int(i) for i in some[_ROW]]
    if text is not None:
        X: Any = some[text].fillna("").astype(str).to_numpy(dtype=object)
        return Task(X, codes, names.tolist(), [], [], rows)
    numbers = [name for name, kind in kinds.items() if kind in ("number", "date") and name != target]
    categories = [name for name, kind in kinds.items() if kind in ("category", "flag") and name != target]
    if not numbers and not categories:
        raise ReportError(f"no column is left to predict {target!r} from; see the kinds of the columns.")
    X = ready(some, [*numbers, *categories], kinds)
    for name in categories:  # flags that are numbers stand with the categories
        X[name] = as_text(X[name])
    return Task(X, codes, names.tolist(), numbers, categories, rows)


def _race(
    task: Task, candidates: dict[str, Any], decision: Decision, notes: list[str], tell: Callable[[str], None]
) -> dict[str, Any]:
    """The models side by side, on rows that they have not seen."""
    codes, K = task.codes, len(task.classes)
    folds = list(StratifiedKFold(supervised.FOLDS, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes))
    judged, posteriors = [], {}
    for model, (kind, estimator) in candidates.items():
        tell(model)
        try:
            P, seconds = supervised.out_of_fold(estimator, task.X, codes, K, folds)
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            notes.append(f"{model.capitalize()} could not be fitted: {str(error).splitlines()[0][:160]}")
            continue
        judged.append(supervised.judged(model, kind, P, codes, decision, seconds))
        posteriors[model] = P
    if not judged:
        raise ReportError("no model could be fitted; see the notes.")
    shares = np.tile(np.bincount(codes, minlength=K) / len(codes), (len(codes), 1))
    reference = supervised.judged("always the shares", "reference", shares, codes, decision, 0.0)
    judged.sort(key=lambda one: (one["cost"]["value"], one["log_loss"]["value"]))
    best = min(judged, key=lambda one: one["log_loss"]["value"])["name"]
    cheapest = judged[0]["name"]
    table = np.zeros((len(decision.matrix(K)), K), dtype=int)
    np.add.at(table, (decision.risk(posteriors[cheapest]).argmin(axis=1), codes), 1)
    return {
        "models": [*judged, reference],
        "best": best,
        "cheapest": cheapest,
        "models_see": _models_sentence(judged, best, cheapest, reference),
        "calibration": {model: supervised.reliability(P, codes, K) for model, P in posteriors.items()},
        "threshold": supervised.thresholds(posteriors[best], codes, decision, task.classes),
        "confusion": {"model": cheapest, "counts": table.tolist(), "classes": task.classes},
    }


def _follows(task: Task, rng: np.random.Generator, tell: Callable[[str], None]) -> dict[str, Any]:
    """Which columns tell the classes apart, and where; what more rows would bring; rows that fit no class."""
    X, codes, classes = task.X, task.codes, task.classes
    tell("columns that tell the classes apart")
    out: dict[str, Any] = {
        "telling": supervised.telling(X, codes, [*task.numbers, *task.categories], len(classes), classes)
    }
    ranked = [one["column"] for one in out["telling"] if one["column"] in task.numbers]
    if len(ranked) >= 2:
        tell("regions")
        out["regions"] = supervised.regions(X, codes, supervised.unlike(X, ranked), classes, rng)
    tell("learning curves")
    few = rng.permutation(len(codes))[: supervised.CURVES]
    out["learning"] = _learning(X.iloc[few], np.array(classes)[codes[few]], task.numbers, task.categories)
    tell("rows that fit no class")
    out["misfits"] = supervised.misfits(X, codes, task.rows, classes)
    return out


def _learning(X: Any, y: Any, numbers: list[str], categories: list[str]) -> dict[str, Any] | None:
    kept, counts = np.unique(y, return_counts=True)
    enough = np.isin(y, kept[counts >= 3])
    if len(np.unique(y[enough])) < 2:
        return None
    try:
        return supervised.learning(X[enough], y[enough], numbers, categories)
    except ValueError:
        return None  # too few rows of some class


def _decision(loss: Any, K: int, classes: list[str]) -> Decision:
    if loss is None:
        return Decision(1.0 - np.eye(K), classes=classes)
    matrix = np.asarray(loss, dtype=np.float64)
    if matrix.shape != (K, K):
        raise ReportError(
            f"the loss must have {K} rows (decisions) and {K} columns (classes: {', '.join(classes[:6])}), got "
            f"{' x '.join(str(size) for size in matrix.shape)}."
        )
    return Decision(matrix, classes=classes)


def _models_sentence(judged: list[dict[str, Any]], best: str, cheapest: str, reference: dict[str, Any]) -> str:
    one = next(model for model in judged if model["name"] == best)
    gain = reference["log_loss"]["value"] - one["log_loss"]["value"]
    if gain <= 0:
        return "No model knows more of a row's class than the shares of the classes: nothing here predicts it."
    text = (
        f"“{best}” says the truest probabilities: it is right in {one['accuracy']['value']:.1%} of rows that it had "
        f"not seen, and knows {rounded(gain, 3):g} nats more than the shares of the classes alone."
    )
    if cheapest != best:
        text += f" Its decisions are not the cheapest: those of “{cheapest}” are."
    return text
