"""The only iteration: observe, maximise, until the likelihood stops rising."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from parzen.accumulate import accumulate, in_memory
from parzen.family import Collapse, Density, Family, NeedsDensity, quietly
from parzen.kernels.memberships import Labels, Memberships, group_count
from parzen.statistic import Expected, Joint, Statistic

Outcome = Literal["converged", "too many steps", "collapsed"]


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
    outcome : "converged", "too many steps" or "collapsed"
    message : str
        What happened and, where something should be done, what.
    n_iter : int
        Number of maximisations.
    """

    density: Density
    statistic: Statistic
    log_likelihoods: tuple[float, ...]
    outcome: Outcome
    message: str
    n_iter: int


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
    callback: Callable[[int, float], None] | None = None,
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
    trace : also evaluate the last density, at the cost of one more look at the rows
    callback : called with the step and the log-likelihood after each look

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
    return _iterate(family, X, R, start, max_iter, tol, trace, callback)


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
    callback: Callable[[int, float], None] | None,
) -> Fit:
    scores: list[float] = []
    statistic: Statistic | None = None
    outcome: Outcome = "too many steps"
    message = f"The likelihood was still rising after {max_iter} steps; raise max_iter, or tol if this is close enough."
    steps = 0
    while steps < max_iter and outcome == "too many steps":
        expected = accumulate(family, X, R, at=density)
        if not isinstance(expected, Expected):
            return _at_once(family, X, R, expected, trace)
        scores.append(float(expected.log_likelihood.sum()))
        if callback is not None:
            callback(steps, scores[-1])
        try:
            if not np.isfinite(scores[-1]):
                raise Collapse(f"the log-likelihood became {scores[-1]}; use a prior or a floor.")
            with quietly():
                density = family.maximise(expected.statistic)
        except Collapse as reason:
            outcome, message = "collapsed", f"Step {steps} failed: {reason}"
            break
        statistic, steps = expected.statistic, steps + 1
        # For each unit of weight of the column that was observed least.
        if steps > 1 and abs(scores[-1] - scores[-2]) <= tol * expected.weight.sum(axis=0).min():
            outcome, message = "converged", f"The likelihood stopped changing after {steps} steps."
    if statistic is None:
        raise Collapse(message)
    density = family.maximise(statistic)  # once more, aloud
    if trace:
        scores.append(log_likelihood(density, X, R))
    return Fit(density, statistic, tuple(scores), outcome, message, steps)


@dataclass(frozen=True)
class Score:
    """Observes the log-likelihood of rows under given densities: an `Expected` of nothing else."""

    density: Density

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Expected:
        """Weight and log-likelihood of a block of rows, each row counted in its own group."""
        values = self.density.log_density(X)
        K = values.shape[1]
        if group_count(R) != K:
            raise ValueError(
                f"there are {K} densities, but memberships in {group_count(R)} groups; give Labels(codes, groups={K})."
            )
        if isinstance(R, Labels):
            inside = np.flatnonzero(R.codes >= 0)
            codes, w = R.codes[inside], np.ones(len(inside)) if R.weights is None else R.weights[inside]
            own = np.where(w == 0, 0.0, values[inside, codes])
            totals = (np.bincount(codes, weights=part, minlength=K) for part in (w, w * own))
        else:
            weights = np.ones((len(values), 1)) if R is None else R[:, None] if R.ndim == 1 else R
            totals = (part.sum(axis=0) for part in (weights, weights * np.where(weights == 0, 0.0, values)))
        weight, likelihood = (np.asarray(total, dtype=np.float64) for total in totals)
        return Expected(Joint(()), weight, likelihood)


def begin(family: Family, X: Any, R: Any, rng: np.random.Generator) -> Density:
    """Where a family begins as a part of another: at its end, if one look at the rows is enough."""
    try:
        return family.maximise(accumulate(family, X, R))
    except NeedsDensity:
        return family.start(X, R, rng)


def observe_at(family: Family, X: Any, R: Memberships, density: Density) -> Expected:
    """Statistic of a block of rows with their log-likelihood under a density, whether or not it depends on it."""
    seen = family.observe(X, R, density)
    return seen if isinstance(seen, Expected) else replace(Score(density).observe(X, R), statistic=seen)


def log_likelihood(density: Density, X: Any, R: Any = None) -> float:
    """Weighted sum of the log-densities of the rows, each under its own group's density."""
    return float(accumulate(Score(density), X, R).log_likelihood.sum())
