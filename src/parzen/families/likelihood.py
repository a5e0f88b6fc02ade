"""The log-likelihood of rows under given densities, as a statistic."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from parzen.compute.memberships import Labels, Memberships, group_count
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.statistics.accumulate import accumulate
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import NeedsDensity
from parzen.statistics.statistic import Statistic


@dataclass(frozen=True)
class LogLikelihood:
    """Observes the log-likelihood of rows under given densities, or its evidence lower bound (ELBO).

    What it observes is an `ExpectedStatistic` of nothing else: log-likelihoods add over blocks as statistics do.

    Attributes
    ----------
    density : the densities
    other : Density, optional
        The density whose responsibilities the lower bound is taken with.
    """

    density: Density
    other: Density | None = None

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        """Weight and log-likelihood of a block of rows, each row counted in its own group."""
        values = self.density.log_density(X) if self.other is None else self.density.elbo(X, self.other)
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
        return ExpectedStatistic(Joint(()), weight, likelihood)


def initial_density(family: Family, X: Any, R: Any, rng: np.random.Generator) -> Density:
    """Where EM begins for a family that is a part of another one: its closed form, or its own start."""
    if family.iterates:
        return family.start(X, R, rng)
    try:
        return family.maximise(accumulate(family, X, R))
    except NeedsDensity:
        return family.start(X, R, rng)


def expected_statistic(family: Family, X: Any, R: Memberships, at: Density) -> Statistic:
    """Sufficient statistic of a block of rows, expected under the current density where it depends on one."""
    if not family.iterates:
        try:
            return family.observe(X, R)
        except NeedsDensity:
            pass
    seen = family.observe(X, R, at)
    return seen.statistic if isinstance(seen, ExpectedStatistic) else seen


def observe_with_likelihood(family: Family, X: Any, R: Memberships, density: Density) -> ExpectedStatistic:
    """Statistic of a block of rows with their log-likelihood under a density, whether or not it depends on that."""
    seen = family.observe(X, R, density)
    return (
        seen if isinstance(seen, ExpectedStatistic) else replace(LogLikelihood(density).observe(X, R), statistic=seen)
    )


def log_likelihood(density: Density, X: Any, R: Any = None) -> float:
    """Weighted sum of the log-densities of the rows, each under its own group's density."""
    return float(accumulate(LogLikelihood(density), X, R).log_likelihood.sum())
