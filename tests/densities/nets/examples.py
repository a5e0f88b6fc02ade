"""Random Bayes nets of discrete and Gaussian nodes."""

import numpy as np

from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.densities.nets.graph import Graph


def random_net(rng, K=1, most=6, numbers=0.4, edges=0.5):
    """A net of up to `most` nodes in a random order, with edges wherever a graph without cycles allows them."""
    d = int(rng.integers(1, most + 1))
    sizes = np.where(rng.random(d) < numbers, 0, rng.integers(1, 4, d)).tolist()
    order = rng.permutation(d).tolist()
    ahead = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :] if sizes[a] or not sizes[b]]
    graph = Graph.of(d, [pair for pair in ahead if rng.random() < edges])
    parameters = []
    for node, own in enumerate(graph.parents):
        C = int(np.prod([sizes[p] for p in own if sizes[p]], dtype=int))
        p = sum(not sizes[one] for one in own)
        if sizes[node]:
            parameters.append(np.log(rng.dirichlet(np.ones(sizes[node]), size=(K, C))))
        else:
            lines = rng.normal(size=(K, C, p + 1)), rng.uniform(0.3, 2.0, (K, C, 1))
            parameters.append(np.concatenate(lines, axis=2))
    return BayesNetDensity(
        graph.parents, tuple(sizes), tuple(parameters), tuple(range(d)), np.full(d, np.nan), tuple(map(str, range(d)))
    )


def holed(X, rng, share=0.3):
    """Rows with cells missing at random."""
    X = np.array(X, dtype=float)
    X[rng.random(X.shape) < share] = np.nan
    return X
