"""What a user and scikit-learn's callbacks are told of each step of a logistic regression."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from parzen.compute.arrays import Array

Told = Callable[[int, float, Array, Array], None]


@contextmanager
def told(
    estimator: Any, shown: dict[str, Any], start: tuple[Array, Array], kept: Callable[[Array, Array], dict[str, Any]]
) -> Iterator[Told | None]:
    """Give a callback for the optimisation, or None where nobody wants to know.

    Parameters
    ----------
    estimator : with `verbose`, `max_iter` and, if it has callbacks, `_skl_callbacks`
    shown : X, y and metadata, as callbacks are shown them
    start : weights and intercepts before the first step
    kept : weights and intercepts as the attributes that an estimator has after such a step
    """
    watched = hasattr(estimator, "_skl_callbacks")
    if not watched and not estimator.verbose:
        yield None
        return
    tasks = _Tasks(estimator, shown, kept(*start)) if watched else None

    def tell(step: int, objective: float, coef: Array, intercept: Array) -> None:
        if estimator.verbose:
            sys.stdout.write(f"step {step}: objective {objective:.8g}\n")
        if tasks is not None:
            tasks.step(kept(coef, intercept))

    yield tell
    if tasks is not None:
        tasks.close()


class _Tasks:
    """The fit as a task, and each step as a task of its own; the last one, after the last step, is empty.

    So are scikit-learn's own: where no step is taken, looking at the start counts as one.
    """

    def __init__(self, estimator: Any, shown: dict[str, Any], start: dict[str, Any]) -> None:
        self._estimator, self._shown, self._now, self._steps = estimator, shown, start, 0
        self._fit = estimator._init_callback_context(max_subtasks=max(int(estimator.max_iter), 1) + 1)
        self._fit.call_on_fit_task_begin(estimator=estimator, **shown)
        self._step = self._begun()

    def _begun(self) -> Any:
        task = self._fit.subcontext(task_name="lbfgs-iter")
        return task.call_on_fit_task_begin(
            estimator=self._estimator, **self._shown, reconstruction_attributes=self._now
        )

    def step(self, now: dict[str, Any]) -> None:
        """End a step, after which an estimator has these attributes, and begin the next."""
        self._now, self._steps = now, self._steps + 1
        self._step.call_on_fit_task_end(estimator=self._estimator, **self._shown, reconstruction_attributes=now)
        self._step = self._begun()

    def close(self) -> None:
        """End the empty task, and the fit."""
        if not self._steps:
            self.step(self._now)
        self._step.call_on_fit_task_end(estimator=self._estimator)
        self._fit.call_on_fit_task_end(estimator=self._estimator, **self._shown, reconstruction_attributes=self._now)
