"""Bayes nets: answers, parameters and structures of the ALARM network, against pyAgrum and pgmpy.

The error of posteriors is the largest difference to pyAgrum's; of parameters, to counts by NumPy (one pseudo-count for
each cell); of a structure, how far its BIC lies below the best that was found, as a part of it. pgmpy and pyAgrum
answer row by row; a few hundred rows stand for all.
"""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Memory, Row, peak_memory, race
from parzen import BayesNetwork
from parzen.families.nets.scores import Scores

ROWS, KNOWN = 10_000, 12


def published(name: str) -> BayesNetwork:
    """A network of the collection that comes with pgmpy."""
    found = importlib.util.find_spec("pgmpy")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("published networks come with pgmpy: pip install pgmpy.")
    folder = Path(found.submodule_search_locations[0])
    return BayesNetwork.read_bif(folder / f"utils/example_models/{name}.bif.gz")


def as_pyagrum(net: BayesNetwork) -> Any:
    """The same network, from the same tables, as one of pyAgrum's."""
    import pyagrum

    built = pyagrum.BayesNet()
    names = [str(name) for name in net.schema_.labels]
    density = net.density_
    for name, size in zip(names, density.sizes, strict=True):
        built.add(pyagrum.LabelizedVariable(name, name, size))
    for parent, child in density.graph.edges:
        built.addArc(names[parent], names[child])
    for node, table in enumerate(density.tables(0)):
        own = built.cpt(names[node])
        axes = [density.graph.family(node).index(names.index(name)) for name in own.names]
        own.fillWith(table.transpose(axes).ravel(order="F").tolist())
    return built


def _evidence(net: BayesNetwork, same: bool, rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """Codes of the known nodes of each row, NaN elsewhere, and the node that is asked for."""
    rows = net.density_.sample(np.zeros(ROWS, dtype=np.intp), rng)
    d = rows.shape[1]
    target = int(rng.integers(d))
    order = rng.random((1 if same else ROWS, d))
    order[:, target] = 2.0
    known = order.argsort(axis=1).argsort(axis=1) < KNOWN
    return np.where(known, rows, np.nan), target


def posteriors(net: BayesNetwork, same: bool, peer: str, few: int, target: float) -> Row:
    rows, node = _evidence(net, same, np.random.default_rng(0))
    table, column = net.schema_.decode(rows), net.schema_.labels[node]
    answer = _by_pyagrum if peer == "pyAgrum" else _by_pgmpy
    exact = _by_pyagrum(net, rows[:few], node)
    pattern = "one pattern" if same else "a pattern in each row"
    return race(
        f"Posterior of a node of alarm, {ROWS:,} rows, {KNOWN} of 36 nodes known, {pattern}", peer,
        lambda: net.predict_proba(table, column)[:few], lambda: answer(net, rows[:few], node),
        lambda found: float(np.abs(found - exact).max()), lambda found: float(np.abs(found - exact).max()),
        target=target, repeat=3, slow=ROWS / few,
    )  # fmt: skip


def _by_pyagrum(net: BayesNetwork, rows: np.ndarray, node: int) -> np.ndarray:
    import pyagrum

    names = [str(name) for name in net.schema_.labels]
    engine = pyagrum.LazyPropagation(as_pyagrum(net))
    engine.addTarget(names[node])
    out = []
    for row in rows:
        engine.setEvidence({names[j]: int(row[j]) for j in np.flatnonzero(~np.isnan(row))})
        engine.makeInference()
        out.append(engine.posterior(names[node]).toarray())
    return np.array(out)


def _by_pgmpy(net: BayesNetwork, rows: np.ndarray, node: int) -> np.ndarray:
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork

    density, names = net.density_, [str(name) for name in net.schema_.labels]
    model = DiscreteBayesianNetwork([(names[a], names[b]) for a, b in density.graph.edges])
    for at, table in enumerate(density.tables(0)):
        parents = density.parents[at]
        sizes = [density.sizes[one] for one in parents]
        cells = np.moveaxis(table, -1, 0).reshape(density.sizes[at], -1)
        model.add_cpds(TabularCPD(names[at], density.sizes[at], cells, [names[one] for one in parents], sizes))
    engine, out = VariableElimination(model), []
    for row in rows:
        known = {names[j]: int(row[j]) for j in np.flatnonzero(~np.isnan(row))}
        out.append(engine.query([names[node]], evidence=known, show_progress=False).values)
    return np.array(out)


def parameters(net: BayesNetwork, n: int, target: float) -> Row:
    import pyagrum

    table = net.sample(n, random_state=0)
    edges, states = net.edges_, {name: net.states(name) for name in net.schema_.labels}
    codes = net._rows(table).astype(np.int64)
    texts = table.astype(str)
    graph = pyagrum.BayesNet(as_pyagrum(net))

    def theirs() -> Any:
        learner = pyagrum.BNLearner(texts)
        learner.useSmoothingPrior(1.0)
        return learner.learnParameters(graph.dag())

    def error(found: Any) -> float:
        largest = 0.0
        for node, size in enumerate(net.density_.sizes):
            family = net.density_.graph.family(node)
            counts = np.zeros([net.density_.sizes[one] for one in family])
            np.add.at(counts, tuple(codes[:, list(family)].T), 1.0)
            seen = counts.reshape(-1, size) + 1.0
            learnt = np.exp(found.density_.parameters[node][0])
            largest = max(largest, float(np.abs(learnt - seen / seen.sum(axis=1, keepdims=True)).max()))
        return largest

    return race(
        f"Parameters of alarm from {n:,} rows of a pandas frame", "pyAgrum",
        lambda: BayesNetwork(edges, categories=states).fit(table), theirs, error, target=target, repeat=3, slow=1.0,
    )  # fmt: skip


def structure(net: BayesNetwork, n: int, target: float) -> Row:
    import pyagrum

    table = net.sample(n, random_state=0)
    texts = table.astype(str)
    names = list(net.schema_.labels)
    codes = net._rows(table).astype(np.int32)
    scores = Scores(codes, codes.astype(np.float64), net.density_.sizes, "bic")

    def bic(edges: Any) -> float:
        parents: list[list[int]] = [[] for _ in names]
        for parent, child in edges:
            parents[names.index(child)].append(names.index(parent))
        return scores.total(parents)

    def theirs() -> Any:
        learner = pyagrum.BNLearner(texts)
        learner.useScoreBIC()
        learner.useGreedyHillClimbing()
        return [(learner.names()[a], learner.names()[b]) for a, b in learner.learnDAG().arcs()]

    def ours() -> Any:
        return BayesNetwork(structure="hill-climb").fit(table).edges_

    best = max(bic(ours()), bic(theirs()), bic(net.edges_))
    return race(
        f"Structure of alarm by hill-climbing, BIC, {n:,} rows", "pyAgrum", ours, theirs,
        lambda edges: float(bic(edges) / best - 1), lambda edges: float(bic(edges) / best - 1), target=target,
        repeat=3, slow=1.0,
    )  # fmt: skip


def rows() -> Iterator[Row | Memory]:
    alarm = published("alarm")
    yield posteriors(alarm, False, "pyAgrum", 300, 20)
    yield posteriors(alarm, False, "pgmpy", 100, 50)
    yield posteriors(alarm, True, "pyAgrum", 300, 100)
    yield parameters(alarm, 20_000, 20)
    yield structure(alarm, 20_000, 10)
    table = alarm.sample(200_000, random_state=0)
    yield Memory("Parameters of alarm from 200,000 rows", peak_memory(lambda: BayesNetwork(alarm.edges_).fit(table)))
    yield Memory("Posteriors of alarm, 200,000 rows", peak_memory(lambda: alarm.predict_proba(table, "LVFAILURE")))
