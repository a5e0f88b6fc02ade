"""Counts of events: Poisson, with a Gamma prior."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import xlogy

from parzen.compute.arrays import ColumnError, as_floats
from parzen.compute.checks import choose
from parzen.compute.memberships import Memberships, group_count
from parzen.compute.moments import sums
from parzen.conjugate import Gamma
from parzen.densities.negative_binomial import NegativeBinomialDensity
from parzen.densities.poisson import PoissonDensity
from parzen.families.checks import ESTIMATES, check_prior, filled, total_or_collapse
from parzen.families.family import Family
from parzen.statistics.sums import Sums


@dataclass(eq=False, repr=False)
class Poisson(Family):
    r"""Columns of counts that are independent: :math:`p(x) = \prod_j e^{-\lambda_j} \lambda_j^{x_j} / x_j!`.

    Its statistic is `Sums`: the weight of each column's cells and their total.

    Parameters
    ----------
    prior : Gamma, optional
        By default Jeffreys' Gamma(1/2, 0) for "bayes"; for "map" half a count at the rate of all rows together,
        Gamma(3/2, 1/2 / rate). That is proper, so that a component of a mixture gains nothing by losing its rows; a
        prior of rate 0 is not, and would empty components.
    estimate : "bayes", "map" or "ml"
        The posterior predictive (negative binomial), the posterior's mode, or maximum likelihood (a rate may be 0).

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Poisson, fit
    >>> visits = np.array([[0], [2], [1], [np.nan]])
    >>> fit(Poisson(estimate="ml"), visits).density.rate
    array([[1.]])
    >>> np.exp(fit(Poisson(), visits).density.log_density(np.array([[0.0], [5.0]]))).round(4)
    array([[0.3654],
           [0.0126]])
    """

    prior: Gamma | None = None
    estimate: str = "bayes"

    takes_negative: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Sums:
        choose("estimate", self.estimate, ESTIMATES)
        check_prior(self.prior, Gamma, "Poisson", (group_count(R), X.shape[1]))
        X = as_floats(X)
        with np.errstate(invalid="ignore"):
            bad = ~((X >= 0) & (np.floor(X) == X) & (np.inf > X) | np.isnan(X))
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ColumnError(
                f"Poisson needs counts 0, 1, 2, ... or NaN, but column {{column}} holds {X[row, column]:g}; "
                "use Gaussian for measurements, or Categorical for codes.",
                int(column),
            )
        return Sums(*sums(X, R))

    def log_prior(self, density: Any, statistic: Any) -> float:
        if self.estimate != "map":
            return 0.0
        prior = self.prior or _half_a_count(statistic)
        with np.errstate(divide="ignore"):
            return float((xlogy(prior.shape - 1, density.rate) - prior.rate * density.rate).sum())

    def n_parameters(self, density: Any) -> int:
        return int(np.prod(density.shape))

    def maximise(self, statistic: Sums) -> PoissonDensity | NegativeBinomialDensity:
        total_or_collapse(statistic.weight, "Poisson")
        totals, weight = filled(statistic.totals, statistic.weight)
        if self.estimate == "ml":
            return PoissonDensity(totals / weight)
        prior = self.prior or (_half_a_count(statistic) if self.estimate == "map" else Gamma(0.5, 0.0))
        improper = (prior.rate == 0).any()  # and does not determine an empty group: all rows do
        posterior = prior.update(Sums(weight, totals) if improper else statistic)
        return posterior.predictive() if self.estimate == "bayes" else PoissonDensity(np.asarray(posterior.mode()))


def _half_a_count(statistic: Sums) -> Gamma:
    """The default prior of the mode: half a count, at the rate that all rows together have with half a count more."""
    whole = statistic.pooled()
    return Gamma(1.5, 0.5 * whole.weight / (whole.totals + 0.5))
