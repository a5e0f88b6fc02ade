"""Which graph suits a table: trees of Chow and Liu, tree-augmented naive Bayes, hill-climbing."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.nets.bayes_net import incomplete, read_codes
from parzen.densities.nets.graph import Graph, read_edges
from parzen.estimators.base.validation import generator
from parzen.families.nets.bayes_net import BayesNet
from parzen.families.nets.hill_climbing import Rules, hill_climb
from parzen.families.nets.pairs import mutual_information
from parzen.families.nets.scores import Scores
from parzen.families.nets.trees import chow_liu
from parzen.statistics.batches import Batches
from parzen.statistics.messages import caller_stacklevel

STRUCTURES = ("chow-liu", "tan", "hill-climb")
CRITERIA = ("bic", "aic", "bdeu", "k2", "bge")


def learn_structure(model: Any, rows: Any, family: BayesNet, weights: Array | None) -> list[tuple[int, int]]:
    """Edges of the graph that a model's parameters ask for: trees by pairs of columns, others by complete rows.

    Of batches, trees are learnt from counts that add; hill-climbing keeps the codes of all rows.
    """
    choose("structure", model.structure, STRUCTURES)
    choose("criterion", model.criterion, CRITERIA)
    sizes: Any = family.categories
    if model.structure == "hill-climb":
        return _searched(model, _complete(model, rows, family, weights))
    root = None if model.root is None else model.schema_.positions([model.root])[0]
    if model.structure == "chow-liu":
        parents = chow_liu(mutual_information(rows, sizes, family.known_bins, weights), sizes, root)
    else:
        if root is None or not sizes[root]:
            raise ValueError(f"structure='tan' needs root=, the column of the classes, got {model.root!r}.")
        information = mutual_information(rows, sizes, family.known_bins, weights, root)
        parents = chow_liu(information, sizes, None, leave_out=root)
        parents = [own if node == root else [root, *own] for node, own in enumerate(parents)]
    return [(parent, child) for child, own in enumerate(parents) for parent in own]


def _complete(model: Any, rows: Any, family: BayesNet, weights: Array | None) -> Scores:
    """Scores over the rows without missing cells."""
    sizes: Any = family.categories
    gaussian = [node for node, size in enumerate(sizes) if not size]
    codes: list[NDArray[np.int32]] = []
    cells: list[Array] = []
    parts: list[Array] = []
    batches: Any = rows if isinstance(rows, Batches) else [(rows, weights)]
    n = 0
    for X, w in batches:
        own = read_codes(X, sizes, family.known_bins)
        whole = np.flatnonzero(~incomplete(X, own, sizes))
        n += len(X)
        codes.append(own[whole])
        numbers = np.full((len(whole), len(sizes)) if gaussian else (len(whole), 0), np.nan)
        numbers[:, gaussian] = X[whole][:, gaussian]
        cells.append(numbers)
        if w is not None:
            parts.append(w[whole])
    kept = sum(map(len, codes))
    if not kept:
        raise ValueError(
            "no row is complete, and hill-climbing learns from complete rows; use structure='chow-liu', which needs "
            "two known cells only, or give edges."
        )
    if kept < n:
        warnings.warn(
            f"the structure is learnt from the {kept} rows without missing cells, of {n}; its "
            "parameters from all of them.",
            UserWarning,
            stacklevel=caller_stacklevel(),
        )
    weight = np.concatenate(parts) if parts else None
    sample = model.equivalent_sample_size
    return Scores(np.concatenate(codes), np.concatenate(cells), sizes, model.criterion, sample, weight)


def _searched(model: Any, scores: Scores) -> list[tuple[int, int]]:
    d, sizes = len(scores.sizes), np.array(scores.sizes)
    allowed = ~np.eye(d, dtype=bool) & ~((sizes[:, None] == 0) & (sizes[None, :] > 0))
    required = np.zeros((d, d), dtype=bool)
    for parent, child in read_edges(model.required or ())[0]:
        required[tuple(model.schema_.positions([parent, child]))] = True
    for parent, child in read_edges(model.forbidden or ())[0]:
        allowed[tuple(model.schema_.positions([parent, child]))] = False
    if model.order is not None:
        place = np.empty(d, dtype=int)
        order = model.schema_.positions(list(model.order))
        if len(order) != d:
            raise ValueError(f"order must name all {d} columns, parents before children, got {len(order)}.")
        place[order] = np.arange(d)
        allowed &= place[:, None] < place[None, :]
    if (required & ~allowed).any():
        i, j = np.argwhere(required & ~allowed)[0]
        names = model.schema_.labels
        raise ValueError(f"the edge from {names[i]!r} to {names[j]!r} is required, but is not allowed.")
    Graph.of(d, [(int(i), int(j)) for i, j in np.argwhere(required)], model.schema_.labels)
    most = d if model.max_parents is None else _count("max_parents", model.max_parents)
    if required.sum(axis=0).max() > most:
        child = model.schema_.labels[int(required.sum(axis=0).argmax())]
        raise ValueError(f"{child!r} has more required parents than max_parents={most} allows; raise it.")
    parents = hill_climb(
        scores,
        Rules(allowed, required, most),
        tabu=_count("tabu", model.tabu),
        restarts=_count("restarts", model.restarts),
        rng=generator(0 if model.random_state is None else model.random_state),
    )
    return [(parent, child) for child, own in enumerate(parents) for parent in own]


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"{name} must be a whole number, at least 0, got {value!r}.")
    return int(value)
