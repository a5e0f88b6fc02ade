"""Exact answers on published networks, against pyAgrum's propagation."""

import numpy as np
import pytest

from benchmarks.nets import as_pyagrum, published
from parzen import BayesNetwork
from tests.estimators.nets.equivalence import distance

gum = pytest.importorskip("pyagrum")

NETS = ["asia", "alarm", "insurance", "hailfinder", "hepar2", "win95pts", "andes"]


@pytest.mark.parametrize("name", NETS)
def test_posteriors_of_published_networks(name, rng):
    net = published(name)
    density, names = net.density_, [str(one) for one in net.schema_.labels]
    rows = density.sample(np.zeros(200, dtype=np.intp), rng)
    engine = gum.LazyPropagation(as_pyagrum(net))
    d = len(names)
    targets = rng.choice(rng.choice(d, min(d, 6), replace=False), 200)
    known = rng.random((200, d)) < rng.uniform(0.05, 0.6, (200, 1))
    known[np.arange(200), targets] = False
    given = np.where(known, rows, np.nan)
    for target in np.unique(targets):
        own = np.flatnonzero(targets == target)
        column = net.schema_.labels[target]
        found = net.predict_proba(net.schema_.decode(given[own]), column)
        for row, shares in zip(own, found, strict=True):
            engine.eraseAllEvidence()
            engine.eraseAllTargets()
            engine.addTarget(names[target])
            engine.setEvidence({names[j]: int(rows[row, j]) for j in np.flatnonzero(known[row])})
            engine.makeInference()
            np.testing.assert_allclose(shares, engine.posterior(names[target]).toarray(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("criterion", "use"), [("bic", "useScoreBIC"), ("k2", "useScoreK2")])
def test_hill_climbing_finds_the_structure_of_alarm_at_least_as_well(criterion, use):
    net = published("alarm")
    table = net.sample(5000, random_state=0)
    learner = gum.BNLearner(table.astype(str))
    getattr(learner, use)()
    learner.useGreedyHillClimbing()
    names = learner.names()
    theirs = [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]
    ours = BayesNetwork(structure="hill-climb", criterion=criterion).fit(table).edges_
    assert distance(ours, net.edges_) < distance(theirs, net.edges_)
