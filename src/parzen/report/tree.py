"""The tree of columns that tells most about how they depend on each other, as a Bayes net with its tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.densities.nets.graph import Graph
from parzen.densities.nets.layout import layered
from parzen.families.nets.bayes_net import BayesNet
from parzen.families.nets.pairs import mutual_information
from parzen.families.nets.trees import chow_liu
from parzen.report.intervals import rounded
from parzen.tables.features import as_floats
from parzen.tables.first_table import learn
from parzen.tables.kinds import LEARNABLE, NUMERIC, Columns

#: Most states of a node and of its parent of which a table is shown.
SHOWN = 10


def tree(frame: Any, kinds: Mapping[str, str], names: Sequence[str], root: str | None = None) -> dict[str, Any] | None:
    """The tree of Chow and Liu over some columns, numbers cut into bins, without edges that BIC would not pay for.

    Parameters
    ----------
    frame : table
    kinds : what each column holds
    names : columns, of which those that can be learnt from are taken
    root : the column that all edges lead away from, where it is connected
    """
    finite = {name: as_floats(frame[name]) for name in names if kinds[name] in NUMERIC}
    numbers = [name for name, values in finite.items() if not np.isnan(values).all()]
    names = [name for name in names if name in numbers or (kinds[name] in LEARNABLE and name not in finite)]
    if len(names) < 3:
        return None
    table = frame[names].assign(**{name: finite[name] for name in numbers})
    net, schema = learn(BayesNet((), numbers=numbers, bins="auto"), Columns(table))
    rows = np.asarray(schema.encode(table), dtype=np.float64)
    sizes: tuple[int, ...] = net.categories
    worth = mutual_information(rows, sizes, net.known_bins) - _price(len(rows), sizes)
    first = names.index(root) if root in names else None
    parents = chow_liu(worth, sizes, first)
    edges = [(own[0], node) for node, own in enumerate(parents) if own and worth[own[0], node] > 0]
    used = sorted({node for edge in edges for node in edge})
    if not used:
        return None
    density = replace(net, edges=tuple(edges)).start(rows, None, np.random.default_rng(0))
    place = {node: at for at, node in enumerate(used)}
    graph = Graph.of(len(used), [(place[a], place[b]) for a, b in edges])
    positions, _ = layered(graph, [1.0 + min(len(names[node]), 18) / 9 for node in used])
    states = [_states(net, j, schema.alphabets[j]) for j in range(len(names))]
    return {
        "nodes": [
            {
                "name": names[node],
                "at": [rounded(float(x), 3) for x in positions[place[node]]],
                "parent": place[parents[node][0]] if density.parents[node] else None,
                "table": _table(np.exp(density.parameters[node][0]), node, density.parents[node], states),
            }
            for node in used
        ],
        "rows": len(rows),
    }


def _price(n: int, sizes: Sequence[int]) -> Array:
    """What BIC charges for an edge between each two columns."""
    free = np.array(sizes, dtype=np.float64) - 1.0
    return 0.5 * float(np.log(n)) * np.outer(free, free)


def _states(net: BayesNet, j: int, alphabet: NDArray[Any] | None) -> list[str]:
    """What the states of a column are called."""
    if alphabet is None:
        return net.known_bins[j].names()
    return [str(one) for one in alphabet.tolist()]


def _table(shares: Array, node: int, parents: Sequence[int], states: Sequence[Sequence[str]]) -> dict[str, Any] | None:
    """Probabilities of a node's states, for each state of its parent; None where there are too many."""
    given = list(states[parents[0]]) if parents else [""]
    if len(given) > SHOWN or len(states[node]) > SHOWN:
        return None
    return {
        "given": given,
        "states": list(states[node]),
        "shares": [[rounded(p, 2) for p in row] for row in shares.tolist()],
    }
