"""The only iteration: observe, maximise, until the likelihood stops rising."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from parzen.accumulate import accumulate, in_memory
from parzen.family import Collapse, Density, Family, NeedsDensity, quietly
from parzen.kernels.gaussian import patterns
from parzen.kernels.memberships import Labels, Memberships, check_memberships, group_count, take
from parzen.statistic import Expected, Joint, Statistic

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
    heights: tuple[float, ...] = ()


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
    accelerate : whether a family that iterates may leap ahead (see `Leaps`); the likelihood never falls by it

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
    heights: list[float] = []  # likelihoods, with the prior's part
    raised: list[float] = []  # bounds, with it
    leaps = Leaps(accelerate)
    statistic: Statistic | None = None
    outcome: Outcome = "too many steps"
    message = f"The likelihood was still rising after {max_iter} steps; raise max_iter, or tol if this is close enough."
    steps = 0
    while steps < max_iter and outcome == "too many steps":
        expected = accumulate(family, X, R, at=density)
        if not isinstance(expected, Expected):
            return _at_once(family, X, R, expected, trace)
        score = float(expected.log_likelihood.sum())
        height = score + family.log_belief(density, expected.statistic)
        fallen = leaps.landed(height, max([*heights[-1:], *raised[-1:]], default=-np.inf))
        if fallen is not None:  # the leap went too far: one step back, to where plain EM had led
            density, steps = fallen, steps + 1
            continue
        scores.append(score)
        heights.append(height)
        stop = callback is not None and callback(steps, score) is True
        try:
            if not np.isfinite(score):
                raise Collapse(f"the log-likelihood became {score}; use a prior or a floor.")
            with quietly():
                found = family.maximise(expected.statistic)
        except Collapse as reason:
            outcome, message = "collapsed", f"Step {steps} failed: {reason}"
            break
        if trace:
            bounds.append(float(accumulate(Score(found, density), X, R).log_likelihood.sum()))
            raised.append(bounds[-1] + family.log_belief(found, expected.statistic))
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
    return Fit(density, statistic, tuple(scores), outcome, message, steps, tuple(bounds), tuple(heights))


class Leaps:
    """EM, accelerated: after three plain steps a long one, in the direction and at the rate of these.

    Statistics add, so that a step is an affine combination of them, as in SQUAREM (Varadhan & Roland 2008), whatever
    the family. Near its end EM approaches by a constant factor r at each step, and the likelihood's rises by r^2: the
    length of the leap, 1 / (1 - r), comes from three likelihoods that are known anyway, and knows no units. Where a
    leap lands lower than it left, it is taken back: the likelihoods that are kept never fall because of it.
    """

    def __init__(self, wanted: bool) -> None:
        self.wanted, self.reach = wanted, 4.0
        self.plain: list[tuple[Statistic, float]] = []
        self.behind: Density | None = None

    def landed(self, score: float, least: float) -> Density | None:
        """Where to go back to, if a leap has led to a worse place than `least`."""
        behind, self.behind = self.behind, None
        if behind is None or score >= least:
            return None
        self.reach, self.plain = max(self.reach / 4, 2.0), []
        return behind

    def change(self, score: float) -> float:
        """By how much a plain step has changed the likelihood; infinite, where the last step was none."""
        return abs(score - self.plain[-1][1]) if self.plain else np.inf

    def onward(self, family: Family, statistic: Statistic, score: float, found: Density) -> Density:
        """The next density: that of a plain step, or of a leap after three of them."""
        self.plain.append((statistic, score))
        if not self.wanted or len(self.plain) < 3:
            return found
        (first, a), (second, b), (third, c) = self.plain
        self.plain = self.plain[1:]
        if not 0 < c - b < b - a:
            return found
        length = min(1 / (1 - float(np.sqrt((c - b) / (b - a)))), self.reach)
        if length <= 1.5:
            return found
        ahead = (1 - length) ** 2 * first + (2 * length * (1 - length)) * second + length**2 * third
        if not ahead.is_possible():
            return found
        try:
            with quietly():
                density = family.maximise(ahead)
        except (ValueError, FloatingPointError, np.linalg.LinAlgError):
            return found
        if length == self.reach:
            self.reach *= 4
        self.behind, self.plain = found, []
        return density


def _arranged(X: Any, R: Any) -> tuple[Any, Any]:
    """Rows in memory with missing cells, in the order of what is missing: what patterns share is done once."""
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f" or X.ndim != 2:
        return X, R
    missing = np.isnan(X)
    if not missing.any():
        return X, R
    order = patterns(missing)[0]
    return X[order], take(check_memberships(R, len(X)), order)


@dataclass(frozen=True)
class Score:
    """Observes the log-likelihood of rows under given densities, or its lower bound: an `Expected` of nothing else.

    Attributes
    ----------
    density : the densities
    other : Density, optional
        Where the lower bound is taken.
    """

    density: Density
    other: Density | None = None

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Expected:
        """Weight and log-likelihood of a block of rows, each row counted in its own group."""
        values = self.density.log_density(X) if self.other is None else self.density.bound(X, self.other)
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
