"""Predicted probabilities of held-out rows, for each of several models, within a budget of time."""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from parzen.compute.arrays import Array
from parzen.report.scores import cross_validated, rows_of
from parzen.report.task import FOLDS, Task

Progress = Callable[[str], None]
#: Seconds that one fit of a model may take, unless a user gives another number.
BUDGET = 20.0
#: Rows of the trial fits that tell whether a model is within its budget: fewer are not worth a trial, and fractions.
FEWEST, FRACTIONS = 200, (1 / 8, 1 / 2)


class HeldOut(NamedTuple):
    """Predicted probabilities of held-out rows, (n, K), and the mean time of a fit in seconds."""

    posterior: Array
    seconds: float


def held_out(
    task: Task, models: Mapping[str, tuple[str, Any]], notes: list[str], progress: Progress, budget: float | None = None
) -> dict[str, HeldOut]:
    """Cross-validate each model; those that can't be fitted, or not within the budget, are left out with a note.

    Parameters
    ----------
    models : whether each is generative or discriminative, and the model, by name
    progress : called with each model and fold
    budget : seconds that one fit may take, by default `BUDGET`
    """
    limit = BUDGET if budget is None else budget
    found: dict[str, HeldOut] = {}
    for name, (_, model) in models.items():
        progress(name)
        try:
            expected = expected_seconds(model, task, limit)
            if expected <= limit:
                found[name] = _cross_validated(name, model, task, progress)
                continue
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            notes.append(f"{_sentence(name)} could not be fitted: {str(error).splitlines()[0][:160]}")
            continue
        notes.append(
            f"{_sentence(name)} is left out: a fit takes about {expected:,.0f} s for this table (budget {limit:,.0f} s)."
        )
    return found


def expected_seconds(model: Any, task: Task, limit: float) -> float:
    """About how long a fit takes, from fits to an eighth and, where that leaves it open, to half of the rows."""
    n = len(task.codes)
    trials: list[tuple[int, float]] = []
    for fraction in FRACTIONS:
        rows = _some(task.codes, fraction)
        if len(rows) < FEWEST or len(rows) == n:
            continue
        begun = time.perf_counter()
        clone(model).fit(rows_of(task.X, rows), task.codes[rows])
        trials.append((len(rows), time.perf_counter() - begun))
        expected = _extrapolated(trials, n * (FOLDS - 1) // FOLDS)
        if expected <= limit or trials[-1][1] > limit:
            return expected
    return _extrapolated(trials, n) if trials else 0.0


def _extrapolated(trials: list[tuple[int, float]], n: int) -> float:
    """Seconds for n rows: in proportion to them, or by the power of them that two trials show."""
    (rows, seconds), power = trials[-1], 1.0
    if len(trials) > 1:
        (fewer, before), _ = trials
        power = float(np.clip(np.log(max(seconds, 1e-9) / max(before, 1e-9)) / np.log(rows / fewer), 0.0, 3.0))
    return seconds * (n / rows) ** power


def _some(codes: NDArray[np.intp], fraction: float) -> NDArray[np.intp]:
    """A part of the rows, at least two of each class, always the same ones."""
    order = np.random.default_rng(0).permutation(len(codes))
    kept = [order[codes[order] == k] for k in range(codes.max() + 1)]
    return np.sort(np.concatenate([own[: max(2, int(fraction * len(own)))] for own in kept]))


def _cross_validated(name: str, model: Any, task: Task, progress: Progress) -> HeldOut:
    K = len(task.classes)
    return HeldOut(*cross_validated(model, task.X, task.codes, K, FOLDS, lambda fold: progress(f"{name}, {fold}")))


def _sentence(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"
