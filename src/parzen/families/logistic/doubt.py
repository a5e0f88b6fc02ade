"""Rows in doubt: where two classes are far apart few rows decide, and the others are told by their slope alone.

The objective of all rows is, near a point, that of the rows in doubt plus a linear function: the slope of the others
there. What is left out is the curvature of rows whose class is almost certain. Unlike a quadratic model it bends as the
objective does, however far the way.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, picked
from parzen.compute.memberships import Labels
from parzen.compute.softmax import linear
from parzen.families.logistic.objective import Objective, Reached
from parzen.families.logistic.problem import Problem
from parzen.families.logistic.products import Products
from parzen.statistics.accumulate import map_blocks

#: What rows left out have of the curvature, at most; and which share of the rows may be in doubt.
CERTAIN, FEW = 0.1, 0.35
#: Rows of a sample that are looked at, at most.
ROWS = 2048
#: Such a share of the objective is left to the last step among them.
NEAR = 1e-3
#: Most steps among the rows in doubt.
STEPS = 30


def doubt(sample: Problem, point: Array) -> float | None:
    """Size of the scores of rows in doubt at a point, by those of a sample; None where more than a few are in doubt."""
    stride = -(-len(sample.labels) // ROWS)
    some = replace(sample, X=sample.X[::stride])
    scores = np.abs(_scores(some, point))
    order = np.argsort(scores)
    odds = np.exp(-scores[order])
    bends = odds / (1.0 + odds) ** 2 * scores[order] ** 2
    if sample.labels.weights is not None:
        bends *= sample.labels.weights[::stride][order]
    told = np.cumsum(bends)
    count = int(np.searchsorted(told, (1.0 - CERTAIN) * told[-1]))
    return float(scores[order[count]]) if count < FEW * len(scores) else None


def among_doubtful(objective: Objective, here: Reached, size: float) -> Reached | None:
    """The optimum of the rows in doubt at a point, whose scores are no larger, and of a linear function for the others.

    None where there are too many such rows, or where these have no optimum.
    """
    problem = objective.problem
    rows = np.flatnonzero(np.abs(_scores(problem, here.point)) <= size)
    if not 0 < len(rows) <= 2.0 * FEW * len(problem.labels):
        return None
    codes, weights = problem.labels.codes[rows], problem.labels.weights
    labels = Labels.sound(codes, None if weights is None else weights[rows], problem.labels.groups)
    own = replace(problem, X=picked(problem.X, rows), labels=labels)
    loss, slope = own.slopes(here.point)
    slope = (here.slope - objective.l2 * here.point - slope).ravel()
    value = here.value - objective.cost(here.point) - loss - float(slope @ here.point.ravel())
    doubtful = replace(objective, products=Products(own))
    found = doubtful.run(here.point, STEPS, relative=NEAR, rest=np.append(slope, value))
    if found is None or found[0].model is None:
        return None
    step, _ = found[0].model.step(found[0].point.ravel(), found[0].slope.ravel())
    return replace(found[0], point=found[0].point + step.reshape(here.point.shape))


def _scores(problem: Problem, point: Array) -> Array:
    """Scores of the second of two classes, (n,)."""
    table, offset = np.ascontiguousarray(point[:, :-1].T), np.ascontiguousarray(point[:, -1])

    def part(begin: int, rows: Any) -> Array:
        out = np.empty((len(rows), 1))
        linear(problem.terms.expand(rows), table, offset, out, problem.origin)
        return out[:, 0]

    return np.concatenate(map_blocks(part, problem.X))
