"""Exact answers on published networks, against pyAgrum's propagation."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from parzen import BayesNetwork

gum = pytest.importorskip("pyagrum")

FOLDER = Path(importlib.util.find_spec("pgmpy").submodule_search_locations[0]) / "utils/example_models"
NETS = ["asia", "alarm", "insurance", "hailfinder", "hepar2", "win95pts", "andes"]


def theirs(net):
    """The same network, from the same tables, as one of pyAgrum's."""
    built = gum.BayesNet()
    names = [str(name) for name in net.schema_.labels]
    density = net.density_
    for name, size in zip(names, density.sizes, strict=True):
        built.add(gum.LabelizedVariable(name, name, size))
    for parent, child in density.graph.edges:
        built.addArc(names[parent], names[child])
    for node, table in enumerate(density.tables(0)):
        own = built.cpt(names[node])
        order = [names.index(name) for name in own.names]
        axes = [density.graph.family(node).index(one) for one in order]
        own.fillWith(table.transpose(axes).ravel(order="F").tolist())
    return built


@pytest.mark.parametrize("name", NETS)
def test_posteriors_of_published_networks(name, rng):
    net = BayesNetwork.read_bif(FOLDER / f"{name}.bif.gz")
    density, names = net.density_, [str(one) for one in net.schema_.labels]
    rows = density.sample(np.zeros(200, dtype=np.intp), rng)
    engine = gum.LazyPropagation(theirs(net))
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
