"""A mixture of which the component of some rows is known."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from parzen.compute.memberships import Labels, Memberships
from parzen.densities.density import Density
from parzen.densities.mixture import MixtureDensity
from parzen.families.family import Family
from parzen.families.initialisation import completed_labels
from parzen.families.likelihood import initial_density
from parzen.families.mixture_statistic import by_responsibilities, mixture_statistic
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import NeedsDensity


@dataclass(eq=False, repr=False)
class SemiSupervisedMixture(Family):
    """A mixture of which the component of some rows is known: its memberships are `Labels`, negative where it is not.

    Parameters
    ----------
    mixture : Mixture
    """

    mixture: Any = None

    iterates: ClassVar[bool] = True

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("a mixture must be found by EM: use parzen.fit or an estimator.")
        assert isinstance(R, Labels)
        inner, weight, likelihood = by_responsibilities(self.mixture.components(), X, R.weights, at, R.codes)
        return ExpectedStatistic(
            Joint((mixture_statistic(weight, inner),)), np.array([weight.sum()]), np.array([likelihood])
        )

    def maximise(self, statistic: Joint) -> Density:
        return self.mixture.maximise(statistic)

    def log_prior(self, density: Any, statistic: Any) -> float:
        return float(self.mixture.log_prior(density, statistic))

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> MixtureDensity:
        assert isinstance(R, Labels)
        codes = completed_labels(X, R, rng)
        density = initial_density(self.mixture.components(), X, Labels(codes, R.weights, R.groups), rng)
        return self.mixture.mixed(density, codes, R.weights)
