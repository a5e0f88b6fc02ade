"""The only iteration: observe, maximise, until the likelihood stops rising."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from parzen.compute.gaussian import patterns
from parzen.compute.memberships import check_memberships, take
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.likelihood import Score, log_likelihood
from parzen.families.squarem import Squarem
from parzen.statistics.accumulate import accumulate, in_memory
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.messages import Collapse, NeedsDensity, without_floor_warnings
from parzen.statistics.statistic import Statistic

Outcome = Literal["converged", "too many steps", "collapsed", "stopped"]


@dataclass(frozen=True)
class Fit:
    """What a fit ended in.

    Attributes
    ----------
    density : the K densities
    statistic : the statistic that they maximise
    log_likelihoods : tuple of float
        One for each look at the rows, each of the density before it, and with `trace` the last density's. Empty without
        it where one look was enough (a closed form). Maximum likelihood never lets it fall; with a prior or shrinkage,
        which seek something else, it may.
    bounds : tuple of float
        With `trace`, for each step of a family that iterates: the lower bound of the likelihood at the density that
        the step found, by what it expected under the one before (Neal & Hinton 1998). It lies between their
        likelihoods.
    heights : tuple of float
        The log-likelihoods, with the log of the prior at each density (up to a constant) where there is one: what the
        iteration climbs, and never lets fall.
    outcome : "converged", "too many steps", "collapsed" or "stopped"
    message : str
        What happened and, where something should be done, what.
    n_iter : int
        Number of looks at the rows, or 1.
    """

    density: Density
    statistic: Statistic
    log_likelihoods: tuple[float, ...]
    outcome: Outcome
    message: str
    n_iter: int
    bounds: tuple[float, ...] = ()
    objective: tuple[float, ...] = ()


def fit(
    family: Family,
    X: Any,
    R: Any = None,
    *,
    start: Density | None = None,
    rng: np.random.Generator | int | None = None,
    max_iter: int = 200,
    tol: float = 1e-7,
    trace: bool = False,
    callback: Callable[[int, float], Any] | None = None,
    accelerate: bool = True,
) -> Fit:
    """Fit K densities of a family to weighted rows.

    Parameters
    ----------
    family : the family
    X : array or CSR matrix of shape (n, d), or an iterable of batches (that can be read again, if the family iterates)
    R : memberships of the rows (see `parzen.Labels`)
    start : density to iterate from, instead of the family's own start
    rng : for families whose start is random
    max_iter : most maximisations of a family that iterates
    tol : stop when the log-likelihood changes by less than this for each unit of weight (of the column that is observed
        least, where cells are missing)
    trace : also evaluate the last density, and the lower bound at each step, at the cost of more looks at the rows
    callback : called with the step and the log-likelihood after each look; it stops the iteration by returning True
    accelerate : whether a family that iterates may leap ahead (see `Squarem`); the likelihood never falls by it

    Returns
    -------
    Fit

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, fit
    >>> result = fit(Gaussian(), np.array([[0.0], [2.0], [4.0]]))
    >>> result.density.mean, result.density.covariance, result.outcome
    (array([[2.]]), array([[[2.66666667]]]), 'converged')
    """
    if not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter must be a whole number of steps, at least 1, got {max_iter!r}.")
    if not isinstance(tol, Real) or not 0 <= tol < np.inf:
        raise ValueError(f"tol must be a number, at least 0, got {tol!r}.")
    one_shot = not in_memory(X) and iter(X) is X
    if one_shot and (trace or start is not None):
        raise ValueError(
            "X is an iterator and can be read once; trace and start need batches that can be read again: a list."
        )
    if start is None:
        try:
            statistic = accumulate(family, X, R)
        except NeedsDensity:
            if one_shot:
                raise
            start = family.start(X, R, np.random.default_rng(rng))
        else:
            return _at_once(family, X, R, statistic, trace)
    return _iterate(family, X, R, start, max_iter, tol, trace, callback, accelerate)


def _at_once(family: Family, X: Any, R: Any, statistic: Statistic, trace: bool) -> Fit:
    density = family.maximise(statistic)
    scores = (log_likelihood(density, X, R),) if trace else ()
    return Fit(density, statistic, scores, "converged", "One look at the rows was enough.", 1)


def _iterate(
    family: Family,
    X: Any,
    R: Any,
    density: Density,
    max_iter: int,
    tol: float,
    trace: bool,
    callback: Callable[[int, float], Any] | None,
    accelerate: bool,
) -> Fit:
    X, R = (X, R) if family.in_order else _arranged(X, R)
    scores: list[float] = []
    bounds: list[float] = []
    objective: list[float] = []  # likelihoods, with the prior's part
    raised: list[float] = []  # bounds, with it
    leaps = Squarem(accelerate)
    statistic: Statistic | None = None
    outcome: Outcome = "too many steps"
    message = f"The likelihood was still rising after {max_iter} steps; raise max_iter, or tol if this is close enough."
    steps = 0
    while steps < max_iter and outcome == "too many steps":
        expected = accumulate(family, X, R, at=density)
        if not isinstance(expected, ExpectedStatistic):
            return _at_once(family, X, R, expected, trace)
        score = float(expected.log_likelihood.sum())
        height = score + family.log_prior(density, expected.statistic)
        fallen = leaps.landed(height, max([*objective[-1:], *raised[-1:]], default=-np.inf))
        if fallen is not None:  # the leap went too far: one step back, to where plain EM had led
            density, steps = fallen, steps + 1
            continue
        scores.append(score)
        objective.append(height)
        stop = callback is not None and callback(steps, score) is True
        try:
            if not np.isfinite(score):
                raise Collapse(f"the log-likelihood became {score}; use a prior or a floor.")
            with without_floor_warnings():
                found = family.maximise(expected.statistic)
        except Collapse as reason:
            outcome, message = "collapsed", f"Step {steps} failed: {reason}"
            break
        if trace:
            bounds.append(float(accumulate(Score(found, density), X, R).log_likelihood.sum()))
            raised.append(bounds[-1] + family.log_prior(found, expected.statistic))
        statistic, steps = expected.statistic, steps + 1
        # For each unit of weight of the column that was observed least.
        if leaps.change(height) <= tol * expected.weight.sum(axis=0).min():
            outcome, message = "converged", f"The likelihood stopped changing after {steps} steps."
        elif stop:
            outcome, message = "stopped", f"The callback stopped the iteration after {steps} steps."
        if outcome == "too many steps" and steps < max_iter:
            density = leaps.onward(family, expected.statistic, height, found)
    if statistic is None:
        raise Collapse(message)
    density = family.maximise(statistic)  # once more, aloud
    if trace:
        scores.append(log_likelihood(density, X, R))
    return Fit(density, statistic, tuple(scores), outcome, message, steps, tuple(bounds), tuple(objective))


def _arranged(X: Any, R: Any) -> tuple[Any, Any]:
    """Rows in memory with missing cells, in the order of what is missing: what patterns share is done once."""
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f" or X.ndim != 2:
        return X, R
    missing = np.isnan(X)
    if not missing.any():
        return X, R
    order = patterns(missing)[0]
    return X[order], take(check_memberships(R, len(X)), order)
