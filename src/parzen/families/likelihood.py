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


@dataclass(frozen=True)
class Score:
    """Observes the log-likelihood of rows under given densities, or its lower bound: an `ExpectedStatistic` of nothing else.

    Attributes
    ----------
    density : the densities
    other : Density, optional
        Where the lower bound is taken.
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


def begin(family: Family, X: Any, R: Any, rng: np.random.Generator) -> Density:
    """Where a family begins as a part of another: at its end, if one look at the rows is enough."""
    try:
        return family.maximise(accumulate(family, X, R))
    except NeedsDensity:
        return family.start(X, R, rng)


def observe_at(family: Family, X: Any, R: Memberships, density: Density) -> ExpectedStatistic:
    """Statistic of a block of rows with their log-likelihood under a density, whether or not it depends on it."""
    seen = family.observe(X, R, density)
    return seen if isinstance(seen, ExpectedStatistic) else replace(Score(density).observe(X, R), statistic=seen)


def log_likelihood(density: Density, X: Any, R: Any = None) -> float:
    """Weighted sum of the log-densities of the rows, each under its own group's density."""
    return float(accumulate(Score(density), X, R).log_likelihood.sum())
