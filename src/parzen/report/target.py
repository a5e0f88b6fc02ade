"""What predicts a column of a table: models compared on held-out rows, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.report.choice import chosen_models
from parzen.report.class_outliers import class_outliers
from parzen.report.errors import ReportError
from parzen.report.held_out import HeldOut, held_out
from parzen.report.information import decision_regions, dissimilar_pair, information
from parzen.report.intervals import mean_interval, proportion, rounded
from parzen.report.learning import ROWS, learning_curves
from parzen.report.models import candidates
from parzen.report.phrases import brief, fraction, listed
from parzen.report.scores import Fold, confusion, reliability, scores, threshold_counts
from parzen.report.task import Task, decision_of, prediction_task
from parzen.report.verdict import informative
from parzen.report.words import class_words, word_models
from parzen.tables.features import as_labels

Progress = Callable[[str], None]
#: The name of the reference that predicts the class prior for every row.
REFERENCE = "class prior"


def predicted(
    frame: Any,
    kinds: Mapping[str, str],
    target: str,
    text: str | None,
    loss: Any,
    rng: np.random.Generator,
    progress: Progress,
    wanted: Sequence[str] | None = None,
    budget: float | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The parts of a summary that are about a target, and notes."""
    notes: list[str] = []
    task = prediction_task(frame, kinds, target, text, rng, notes)
    decision = decision_of(loss, task.classes)
    out: dict[str, Any] = {"target": _described(frame[target], task, text, decision, loss is not None)}
    if text is None:
        models, left_out = candidates(task.X, task.numbers, task.categories)
        notes += left_out
    else:
        models = word_models()
    models = models if wanted is None else chosen_models(models, wanted)
    found = held_out(task, models, notes, progress, budget)
    out |= _compared(task, models, found, decision)
    if text is None:
        naive = found["naive Bayes"].folds if "naive Bayes" in found else None
        out |= _columns(frame, task, naive, rng, progress, notes, budget)
    else:
        progress("words")
        out["words"] = class_words(task.X, task.codes, task.classes)
    return out, notes


def _described(column: Any, task: Task, text: str | None, decision: Decision, given: bool) -> dict[str, Any]:
    """The classes with their counts, of the whole table and of the rows that models are fitted to; and the loss."""
    K = len(task.classes)
    labels, counts = np.unique(as_labels(column.dropna()).astype(str), return_counts=True)
    of_table = dict(zip(labels.tolist(), counts.tolist(), strict=True))
    total = sum(of_table[name] for name in task.classes)
    return {
        "name": str(column.name),
        "task": "classification",
        "text": text,
        "classes": [
            {"name": name, "rows": of_table[name], "rows_in_models": int(n), "prior": proportion(of_table[name], total)}
            for name, n in zip(task.classes, np.bincount(task.codes, minlength=K), strict=True)
        ],
        "loss": decision.matrix(K).tolist(),
        "loss_given": given,
        "rows": len(task.codes),
    }


def _compared(
    task: Task,
    models: Mapping[str, tuple[str, Any]],
    found: Mapping[str, HeldOut],
    decision: Decision,
) -> dict[str, Any]:
    """Scores of the models on held-out rows; calibration, thresholds and decisions of the best ones."""
    codes, K = task.codes, len(task.classes)
    scored: list[dict[str, Any]] = []
    posteriors: dict[str, Array] = {}
    for name, (P, seconds, _) in found.items():
        posteriors[name] = P
        scored.append(
            {"name": name, "kind": models[name][0], **scores(P, codes, decision), "fit_seconds": rounded(seconds, 3)}
        )
    if not scored:
        raise ReportError("no model could be fitted; check the columns by a report without a target.")
    prior = np.tile(np.bincount(codes, minlength=K) / len(codes), (len(codes), 1))
    reference = {"name": REFERENCE, "kind": "reference", **scores(prior, codes, decision), "fit_seconds": 0.0}
    scored.sort(key=lambda one: (one["cost"]["value"], one["log_loss"]["value"]))
    best = min(scored, key=lambda one: one["log_loss"]["value"])
    cheapest = scored[0]["name"]
    gain, as_good = _gain(posteriors, prior, codes, best["name"])
    return {
        "models": [*scored, reference],
        "best": best["name"],
        "lowest_cost": cheapest,
        "gain": gain,
        "as_good": as_good,
        "models_finding": _finding(best, cheapest, gain, as_good),
        "calibration": {name: reliability(P, codes, K) for name, P in posteriors.items()},
        "threshold": threshold_counts(posteriors[best["name"]], codes, decision, task.classes),
        "confusion": {
            "model": cheapest,
            "counts": confusion(posteriors[cheapest], codes, decision),
            "classes": task.classes,
        },
    }


def _gain(
    posteriors: Mapping[str, Array], prior: Array, codes: NDArray[np.intp], best: str
) -> tuple[dict[str, Any], list[str]]:
    """How far the best model's log loss is below the class prior's, row by row; and models that may be as good."""

    def losses(P: Array) -> Array:
        return -np.log(np.clip(P[np.arange(len(codes)), codes], 1e-300, 1.0))

    own = losses(posteriors[best])
    more = {name: mean_interval(losses(P) - own) for name, P in posteriors.items() if name != best}
    return mean_interval(losses(prior) - own), [name for name, one in more.items() if not (one["low"] or 0.0) > 0]


def _finding(best: dict[str, Any], cheapest: str, gain: dict[str, Any], as_good: list[str]) -> str:
    """Which model predicts best, where one predicts better than the class prior."""
    if gain["value"] <= 0:
        return "No model has a lower log loss than the class prior alone: none predicts the target from these columns."
    text = (
        f"“{best['name']}” has the lowest log loss on held-out rows: {brief(best['log_loss']['value'])} nats, which is "
        f"{brief(gain['value'])} nats below that of the class prior alone (95% interval of the difference: "
        f"{brief(gain['low'])} to {brief(gain['high'])}); its accuracy is {fraction(best['accuracy']['value'])}."
    )
    if not (gain["low"] or 0.0) > 0:
        return f"No model is clearly better than the class prior alone. {text}"
    if as_good:
        text += f" {listed(as_good)} {'is' if len(as_good) == 1 else 'are'} not clearly worse."
    if cheapest != best["name"]:
        text += f" The decisions of “{cheapest}” have the lowest mean cost."
    return text


def _columns(
    frame: Any,
    task: Task,
    naive: list[Fold] | None,
    rng: np.random.Generator,
    progress: Progress,
    notes: list[str],
    budget: float | None,
) -> dict[str, Any]:
    """Information of columns about the class, decision regions, learning curves, and rows unlikely in every class."""
    X, codes, classes = task.X, task.codes, task.classes
    progress("information of columns")
    found = information(X, codes, [*task.numbers, *task.categories], classes, naive)
    out: dict[str, Any] = {"information": found}
    pair = region_columns(X, found, task.numbers)
    if pair is not None:
        progress("decision regions")
        out["regions"] = decision_regions(X, codes, pair, classes, rng)
    progress("learning curves")
    few = rng.permutation(len(codes))[:ROWS]
    curves = learning_curves(X.iloc[few], np.array(classes)[codes[few]], task.numbers, task.categories, budget)
    out["learning_curves"] = None if isinstance(curves, str) else curves
    notes += [f"Learning curves are left out: {curves}"] if isinstance(curves, str) else []
    progress("rows unlikely in every class")
    out["class_outliers"] = class_outliers(frame, X, codes, task.rows, classes)
    return out


def region_columns(X: Any, found: Sequence[dict[str, Any]], numbers: Sequence[str]) -> list[str] | None:
    """Two different numeric columns that tell about the class, for decision regions; None where there are fewer."""
    ranked = [one["column"] for one in found if one["column"] in numbers and informative(one)]
    return dissimilar_pair(X, ranked)
