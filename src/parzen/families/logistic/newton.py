"""Newton's method: steps to the optimum of a quadratic model, whose gain tells how far there is to go."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parzen.compute.arrays import Array
from parzen.families.logistic.objective import Objective, Reached
from parzen.families.logistic.products import Products

#: A model is used again where its last step divided what is left to gain by this at least.
FAST = 20.0
#: The way begins on one of so many rows, where these are enough: rows for each unknown, and rows at all.
SHARE, AMPLE, LEAST = 8, 20, 2048
#: A gain of this share of the objective is lost in its rounding.
ROUNDING = 1e-14


def newton(
    objective: Objective,
    start: Array,
    tol: float,
    max_iter: int,
    callback: Callable[[Reached], None] | None = None,
) -> Reached:
    """The optimum by Newton's method.

    Curvature costs far more than a slope, so it is used again while steps with it go fast. Where there are many rows, a
    sample of them is maximised first: its optimum is near, and its curvature serves all rows.
    """
    sampled = bool(max_iter) and _rows_to_spare(objective)
    here = _sampled(objective, start, tol) if sampled else objective.at(start)
    fresh, exact, before, rounded = not sampled, False, np.inf, False
    while True:
        if here.model is None:
            here, fresh = objective.curved(here, exact), True
        model = here.model
        assert model is not None
        step, gain = model.step(here.point.ravel(), here.slope.ravel())
        if not fresh and not gain * FAST <= before:
            here = replace(here, model=None)
            continue
        # A value is rounded long before its weights are: one step more gives these all their digits.
        settled = rounded or objective.is_settled(here, 2.0 * gain, tol)
        sharp = before < np.inf and gain * FAST <= before
        here = replace(here, gap=2.0 * gain, settled=settled, sharp=sharp)
        rounded = gain <= 0.5 * ROUNDING * here.value
        if here.settled or here.steps >= max_iter:
            return here
        found = _search(objective, here, step.reshape(start.shape))
        if found is None and fresh and exact:
            return replace(here, settled=gain <= 1e3 * ROUNDING * abs(here.value))
        # What an inexact model promises in vain, or the model of another point, asks for a better one.
        exact = exact or found is None or (fresh and gain > before)
        if found is None:
            here = replace(here, model=None)
            continue
        fresh, before = found.model is not None, gain
        here = found if fresh or not model.dear else replace(found, model=model)
        if callback is not None:
            callback(here)


def _search(objective: Objective, here: Reached, step: Array) -> Reached | None:
    """The first of the step, half of it, a quarter ... that gains a share of what the slope promises, or None."""
    change = np.abs(here.point + step) - np.abs(here.point)
    promised = float((here.slope * step).sum() + (objective.l1 * change).sum())
    share = 1.0
    while share > 1e-10:
        found = objective.at(here.point + share * step)
        if found.value <= here.value + 1e-4 * share * promised + ROUNDING * abs(here.value):
            return replace(found, steps=here.steps + 1)
        share *= 0.5
    return None


def _rows_to_spare(objective: Objective) -> bool:
    problem = objective.problem
    return len(problem.labels) >= SHARE * max(AMPLE * problem.size, LEAST)


def _sampled(objective: Objective, start: Array, tol: float) -> Reached:
    """Where the optimum of a sample is, or the start if that is better; and the model there."""
    sample = replace(objective, products=Products(objective.problem.sample(SHARE)))
    near = newton(sample, start, max(tol, 1e-4), 30)
    best = objective.at(near.point)
    if start.any():
        here = objective.at(start)
        best = here if here.value < best.value else best
    return replace(best, model=near.model if near.model is not None and near.model.dear else None)
