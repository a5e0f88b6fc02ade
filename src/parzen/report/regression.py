"""What predicts a numeric target: models compared on held-out rows, their intervals, and what follows from them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import KFold

from parzen.compute.arrays import Array
from parzen.report.choice import asked_models
from parzen.report.errors import ReportError
from parzen.report.held_out import BUDGET, timed
from parzen.report.intervals import rounded
from parzen.report.regression_models import QUANTILES, REFERENCE, REGRESSION_MODELS, Predicted, RegressionModel
from parzen.report.regression_parts import fit_of, largest_errors, predictors_alone, residuals, strip
from parzen.report.regression_scores import compared, coverage
from parzen.report.regression_task import RegressionTask, regression_task
from parzen.report.task import FOLDS

Progress = Callable[[str], None]


class HeldOutPredictions(NamedTuple):
    """Predictions of held-out rows, and the mean time of a fit in seconds."""

    predicted: Predicted
    seconds: float


def regressed(
    frame: Any,
    kinds: Mapping[str, str],
    target: str,
    rng: np.random.Generator,
    progress: Progress,
    wanted: Sequence[str] | None = None,
    budget: float | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The parts of a summary that are about a numeric target, and notes."""
    notes: list[str] = []
    task = regression_task(frame, kinds, target, rng, notes)
    found = _held_out(task, _models(task, wanted, notes), notes, progress, BUDGET if budget is None else budget)
    if len(found) < 2:
        raise ReportError(f"no model could be fitted to {target!r}: {' '.join(notes)}")
    predicted = {name: one.predicted for name, one in found.items()}
    kind = {one.name: one.kind for one in (*REGRESSION_MODELS, REFERENCE)}
    out = compared(predicted, task.y, kind, target)
    for one in out["models"]:
        one["fit_seconds"] = rounded(found[one["name"]].seconds, 3)
    best, density = predicted[out["best"]], predicted[out["best_density"]]
    progress("intervals and residuals")
    out["coverage"] = coverage({name: predicted[name] for name in dict.fromkeys([out["best_density"], out["best"]])},
                               task.y)  # fmt: skip
    out["predicted_observed"] = fit_of(best, task.y, rng)
    out["residuals"] = residuals(best, task.y, rng)
    progress("columns alone")
    out["information"] = predictors_alone(task)
    progress("quantile strips")
    out["strip"] = strip(task, out["information"], rng)
    out["largest_errors"] = largest_errors(density, task.y, task.rows)
    named = {"name": target, "task": "regression", "rows": len(task.y), "text": None}
    return {"target": named | _spread(task.y), "regression": out}, notes


def _spread(y: Array) -> dict[str, Any]:
    low, *quartiles, high = np.quantile(y, [0, 0.25, 0.5, 0.75, 1])
    return {
        "mean": rounded(y.mean(), 6), "standard_deviation": rounded(y.std(ddof=1)), "minimum": rounded(low, 6),
        "quartiles": [rounded(one, 6) for one in quartiles], "maximum": rounded(high, 6),
    }  # fmt: skip


def _models(task: RegressionTask, wanted: Sequence[str] | None, notes: list[str]) -> list[RegressionModel]:
    """The models of a table, those that are asked for, after the reference."""
    offered = [one for one in REGRESSION_MODELS if task.numbers or not one.numeric]
    if not task.numbers:
        notes.append("Gaussian mixture regression is left out: it needs numeric columns.")
    chosen = offered if wanted is None else asked_models(offered, wanted)
    return [REFERENCE, *chosen]


def _held_out(
    task: RegressionTask, models: Sequence[RegressionModel], notes: list[str], progress: Progress, limit: float
) -> dict[str, HeldOutPredictions]:
    """Predictions of held-out rows by each model; those that fail or take too long are left out with a note."""
    out = {}
    for model in models:
        try:
            found = _cross_validated(task, model, progress, limit)
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            notes.append(f"{_sentence(model.name)} could not be fitted: {str(error).splitlines()[0][:160]}")
            continue
        if isinstance(found, float):
            taken = f"a fit takes about {found:,.3g} s for this table (budget {limit:,.3g} s)"
            notes.append(f"{_sentence(model.name)} is left out: {taken}.")
        else:
            out[model.name] = found
    return out


def _cross_validated(
    task: RegressionTask, model: RegressionModel, progress: Progress, limit: float
) -> HeldOutPredictions | float:
    """Predictions of the rows of each fold by a model of the others; the seconds of a fit beyond the limit."""
    n = len(task.y)
    mean, quantiles, log = np.empty(n), np.empty((n, len(QUANTILES))), np.empty(n)
    seconds = 0.0
    for fold, (train, test) in enumerate(KFold(FOLDS, shuffle=True, random_state=0).split(task.y), start=1):
        progress(f"{model.name}, fold {fold} of {FOLDS}")
        rows, own = task.X.iloc[train].reset_index(drop=True), task.y[train]
        fitted, taken = timed(partial(model.fit, rows, own, task.numbers, task.categories))
        if taken > limit:
            return taken
        seconds += taken
        found = fitted(task.X.iloc[test].reset_index(drop=True), task.y[test])
        mean[test], quantiles[test], log[test] = found
    if not np.isfinite(mean).all() or not np.isfinite(quantiles).all():
        raise ValueError("some of its predictions are not finite.")
    return HeldOutPredictions(Predicted(mean, quantiles, log), seconds / FOLDS)


def _sentence(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"
