"""Bayes networks: graphs given or learnt, and questions to them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.compute.memberships import Memberships
from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.densities.nets.graph import Graph, read_edges
from parzen.densities.nets.questions import completed, expectations, intervened, most_probable, posterior
from parzen.estimators.base.validation import generator, row_count
from parzen.estimators.density.density import BaseDensityEstimator
from parzen.estimators.nets.answer import PosteriorTable
from parzen.estimators.nets.bif import Tables, checked_table, format_bif, parse_bif, read_text
from parzen.estimators.nets.structure import learn_structure
from parzen.families.family import Family
from parzen.families.nets.bayes_net import BayesNet
from parzen.storage.files import write_whole
from parzen.tables.schema import Schema


class BayesNetwork(BaseDensityEstimator):
    """A Bayes network over the columns of a table: its graph given or learnt, exact answers to questions.

    Columns of categories have tables of conditional probabilities; columns of numbers are Gaussian, linear in their
    parents. Missing cells are marginalised; where there are any, parameters are found by EM.

    Parameters
    ----------
    edges : str or list of pairs, optional
        The graph: ``"rain -> wet <- sprinkler"``, or pairs (parent, child) of columns. Columns without an edge are
        independent of all others.
    structure : "hill-climb", "chow-liu" or "tan", optional
        How the graph is learnt where no edges are given. "hill-climb": edges are added, taken away and turned round
        while the criterion rises; "chow-liu": the tree of highest mutual information; "tan": the same within the
        classes of `root`, which all columns depend on.
    criterion : "bic", "aic", "bdeu", "k2" or "bge"
        What hill-climbing maximises.
    required, forbidden : lists of pairs, optional
        Edges that must, and that may not, be found by hill-climbing.
    order : list of columns, optional
        Edges go from earlier to later columns only.
    max_parents : int, optional
    tabu, restarts : int
        Steps of hill-climbing without a higher score before it ends; new starts from a disturbed graph.
    root : column, optional
        Where the tree of "chow-liu" begins; the classes of "tan".
    estimate, prior, equivalent_sample_size, line_prior, numbers, categories
        See `BayesNet`.
    max_iter, tol : int, float
        Of EM, where cells are missing.
    random_state : int, optional

    Attributes
    ----------
    edges_ : list of pairs
        (parent, child), by name.
    density_, statistic_, family_, schema_, n_iter_, outcome_, n_features_in_, feature_names_in_
        As of `DensityEstimator`.

    Examples
    --------
    >>> from parzen import BayesNetwork
    >>> tables = {
    ...     "rain": [0.8, 0.2],
    ...     "sprinkler": [[0.6, 0.4], [0.99, 0.01]],
    ...     "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    ... }
    >>> net = BayesNetwork.from_parameters("rain -> sprinkler, rain -> wet <- sprinkler", tables, states=["no", "yes"])
    >>> print(net.query("rain", given={"wet": "yes"}))
    rain  probability
    no         0.6423
    yes        0.3577
    >>> round(net.query("rain", given={"wet": "yes", "sprinkler": "yes"})["yes"], 4)
    0.0068
    """

    density_: BayesNetDensity
    family_: BayesNet
    _holds_families = True
    _fit_options = ("max_iter", "tol")

    def __init__(
        self,
        edges: Any = None,
        *,
        structure: str | None = None,
        criterion: str = "bic",
        required: Any = None,
        forbidden: Any = None,
        order: Any = None,
        max_parents: int | None = None,
        tabu: int = 10,
        restarts: int = 0,
        root: Any = None,
        estimate: str = "bayes",
        prior: Any = None,
        equivalent_sample_size: float = 10.0,
        line_prior: Any = None,
        numbers: Any = None,
        categories: Any = None,
        max_iter: int = 200,
        tol: float = 1e-7,
        random_state: Any = None,
    ) -> None:
        self.edges = edges
        self.structure = structure
        self.criterion = criterion
        self.required = required
        self.forbidden = forbidden
        self.order = order
        self.max_parents = max_parents
        self.tabu = tabu
        self.restarts = restarts
        self.root = root
        self.estimate = estimate
        self.prior = prior
        self.equivalent_sample_size = equivalent_sample_size
        self.line_prior = line_prior
        self.numbers = numbers
        self.categories = categories
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _family(self) -> Family:
        if self.edges is not None and self.structure is not None:
            raise ValueError("edges are given, and structure asks to learn them; give one of the two.")
        if self.edges is None and self.structure is None:
            raise ValueError(
                "give the graph as edges='a -> b, b -> c' (edges='' for none), or ask for it to be learnt: "
                "structure='hill-climb', 'chow-liu' or 'tan'."
            )
        return BayesNet(
            () if self.edges is None else self.edges,
            estimate=self.estimate,
            prior=self.prior,
            equivalent_sample_size=self.equivalent_sample_size,
            line_prior=self.line_prior,
            numbers=self.numbers,
            categories=self.categories,
        )

    def _bind(self, X: Any, R: Memberships = None) -> Any:
        rows = super()._bind(X, R)
        if self.structure is not None:
            weights = R if isinstance(R, np.ndarray) else None
            edges = learn_structure(self, np.asarray(rows, dtype=np.float64), self.family_.categories, weights)
            self.family_ = replace(self.family_, edges=tuple(edges))
        return rows

    # Given parameters, and files -------------------------------------------------------------------------------------

    @classmethod
    def from_parameters(cls, edges: Any, tables: Mapping[str, ArrayLike], states: Any = None) -> Self:
        """A network with given conditional probabilities.

        Parameters
        ----------
        edges : str or list of pairs (parent, child)
        tables : dict from a column to its table
            Its dimensions are the parents, in the order in which `edges` names them, and, last, the column.
        states : dict from a column to its states, or a list of the states of all; by default 0, 1, ...
        """
        names = list(tables)
        pairs, alone = read_edges(edges)
        unknown = [node for pair in [*pairs, alone] for node in pair if node not in tables]
        if unknown:
            raise ValueError(f"edges names {unknown[0]!r}, which has no table; the tables are of {names}.")
        parents = {name: tuple(a for a, b in pairs if b == name) for name in names}
        arrays = {name: np.asarray(table, dtype=np.float64) for name, table in tables.items()}
        known: dict[str, Sequence[Any]] = {}
        for name, table in arrays.items():
            own = states.get(name) if isinstance(states, Mapping) else states
            known[name] = list(range(table.shape[-1])) if own is None else list(own)
        return cls._given(known, parents, arrays)

    @classmethod
    def _given(
        cls, states: Mapping[str, Sequence[Any]], parents: Mapping[str, Sequence[str]], tables: Mapping[str, Array]
    ) -> Self:
        names = list(states)
        place = {name: at for at, name in enumerate(names)}
        pairs = [(place[parent], place[child]) for child, own in parents.items() for parent in own]
        graph = Graph.of(len(names), pairs, names)
        parameters = []
        for name in names:
            own = parents.get(name, ())
            shape = tuple(len(states[one]) for one in (*own, name))
            table = tables[name]
            if table.shape != shape:
                raise ValueError(
                    f"the table of {name!r} must have the shape {shape}: its parents {list(own)}, then its states; got "
                    f"{table.shape}."
                )
            order = np.argsort([place[one] for one in own]).tolist()
            with np.errstate(divide="ignore"):
                logs = np.log(checked_table(table, name).transpose([*order, len(own)]))
            parameters.append(logs.reshape(1, -1, shape[-1]))
        d = len(names)
        net = cls([(names[a], names[b]) for a, b in graph.edges], estimate="ml")
        sizes = tuple(len(states[name]) for name in names)
        net.density_ = BayesNetDensity(
            graph.parents, sizes, tuple(parameters), tuple(range(d)), np.full(d, np.nan), tuple(map(str, names))
        )
        alphabets = tuple(np.array(states[name], dtype=object) for name in names)
        net.schema_ = Schema(tuple(names), alphabets, (None,) * d, frozenset(range(d)))
        net.given_ = net._family()
        net.n_features_in_ = d
        net.feature_names_in_ = np.array(names, dtype=object)
        return net

    @classmethod
    def read_bif(cls, path: Any) -> Self:
        """A network from a file in the Bayesian Interchange Format, plain or compressed by gzip."""
        net = parse_bif(read_text(path))
        return cls._given(net.states, net.parents, net.tables)

    def write_bif(self, path: Any) -> None:
        """Write the network to a file in the Bayesian Interchange Format; all columns must hold categories."""
        check_is_fitted(self, "density_")
        numbers = [str(self._names()[node]) for node, size in enumerate(self.density_.sizes) if not size]
        if numbers:
            raise ValueError(f"BIF holds categories only, but {numbers[0]!r} holds numbers; use save() instead.")
        names = [str(name) for name in self._names()]
        states = {name: tuple(map(str, self._states(node))) for node, name in enumerate(names)}
        parents = {name: tuple(names[one] for one in self.density_.parents[node]) for node, name in enumerate(names)}
        write_whole(
            path, format_bif(Tables(states, parents, dict(zip(names, self.density_.tables(0), strict=True)))).encode()
        )

    # The graph -------------------------------------------------------------------------------------------------------

    @property
    def edges_(self) -> list[tuple[Any, Any]]:
        """Pairs (parent, child), by name."""
        check_is_fitted(self, "density_")
        names = self._names()
        return [(names[a], names[b]) for a, b in self.density_.graph.edges]

    def d_separated(self, a: Any, b: Any, given: Any = ()) -> bool:
        """Whether the graph makes two columns (or sets of them) independent, given others."""
        check_is_fitted(self, "density_")
        first, second, others = (self._nodes(part) for part in (a, b, given))
        if set(first) & set(second):
            raise ValueError(f"{a!r} and {b!r} have a column in common.")
        return self.density_.graph.d_separated(first, second, others)

    def markov_blanket(self, column: Any) -> list[Any]:
        """Parents, children, and parents of children of a column: what makes it independent of all others."""
        check_is_fitted(self, "density_")
        names = self._names()
        return [names[node] for node in sorted(self.density_.graph.markov_blanket(self._nodes(column)[0]))]

    @property
    def n_parameters_(self) -> int:
        """Free parameters of the network."""
        check_is_fitted(self, "density_")
        return BayesNet().n_parameters(self.density_)

    @property
    def n_joint_(self) -> int:
        """Free parameters of the full joint table of the columns of categories."""
        check_is_fitted(self, "density_")
        return int(np.prod([size for size in self.density_.sizes if size], dtype=object)) - 1

    def factorisation(self, mathematics: bool = False) -> str:
        """The joint probability as a product, as text or as LaTeX mathematics."""
        check_is_fitted(self, "density_")
        names = [str(name) for name in self._names()]
        if mathematics:
            names = [r"\mathit{" + name.replace("_", r"\_") + "}" for name in names]
        bar, space = (r" \mid ", r" \, ") if mathematics else (" | ", " ")
        factors = []
        for node in self.density_.graph.order:
            parents = ", ".join(names[one] for one in self.density_.parents[node])
            factors.append(f"p({names[node]}{bar + parents if parents else ''})")
        left = ", ".join(names[node] for node in self.density_.graph.order)
        return f"p({left}) = {space.join(factors)}"

    # Questions -------------------------------------------------------------------------------------------------------

    def query(
        self,
        targets: Any,
        given: Mapping[Any, Any] | None = None,
        *,
        do: Mapping[Any, Any] | None = None,
        impossible: str = "raise",
    ) -> PosteriorTable:
        """Joint probabilities of some columns of categories, given values of others.

        Parameters
        ----------
        targets : a column, or a list of them
        given : dict from columns to their values
        do : dict from columns to values
            Columns that are set from outside: their own causes no longer matter. That reads the edges as causes, which
            no table can prove.
        impossible : "raise" or "nan"
            What evidence of probability zero gives.
        """
        check_is_fitted(self, "density_")
        choose("impossible", impossible, ("raise", "nan"))
        nodes = self._nodes(targets)
        net, row = self._evidence(given, do)
        known = [node for node in nodes if not np.isnan(row[node])]
        if known:
            raise ValueError(f"{self._names()[known[0]]!r} is asked for and given; leave it out of one of the two.")
        numbers = [node for node in nodes if not net.sizes[node]]
        if numbers:
            raise ValueError(
                f"{self._names()[numbers[0]]!r} holds numbers, which have no table; ask for its density: "
                "conditional(columns, values).marginal(column)."
            )
        shares, log_evidence = posterior(net, row[None], tuple(nodes))
        if np.isneginf(log_evidence[0]) and impossible == "raise":
            raise ValueError(f"what is given has probability zero: {self._told(given, do)}; nothing follows from it.")
        names = self._names()
        shape = [net.sizes[node] for node in nodes]
        states = tuple(self._states(node) for node in nodes)
        return PosteriorTable(
            tuple(names[node] for node in nodes), states, shares[0].reshape(shape), float(np.exp(log_evidence[0]))
        )

    def probability(self, given: Mapping[Any, Any], *, do: Mapping[Any, Any] | None = None) -> float:
        """Probability of values of some columns together (a density, where numbers are among them)."""
        check_is_fitted(self, "density_")
        net, row = self._evidence(given, do)
        return float(np.exp(net.log_density(row[None])[0, 0]))

    def most_probable(
        self, given: Mapping[Any, Any] | None = None, *, do: Mapping[Any, Any] | None = None
    ) -> dict[Any, Any]:
        """The most probable states of all columns together, given some; numbers are then their expected values."""
        check_is_fitted(self, "density_")
        net, row = self._evidence(given, do)
        found, log_probability = most_probable(net, row)
        if np.isneginf(log_probability):
            raise ValueError(f"what is given has probability zero: {self._told(given, do)}; nothing follows from it.")
        return {
            name: self._states(node)[int(found[node])] if net.sizes[node] else float(found[node])
            for node, name in enumerate(self._names())
        }

    def predict_proba(self, X: Any, target: Any, *, impossible: str = "raise") -> Array:
        """Posterior of a column of categories in each row, (n, states), given the other cells that are there."""
        check_is_fitted(self, "density_")
        choose("impossible", impossible, ("raise", "nan"))
        node = self._nodes(target)[0]
        if not self.density_.sizes[node]:
            raise ValueError(f"{target!r} holds numbers; predict gives their expected values.")
        rows = self._rows(X)
        shares, log_evidence = posterior(self.density_, rows, (node,))
        self._check_possible(log_evidence, impossible)
        return shares

    def predict(self, X: Any, target: Any, *, impossible: str = "raise") -> NDArray[Any]:
        """The most probable state of a column in each row, or its expected value, given the other cells."""
        check_is_fitted(self, "density_")
        node = self._nodes(target)[0]
        if not self.density_.sizes[node]:
            return expectations(self.density_, self._rows(X), node)
        shares = self.predict_proba(X, target, impossible=impossible)
        found = np.array(self._states(node), dtype=object)[np.argmax(shares, axis=1)]
        found[np.isnan(shares[:, 0])] = np.nan
        return np.array(found.tolist()) if not np.isnan(shares).any() else found

    def impute(self, X: Any) -> Any:
        """The table with missing cells filled: by the most probable state of each, or by its expected value."""
        check_is_fitted(self, "density_")
        return self.schema_.decode(completed(self.density_, self._rows(X)))

    def sample(
        self,
        n_samples: int = 1,
        random_state: Any = None,
        *,
        given: Mapping[Any, Any] | None = None,
        do: Mapping[Any, Any] | None = None,
    ) -> Any:
        """Draw rows, as a table of the kind that was fitted, given values of some columns."""
        check_is_fitted(self, "density_")
        net, row = self._evidence(given, do)
        net = replace(net, given=row)
        if not np.isfinite(net.log_given).all():
            raise ValueError(f"what is given has probability zero: {self._told(given, do)}; nothing follows from it.")
        labels = np.zeros(row_count(n_samples), dtype=np.intp)
        return self.schema_.decode(net.sample(labels, generator(random_state)))

    # Names and states ------------------------------------------------------------------------------------------------

    def _names(self) -> list[Any]:
        return list(self.schema_.labels)

    def _states(self, node: int) -> list[Any]:
        alphabet = self.schema_.alphabets[node]
        assert alphabet is not None
        return list(alphabet.tolist())

    def _nodes(self, columns: Any) -> list[int]:
        several = isinstance(columns, Iterable) and not isinstance(columns, str)
        return self.schema_.positions(columns) if not several or len(list(columns)) else []

    def _rows(self, X: Any) -> Array:
        return self.density_.rows(np.asarray(self._later(X), dtype=np.float64))

    def _evidence(self, given: Mapping[Any, Any] | None, do: Mapping[Any, Any] | None) -> tuple[BayesNetDensity, Array]:
        """The network that answers, and the row of what is known."""
        net, row = self.density_, self.density_.given.copy()
        seen = {self._nodes(column)[0]: self._coded(column, value) for column, value in (given or {}).items()}
        acted = {self._nodes(column)[0]: self._coded(column, value) for column, value in (do or {}).items()}
        both = seen.keys() & acted.keys()
        if both:
            raise ValueError(f"{self._names()[min(both)]!r} is given and done; it can be one of the two.")
        if acted:
            net = intervened(net, acted)
        for node, value in (*seen.items(), *acted.items()):
            row[node] = value
        return net, row

    def _coded(self, column: Any, value: Any) -> float:
        node = self._nodes(column)[0]
        if self.schema_.alphabets[node] is None:
            if not np.isfinite(value):
                raise ValueError(f"{column!r} must be a finite number, got {value!r}; leave it out if it is not known.")
            return float(value)
        states = self._states(node)
        if value not in states:
            raise ValueError(f"{value!r} is no state of {column!r}: its states are {states}.")
        return float(states.index(value))

    def _check_possible(self, log_evidence: Array, impossible: str) -> None:
        bad = np.flatnonzero(np.isneginf(log_evidence))
        if len(bad) and impossible == "raise":
            raise ValueError(
                f"the cells of row {int(bad[0])} have probability zero together ({len(bad)} such rows); use a prior "
                "(estimate='bayes'), or impossible='nan'."
            )

    @staticmethod
    def _told(given: Mapping[Any, Any] | None, do: Mapping[Any, Any] | None) -> str:
        parts = [f"{column} = {value}" for column, value in (given or {}).items()]
        return ", ".join([*parts, *(f"do({column} = {value})" for column, value in (do or {}).items())])
