"""EM for hidden Markov models by hmmlearn's rules: `params` names what is updated, a monitor when to stop."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.hmm import hidden_counts
from parzen.compute.memberships import Memberships
from parzen.densities.hmm import SMALL, HMMDensity
from parzen.estimators.markov.checks import not_negative
from parzen.estimators.markov.emission import Emission
from parzen.estimators.markov.monitor import Monitor
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
    emission : Emission
        The states' densities, updated by hmmlearn's rules.
    lengths : array of int64
        Lengths of the sequences.
    params : str
        "s": initial state probabilities are updated; "t": transition probabilities are.
    startprob_prior, transmat_prior : float or array
        Concentrations of Dirichlet priors; 1 is none.
    """

    initial: HMMDensity
    emission: Emission
    lengths: NDArray[np.int64]
    params: str
    startprob_prior: Any = 1.0
    transmat_prior: Any = 1.0

    keeps_rows: ClassVar[bool] = True
    in_order: ClassVar[bool] = True
    iterates: ClassVar[bool] = True

    @cached_property
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


def short_series(family: HmmlearnHMM, rows: Any, tol: float, n_iter: int) -> tuple[HMMDensity, list[float]] | None:
    """The density after EM in one compiled call, and the log-likelihood before each M-step.

    None where the states don't emit counts, or where rows are so many that threads share them, or so odd (missing or
    huge counts, a sequence that is impossible) that the steps are taken one by one.
    """
    initial, emission = family.initial, family.emission
    counted = emission.counted(rows) if len(rows) <= SMALL else None
    if counted is None:
        return None
    chain = initial.start, initial.transition
    first, then = (
        np.array(np.broadcast_to(prior, one.shape), dtype=np.float64)
        for prior, one in zip((family.startprob_prior, family.transmat_prior), chain, strict=True)
    )
    updated = family.params.replace(emission.letter, "e")
    found = hidden_counts(counted, family.lengths, chain, (first, then), updated, n_iter, tol)
    if found is None:
        return None
    density = HMMDensity(emission.emitting(found[2]), found[0], found[1], family.lengths)
    return density, found[3].tolist()


def baum_welch(family: HmmlearnHMM, rows: Any, monitor: Any, n_iter: int) -> HMMDensity:
    """The density after at most `n_iter` EM steps; the monitor alone decides whether to stop earlier.

    As in hmmlearn, the log-likelihood before each M-step is reported, and the M-step of the last report is made.
    """
    monitor.iter = 0
    monitor.history.clear()
    if not n_iter:
        return family.initial
    short = short_series(family, rows, monitor.tol, int(n_iter)) if type(monitor) is Monitor else None
    if short is not None:
        for log_likelihood in short[1]:
            monitor.report(log_likelihood)
        return short[0]

    def stops(step: int, log_likelihood: float) -> bool:
        monitor.report(log_likelihood)
        return bool(monitor.converged)

    found = fit(
        family, rows, start=family.initial, max_iter=int(n_iter), tol=None, callback=stops, accelerate=False
    ).density
    assert isinstance(found, HMMDensity)
    return found
