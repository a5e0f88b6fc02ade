"""Columns of bits: Bernoulli, with a Beta prior."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from parzen.compute.arrays import as_csr, is_sparse
from parzen.compute.checks import choose
from parzen.compute.codes import tally
from parzen.compute.memberships import Memberships, group_count
from parzen.compute.sparse import csr_sums
from parzen.conjugate import Beta
from parzen.densities.bernoulli import BernoulliDensity
from parzen.densities.bits import as_bits, bits_in_csr
from parzen.families.checks import ESTIMATES, check_prior, filled, powers, total_or_collapse
from parzen.families.family import Family
from parzen.statistics.counts import Counts


@dataclass(eq=False, repr=False)
class Bernoulli(Family):
    r"""Columns of zeros and ones that are independent: :math:`p(x) = \prod_j p_j^{x_j} (1 - p_j)^{1 - x_j}`.

    Its statistic is `Counts`: the weight of each column's zeros and ones.

    Parameters
    ----------
    prior : Beta, optional
        By default Beta(1, 1) for "bayes" and Beta(2, 2) for "map", both of which give Laplace's rule.
    estimate : "bayes", "map" or "ml"
        The posterior predictive, the posterior's mode, or the maximum likelihood probability (which may be 0 or 1).
    threshold : float, optional
        Cells above it are ones, others zeros. Without it cells must be 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Bernoulli, fit
    >>> heads = np.array([[1], [1]])
    >>> fit(Bernoulli(), heads).density.probability, fit(Bernoulli(estimate="ml"), heads).density.probability
    (array([[0.75]]), array([[1.]]))
    """

    prior: Beta | None = None
    estimate: str = "bayes"
    threshold: float | None = None

    takes_sparse: ClassVar[bool] = True
    takes_device: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Counts:
        choose("estimate", self.estimate, ESTIMATES)
        check_prior(self.prior, Beta, "Bernoulli", (group_count(R), X.shape[1]))
        if is_sparse(X):
            X = bits_in_csr(as_csr(X), self.threshold)
            weight, ones, _ = csr_sums(X, R)
            pairs = np.empty((*ones.shape, 2))
            np.subtract(weight[:, None], ones, out=pairs[:, :, 0])
            pairs[:, :, 1] = ones
            return Counts(pairs.reshape(len(ones), -1), (2,) * X.shape[1])
        return Counts(tally(as_bits(X, threshold=self.threshold), R, (2,) * X.shape[1]), (2,) * X.shape[1])

    def log_prior(self, density: Any, statistic: Any) -> float:
        if self.estimate != "map":
            return 0.0
        prior = self.prior or Beta(2, 2)
        return powers(prior.b - 1, density.log_failure) + powers(prior.a - 1, density.log_success)

    def n_parameters(self, density: Any) -> int:
        return int(np.prod(density.shape))

    def maximise(self, statistic: Counts) -> BernoulliDensity:
        pairs = statistic.counts.reshape(len(statistic.counts), -1, 2)
        total_or_collapse(pairs[:, :, 0] + pairs[:, :, 1], "Bernoulli")
        if self.estimate == "ml":
            pairs, whole = filled(pairs, pairs.sum(axis=2, keepdims=True))
            with np.errstate(divide="ignore"):
                logs = np.log(pairs) - np.log(whole)
            return BernoulliDensity(logs[:, :, 0], logs[:, :, 1], self.threshold)
        posterior = (self.prior or (Beta(2, 2) if self.estimate == "map" else Beta(1, 1))).update(statistic)
        if self.estimate == "bayes":
            return replace(posterior.predictive(), threshold=self.threshold)
        posterior.mode()  # raises where there is none
        whole = np.log(posterior.a + posterior.b - 2)
        with np.errstate(divide="ignore"):  # of a uniform prior, MAP is ML
            failure, success = np.log(posterior.b - 1), np.log(posterior.a - 1)
        return BernoulliDensity(failure - whole, success - whole, self.threshold)
