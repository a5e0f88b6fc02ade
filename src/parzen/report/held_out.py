"""Predicted probabilities of held-out rows, for each of several models, within a budget of time."""

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from parzen.compute.arrays import Array
from parzen.report.scores import Fold, cross_validated, rows_of
from parzen.report.task import FOLDS, Task

T = TypeVar("T")
Progress = Callable[[str], None]
#: Seconds that one fit of a model may take, unless a user gives another number.
BUDGET = 20.0
#: Fractions of the rows in trial fits, which tell whether a model is within its budget; fewer rows are no trial.
FRACTIONS, FEWEST = (1 / 8, 1 / 4), 10


class HeldOut(NamedTuple):
    """Predicted probabilities of held-out rows, (n, K), the mean time of a fit in seconds, and the fitted models."""

    posterior: Array
    seconds: float
    folds: list[Fold]


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
            expected = expected_time(model, task, limit)
            if expected.seconds <= limit:
                found[name] = _cross_validated(name, model, task, progress)
                continue
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            notes.append(f"{_sentence(name)} could not be fitted: {str(error).splitlines()[0][:160]}")
            continue
        notes.append(f"{_sentence(name)} is left out: a fit takes {expected} for this table (budget {limit:,.3g} s).")
    return found


class Expected(NamedTuple):
    """How long a fit takes: about so many seconds, or more than that."""

    seconds: float
    more: bool = False

    def __str__(self) -> str:
        return f"{'more than' if self.more else 'about'} {self.seconds:,.3g} s"


def expected_time(model: Any, task: Task, limit: float) -> Expected:
    """How long a fit to the rows of a fold takes, from one to an eighth of them and, if need be, one to a quarter.

    The first one settles it where even a time that grows with the square of the rows is within the limit, or where it
    alone is beyond half of it. The second one shows by which power of the rows the time grows.
    """
    n = len(task.codes) * (FOLDS - 1) // FOLDS
    few, more = (_some(task.codes, fraction * (FOLDS - 1) / FOLDS) for fraction in FRACTIONS)
    if len(few) < FEWEST:
        return Expected(0.0)
    first = _seconds(model, task, few)
    if first > limit:
        return Expected(first, more=True)
    if first * (n / len(few)) ** 2 <= limit:
        return Expected(first * n / len(few))
    if first > limit / 2:
        return Expected(first * n / len(few))
    second = _seconds(model, task, more)
    power = np.log(max(second, 1e-9) / max(first, 1e-9)) / np.log(len(more) / len(few))
    return Expected(second * (n / len(more)) ** float(np.clip(power, 0.0, 3.0)))


def fit_seconds(fit: Callable[[], Any]) -> float:
    """How long a fit takes: see `timed`."""
    return timed(fit)[1]


def timed(fit: Callable[[], T]) -> tuple[T, float]:
    """What a fit gives, and its seconds; on a machine that others use, too, not more than its own on one processor."""
    begun, worked = time.perf_counter(), time.process_time()
    found = fit()
    return found, min(time.perf_counter() - begun, time.process_time() - worked)


def _seconds(model: Any, task: Task, rows: NDArray[np.intp]) -> float:
    X, codes = rows_of(task.X, rows), task.codes[rows]
    return fit_seconds(lambda: clone(model).fit(X, codes))


def _some(codes: NDArray[np.intp], fraction: float) -> NDArray[np.intp]:
    """A part of the rows, at least two of each class, always the same ones."""
    order = np.random.default_rng(0).permutation(len(codes))
    kept = [order[codes[order] == k] for k in range(codes.max() + 1)]
    return np.sort(np.concatenate([own[: max(2, int(fraction * len(own)))] for own in kept]))


def _cross_validated(name: str, model: Any, task: Task, progress: Progress) -> HeldOut:
    folds: list[Fold] = []
    P, seconds = cross_validated(
        model, task.X, task.codes, len(task.classes), FOLDS, lambda fold: progress(f"{name}, {fold}"), folds
    )
    return HeldOut(P, seconds, folds)


def _sentence(name: str) -> str:
    return f"{name[0].upper()}{name[1:]}"
