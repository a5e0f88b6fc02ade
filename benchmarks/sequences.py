"""Markov chains and hidden Markov models, against hmmlearn: Baum-Welch, Viterbi, counting transitions.

The error of a Baum-Welch step is the largest difference between our means and the peer's; of a whole fit, how much
lower its log-likelihood ends than the peer's, relative to it; of a Viterbi path, the proportion of states that differ;
of a chain, the largest error of a count.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from hmmlearn import hmm

from benchmarks.harness import Row, race, within
from parzen import Gaussian, GaussianHMM, MarkovChain, threads
from parzen.compute.hmm import likeliest_path
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.hmm import HMMDensity
from parzen.families.hmm import HMM

K, N, D = 8, 100_000, 4


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    mean = 1.5 * rng.normal(size=(K, D))
    X = mean[np.repeat(rng.integers(0, K, N // 20), 20)] + rng.normal(size=(N, D))
    start, transition = np.full(K, 1 / K), 0.9 * np.eye(K) + 0.1 / K
    for job, lengths, target in (
        ("one sequence of 100,000", np.array([N]), 15),
        ("1,000 sequences of 100", np.full(1000, 100), 20),
    ):
        peer = hmm.GaussianHMM(
            K, "diag", n_iter=1, tol=-np.inf, init_params="", min_covar=0, covars_prior=0, covars_weight=0
        )

        def theirs(peer: Any = peer, lengths: Any = lengths) -> Any:
            peer.startprob_, peer.transmat_ = start.copy(), transition.copy()
            peer.means_, peer.covars_ = mean.copy(), np.ones((K, D))
            peer.fit(X, lengths)
            return peer.means_

        family = HMM(Gaussian("diag", estimate="ml"), K, lengths)
        begun = HMMDensity(GaussianDensity(mean, np.ones((K, D))), start, transition, lengths)

        def ours(family: Any = family, begun: Any = begun) -> Any:
            return family.maximise(family.observe(X, None, begun).statistic).emission.mean

        exact = theirs()
        yield race(
            f"One step of Baum-Welch, 8 Gaussian states, 4 columns, {job}",
            "hmmlearn GaussianHMM", ours, theirs, lambda found, exact=exact: float(np.abs(found - exact).max()),
            target=target, repeat=3,
        )  # fmt: skip
    for job, lengths in (("one sequence", None), ("1,000 sequences", np.full(1000, 100))):
        models = [model(K, n_iter=3, random_state=0, tol=-np.inf) for model in (GaussianHMM, hmm.GaussianHMM)]
        scale = abs(models[1].fit(X, lengths).score(X, lengths))

        def lost(model: Any, lengths: Any = lengths, scale: float = scale) -> float:
            """How much lower the likelihood ends than that of hmmlearn, relative to it."""
            return max(0.0, -model.score(X, lengths) / scale - 1.0)

        yield race(
            f"GaussianHMM(8, n_iter=3).fit from scratch, 100,000 x 4, {job}", "hmmlearn GaussianHMM",
            *(lambda model=model, lengths=lengths: model.fit(X, lengths) for model in models),
            lost, target=15, repeat=3,
        )  # fmt: skip
    many, begun = np.full(1000, 100), HMMDensity(GaussianDensity(mean, np.ones((K, D))), start, transition)
    family = HMM(Gaussian("diag", estimate="ml"), K, many)

    def steps(number: int) -> Any:
        with threads(number):
            found = begun
            for _ in range(3):
                found = family.maximise(family.observe(X, None, found).statistic)
            return found.emission.mean

    alone = steps(1)
    yield race(
        "Three steps of Baum-Welch, 8 Gaussian states, 1,000 sequences of 100 x 4, on two threads",
        "the same on one", lambda: steps(2), lambda: steps(1), lambda found: float(np.abs(found - alone).max()),
        target=1.8, repeat=9,
    )  # fmt: skip
    lengths = np.array([N])
    density = HMMDensity(GaussianDensity(mean, np.ones((K, D))), start, transition)
    peer = hmm.GaussianHMM(K, "diag")
    peer.startprob_, peer.transmat_, peer.means_, peer.covars_ = start, transition, mean, np.ones((K, D))
    best = peer.predict(X)
    yield race(
        "Viterbi path, 8 Gaussian states, 100,000 x 4", "hmmlearn GaussianHMM",
        lambda: likeliest_path(density.rows(X), lengths, *density.log_chain)[0], lambda: peer.predict(X),
        lambda path: float((path != best).mean()), target=10, repeat=3,
    )  # fmt: skip
    symbols = rng.integers(0, 27, 10_000_000)
    counts = np.bincount(symbols[:-1] * 27 + symbols[1:], minlength=27 * 27).reshape(27, 27)
    yield within(
        "MarkovChain.fit, 10,000,000 symbols of 27", 0.1,
        lambda: MarkovChain().fit(symbols).counts_, lambda found: float(np.abs(found[1:] - counts).max()),
    )  # fmt: skip
