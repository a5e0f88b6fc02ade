"""Logistic regression: the likelihood of labels given rows, its slope as a statistic, and its maximum.

The slope adds over blocks as every statistic does. It is followed by L-BFGS in coordinates in which the columns are
uncorrelated and of unit variance, so that neither units nor correlations make the way long.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.densities.linear import Linear
from parzen.families.logistic.likelihood import Likelihood
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.space import Space
from parzen.families.logistic.terms import Terms
from parzen.statistics.accumulate import accumulate

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
    gap : float
        How far the objective is above its least, at most or as far as the curvature tells.
    n_iter : int
    converged : bool
    blurred : bool
        Whether rows so light that their part of the objective is lost in its rounding may decide some coefficients.
    """

    coef: Array
    intercept: Array
    objective: float
    gap: float
    n_iter: int
    converged: bool
    blurred: bool = False


def maximise_likelihood(
    X: Any,
    labels: Labels,
    *,
    terms: Terms,
    penalty: Penalty,
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
    if not (penalty.smooth and penalty.free_intercept and max_iter):
        return _split(X, labels, terms, penalty, intercept, tol, max_iter, start)
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
    return Optimum(coef, offsets, float(found.fun) * space.whole, np.inf, int(spent["steps"]), settled, blurred)


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
) -> list[Optimum]:
    """The optimum for each of several penalties, in their order; each begins where the one before ended."""
    found: list[Optimum] = []
    options: dict[str, Any] = {"terms": terms, "intercept": intercept, "tol": tol, "max_iter": max_iter}
    for penalty in penalties:
        found.append(maximise_likelihood(X, labels, penalty=penalty, start=start, **options))
        start = found[-1].coef, found[-1].intercept
    return found


def _split(
    X: Any,
    labels: Labels,
    terms: Terms,
    penalty: Penalty,
    intercept: bool,
    tol: float,
    max_iter: int,
    start: tuple[Array, Array] | None,
) -> Optimum:
    """The optimum as that of positive and negative parts, which are bounded by zero."""
    K, p = labels.groups, terms.width(X.shape[1])
    free = 1 if K == 2 else K
    whole = float(len(labels) if labels.weights is None else labels.weights.sum())
    first = np.zeros((free, p + 1)) if start is None else np.column_stack([start[0], start[1]])
    l1 = np.append(np.full(p, penalty.l1), penalty.intercept_l1)
    l2 = np.append(np.full(p, penalty.l2), penalty.intercept_l2)

    def objective(parts: Array) -> tuple[float, Array]:
        plus, minus = parts.reshape(2, free, p + 1)
        now = plus - minus
        full = now if free > 1 else np.vstack([0 * now, now])
        at = Linear(np.ascontiguousarray(full[:, :-1]), np.ascontiguousarray(full[:, -1]))
        seen = accumulate(Likelihood(terms), X, labels, at=at)
        slope = seen.statistic.totals[-free:] + l2 * now
        value = -seen.log_likelihood.sum() + 0.5 * (l2 * now**2).sum() + (l1 * (plus + minus)).sum()
        return value / whole, np.stack([slope + l1, l1 - slope]).ravel() / whole

    bounds = np.array([[0.0, np.inf]] * (2 * free * (p + 1))).reshape(2, free, p + 1, 2)
    if not intercept:
        bounds[:, :, -1] = 0.0
    parts = np.stack([np.maximum(first, 0.0), np.maximum(-first, 0.0)]).ravel()
    if max_iter == 0:
        return Optimum(first[:, :-1], first[:, -1], objective(parts)[0] * whole, np.inf, 0, False)
    options = {"maxiter": max_iter, "gtol": tol, "ftol": 1e-300, "maxfun": 20 * max_iter}
    found = minimize(objective, parts, jac=True, method="L-BFGS-B", bounds=bounds.reshape(-1, 2), options=options)
    plus, minus = found.x.reshape(2, free, p + 1)
    last = plus - minus
    return Optimum(last[:, :-1], last[:, -1], float(found.fun) * whole, np.inf, int(found.nit), found.status in (0, 2))
