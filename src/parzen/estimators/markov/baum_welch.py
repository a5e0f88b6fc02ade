"""EM for hidden Markov models by hmmlearn's rules: `params` names what is updated, a monitor when to stop."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.memberships import Memberships
from parzen.densities.hmm import HMMDensity
from parzen.estimators.markov.checks import not_negative
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.families.hmm import HMM
from parzen.statistics.joint import ExpectedStatistic, Joint


@dataclass(eq=False, repr=False)
class HmmlearnHMM(Family):
    """Hidden Markov models with hmmlearn's M-step.

    The E-step is that of `parzen.families.hmm.HMM`. In the M-step the priors are hmmlearn's, probabilities that are
    initially zero stay zero, and parameters whose letter is not in `params` keep their initial values.

    Parameters
    ----------
    initial : HMMDensity
        Where EM starts.
    emission : Family with a method `check`
        The states' densities, updated by hmmlearn's rules.
    lengths : array of int64
        Lengths of the sequences.
    params : str
        "s": initial state probabilities are updated; "t": transition probabilities are.
    startprob_prior, transmat_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    """

    initial: HMMDensity
    emission: Any
    lengths: NDArray[np.int64]
    params: str
    startprob_prior: Any = 1.0
    transmat_prior: Any = 1.0

    keeps_rows: ClassVar[bool] = True
    in_order: ClassVar[bool] = True
    iterates: ClassVar[bool] = True

    @property
    def hmm(self) -> HMM:
        """The same model, all of whose parameters are updated."""
        initial = self.initial
        return HMM(
            self.emission,
            initial.size,
            self.lengths,
            initial.start > 0,
            initial.transition > 0,
            self.startprob_prior,
            self.transmat_prior,
        )

    def check(self) -> None:
        """Raise where a prior doesn't have the shape of the parameters."""
        K = self.initial.size
        not_negative("startprob_prior", self.startprob_prior, (K,))
        not_negative("transmat_prior", self.transmat_prior, (K, K))
        self.emission.check()

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> HMMDensity:
        return self.initial

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        return self.hmm.observe(X, R, at)

    def maximise(self, statistic: Joint) -> HMMDensity:
        found, initial = self.hmm.maximise(statistic), self.initial
        return replace(
            found,
            start=found.start if "s" in self.params else initial.start,
            transition=found.transition if "t" in self.params else initial.transition,
        )


def baum_welch(family: HmmlearnHMM, rows: Any, monitor: Any, n_iter: int) -> HMMDensity:
    """The density after at most `n_iter` EM steps; the monitor alone decides whether to stop earlier.

    As in hmmlearn, the log-likelihood before each M-step is reported, and the M-step of the last report is made.
    """
    monitor.iter = 0
    monitor.history.clear()
    if not n_iter:
        return family.initial

    def stops(step: int, log_likelihood: float) -> bool:
        monitor.report(log_likelihood)
        return bool(monitor.converged)

    found = fit(
        family, rows, start=family.initial, max_iter=int(n_iter), tol=None, callback=stops, accelerate=False
    ).density
    assert isinstance(found, HMMDensity)
    return found
