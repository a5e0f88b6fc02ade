"""Logistic regression: the likelihood of labels given rows, its slope as a statistic, and its maximum.

Slopes and curvatures add over blocks as every statistic does. Where unknowns are few the optimum is found by Newton's
method; where they are many by L-BFGS in coordinates in which columns are uncorrelated and of unit variance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.blas import one_blas_thread
from parzen.compute.memberships import Labels
from parzen.families.logistic.newton import newton
from parzen.families.logistic.objective import Objective, Reached
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.problem import Problem
from parzen.families.logistic.products import Products
from parzen.families.logistic.streamed import StreamedProblem
from parzen.families.logistic.terms import Terms
from parzen.statistics.batches import Batches

Callback = Callable[[int, float, Array, Array], None]

#: Weight of a row, in units of the mean weight, below which its part of the objective is near rounding.
LIGHT = 1e-8


@dataclass(frozen=True)
class Optimum:
    """Where an optimisation ended.

    Attributes
    ----------
    coef, intercept : arrays of shape (K, p) and (K,); (1, p) and (1,) for two classes
    objective : float
        Minus the weighted log-likelihood plus the penalty: of the point, or what the model of the last step foresees of
        it, which may be less than the least by a part of the gap.
    gap : float
        How far the objective is above its least, at most or as far as the curvature tells.
    n_iter : int
    converged : bool
    finite : bool
        Whether the last steps tell that the optimum is at finite weights: that no hyperplane separates classes. Where
        they do not, it may be or not.
    blurred : bool
        Whether rows so light that their part of the objective is lost in its rounding may decide some coefficients.
    """

    coef: Array
    intercept: Array
    objective: float
    gap: float
    n_iter: int
    converged: bool
    finite: bool = False
    blurred: bool = False


def maximise_likelihood(
    X: Any,
    labels: Labels | None,
    *,
    terms: Terms,
    penalty: Penalty,
    intercept: bool,
    tol: float,
    max_iter: int,
    start: tuple[Array, Array] | None = None,
    origin: Array | None = None,
    callback: Callback | None = None,
) -> Optimum:
    """Maximise the log-likelihood of labels, less a penalty.

    Parameters
    ----------
    X : rows, dense or CSR, or batches of dense ones
    labels : labels of the rows among K classes, with their weights; None of batches, which bring them
    terms : what the scores are linear in
    penalty : of the weights
    intercept : whether there is one
    tol : stop when the objective is above its least by no more than this share of it, and no derivative of the mean
        objective is above this
    max_iter : most steps; with none of them the start is evaluated
    start : weights and intercepts to begin from; zeros if None
    origin : about the means of the columns, where they are known
    callback : called after each step with its number, the objective, and weights and intercepts as they are then
    """
    if isinstance(X, Batches):
        streamed = StreamedProblem.of_batches(X, terms, intercept, penalty.free_intercept, origin)
        return _optimum(Products(streamed), penalty, tol, max_iter, start, callback)
    assert labels is not None
    products = Products(Problem.of(X, labels, terms, intercept, penalty.free_intercept, origin))
    return _optimum(products, penalty, tol, max_iter, start, callback)


def likelihood_path(
    X: Any,
    labels: Labels,
    *,
    terms: Terms,
    penalties: Sequence[Penalty],
    intercept: bool,
    tol: float,
    max_iter: int,
    start: tuple[Array, Array] | None = None,
    origin: Array | None = None,
) -> list[Optimum]:
    """The optimum for each of several penalties, in their order; each begins where the one before ended."""
    centred = all(one.free_intercept for one in penalties)
    products = Products(Problem.of(X, labels, terms, intercept, centred, origin))
    found: list[Optimum] = []
    for penalty in penalties:
        found.append(_optimum(products, penalty, tol, max_iter, start))
        start = found[-1].coef, found[-1].intercept
    return found


def _optimum(
    products: Products,
    penalty: Penalty,
    tol: float,
    max_iter: int,
    start: tuple[Array, Array] | None,
    callback: Callback | None = None,
) -> Optimum:
    objective, problem = Objective(products, penalty), products.problem
    if start is None:
        start = np.zeros((problem.free, problem.width)), np.zeros(problem.free)

    def after(here: Reached) -> None:
        assert callback is not None
        callback(here.steps, here.value, *problem.leave(here.point))

    with one_blas_thread(problem.free * problem.width):  # its threads would take the cores from passes over rows
        reached = newton(objective, problem.enter(*start), tol, max_iter, None if callback is None else after)
    coef, offsets = problem.leave(reached.point)
    light = problem.lightest
    blurred = bool(light < LIGHT and objective.steepness(reached) > tol * light)
    # A row that is being separated gains about its weight, and a third of that in the next step.
    finite = reached.settled and reached.sharp and reached.gap <= 1e-3 * light * problem.whole / len(problem.labels)
    return Optimum(coef, offsets, reached.value, reached.gap, reached.steps, reached.settled, finite, blurred)
