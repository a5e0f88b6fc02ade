"""hmmlearn's M-step for emissions of symbols."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.memberships import Memberships
from parzen.densities.categorical import CategoricalDensity
from parzen.estimators.markov.checks import not_negative
from parzen.families.categorical import Categorical
from parzen.families.family import Family
from parzen.families.hmm import dirichlet_mode
from parzen.statistics.counts import Counts
from parzen.statistics.statistic import Statistic


@dataclass(eq=False, repr=False)
class HmmlearnCategorical(Family):
    """Probabilities of symbols with hmmlearn's estimate: the mode under a Dirichlet prior. The statistic is `Counts`.

    Parameters
    ----------
    initial : CategoricalDensity
        Where EM starts.
    params : str
        "e": probabilities are updated; otherwise they keep their initial values.
    emissionprob_prior : float or array
        Concentration of the prior; 1 is none.
    """

    initial: CategoricalDensity
    params: str = "e"
    emissionprob_prior: Any = 1.0

    def check(self) -> None:
        """Raise where the prior doesn't have the shape of the parameters."""
        not_negative("emissionprob_prior", self.emissionprob_prior, (self.initial.shape[0], self.initial.sizes[0]))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        return Categorical(estimate="ml", unseen="error").observe(X, R, at)

    def maximise(self, statistic: Counts) -> CategoricalDensity:
        if "e" not in self.params:
            return self.initial
        sizes = self.initial.sizes
        with np.errstate(divide="ignore"):
            log_probability = np.log(dirichlet_mode(statistic.resized(sizes).counts, self.emissionprob_prior))
        return CategoricalDensity(log_probability, sizes, open_ended=False)
