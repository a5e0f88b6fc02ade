"""A report as a dict: everything that the page shows, and nothing else."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold

from parzen.cells import frame_kind
from parzen.decision import Decision
from parzen.report import classes as supervised
from parzen.report import words
from parzen.report.columns import as_text, describe, kind_of, read_dates
from parzen.report.numbers import clean, rounded, share
from parzen.report.whole import chosen, dependence, mixture, outliers, ready

#: Most columns that are looked at, and most classes.
COLUMNS, CLASSES = 500, 50


class ReportError(ValueError):
    """A table, or a wish, that no report can be made of."""


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
        _predict(out, frame, kinds, target, text, loss, rng, tell)
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
    from parzen import __version__

    out["parzen"] = __version__
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


# With a target -------------------------------------------------------------------------------------------------------


def _predict(
    out: dict[str, Any],
    frame: Any,
    kinds: dict[str, str],
    target: str,
    text: str | None,
    loss: Any,
    rng: np.random.Generator,
    tell: Callable[[str], None],
) -> None:
    labelled = frame[frame[target].notna()]
    if len(labelled) < len(frame):
        out["notes"].append(
            f"{len(frame) - len(labelled):,} rows without “{target}” are left out where it is predicted."
        )
    if not len(labelled):
        raise ReportError(f"the column {target!r} holds nothing; a target needs at least two classes.")
    if text is not None and (text == target or kinds[text] in ("number", "date", "empty", "constant")):
        raise ReportError(f"the column {text!r} holds no text to predict {target!r} from.")
    values = labelled[target].set_axis(labelled.index).copy().astype(object)
    values[:] = as_text(labelled[target])
    names, counts = np.unique(values.to_numpy(dtype=str), return_counts=True)
    if len(names) < 2:
        raise ReportError(f"the column {target!r} holds one class only ({names[0]!r}); a target needs at least two.")
    if len(names) > CLASSES:
        raise ReportError(
            f"the column {target!r} holds {len(names):,} different values; a target is a class, of which there may be "
            f"{CLASSES}. Cut numbers into classes first."
        )
    rare = names[counts < supervised.FOLDS]
    if len(rare):
        keep = ~values.isin(rare)
        labelled, values = labelled[keep], values[keep]
        out["notes"].append(f"Classes of fewer than {supervised.FOLDS} rows are left out: {', '.join(rare[:5])}.")
        names = np.unique(values.to_numpy(dtype=str))
        if len(names) < 2:
            raise ReportError(
                f"only one class of {target!r} has {supervised.FOLDS} rows or more; nothing can be learnt."
            )
    some = labelled
    if len(labelled) > supervised.ROWS:
        some = chosen(labelled, supervised.ROWS, rng)
        out["notes"].append(
            f"Models learn from {len(some):,} of {len(labelled):,} rows, drawn by chance; with all of them they would "
            "be a little better."
        )
    values = values.loc[some.index]
    K, classes = len(names), names.tolist()
    codes = np.searchsorted(names, values.to_numpy(dtype=str))
    whole = np.bincount(codes, minlength=K)
    decision = _decision(loss, K, classes)
    out["target"] = {
        "name": target,
        "text": text,
        "classes": [
            {"name": c, "rows": int(n), "share": share(int(n), len(codes))} for c, n in zip(classes, whole, strict=True)
        ],
        "loss": decision.matrix(K).tolist(),
        "loss_given": loss is not None,
        "rows": len(codes),
    }
    folds = list(StratifiedKFold(supervised.FOLDS, shuffle=True, random_state=0).split(np.zeros(len(codes)), codes))
    if text is not None:
        X: Any = some[text].fillna("").astype(str).to_numpy(dtype=object)
        candidates, left = words.models(), list[str]()
    else:
        numbers = [c for c, kind in kinds.items() if kind in ("number", "date") and c != target]
        categories = [c for c, kind in kinds.items() if kind in ("category", "flag") and c != target]
        if not numbers and not categories:
            raise ReportError(f"no column is left to predict {target!r} from; see the kinds of the columns.")
        X = ready(some, [*numbers, *categories], kinds)
        for c in list(categories):  # flags that are numbers stand with the categories
            X[c] = as_text(X[c])
        candidates, left = supervised.models(X, numbers, categories, len(codes))
    out["notes"] += left
    judged, posteriors = [], {}
    for model, (kind, estimator) in candidates.items():
        tell(model)
        try:
            P, seconds = supervised.out_of_fold(estimator, X, codes, K, folds)
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            out["notes"].append(f"{model.capitalize()} could not be fitted: {str(error).splitlines()[0][:160]}")
            continue
        judged.append(supervised.judged(model, kind, P, codes, decision, seconds))
        posteriors[model] = P
    if not judged:
        raise ReportError("no model could be fitted; see the notes.")
    base = np.tile(whole / len(codes), (len(codes), 1))
    reference = supervised.judged("always the shares", "reference", base, codes, decision, 0.0)
    judged.sort(key=lambda one: (one["cost"]["value"], one["log_loss"]["value"]))
    best = min(judged, key=lambda one: one["log_loss"]["value"])["name"]
    cheapest = judged[0]["name"]
    out["models"] = [*judged, reference]
    out["best"] = best
    out["cheapest"] = cheapest
    out["models_see"] = _models_sentence(judged, best, cheapest, reference)
    out["calibration"] = {model: supervised.reliability(P, codes, K) for model, P in posteriors.items()}
    out["threshold"] = supervised.thresholds(posteriors[best], codes, decision, classes)
    action = decision.risk(posteriors[cheapest]).argmin(axis=1)
    table = np.zeros((len(decision.matrix(K)), K), dtype=int)
    np.add.at(table, (action, codes), 1)
    out["confusion"] = {"model": cheapest, "counts": table.tolist(), "classes": classes}
    if text is not None:
        tell("words")
        out["words"] = words.speaking(X, codes, classes)
        return
    tell("columns that tell the classes apart")
    out["telling"] = supervised.telling(X, codes, [*numbers, *categories], K, classes)
    ranked = [one["column"] for one in out["telling"] if one["column"] in numbers]
    if len(ranked) >= 2:
        tell("regions")
        out["regions"] = supervised.regions(X, codes, supervised.unlike(X, ranked), classes, rng)
    tell("learning curves")
    few = rng.permutation(len(codes))[: supervised.CURVES]
    out["learning"] = _learning(X.iloc[few], values.to_numpy(dtype=str)[few], numbers, categories)
    tell("rows that fit no class")
    out["misfits"] = supervised.misfits(X, codes, [int(i) for i in some.index], classes)


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
