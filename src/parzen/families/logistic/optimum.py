"""Logistic regression: the likelihood of labels given rows, its slope as a statistic, and its maximum.

The slope adds over blocks as every statistic does. It is followed by L-BFGS in coordinates in which the columns are
uncorrelated and of unit variance, so that neither units nor correlations make the way long.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.families.logistic.space import Space
from parzen.families.logistic.terms import Terms

#: Weight of a row, in units of the mean weight, below which its part of the objective is near rounding.
LIGHT = 1e-8


@dataclass(frozen=True)
class Optimum:
    """Where an optimisation ended.

    Attributes
    ----------
    coef, intercept : arrays of shape (K, p) and (K,); (1, p) and (1,) for two classes
    objective : float
        Minus the weighted log-likelihood plus the penalty.
    n_iter : int
    converged : bool
    blurred : bool
        Whether rows so light that their part of the objective is lost in its rounding may decide some coefficients.
    """

    coef: Array
    intercept: Array
    objective: float
    n_iter: int
    converged: bool
    blurred: bool = False


def maximise_likelihood(
    X: Any,
    labels: Labels,
    *,
    terms: Terms,
    penalty: float,
    intercept: bool,
    tol: float,
    max_iter: int,
    start: tuple[Array, Array] | None = None,
    callback: Callable[[int, float], None] | None = None,
) -> Optimum:
    """Maximise the log-likelihood of labels, less ``penalty / 2`` times the sum of their squares.

    Parameters
    ----------
    X : rows, dense or CSR
    labels : labels of the rows among K classes, with their weights
    terms : what the scores are linear in
    penalty : of the weights of the terms, not of intercepts; 0 for none
    intercept : whether there is one
    tol : stop when no derivative of the mean objective, by a weight of a term of unit variance, is above this. Where
        rows of different weight have a mean objective below 0.1 (the heavy ones are fitted well, and the others have
        still to decide), above ten times this share of it; but not less than this share of the lightest row's weight
    max_iter : most steps
    start : weights and intercepts to begin from
    callback : called with the step and the objective
    """
    space = Space.of(X, labels, terms, penalty, intercept)
    if start is None:
        start = np.zeros((space.free, space.width)), np.zeros(space.free)
    spent = {"steps": 0, "value": np.inf}

    def objective(point: Array) -> tuple[float, Array]:
        value, slope = space.objective(point)
        spent["value"] = value
        return value, slope

    def after(point: Array) -> None:
        spent["steps"] += 1
        if callback is not None:
            callback(int(spent["steps"]), float(spent["value"]) * space.whole)

    # The change of the objective is no reason to stop: only its slope is.
    options = {"maxfun": 20 * max_iter, "ftol": 1e-300, "maxcor": 20, "maxls": 50}
    point, unit, wanted, before = space.enter(*start), 1.0, tol, np.inf
    while True:
        limits = {"maxiter": max_iter - spent["steps"], "gtol": wanted}
        with np.errstate(over="ignore"):
            found = minimize(
                objective, point, jac=True, method="L-BFGS-B", options={**options, **limits}, callback=after
            )
        unit = min(1.0, max(10.0 * float(found.fun), space.lightest()))
        point, wanted = found.x, tol * unit
        slope, stuck = np.abs(found.jac).max(), found.status == 2 or not found.fun < before
        if slope <= wanted or stuck or found.status != 0 or spent["steps"] >= max_iter:
            break
        before = found.fun
    coef, offsets = space.leave(point)
    # A search that can't improve a value any more has found the optimum to rounding.
    settled = bool(slope <= wanted or (stuck and slope <= max(wanted, 1e-6 * unit)))
    blurred = bool(space.lightest() < LIGHT and slope > tol * space.lightest())
    return Optimum(coef, offsets, float(found.fun) * space.whole, int(spent["steps"]), settled, blurred)
