"""The model that a report finds best for a target, to be fitted to all rows."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from parzen.report.errors import ReportError
from parzen.report.held_out import held_out
from parzen.report.models import TABLE_MODELS, TEXT_MODELS, Model, candidates
from parzen.report.scores import scores
from parzen.report.task import decision_of, prediction_task
from parzen.report.words import word_models


class Best(NamedTuple):
    """The model of lowest log loss on held-out rows, its scores there, and notes on the comparison."""

    model: Model
    scores: dict[str, Any]
    notes: list[str]


def best_model(
    frame: Any,
    kinds: Mapping[str, str],
    target: str,
    text: str | None = None,
    *,
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
    budget: float | None = None,
) -> Best:
    """Compare models as a report does, on the same rows; the best one is that of a report with the same seed.

    Parameters
    ----------
    frame : pandas table, rows numbered from 0
    kinds : kinds of the columns, by name
    target : name of the column to predict
    text, random_state, progress, budget : as of `parzen.report.summarise`
    """
    notes: list[str] = []
    task = prediction_task(frame, kinds, target, text, np.random.default_rng(random_state), notes)
    models, left_out = candidates(task.X, task.numbers, task.categories) if text is None else (word_models(), [])
    notes += left_out
    found = held_out(task, models, notes, progress or (lambda _: None), budget)
    if not found:
        raise ReportError(f"no model could be fitted: {' '.join(notes)}")
    decision = decision_of(None, task.classes)
    scored = {name: scores(one.posterior, task.codes, decision) for name, one in found.items()}
    name = min(scored, key=lambda one: (scored[one]["log_loss"]["value"], scored[one]["cost"]["value"]))
    offered = TABLE_MODELS if text is None else TEXT_MODELS
    return Best(next(one for one in offered if one.name == name), scored[name], notes)
