"""Classes of which some rows don't tell their label: expected labels instead (EM)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships
from parzen.densities.density import Density
from parzen.densities.posterior import memberships
from parzen.families.family import Family
from parzen.families.likelihood import expected_statistic, initial_density
from parzen.statistics.batches import Batches
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import NeedsDensity
from parzen.statistics.sums import Sums


@dataclass(frozen=True)
class SemiSupervisedDensity(Density):
    """Densities of K classes and the logs of their priors.

    Attributes
    ----------
    density : the K densities
    log_prior : array of shape (K,)
    """

    density: Density
    log_class_prior: Array

    @property
    def shape(self) -> tuple[int, int]:
        return self.density.shape

    def log_density(self, X: Any) -> Array:
        """Log of prior times density: the joint of a row and each class."""
        return self.density.log_density(X) + self.log_class_prior

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.density.sample(labels, rng)

    def marginal(self, columns: Sequence[int]) -> "SemiSupervisedDensity":
        return SemiSupervisedDensity(self.density.marginal(columns), self.log_class_prior)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "SemiSupervisedDensity":
        return SemiSupervisedDensity(self.density.conditional(columns, values), self.log_class_prior)


@dataclass(eq=False, repr=False)
class SemiSupervised(Family):
    r"""Rows with a label or without: :math:`p(x, y) = \pi_y p_y(x)` where y is known, its sum over y where it is not.

    Its memberships are `Labels`, in which a negative code is a label that is not known. Its statistic is the `Joint` of
    the classes' weights and the family's own statistic, each row without a label counted in every class by its
    posterior under the current density. The likelihood of all rows never falls under maximum likelihood.

    Parameters
    ----------
    family : the family of the classes
    log_prior : array of shape (K,), optional
        Logs of the priors where they are given; else they are learnt as well.
    """

    family: Any = None
    log_class_prior: Any = None

    iterates: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("rows without a label need a current density: use parzen.fit or an estimator.")
        assert isinstance(R, Labels)
        values, total = memberships(at.density, at.log_class_prior, X, R.weights, R.codes)
        inner = expected_statistic(self.family, X, values, at.density)
        weight = values.sum(axis=0)
        likelihood = np.zeros(len(weight))
        likelihood[0] = total
        classes = Sums(weight[:, None], weight[:, None])
        return ExpectedStatistic(Joint((classes, inner)), weight, likelihood)

    def maximise(self, statistic: Joint) -> SemiSupervisedDensity:
        classes, inner = statistic.parts
        assert isinstance(classes, Sums)
        weight = classes.weight[:, 0]
        with np.errstate(divide="ignore"):
            learnt = np.log(weight / weight.sum())
        log_class_prior = learnt if self.log_class_prior is None else np.asarray(self.log_class_prior, dtype=np.float64)
        return SemiSupervisedDensity(self.family.maximise(inner), log_class_prior)

    def log_prior(self, density: Any, statistic: Any) -> float:
        return float(self.family.log_prior(density.density, statistic.parts[1]))

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> SemiSupervisedDensity:
        if isinstance(X, Batches):
            weight: Any = X.counts
        else:
            assert isinstance(R, Labels)
            known = R.codes >= 0
            weight = np.bincount(R.codes[known], None if R.weights is None else R.weights[known], minlength=R.groups)
        log_class_prior = np.log(weight / weight.sum()) if self.log_class_prior is None else self.log_class_prior
        return SemiSupervisedDensity(
            initial_density(self.family, X, R, rng), np.asarray(log_class_prior, dtype=np.float64)
        )
