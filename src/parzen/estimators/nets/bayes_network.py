"""Bayes networks: graphs given or learnt, and questions to them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.densities.nets.graph import Graph, read_edges
from parzen.estimators.nets.bif import Tables, checked_table, format_bif, parse_bif, read_text
from parzen.estimators.nets.questions import BaseBayesNetwork
from parzen.estimators.nets.structure import learn_structure
from parzen.families.family import Family
from parzen.families.nets.bayes_net import BayesNet
from parzen.storage.files import write_whole
from parzen.tables.schema import Schema


class BayesNetwork(BaseBayesNetwork):
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
        classes of `root`, which all columns depend on. Hill-climbing learns from rows without missing cells, trees for
        each two columns from the rows in which both are known.
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
    estimate, prior, equivalent_sample_size, line_prior, numbers, bins, categories
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
        bins: Any = None,
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
        self.bins = bins
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
            bins=self.bins,
            categories=self.categories,
        )

    def _bind(self, X: Any, R: Memberships = None) -> Any:
        rows = super()._bind(X, R)
        if self.structure is not None:
            weights = R if isinstance(R, np.ndarray) else None
            edges = learn_structure(self, rows, self.family_, weights)
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
        parents: dict[str, tuple[Any, ...]] = dict.fromkeys(names, ())
        for parent, child in dict.fromkeys(pairs):
            parents[child] += (parent,)
        arrays = {name: _numbers(table, name) for name, table in tables.items()}
        strange = [name for name in states if name not in tables] if isinstance(states, Mapping) else []
        if strange:
            raise ValueError(f"states names {strange[0]!r}, which has no table; the tables are of {names}.")
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
        if not names:
            raise ValueError("a Bayes net has at least one column, got no table.")
        for name, own in states.items():
            if len(set(own)) < len(own):
                raise ValueError(f"states of {name!r} must be different from each other, got {list(own)}.")
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
        frame = "pandas" if find_spec("pandas") else None  # what `sample` and `impute` give
        dtypes = (None if frame is None else np.dtype(object),) * d
        net.schema_ = Schema(tuple(names), alphabets, dtypes, frozenset(range(d)), frame)
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
        if len(self.density_.columns) < len(self.density_.sizes):
            raise ValueError("a marginal or conditional of a network has no file of its own; write the whole network.")
        numbers = [str(self._names()[node]) for node, size in enumerate(self.density_.sizes) if not size]
        if numbers:
            raise ValueError(f"BIF holds categories only, but {numbers[0]!r} holds numbers; use save() instead.")
        names = [str(name) for name in self._names()]
        states = {name: tuple(map(str, self._states(node))) for node, name in enumerate(names)}
        for what, texts in (("columns", names), *((f"states of {name!r}", own) for name, own in states.items())):
            if len(set(texts)) < len(texts):
                raise ValueError(f"BIF holds names, and {what} have the same one: {list(texts)}; rename them.")
        parents = {name: tuple(names[one] for one in self.density_.parents[node]) for node, name in enumerate(names)}
        write_whole(
            path, format_bif(Tables(states, parents, dict(zip(names, self.density_.tables(0), strict=True)))).encode()
        )


def _numbers(table: ArrayLike, name: Any) -> Array:
    """A table as an array of numbers, with at least the dimension of its own states."""
    try:
        found = np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(())
    if not found.ndim:
        raise ValueError(
            f"the table of {name!r} must be probabilities: a list of numbers, in lists for each state of its parents; "
            f"got {table!r}."
        )
    return found
