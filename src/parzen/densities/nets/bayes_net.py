"""The density of a Bayes net: a product of conditional distributions of nodes given their parents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.compute.codes import BadCode, lookup
from parzen.densities.columns import chosen, given_values, others
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.nets.bins import Bins
from parzen.densities.nets.graph import Graph
from parzen.densities.nets.linear_gaussian import (
    Component,
    components,
    configuration,
    joint_gaussian,
    node_log_density,
    split_parents,
)
from parzen.densities.nets.propagation import Network
from parzen.densities.nets.sampling import draw


@dataclass(frozen=True)
class BayesNetDensity(Density):
    """K Bayes nets of one graph: nodes with tables, and Gaussian nodes.

    A number that is cut into bins is known up to its bin: the density is the probability of the bin.

    Attributes
    ----------
    parents : tuple of tuples of int
        Parents of each node, in ascending order.
    sizes : tuple of int
        States of each node; 0 for a Gaussian one.
    parameters : tuple of arrays, one for each node
        Of shape (K, C, size): log-probabilities of its states, for each configuration of its parents (in C order); of a
        Gaussian node (K, C, p + 2): intercept, slopes of its Gaussian parents and variance, for each configuration of
        its discrete parents.
    columns : tuple of int
        The nodes that are the density's columns. The others are marginalised, or given.
    given : array, one for each node
        State or value of a node that is given; NaN for all others.
    names : tuple of str
        What nodes are called where an error names them.
    bins : dict from int to Bins
        Of nodes whose states are bins of numbers.
    """

    parents: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    parameters: tuple[Array, ...]
    columns: tuple[int, ...]
    given: Array
    names: tuple[str, ...]
    bins: dict[int, Bins] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.parameters[0]), len(self.columns)

    @cached_property
    def graph(self) -> Graph:
        """The graph of the nodes."""
        return Graph(self.parents)

    @cached_property
    def discrete(self) -> tuple[int, ...]:
        """Nodes with tables."""
        return tuple(node for node, size in enumerate(self.sizes) if size)

    @cached_property
    def components(self) -> list[Component]:
        """Gaussian nodes, put together where they depend on each other."""
        return components(self.graph, self.sizes)

    @cached_property
    def network(self) -> Network:
        """The discrete nodes and factors over them, for exact inference."""
        place = {node: at for at, node in enumerate(self.discrete)}
        scopes = tuple(tuple(place[one] for one in self.graph.family(node)) for node in self.discrete)
        extra = tuple(tuple(place[one] for one in part.scope) for part in self.components if part.scope)
        sizes = tuple(self.sizes[node] for node in self.discrete)
        return Network(sizes, scopes, extra, tuple(self.names[node] for node in self.discrete))

    @cached_property
    def gaussians(self) -> list[GaussianDensity]:
        """Joint Gaussians of each component: those of every configuration, for each of the K nets."""
        return [joint_gaussian(part, self.graph, self.sizes, self.parameters) for part in self.components]

    def tables(self, k: int) -> list[Array]:
        """Conditional probabilities of the discrete nodes: dimensions are the parents and, last, the node."""
        return [
            np.exp(self.parameters[node][k]).reshape([self.sizes[one] for one in self.graph.family(node)])
            for node in self.discrete
        ]

    # -- evaluation ------------------------------------------------------------------------------------------------

    def log_density(self, X: Any) -> Array:
        joint = self._log_joint(self.rows(X))
        if np.isnan(self.given).all():
            return joint
        possible = np.isfinite(self.log_given)  # where it is not, no row is
        return np.where(possible, joint - np.where(possible, self.log_given, 0.0), -np.inf)

    @cached_property
    def log_given(self) -> Array:
        """Log-probability (or density) of what is given, (K,)."""
        return self._log_joint(self.given[None].copy())[0]

    def rows(self, X: Any) -> Array:
        """Rows of the columns as rows of all nodes: what is given is put in, what is not known is NaN."""
        coded = X.dtype.kind == "i"
        X = as_floats(X, self.shape[1])
        whole = np.repeat(self.given[None], len(X), axis=0)
        whole[:, list(self.columns)] = np.where(X < 0, np.nan, X) if coded else X
        return whole

    def _log_joint(self, rows: Array) -> Array:
        out = np.empty((len(rows), self.shape[0]))
        codes = self.codes(rows)
        gone = self._inferred(rows, codes)
        for some, evaluated in ((~gone, self._log_complete), (gone, self._log_evidence)):
            if some.all():
                return evaluated(rows, codes)
            if some.any():
                out[some] = evaluated(rows[some], codes[some])
        return out

    def _inferred(self, rows: Array, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether a missing cell of each row must be summed over: a node whose children are missing sums to one."""
        gone = np.where(np.array(self.sizes) > 0, codes < 0, np.isnan(rows))
        found = gone[:, np.array(self.sizes) == 0].any(axis=1)
        if gone.any():
            for parent, child in self.graph.edges:
                found |= gone[:, parent] & ~gone[:, child]
        return np.asarray(found)

    def codes(self, rows: Array) -> NDArray[np.int32]:
        """States of all nodes as codes, -1 where not known, or not seen while learning (and for Gaussian nodes)."""
        return read_codes(rows, self.sizes, self.bins, unseen=True)

    def _log_complete(self, rows: Array, codes: NDArray[np.int32]) -> Array:
        out = np.zeros((len(rows), self.shape[0]))
        if self.discrete:
            volumes = tuple(self.parameters[node][0].size for node in self.discrete)
            lookup(self.family_codes(codes), self._log_table, volumes, False, out)
        for node in (node for part in self.components for node in part.nodes):
            discrete, gaussian = split_parents(self.graph, self.sizes, node)
            at = configuration(codes, discrete, self.sizes)
            out += node_log_density(rows, node, gaussian, self.parameters[node], at)
        return out

    def family_codes(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """For each discrete node the cell of its table that a row falls into, (n, nodes)."""
        return family_codes(codes, self.graph, self.sizes)

    @cached_property
    def _log_table(self) -> Array:
        whole = [self.parameters[node].reshape(self.shape[0], -1) for node in self.discrete]
        return np.ascontiguousarray(np.concatenate(whole, axis=1).T)

    def _log_evidence(self, rows: Array, codes: NDArray[np.int32]) -> Array:
        factors, offset = self.factors(rows)
        known = np.ascontiguousarray(codes[:, list(self.discrete)])
        if self.discrete:
            for k in range(self.shape[0]):
                offset[:, k] += self.network.posterior(self.tables(k), known, factors[k])[0]
        return offset

    def factors(self, rows: Array) -> tuple[list[Array], Array]:
        """What the Gaussian cells of each row say about their discrete parents, for each net (n, cells); and its scale.

        The scale (n, K) is the logarithm of what the factors were divided by.
        """
        K = self.shape[0]
        offset = np.zeros((len(rows), K))
        parts: list[list[Array]] = [[] for _ in range(K)]
        for part, gaussian in zip(self.components, self.gaussians, strict=True):
            logs = gaussian.log_density(rows[:, list(part.nodes)]).reshape(len(rows), K, -1)
            largest = logs.max(axis=2)
            offset += largest
            if part.scope:
                for k in range(K):
                    parts[k].append(np.exp(logs[:, k] - largest[:, k, None]))
        empty = np.empty((len(rows), 0))
        return [np.ascontiguousarray(np.concatenate([empty, *own], axis=1)) for own in parts], offset

    # -- other densities -------------------------------------------------------------------------------------------

    def marginal(self, columns: Sequence[int]) -> "BayesNetDensity":
        return replace(self, columns=tuple(self.columns[j] for j in chosen(self.shape[1], columns)))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "BayesNetDensity":
        rest = others(self.shape[1], columns)
        known = [self.columns[j] for j in chosen(self.shape[1], columns)]
        given = self.given.copy()
        given[known] = given_values(values, len(known))
        found = replace(self, columns=tuple(self.columns[j] for j in rest), given=given)
        if not np.isfinite(found.log_given).any():
            raise ValueError("the given values have probability zero; nothing follows from what can't be.")
        return found

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return draw(self, labels, rng)[:, list(self.columns)]


def read_codes(
    rows: Array, sizes: tuple[int, ...], bins: Mapping[int, Bins], unseen: bool = False
) -> NDArray[np.int32]:
    """States of all nodes as codes, -1 where not known and for Gaussian nodes (of size 0); the rows may hold codes.

    With `unseen`, the code that follows on the last one stands for any other state, and is not known.
    """
    found = np.full(rows.shape, -1, dtype=np.int32)
    for node, own in bins.items():
        found[:, node] = np.where(np.isnan(rows[:, node]), -1, own.codes(rows[:, node]))
    plain = [node for node, size in enumerate(sizes) if size and node not in bins]
    whole = len(plain) == len(sizes)
    cells = rows if whole else rows[:, plain]
    ends = np.array([sizes[node] for node in plain], dtype=np.int32)
    states = cells.astype(np.int32) if cells.dtype.kind == "i" else np.where(np.isnan(cells), -1.0, cells)
    if unseen:
        states[states == ends] = -1
    with np.errstate(invalid="ignore"):
        codes = states.astype(np.int32, copy=False)
    wrong = (codes != states) | (codes < -1) | (codes >= ends)
    if wrong.any():
        at = int(np.argmax(wrong.any(axis=0)))
        raise BadCode(plain[at], cells[int(np.argmax(wrong[:, at])), at].item(), int(ends[at]))
    if whole:
        return codes
    found[:, plain] = codes
    return found


def incomplete(rows: Array, codes: NDArray[np.int32], sizes: tuple[int, ...]) -> NDArray[np.bool_]:
    """Whether a cell of each row is missing."""
    kinds = np.array(sizes) > 0
    if kinds.all():
        return np.asarray((codes < 0).any(axis=1))
    return np.asarray(np.isnan(rows[:, ~kinds]).any(axis=1) | (codes[:, kinds] < 0).any(axis=1))


def family_codes(codes: NDArray[np.int32], graph: Graph, sizes: tuple[int, ...]) -> NDArray[np.int32]:
    """For each discrete node the cell of its table, parents first, of each row, (n, nodes); -1 where one is missing."""
    discrete = [node for node, size in enumerate(sizes) if size]
    columns = np.ascontiguousarray(codes.T)
    gone = np.asarray(columns < 0)
    some = np.asarray(gone.any(axis=1))
    found = np.empty((len(discrete), len(codes)), dtype=np.int32)
    for own, node in zip(found, discrete, strict=True):
        first, *rest = family = graph.family(node)
        own[:] = columns[first]
        for other in rest:
            own *= sizes[other]
            own += columns[other]
        for other in family:
            if some[other]:
                own[gone[other]] = -1
    return np.ascontiguousarray(found.T)
