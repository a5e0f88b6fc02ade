"""EM and closed forms: the one iteration of the library.

The E-step accumulates the family's (expected) sufficient statistic under the current density, the M-step maximises it.
A family whose statistic depends on no current density is fitted by one such pass.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from parzen.compute.gaussian import patterns
from parzen.compute.memberships import check_memberships, take
from parzen.densities.density import Density
from parzen.families.checkpoint import Checkpoint, restored
from parzen.families.family import Additive, Family
from parzen.families.likelihood import LogLikelihood, log_likelihood
from parzen.families.squarem import Squarem
from parzen.statistics.accumulate import accumulate, in_memory
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.messages import Collapse, NeedsDensity, without_floor_warnings
from parzen.statistics.pattern_moments import PatternMoments, PatternRows
from parzen.statistics.statistic import Statistic

Outcome = Literal["converged", "too many steps", "collapsed", "stopped", "no steps"]


@dataclass(frozen=True)
class Fit:
    """The result of a fit.

    Attributes
    ----------
    density : the K densities
    statistic : the statistic that they maximise
    log_likelihoods : tuple of float
        The log-likelihood at each E-step, of the density before its M-step; with `trace` also that of the last density.
        Empty without `trace` where the fit has a closed form. Maximum likelihood never lets it fall; with a prior or
        shrinkage, which maximise something else, it may.
    elbos : tuple of float
        With `trace`: the evidence lower bound after each M-step, taken with the responsibilities of the E-step before
        it (Neal & Hinton 1998). It lies between the log-likelihoods before and after the step.
    objective : tuple of float
        The log-likelihoods plus the log-prior (up to a constant) where there is one: what EM maximises, and never
        lets fall. It may where the problem itself changes: where a component dies by a `weight_concentration` below 1,
        and where a variance is at its floor (a `FloorWarning` says so), whose unit follows the other groups.
    outcome : "converged", "too many steps", "collapsed", "stopped" or "no steps" (``max_iter=0``)
    message : str
        What happened and, where something should be done, what.
    n_iter : int
        Number of EM steps, or 1 for a closed form.
    additive : Statistic, optional
        What adds to the statistics of other rows: `statistic` itself, or, where that is an expectation under the
        current density, a larger one (of rows with missing cells: `PatternMoments`); None where there is none.
    """

    density: Density
    statistic: Statistic
    log_likelihoods: tuple[float, ...]
    outcome: Outcome
    message: str
    n_iter: int
    elbos: tuple[float, ...] = ()
    objective: tuple[float, ...] = ()
    additive: Statistic | None = None


def fit(
    family: Family,
    X: Any,
    R: Any = None,
    *,
    start: Density | None = None,
    rng: np.random.Generator | int | None = None,
    max_iter: int = 200,
    tol: float | None = 1e-7,
    trace: bool = False,
    callback: Callable[[int, float], Any] | None = None,
    accelerate: bool = True,
    reached: float | None = None,
) -> Fit:
    """Fit K densities of a family to weighted rows.

    Parameters
    ----------
    family : the family
    X : array or CSR matrix of shape (n, d), or an iterable of batches (that can be read again, if the family iterates);
        or the additive statistic of rows, in their place
    R : memberships of the rows (see `parzen.Labels`)
    start : density to iterate from, instead of the family's own start
    rng : for families whose start is random
    max_iter : most EM steps; with 0, the density is where EM would begin
    tol : stop when the objective changes by less than this for each unit of weight (of the column that is observed
        least, where values are missing); None: the callback alone stops, or `max_iter`
    trace : also compute the log-likelihood of the last density and the evidence lower bound of each step, by more
        passes over the rows
    callback : called with the step and the log-likelihood after each E-step; it stops the iteration by returning True
    accelerate : whether EM is accelerated (see `Squarem`); the objective never falls by it
    reached : objective of a unit of weight at the last step of an iteration that goes on from `start`: what the first
        step is compared with

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
    if not isinstance(max_iter, Integral) or max_iter < 0:
        raise ValueError(f"max_iter must be a whole number of steps, at least 0, got {max_iter!r}.")
    if tol is not None and (not isinstance(tol, Real) or not 0 <= tol < np.inf):
        raise ValueError(f"tol must be a number, at least 0, or None, got {tol!r}.")
    if isinstance(X, Statistic):
        return _fit_statistic(family, X, max_iter, tol, callback, accelerate)
    one_shot = not in_memory(X) and iter(X) is X
    if one_shot and (trace or start is not None or family.iterates):
        raise ValueError(
            "X is an iterator and can be read once; trace, start and families that are fitted by EM need batches that "
            "can be read again: a list."
        )
    additive: Statistic | None = None
    if start is None and not family.iterates:
        try:
            return _closed_form(family, X, R, accumulate(family, X, R), trace)
        except NeedsDensity:  # the rows ask for EM: values are missing
            if one_shot:
                raise
            additive = _additive(family, X, R)
    checkpoint = Checkpoint.of(family, X)
    kept = None if checkpoint is None else checkpoint.found()
    if kept is not None:
        start = kept["density"]
    density = family.start(X, R, np.random.default_rng(rng)) if start is None else start
    if not family.in_order:
        X, R = _by_pattern(X, R)
    if max_iter == 0:
        return _unmoved(family, X, R, density)
    squarem = Squarem(accelerate, reached)
    found = _expectation_maximisation(family, X, R, density, max_iter, tol, trace, callback, squarem, checkpoint, kept)
    if checkpoint is not None:
        checkpoint.remove()
    return found if additive is None else replace(found, additive=additive)


def _additive(family: Family, X: Any, R: Any) -> Statistic | None:
    """The statistic of rows that adds, where there is one."""
    try:
        found: Statistic = accumulate(Additive(family), X, R)
    except NeedsDensity:
        return None
    return found


def _fit_statistic(
    family: Family, statistic: Statistic, max_iter: int, tol: float | None, callback: Any, accelerate: bool
) -> Fit:
    """Fit to the additive statistic of rows: by EM over patterns of missing cells, or in closed form."""
    if not isinstance(statistic, PatternMoments):
        density = family.maximise(statistic)
        return Fit(density, statistic, (), "converged", "The statistic was enough.", 1, additive=statistic)
    density = family.start(statistic, None, np.random.default_rng())
    squarem, rows = Squarem(accelerate), statistic.as_rows()
    found = _expectation_maximisation(family, rows, None, density, max_iter, tol, False, callback, squarem)
    return replace(found, additive=statistic)


def _closed_form(family: Family, X: Any, R: Any, statistic: Statistic, trace: bool) -> Fit:
    density = family.maximise(statistic)
    scores = (log_likelihood(density, X, R),) if trace else ()
    message = "One pass over the rows was enough."
    return Fit(density, statistic, scores, "converged", message, 1, additive=statistic)


def _unmoved(family: Family, X: Any, R: Any, density: Density) -> Fit:
    """Where EM would begin, with the statistic that is expected there."""
    expected = accumulate(family, X, R, at=density)
    message = "No step was asked for."
    if not isinstance(expected, ExpectedStatistic):
        return Fit(density, expected, (), "no steps", message, 0)
    score = (float(expected.log_likelihood.sum()),)
    return Fit(density, expected.statistic, score, "no steps", message, 0)


def _expectation_maximisation(
    family: Family,
    X: Any,
    R: Any,
    density: Density,
    max_iter: int,
    tol: float | None,
    trace: bool,
    callback: Callable[[int, float], Any] | None,
    squarem: Squarem,
    checkpoint: Checkpoint | None = None,
    kept: dict[str, Any] | None = None,
) -> Fit:
    history = _History()
    statistic: Statistic | None = None
    last: tuple[Density, bool] | None = None  # the density that maximises it, and whether it has a warning
    outcome: Outcome | None = None
    steps = 0
    if kept is not None:
        statistic, last, steps = kept["statistic"], (kept["last"], kept["warned"]), kept["steps"]
        history = _History(*kept["history"])
        restored(squarem, kept)
    while steps < max_iter and outcome is None:
        by_pattern = isinstance(X, PatternRows)
        expected = family.observe(X, R, density) if by_pattern else accumulate(family, X, R, at=density)
        if not isinstance(expected, ExpectedStatistic):
            return _closed_form(family, X, R, expected, trace)
        score = float(expected.log_likelihood.sum())
        objective = score + family.log_prior(density, expected.statistic)
        before = squarem.rejected(objective, history.least())
        steps += 1
        if before is not None:
            density = before
            continue
        history.add(score, objective)
        stop = callback is not None and callback(steps - 1, score) is True
        try:
            found, warned = _m_step(family, expected.statistic, score)
        except Collapse as reason:
            outcome, steps, history.reason = "collapsed", steps - 1, str(reason)
            break
        if trace:
            elbo = float(accumulate(LogLikelihood(found, density), X, R).log_likelihood.sum())
            history.add_elbo(elbo, family.log_prior(found, expected.statistic))
        statistic, last = expected.statistic, (found, bool(warned))
        # For each unit of weight of the column that was observed least.
        weight = float(expected.weight.sum(axis=0).min())
        if tol is not None and squarem.change(objective, weight) <= tol * weight:
            outcome = "converged"
        elif stop:
            outcome = "stopped"
        elif steps < max_iter:
            density = squarem.following(family, statistic, objective, found)
            if checkpoint is not None:
                state = {"density": density, "statistic": statistic, "last": found, "warned": bool(warned)}
                checkpoint.keep(squarem, history=history.lists(), steps=steps, **state)
    return _finished(family, X, R, statistic, last, outcome or "too many steps", steps, history, trace)


def _m_step(family: Family, statistic: Statistic, score: float) -> tuple[Density, list[str]]:
    """The density that maximises a statistic, and the warnings that were left out."""
    if not np.isfinite(score):
        raise Collapse(f"the log-likelihood became {score}; use a prior or a floor.")
    with without_floor_warnings() as left_out:
        return family.maximise(statistic), left_out


@dataclass
class _History:
    """The log-likelihoods of a run of EM, its lower bounds, and both with the log-prior."""

    log_likelihoods: list[float] = field(default_factory=list)
    objective: list[float] = field(default_factory=list)
    elbos: list[float] = field(default_factory=list)
    penalised_elbos: list[float] = field(default_factory=list)
    reason: str = ""

    def add(self, score: float, objective: float) -> None:
        self.log_likelihoods.append(score)
        self.objective.append(objective)

    def add_elbo(self, elbo: float, log_prior: float) -> None:
        self.elbos.append(elbo)
        self.penalised_elbos.append(elbo + log_prior)

    def lists(self) -> list[list[float]]:
        """All of them."""
        return [self.log_likelihoods, self.objective, self.elbos, self.penalised_elbos]

    def least(self) -> float:
        """What the next objective must reach."""
        return max([*self.objective[-1:], *self.penalised_elbos[-1:]], default=-np.inf)


def _finished(
    family: Family,
    X: Any,
    R: Any,
    statistic: Any,
    last: tuple[Density, bool] | None,
    outcome: Outcome,
    steps: int,
    history: _History,
    trace: bool,
) -> Fit:
    message = {
        "converged": f"The objective stopped changing after {steps} steps.",
        "stopped": f"The callback stopped the iteration after {steps} steps.",
        "too many steps": f"The objective was still rising after {steps} steps; raise max_iter, or tol if this is "
        "close enough.",
        "collapsed": f"Step {steps} failed: {history.reason}",
    }[outcome]
    if last is None:
        raise Collapse(message)
    density = family.maximise(statistic) if last[1] else last[0]  # again, with the warnings that were left out
    scores = [*history.log_likelihoods, *([log_likelihood(density, X, R)] if trace else [])]
    return Fit(
        density, statistic, tuple(scores), outcome, message, steps, tuple(history.elbos), tuple(history.objective)
    )


def _by_pattern(X: Any, R: Any) -> tuple[Any, Any]:
    """Rows in memory with missing values, sorted by which values are missing: what a pattern shares is done once."""
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f" or X.ndim != 2:
        return X, R
    missing = np.isnan(X)
    if not missing.any():
        return X, R
    order = patterns(missing)[0]
    return X[order], take(check_memberships(R, len(X)), order)
