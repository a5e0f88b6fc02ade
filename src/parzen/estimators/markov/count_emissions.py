"""hmmlearn's M-steps for emissions of counts."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from parzen.compute.arrays import Array
from parzen.compute.hmm import CountEmission
from parzen.compute.memberships import Memberships
from parzen.densities.count_rows import LARGE
from parzen.densities.multinomial import MultinomialDensity
from parzen.densities.poisson import PoissonDensity
from parzen.estimators.markov.checks import not_negative
from parzen.estimators.markov.emission import Emission
from parzen.families.multinomial import Multinomial
from parzen.families.poisson import Poisson
from parzen.statistics.statistic import Statistic
from parzen.statistics.sums import Sums


@dataclass(eq=False, repr=False)
class HmmlearnPoisson(Emission):
    r"""Independent Poisson columns with hmmlearn's estimate; the statistic is `Sums`.

    With the mean :math:`\bar x_k` of a state and the weight n of *all* states:
    :math:`\lambda_k = (\alpha + n \bar x_k) / (\beta + n)`.

    Parameters
    ----------
    initial : PoissonDensity
        Where EM starts.
    params : str
        "l": rates are updated; otherwise they keep their initial values.
    lambdas_prior, lambdas_weight : float or array
        Shape and rate of a Gamma prior.
    """

    initial: PoissonDensity
    params: str = "l"
    lambdas_prior: Any = 0.0
    lambdas_weight: Any = 0.0

    letter: ClassVar[str] = "l"

    def check(self) -> None:
        not_negative("lambdas_prior", self.lambdas_prior, self.initial.rate.shape)
        not_negative("lambdas_weight", self.lambdas_weight, self.initial.rate.shape)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        return Poisson(estimate="ml").observe(X, R, at)

    def counted(self, X: Array) -> CountEmission | None:
        if not _moderate(X):
            return None
        shape, rate = (_full(prior, self.initial.rate) for prior in (self.lambdas_prior, self.lambdas_weight))
        return CountEmission("poisson", X, -gammaln(X + 1.0).sum(axis=1), self.initial.rate, shape, rate)

    def emitting(self, parameter: Array) -> PoissonDensity:
        return PoissonDensity(parameter)

    def maximise(self, statistic: Sums) -> PoissonDensity:
        if "l" not in self.params:
            return self.initial
        weight, everything = statistic.weight, statistic.weight.sum(axis=0)
        mean = np.where(weight > 0, statistic.totals / np.where(weight > 0, weight, 1.0), self.initial.rate)
        alpha, beta = np.asarray(self.lambdas_prior, dtype=np.float64), np.asarray(self.lambdas_weight)
        return PoissonDensity(np.asarray((alpha + everything * mean) / np.maximum(beta + everything, 1e-300)))


@dataclass(eq=False, repr=False)
class HmmlearnMultinomial(Emission):
    """Multinomial rows with hmmlearn's estimate, maximum likelihood; the statistic is `Sums`.

    Parameters
    ----------
    initial : MultinomialDensity
        Where EM starts.
    params : str
        "e": probabilities are updated; otherwise they keep their initial values.
    """

    initial: MultinomialDensity
    params: str = "e"

    def check(self) -> None:
        """There is no prior to check."""

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        return Multinomial(estimate="ml").observe(X, R, at)

    def counted(self, X: Array) -> CountEmission | None:
        if not _moderate(X):
            return None
        parameter = np.exp(self.initial.log_probability)
        base, none = gammaln(X.sum(axis=1) + 1.0) - gammaln(X + 1.0).sum(axis=1), np.ones_like(parameter)
        return CountEmission("multinomial", X, base, parameter, none, none)

    def emitting(self, parameter: Array) -> MultinomialDensity:
        with np.errstate(divide="ignore"):
            return MultinomialDensity(np.log(parameter), self.initial.length)

    def maximise(self, statistic: Sums) -> MultinomialDensity:
        if "e" not in self.params:
            return self.initial
        whole = statistic.totals.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(whole > 0, np.log(statistic.totals / whole), self.initial.log_probability)
        return MultinomialDensity(logs, self.initial.length)


def _moderate(X: Array) -> bool:
    """Whether no count is missing, and none so large that the terms of a log-density would cancel."""
    return bool(X.sum(axis=1).max() <= LARGE)


def _full(prior: Any, like: Array) -> Array:
    return np.array(np.broadcast_to(prior, like.shape), dtype=np.float64)
