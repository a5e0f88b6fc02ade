"""hmmlearn's M-step for emissions of symbols."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.hmm import CountEmission
from parzen.compute.memberships import Memberships
from parzen.densities.categorical import CategoricalDensity
from parzen.estimators.markov.checks import not_negative
from parzen.estimators.markov.emission import Emission
from parzen.families.categorical import Categorical
from parzen.families.hmm import dirichlet_mode
from parzen.statistics.counts import Counts
from parzen.statistics.statistic import Statistic

#: Most cells of symbols that are written as counts.
CELLS = 2**18


@dataclass(eq=False, repr=False)
class HmmlearnCategorical(Emission):
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
        not_negative("emissionprob_prior", self.emissionprob_prior, (self.initial.shape[0], self.initial.sizes[0]))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        return Categorical(estimate="ml", unseen="error").observe(X, R, at)

    def counted(self, X: Array) -> CountEmission | None:
        K, S = self.initial.shape[0], self.initial.sizes[0]
        if len(X) * S > CELLS:
            return None
        rows = np.zeros((len(X), S))
        seen = np.flatnonzero(X[:, 0] >= 0)
        rows[seen, X[seen, 0].astype(np.intp)] = 1.0
        prior = np.array(np.broadcast_to(self.emissionprob_prior, (K, S)), dtype=np.float64)
        parameter = np.exp(self.initial.log_probability)
        return CountEmission("symbols", rows, np.zeros(len(X)), parameter, prior, prior)

    def emitting(self, parameter: Array) -> CategoricalDensity:
        with np.errstate(divide="ignore"):
            return CategoricalDensity(np.log(parameter), self.initial.sizes, open_ended=False)

    def maximise(self, statistic: Counts) -> CategoricalDensity:
        if "e" not in self.params:
            return self.initial
        sizes = self.initial.sizes
        return self.emitting(dirichlet_mode(statistic.resized(sizes).counts, self.emissionprob_prior))
