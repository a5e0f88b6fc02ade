"""What predicts a column of a table: models compared on held-out rows, and what follows from them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.decisions.decision import Decision
from parzen.report.class_outliers import class_outliers
from parzen.report.errors import ReportError
from parzen.report.held_out import held_out
from parzen.report.information import decision_regions, dissimilar_pair, information
from parzen.report.intervals import proportion, rounded
from parzen.report.learning import ROWS, learning_curves
from parzen.report.models import candidates
from parzen.report.scores import confusion, reliability, scores, threshold_counts
from parzen.report.task import Task, decision_of, prediction_task
from parzen.report.words import class_words, word_models

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
    budget: float | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The parts of a summary that are about a target, and notes."""
    notes: list[str] = []
    task = prediction_task(frame, kinds, target, text, rng, notes)
    decision = decision_of(loss, task.classes)
    out: dict[str, Any] = {"target": _described(task, target, text, decision, loss is not None)}
    if text is None:
        models, left_out = candidates(task.X, task.numbers, task.categories)
        notes += left_out
    else:
        models = word_models()
    out |= _compared(task, models, decision, notes, progress, budget)
    if text is None:
        out |= _columns(task, rng, progress, notes, budget)
    else:
        progress("words")
        out["words"] = class_words(task.X, task.codes, task.classes)
    return out, notes


def _described(task: Task, target: str, text: str | None, decision: Decision, given: bool) -> dict[str, Any]:
    K = len(task.classes)
    counts = np.bincount(task.codes, minlength=K)
    return {
        "name": target,
        "text": text,
        "classes": [
            {"name": name, "rows": int(n), "prior": proportion(int(n), len(task.codes))}
            for name, n in zip(task.classes, counts, strict=True)
        ],
        "loss": decision.matrix(K).tolist(),
        "loss_given": given,
        "rows": len(task.codes),
    }


def _compared(
    task: Task,
    models: Mapping[str, tuple[str, Any]],
    decision: Decision,
    notes: list[str],
    progress: Progress,
    budget: float | None,
) -> dict[str, Any]:
    """Scores of the models on held-out rows; calibration, thresholds and decisions of the best ones."""
    codes, K = task.codes, len(task.classes)
    scored: list[dict[str, Any]] = []
    posteriors: dict[str, Array] = {}
    for name, (P, seconds) in held_out(task, models, notes, progress, budget).items():
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
    return {
        "models": [*scored, reference],
        "best": best["name"],
        "lowest_cost": cheapest,
        "models_finding": _finding(best, cheapest, reference),
        "calibration": {name: reliability(P, codes, K) for name, P in posteriors.items()},
        "threshold": threshold_counts(posteriors[best["name"]], codes, decision, task.classes),
        "confusion": {
            "model": cheapest,
            "counts": confusion(posteriors[cheapest], codes, decision),
            "classes": task.classes,
        },
    }


def _finding(best: dict[str, Any], cheapest: str, reference: dict[str, Any]) -> str:
    gain = reference["log_loss"]["value"] - best["log_loss"]["value"]
    if gain <= 0:
        return "No model has a lower log loss than the class prior alone: these columns do not predict the target."
    text = (
        f"“{best['name']}” has the lowest log loss on held-out rows, {rounded(gain, 3):g} nats below that of the class "
        f"prior alone; its accuracy is {best['accuracy']['value']:.1%}."
    )
    if cheapest != best["name"]:
        text += f" The decisions of “{cheapest}” have the lowest cost."
    return text


def _columns(
    task: Task, rng: np.random.Generator, progress: Progress, notes: list[str], budget: float | None
) -> dict[str, Any]:
    """Information of columns about the class, decision regions, learning curves, and rows unlikely in every class."""
    X, codes, classes = task.X, task.codes, task.classes
    progress("information of columns")
    found = information(X, codes, [*task.numbers, *task.categories], classes)
    out: dict[str, Any] = {"information": found}
    ranked = [one["column"] for one in found if one["column"] in task.numbers]
    if len(ranked) >= 2:
        progress("decision regions")
        out["regions"] = decision_regions(X, codes, dissimilar_pair(X, ranked), classes, rng)
    progress("learning curves")
    few = rng.permutation(len(codes))[:ROWS]
    curves = learning_curves(X.iloc[few], np.array(classes)[codes[few]], task.numbers, task.categories, budget)
    out["learning_curves"] = None if isinstance(curves, str) else curves
    notes += [f"Learning curves are left out: {curves}"] if isinstance(curves, str) else []
    progress("rows unlikely in every class")
    out["class_outliers"] = class_outliers(X, codes, task.rows, classes)
    return out
