"""The family of Bayes nets over a given graph."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.compute.checks import choose
from parzen.compute.gaussian import expected_moments
from parzen.compute.memberships import Labels, Memberships, group_count, take
from parzen.conjugate import NormalInverseGamma
from parzen.densities.nets.bayes_net import BayesNetDensity, incomplete, read_codes
from parzen.densities.nets.bins import Bins, affordable
from parzen.densities.nets.graph import Graph, read_edges
from parzen.densities.nets.linear_gaussian import split_parents
from parzen.families.checks import ESTIMATES
from parzen.families.family import Family
from parzen.families.nets.node_statistics import moments_of_node, node_statistics, stacked
from parzen.families.nets.pairs import mutual_information
from parzen.families.nets.parameters import PRIORS, concentrations, lines, log_line_prior, log_table
from parzen.families.nets.trees import chow_liu
from parzen.statistics.accumulate import accumulate
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import NeedsDensity
from parzen.statistics.moments import Moments
from parzen.statistics.nets import NodeCounts, NodeMoments
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class BayesNet(Family):
    r"""A Bayes net over a graph of columns: :math:`p(x) = \prod_j p(x_j \mid x_{parents(j)})`.

    A column of categories has a table for each configuration of its parents; a column of numbers is Gaussian, linear
    in its parents that are numbers, for each configuration of the others. A category can't depend on a number. Its
    statistic is counts of each column with its parents, and moments of numbers; they add. Missing cells are
    marginalised exactly, and parameters are then found by EM. A category that was not there while learning is later
    taken as a missing cell.

    Parameters
    ----------
    edges : str or list of pairs
        ``"rain -> wet <- sprinkler"``, or pairs (parent, child) of names or positions. In an estimator also
        "chow-liu": the tree of highest mutual information, in a classifier within the classes, which is learnt from
        the first table: for each two columns, from the rows in which both are known.
    estimate : "bayes", "map" or "ml"
        Of the posterior: its mean or its mode; or maximum likelihood.
    prior : "k2", "bdeu", float or dict, optional
        Pseudo-counts of the tables: 1 in each cell ("k2", the default; 2 for "map"), a common sample that the cells
        share ("bdeu"), a number, or a dict from nodes to numbers or tables.
    equivalent_sample_size : float
        Of "bdeu".
    line_prior : NormalInverseGamma, optional
        Of Gaussian nodes, for "map" and "bayes": the intercept about its mean, slopes about zero. Without one, all
        estimates of lines are by maximum likelihood.
    numbers : sequence, optional
        Columns that are numbers; on bare arrays none is by default, in an estimator those that hold other numbers than
        0 and 1. Every other column holds categories.
    bins : int, "auto" or dict, optional
        In an estimator: numbers are cut into so many bins of about equal counts, which are then categories; "auto": 3
        to 10, as many as the rows can fill; a dict has the number of bins, or the cuts, of some columns. A number is
        then known up to its bin.
    categories : dict or list, optional
        Categories of columns, or how many, where the first table may lack some.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import BayesNet, fit
    >>> rows = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    >>> net = fit(BayesNet([(0, 1)], estimate="ml"), rows).density
    >>> np.exp(net.log_density(np.array([[0.0, 0.0], [np.nan, 1.0]]))).round(3)
    array([[0.4],
           [0.6]])
    """

    edges: Any = ()
    estimate: str = "bayes"
    prior: Any = None
    equivalent_sample_size: float = 10.0
    line_prior: NormalInverseGamma | None = None
    numbers: Any = None
    bins: Any = None
    categories: Any = None
    names: Any = None

    def bind(self, table: Table) -> Self:
        learnt = isinstance(self.edges, str) and self.edges.strip() == "chow-liu"
        pairs, alone = ([], []) if learnt else read_edges(self.edges)
        where = {name: table.positions([name])[0] for pair in [*pairs, alone] for name in pair}
        names = tuple(map(str, table.names()))
        bound = [(where[a], where[b]) for a, b in pairs]
        kinds = [table.kind(j) for j in range(len(names))]
        given = None if self.numbers is None else set(table.positions(self.numbers)) if len(self.numbers) else set()
        numbers = tuple(
            j for j, kind in enumerate(kinds) if (kind in ("continuous", "count") if given is None else j in given)
        )
        rest = [j for j in range(len(names)) if j not in numbers]
        alphabets = dict(zip(rest, self._alphabets(table, rest), strict=True))
        bins = self._cut(table, numbers)
        numbers = tuple(j for j in numbers if j not in bins)
        # A column without any known cell has one state, which says nothing.
        states = {j: max(len(part), 1) for j, part in alphabets.items()} | {
            j: len(part.typical) for j, part in bins.items()
        }
        sizes = tuple(states.get(j, 0) for j in range(len(names)))
        prior = self.prior
        if isinstance(prior, dict):
            prior = {table.positions([node])[0]: value for node, value in prior.items()}
        if learnt:
            bound = list(_tree(table, sizes, bins))
        Graph.of(len(names), bound, names)
        return replace(self, edges=tuple(bound), numbers=numbers, bins=bins, categories=sizes, prior=prior, names=names)

    def _cut(self, table: Table, numbers: tuple[int, ...]) -> dict[int, Bins]:
        """Bins of those numbers that are to have some."""
        if self.bins is None:
            return {}
        if isinstance(self.bins, Mapping):
            wanted = {table.positions([name])[0]: cuts for name, cuts in self.bins.items()}
        else:
            wanted = dict.fromkeys(numbers, self.bins)
        for j, cuts in wanted.items():
            whole = isinstance(cuts, int | np.integer) and not isinstance(cuts, bool) and cuts >= 2
            if np.ndim(cuts) == 0 and not (whole or (isinstance(cuts, str) and cuts == "auto")):
                raise ValueError(f"bins must be a whole number, at least 2, 'auto', or a list of cuts, got {cuts!r}.")
            if j not in numbers:
                raise ValueError(f"bins are for numbers, but {table.names()[j]!r} holds categories.")
        return {j: self._binned(table, j, cuts) for j, cuts in wanted.items()}

    @staticmethod
    def _binned(table: Table, j: int, cuts: Any) -> Bins:
        values, R = table.numbers(j), table.memberships
        weights = _row_weights(R)
        if isinstance(cuts, str):
            cuts = affordable(_worth(values, weights), R.groups if isinstance(R, Labels) else 1)
        return Bins.of(values, cuts, weights) if np.ndim(cuts) == 0 else Bins.at(values, cuts, weights)

    def _alphabets(self, table: Table, rest: list[int]) -> tuple[NDArray[Any], ...]:
        if not rest:
            return ()
        given = self.categories
        if isinstance(given, dict):
            where = {table.positions([node])[0]: part for node, part in given.items()}
            given = {at: where[j] for at, j in enumerate(rest) if j in where}
        return table.select(rest).alphabets(given, closed=False)

    # -- rows to statistics ----------------------------------------------------------------------------------------

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Joint | ExpectedStatistic:
        rows = _cells(X)
        graph, sizes = self.structure(rows, at)
        codes = read_codes(rows, sizes, self.known_bins)
        gone = incomplete(rows, codes, sizes)
        if at is None:
            if gone.any():
                raise NeedsDensity(
                    "X has missing cells, and the parameters of a Bayes net must then be found by EM: use parzen.fit "
                    "or an estimator over rows that can be read again."
                )
            return node_statistics(rows, codes, R, graph, sizes)
        seen = np.flatnonzero(~gone)
        statistic = node_statistics(rows[seen], codes[seen], take(R, seen), graph, sizes)
        likelihood = _weighted(at.log_density(rows[seen]), take(R, seen))
        weight = _totals(len(rows), R)
        if gone.any():
            left = np.flatnonzero(gone)
            expected, own = self._expected(rows[left], codes[left], take(R, left), at)
            statistic, likelihood = statistic + expected, likelihood + own
        return ExpectedStatistic(statistic, weight, likelihood)

    @property
    def known_bins(self) -> dict[int, Bins]:
        """Bins of numbers, once they are learnt."""
        if self.bins is None:
            return {}
        if isinstance(self.bins, dict) and all(isinstance(part, Bins) for part in self.bins.values()):
            return self.bins
        raise ValueError("bins are learnt from a first table: use an estimator.")

    def structure(self, rows: Array, at: Any = None) -> tuple[Graph, tuple[int, ...]]:
        """The graph, and states of each node; 0 for a Gaussian one."""
        choose("estimate", self.estimate, ESTIMATES)
        if at is not None:
            return at.graph, at.sizes
        d = rows.shape[1]
        pairs, alone = read_edges(self.edges)
        for node in [node for pair in [*pairs, alone] for node in pair]:
            if not isinstance(node, int | np.integer) or not 0 <= node < d:
                raise ValueError(
                    f"edges names {node!r}, but bare arrays have positions 0 to {d - 1}; use an estimator."
                )
        graph = Graph.of(d, pairs, self.names)
        numbers = set(() if self.numbers is None else self.numbers)
        sizes = self._sizes(rows, numbers)
        for parent, child in graph.edges:
            if not sizes[parent] and sizes[child]:
                names = self.names or range(d)
                raise ValueError(
                    f"{names[child]!r} holds categories and can't depend on {names[parent]!r}, which holds numbers; "
                    "turn the edge round, or cut the numbers into categories."
                )
        graph.check_tables(sizes, self.names)
        return graph, sizes

    def _sizes(self, rows: Array, numbers: set[int]) -> tuple[int, ...]:
        d = rows.shape[1]
        if self.categories is not None:
            given = list(self.categories)
            return tuple(
                0 if j in numbers else int(part) if np.ndim(part) == 0 else len(part) for j, part in enumerate(given)
            )
        largest = np.fmax.reduce(rows, axis=0, initial=0.0)
        return tuple(0 if j in numbers else int(largest[j]) + 1 for j in range(d))

    def _expected(
        self, rows: Array, codes: NDArray[np.int32], R: Memberships, at: BayesNetDensity
    ) -> tuple[Joint, Array]:
        """Statistic of incomplete rows, expected under the current density, and their log-likelihood."""
        K, graph, sizes = group_count(R), at.graph, at.sizes
        factors, offset = at.factors(rows)
        known = np.ascontiguousarray(codes[:, list(at.discrete)])
        counts: list[list[Array]] = []
        lines_of: dict[int, list[Moments]] = {node: [] for node in _gaussian(sizes)}
        likelihood = np.zeros(K)
        for k in range(K):
            w = _weights(len(rows), R, k)
            weighed = np.flatnonzero(w)
            w = w[weighed]
            log_evidence = offset[weighed, k]
            shares: list[Array] = []
            if at.discrete:
                tables, states = at.tables(k), np.ascontiguousarray(known[weighed])
                own_factors = np.ascontiguousarray(factors[k][weighed])
                found, summed = at.network.posterior(tables, states, own_factors, at.network.scopes, w, summed=True)
                counts.append(summed)
                log_evidence = log_evidence + found
                if at.network.extra:
                    shares = at.network.posterior(tables, states, own_factors, at.network.extra)[1]
            likelihood[k] = float((w * log_evidence).sum())
            pending = iter(shares)
            for part, gaussian in zip(at.components, at.gaussians, strict=True):
                C = len(gaussian.mean) // at.shape[0]
                share = next(pending) if part.scope else np.ones((len(weighed), 1))
                own = slice(k * C, (k + 1) * C)
                cells = np.ascontiguousarray(rows[weighed][:, list(part.nodes)])
                seen, _, _ = expected_moments(
                    cells, np.ascontiguousarray(share * w[:, None]), gaussian.mean[own], gaussian.factor[own]
                )
                for node in part.nodes:
                    lines_of[node].append(moments_of_node(Moments(*seen), part, node, graph, sizes))
        tallies = iter(zip(*counts, strict=True))
        parts: list[Any] = []
        for node, size in enumerate(sizes):
            if size:
                shape = [sizes[one] for one in graph.family(node)]
                parts.append(NodeCounts(np.stack(next(tallies)).reshape(K, *shape)))
            else:
                shape = [sizes[one] for one in split_parents(graph, sizes, node)[0]]
                parts.append(NodeMoments.of(stacked(lines_of[node]), (K, *shape)))
        return Joint(tuple(parts)), likelihood

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> BayesNetDensity:
        """From what each node shows together with its parents, where none of them is missing."""
        statistic = accumulate(_KnownCells(self), X, R)
        return replace(self, estimate="bayes", prior=None).maximise(statistic)

    # -- statistics to densities -----------------------------------------------------------------------------------

    def maximise(self, statistic: Joint) -> BayesNetDensity:
        graph, sizes = self._known_structure(statistic)
        return self._maximised(statistic, graph, sizes)

    def _known_structure(self, statistic: Joint) -> tuple[Graph, tuple[int, ...]]:
        """The graph, and the sizes of its nodes as the statistic has them."""
        pairs, _ = read_edges(self.edges)
        sizes = tuple(part.counts.shape[-1] if isinstance(part, NodeCounts) else 0 for part in statistic.parts)
        return Graph.of(len(sizes), pairs, self.names), sizes

    def _maximised(self, statistic: Joint, graph: Graph, sizes: tuple[int, ...]) -> BayesNetDensity:
        parameters: list[Array] = []
        for node, part in enumerate(statistic.parts):
            if isinstance(part, NodeCounts):
                shaped = part.counts.reshape(len(part.counts), -1, sizes[node])
                prior = concentrations(self._prior(node), shaped.shape[1], sizes[node], self.equivalent_sample_size)
                parameters.append(log_table(shaped, prior, self.estimate))
            else:
                assert isinstance(part, NodeMoments)
                parameters.append(lines(part, self.estimate, None if self.estimate == "ml" else self.line_prior))
        d = len(sizes)
        names = tuple(map(str, self.names or range(d)))
        return BayesNetDensity(
            graph.parents, sizes, tuple(parameters), tuple(range(d)), np.full(d, np.nan), names, self.known_bins
        )

    def _prior(self, node: int) -> Any:
        prior = self.prior
        if isinstance(prior, str):
            choose("prior", prior, PRIORS)
        if isinstance(prior, dict):
            prior = prior.get(node)
        return 2.0 if prior is None and self.estimate == "map" else prior

    def log_prior(self, density: Any, statistic: Any) -> float:
        if self.estimate == "ml":
            return 0.0
        total = 0.0
        for node in density.discrete:
            logs = density.parameters[node]
            prior = concentrations(self._prior(node), logs.shape[1], logs.shape[2], self.equivalent_sample_size)
            own = prior - 1.0 if self.estimate == "map" else prior
            total += float(np.where(np.isfinite(logs), own * np.where(np.isfinite(logs), logs, 0.0), 0.0).sum())
        if self.line_prior is not None:
            for node in _gaussian(density.sizes):
                total += log_line_prior(density.parameters[node], self.line_prior, self.estimate)
        return total

    def n_parameters(self, density: Any) -> int:
        K = density.shape[0]
        tables = sum(density.parameters[node].shape[1] * (size - 1) for node, size in enumerate(density.sizes) if size)
        return int(K * (tables + sum(density.parameters[node][0].size for node in _gaussian(density.sizes))))


@dataclass(frozen=True)
class _KnownCells:
    """Observes each node with its parents in the rows in which none of them is missing: where EM begins."""

    net: BayesNet
    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Joint:
        rows = _cells(X)
        graph, sizes = self.net.structure(rows)
        return node_statistics(rows, read_codes(rows, sizes, self.net.known_bins), R, graph, sizes)


def _tree(table: Table, sizes: tuple[int, ...], bins: dict[int, Bins]) -> tuple[tuple[int, int], ...]:
    """Edges of the tree of highest mutual information between a table's columns, within its groups."""
    rows = np.column_stack(
        [table.codes(j) if size and j not in bins else table.numbers(j) for j, size in enumerate(sizes)]
    )
    R = table.memberships
    return tree_edges(rows, sizes, bins, R, R.groups if isinstance(R, Labels) else 1)


def tree_edges(
    X: Any, sizes: tuple[int, ...], bins: dict[int, Bins], R: Memberships = None, groups: int = 1
) -> tuple[tuple[int, int], ...]:
    """Edges of the tree of highest mutual information between columns, within so many groups of the rows."""
    parents = chow_liu(mutual_information(X, sizes, bins, R, groups=groups), sizes, None)
    return tuple((parent, child) for child, own in enumerate(parents) for parent in own)


def _row_weights(R: Memberships) -> Array | None:
    """Weights of the rows, whatever group they belong to."""
    return R.weights if isinstance(R, Labels) else R if isinstance(R, np.ndarray) and R.ndim == 1 else None


def _worth(values: Array, weights: Array | None) -> float:
    """How many rows the known values stand for: the sum of their weights if none is below 1, else as many as weigh."""
    known = np.isfinite(values)
    own = known[known].astype(np.float64) if weights is None else weights[known & (weights > 0)]
    return float(own.sum()) if own.min(initial=1.0) >= 1 else float(len(own))


def _cells(X: Any) -> NDArray[Any]:
    """Rows as float64, or as the codes that they hold, -1 where missing."""
    rows = np.asarray(X)
    return rows if rows.dtype.kind == "i" else np.asarray(as_floats(rows), dtype=np.float64)


def _gaussian(sizes: tuple[int, ...]) -> list[int]:
    return [node for node, size in enumerate(sizes) if not size]


def _weights(n: int, R: Memberships, k: int) -> Array:
    """Weights of the rows in group k."""
    if R is None:
        return np.ones(n)
    if isinstance(R, Labels):
        return np.where(R.codes == k, 1.0 if R.weights is None else R.weights, 0.0)
    return np.ascontiguousarray(R if R.ndim == 1 else R[:, k])


def _weighted(values: Array, R: Memberships) -> Array:
    columns = (_weights(len(values), R, k) for k in range(group_count(R)))
    return np.array([float(np.where(w == 0, 0.0, w * values[:, k]).sum()) for k, w in enumerate(columns)])


def _totals(n: int, R: Memberships) -> Array:
    return np.array([float(_weights(n, R, k).sum()) for k in range(group_count(R))])
