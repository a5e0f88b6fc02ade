"""Class priors of rows without labels, by EM: a mixture whose components are fixed and whose weights are fitted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.messages import NeedsDensity
from parzen.statistics.sums import Sums


@dataclass(frozen=True)
class PriorShiftDensity(Density):
    r"""Density under new class priors, relative to that under the old: :math:`\sum_k \pi_k r_k`.

    A row holds the ratios :math:`r_k = p(k | x) / \pi^{old}_k`, which are those of class k's density to the density of
    all classes together: posterior probabilities over the priors that they were computed with.

    Attributes
    ----------
    class_prior : array of shape (K,)
    """

    class_prior: Array

    @property
    def shape(self) -> tuple[int, int]:
        return 1, len(self.class_prior)

    def log_density(self, X: Any) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(X @ self.class_prior)[:, None]

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        self._refuse()

    def marginal(self, columns: Sequence[int]) -> "PriorShiftDensity":
        self._refuse()

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "PriorShiftDensity":
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TypeError("ratios of densities have no distribution of their own: they can't be sampled or marginalised.")


@dataclass(eq=False, repr=False)
class PriorShift(Family):
    """Class priors of a population, given ratios of class-conditional densities (Saerens et al. 2002).

    Its statistic is the expected number of rows of each class under the current priors; `maximise` divides it by its
    sum.
    """

    iterates: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("class priors of rows without labels are found by EM: use parzen.fit.")
        with np.errstate(divide="ignore", invalid="ignore"):  # a step of SQUAREM may reach the boundary: it is undone
            evidence = X @ at.class_prior
            counts = (at.class_prior * ((1.0 / evidence) @ X))[None]
            log_likelihood = np.array([_sum_of_logs(evidence)])
        return ExpectedStatistic(Sums(counts, counts), np.array([float(len(X))]), log_likelihood)

    def maximise(self, statistic: Any) -> PriorShiftDensity:
        counts = statistic.totals[0]
        return PriorShiftDensity(counts / counts.sum())

    def n_parameters(self, density: Any) -> int:
        return len(density.class_prior) - 1


def _sum_of_logs(values: Array) -> float:
    """Sum of the logs of values, as logs of products of eight: an eighth of the logs, where no product underflows."""
    cut = len(values) // 8 * 8
    products = np.append(values[:cut].reshape(8, -1).prod(axis=0), values[cut:])
    safe = products.min(initial=1.0) > 1e-290 and products.max(initial=1.0) < 1e290
    return float(np.log(products if safe else values).sum())
