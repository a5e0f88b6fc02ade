"""Newton's method: steps to the optimum of a quadratic model, whose gain tells how far there is to go."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from parzen.compute.arrays import Array
from parzen.families.logistic.doubt import among_doubtful, doubt
from parzen.families.logistic.objective import Objective, Reached
from parzen.families.logistic.products import Products
from parzen.families.logistic.secants import Secants

#: Steps to a finite optimum divide what is left to gain by this at least.
FAST = 20.0
#: A step that promises no more than this share of the objective is the last but one, where its model is of the point.
NEAR = 1e-3
#: A model is made anew at every step where that costs no more slopes than this.
EAGER = 4.0
#: The way begins on a sample, of one of so many rows but not fewer than these: at all, and for each column. It needs
#: so many times as many rows in the table.
SHARE, LEAST, AMPLE, SPARE = 8, 2048, 40, 4
#: The same of a sample that is drawn of a sample.
FEWEST, FEWER = 1024, 10
#: The optimum of a sample is known well enough where this share is left of what chance makes of it.
CHANCE = 0.5
#: Most steps to the optimum of a sample.
STEPS = 30
#: The shortest share of a step that is tried.
SHORTEST = 1e-10
#: What a step promises may be so much too little where steps don't become faster.
WARY = 1e4
#: A gain of this share of the objective is lost in its rounding.
ROUNDING = 1e-14


def newton(
    objective: Objective,
    start: Array,
    tol: float,
    max_iter: int,
    callback: Callable[[Reached], None] | None = None,
    enough: float = 0.0,
) -> Reached:
    """The optimum by Newton's method; or near enough to it, where no more than that is left to gain.

    Curvature costs more than a slope, so it is used again while steps with it go fast. Where there are many rows, a
    sample of them is maximised first: its optimum is near, and its curvature serves all rows. The last step is not
    looked back at where the steps before tell that it is good enough.
    """
    sampled = _sample_rows(objective, LEAST, AMPLE) if max_iter else 0
    here, before = _begun(objective, start, sampled, 0 if enough else max_iter, tol, callback)
    secants: Secants | None = None
    cheap = objective.dearness <= EAGER
    fresh, exact, eager, rounded = not sampled, False, cheap and enough > 0.0, False
    while True:
        if here.model is None:
            here, fresh, eager = objective.curved(here, exact, before), True, cheap and before < np.inf
        if fresh or secants is None:
            assert here.model is not None
            secants = Secants(here.model)
        step, gain = secants.step(here.point.ravel(), here.slope.ravel())
        if not fresh and _stale(gain, before, max(objective.near_enough(here, tol), enough), objective.dearness):
            here = replace(here, model=None)
            continue
        # A value is rounded long before its weights are: one step more gives these all their digits.
        sharp = before < np.inf and gain * FAST <= before
        # Rows far out on the right side shorten Newton's steps and what these promise, until the optimum is near.
        told = sharp or not fresh or before == np.inf or not objective.has_optimum
        gap = 2.0 * gain if told else 2.0 * gain * WARY
        settled = rounded or objective.is_certain(here, tol) or objective.is_settled(here, gap, tol)
        here = replace(here, gap=2.0 * gain, settled=settled, sharp=sharp)
        rounded = gain <= 0.5 * ROUNDING * here.value
        if here.settled or here.steps >= max_iter:
            return here
        if 2.0 * gain <= enough:
            return replace(here, point=here.point + step.reshape(start.shape))
        ahead = _foreseen(objective, here, step.reshape(start.shape), gain / before if before < np.inf else np.inf, tol)
        found = ahead or _search(
            objective,
            here,
            step.reshape(start.shape),
            here if eager and (enough or gain > NEAR * here.value) else None,
            SHORTEST if fresh else 1.0,
        )
        if found is None and fresh and exact:
            return replace(here, settled=gain <= 1e3 * ROUNDING * abs(here.value))
        # What an inexact model promises in vain, or the model of another point, asks for a better one.
        exact = exact or found is None or (fresh and gain > before)
        if found is None:
            here = replace(here, model=None)
            continue
        fresh, before = found.model is not None, gain
        if objective.penalty.smooth:
            secants.learn((found.point - here.point).ravel(), (found.slope - here.slope).ravel())
        here = found if fresh or not secants.model.dear else replace(found, model=secants.model)
        if callback is not None:
            callback(here)
        if ahead is not None:
            return ahead


def _begun(
    objective: Objective, start: Array, sampled: int, most: int, tol: float, callback: Callable[[Reached], None] | None
) -> tuple[Reached, float]:
    """Where steps on all rows begin: near the optimum of a sample, or where one call takes most of the steps.

    And what the step before promised to gain, where there was one.
    """
    if sampled:
        return _sampled(objective, start, sampled)
    found = _run(objective, start, most, objective.share_left(tol), callback) if most and objective.runs else None
    return (objective.at(start), np.inf) if found is None else found


def _run(
    objective: Objective, start: Array, most: int, share: float, callback: Callable[[Reached], None] | None
) -> tuple[Reached, float] | None:
    """The steps of one call; where somebody wants to see each of them, the same steps in a call for each."""
    if callback is None:
        return objective.run(start, most, relative=share)
    found = objective.run(start, 0, relative=share)
    while found is not None and found[0].steps < most:
        further = objective.run(found[0].point, 1, relative=share)
        if further is None or not further[0].steps:
            break
        found = replace(further[0], steps=found[0].steps + 1), further[1]
        callback(found[0])
    return found


def _stale(gain: float, before: float, wanted: float, dearness: float) -> bool:
    """Whether a new model costs less than the steps that this one would still take, by what its last step gained."""
    if not 2.0 * gain <= before:
        return True
    return bool(before < np.inf and np.log(2.0 * gain / wanted) > (dearness + 1.0) * np.log(before / gain))


def _search(objective: Objective, here: Reached, step: Array, near: Reached | None, shortest: float) -> Reached | None:
    """The first of the step, half of it, a quarter ... that gains a share of what the slope promises, or None.

    What the model of another point promises in vain is not looked for in shorter steps: a new model costs less.
    """
    change = np.abs(here.point + step) - np.abs(here.point)
    promised = float((here.slope * step).sum() + (objective.l1 * change).sum())
    share = 1.0
    while share >= shortest:
        found = objective.at(here.point + share * step, near)
        if found.value <= here.value + 1e-4 * share * promised + ROUNDING * abs(here.value):
            return replace(found, steps=here.steps + 1)
        share *= 0.5
    return None


def _foreseen(objective: Objective, here: Reached, step: Array, left: float, tol: float) -> Reached | None:
    """Where the step leads, if no more than a share of what there is to gain will be left, and that is near enough.

    The share is what the step before has left; steps to a finite optimum leave less and less.
    """
    gain = 0.5 * here.gap
    if not left * FAST <= 1.0 or gain > NEAR * here.value or not objective.has_optimum:
        return None  # a model far from here may promise any value, even one below zero
    end = replace(here, slope=np.sqrt(left) * here.slope, value=here.value - gain, point=here.point + step)
    if not objective.is_settled(end, left * here.gap, tol):
        return None
    return replace(end, gap=max(2.0 * left, 1.0 / FAST) * here.gap, steps=here.steps + 1, settled=True)


def _sample_rows(objective: Objective, least: int, ample: int) -> int:
    """How many rows a sample is to have, or 0 where there are too few to take one."""
    problem = objective.problem
    n = len(problem.labels)
    rows = problem.ample(max(least, ample * (problem.width + 1), n // SHARE))
    return rows if n >= SPARE * rows else 0


def _sampled(objective: Objective, start: Array, rows: int) -> tuple[Reached, float]:
    """Where the optimum of a sample is, or the start if that is better, and the model there; and what was gained since.

    Where few rows are in doubt, it is where the optimum of these is.
    """
    near, size = _optimum_of_sample(objective, start, rows)
    best = objective.at(near.point)
    if start.any():
        here = objective.at(start)
        best = here if here.value < best.value else best
    found = None if size is None else among_doubtful(objective, best, size)
    if found is not None:
        there = objective.at(found.point)
        if there.value <= best.value:
            return replace(there, model=found.model), best.value - there.value
    return replace(best, model=near.model), np.inf


def _optimum_of_sample(objective: Objective, start: Array, rows: int) -> tuple[Reached, float | None]:
    """Near the optimum of a sample, as far as chance allows, with a model where that is dear.

    And the size of scores of rows in doubt there, where these are few: a smaller sample then is enough.
    """
    sample = objective.problem.sample(rows)
    enough = CHANCE * objective.problem.size * sample.whole / len(sample.labels)
    own = replace(objective, products=Products(sample))
    found = None
    if own.runs:
        fewer = _sample_rows(own, FEWEST, FEWER)
        if fewer:
            near, size = _optimum_of_sample(own, start, fewer)
            if size is not None:
                return near, size
            start = near.point
        found = own.run(start, STEPS, enough=enough)
    else:
        along = own.discriminant(start)
        start = start if along is None else along
    if found is not None and found[0].model is not None:
        here = found[0]
        step, _ = found[0].model.step(here.point.ravel(), here.slope.ravel())
        near = replace(here, point=here.point + step.reshape(start.shape))
    else:
        near = newton(own, start, 1e-4, STEPS, enough=enough)
        near = near if near.model is not None and near.model.dear else replace(near, model=None)
    return near, doubt(sample, near.point) if own.runs and own.has_optimum else None
