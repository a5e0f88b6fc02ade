"""Questions to a fitted Bayes network: about its graph, about single pieces of evidence, and about many rows."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.densities.nets.bayes_net import BayesNetDensity
from parzen.densities.nets.questions import completed, expectations, intervened, most_probable, posterior
from parzen.estimators.base.results import over_sources
from parzen.estimators.base.validation import generator, row_count, rows_and_columns
from parzen.estimators.density.density import BaseDensityEstimator
from parzen.estimators.nets.answer import PosteriorTable
from parzen.families.nets.bayes_net import BayesNet
from parzen.tables.cells import frame_kind


class BaseBayesNetwork(BaseDensityEstimator):
    """What a Bayes network answers once it has a density."""

    density_: BayesNetDensity
    _compact = True

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
        others = [*others, *np.flatnonzero(~np.isnan(self.density_.given)).tolist()]
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
        sizes = [self.density_.sizes[node] for node in self.density_.columns]
        return int(np.prod([size for size in sizes if size], dtype=object)) - 1

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
            no table can prove; the answer says so.
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
        if not nodes:
            raise ValueError("targets must name at least one column, got none; probability(given) asks for no column.")
        shares, log_evidence = posterior(net, row[None], tuple(nodes))
        if np.isneginf(log_evidence[0]) and impossible == "raise":
            raise ValueError(f"what is given has probability zero: {self._told(given, do)}; nothing follows from it.")
        names = self._names()
        shape = [net.sizes[node] for node in nodes]
        states = tuple(self._states(node) for node in nodes)
        before = 0.0 if np.isnan(net.given).all() else net.log_given[0]  # a conditional: what it was given already
        evidence = float(np.exp(log_evidence[0] - before))
        assumes = f"if the edges are causes: {self._told(None, do)}" if do else ""
        shares = shares[0].reshape(shape)
        return PosteriorTable(tuple(names[node] for node in nodes), states, shares, evidence, assumes)

    def probability(self, given: Mapping[Any, Any], *, do: Mapping[Any, Any] | None = None) -> float:
        """Probability of values of some columns together (a density, where numbers are among them)."""
        check_is_fitted(self, "density_")
        net, row = self._evidence(given, do)
        return float(np.exp(net.log_density(row[None, list(net.columns)])[0, 0]))

    def most_probable(
        self, given: Mapping[Any, Any] | None = None, *, do: Mapping[Any, Any] | None = None
    ) -> dict[Any, Any]:
        """The most probable states of all columns together, given some; numbers are then their expected values."""
        check_is_fitted(self, "density_")
        net, row = self._evidence(given, do)
        found, log_probability = most_probable(net, row)
        if np.isneginf(log_probability):
            raise ValueError(f"what is given has probability zero: {self._told(given, do)}; nothing follows from it.")
        names = self._names()
        return {names[node]: self._state(node, found[node]) for node in net.columns}

    @partial(over_sources, labels=lambda net, target, **_: net._states(net._nodes(target)[0]))
    def predict_proba(self, X: Any, target: Any, *, impossible: str = "raise") -> Array:
        """Posterior of a column of categories in each row, (n, states), given the other cells that are there.

        A frame may lack the column of the target. A source gives batches of answers, or writes a Parquet file (`to=`).
        """
        check_is_fitted(self, "density_")
        choose("impossible", impossible, ("raise", "nan"))
        node = self._nodes(target)[0]
        if not self.density_.sizes[node]:
            raise ValueError(f"{target!r} holds numbers; predict gives their expected values.")
        shares, log_evidence = posterior(self.density_, self._cells(X, node), (node,), whole=False)
        self._check_possible(log_evidence, impossible)
        return shares

    @over_sources
    def predict(self, X: Any, target: Any, *, impossible: str = "raise") -> NDArray[Any]:
        """The most probable state of a column in each row, or its expected value, given the other cells."""
        check_is_fitted(self, "density_")
        node = self._nodes(target)[0]
        if not self.density_.sizes[node]:
            return expectations(self.density_, self._rows(X, node), node)
        shares = self.predict_proba(X, target, impossible=impossible)
        found = np.array(self._states(node), dtype=object)[np.argmax(shares, axis=1)]
        found[np.isnan(shares[:, 0])] = np.nan
        return np.array(found.tolist()) if not np.isnan(shares).any() else found

    @over_sources
    def impute(self, X: Any) -> Any:
        """The table with missing cells filled: by the most probable state of each, or by its expected value."""
        check_is_fitted(self, "density_")
        columns = list(self.density_.columns)
        return self.schema_.decode(completed(self.density_, self._rows(X), columns)[:, columns])

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
        """What the nodes are called: the columns as in the table; others, of a marginal or conditional, by text."""
        found: list[Any] = list(self.density_.names)
        for node, label in zip(self.density_.columns, self.schema_.labels, strict=True):
            found[node] = label
        return found

    def states(self, column: Any) -> list[Any]:
        """States of a column of categories; of numbers in bins, what the bins are called."""
        check_is_fitted(self, "density_")
        node = self._nodes(column)[0]
        if not self.density_.sizes[node]:
            raise ValueError(f"{column!r} holds numbers, which have no states.")
        return self._states(node)

    def _state(self, node: int, value: float) -> Any:
        """What a cell of a row is called: its state, or the number itself."""
        if node in self.density_.bins:
            return self._states(node)[int(self.density_.bins[node].codes(np.array(value)))]
        return self._states(node)[int(value)] if self.density_.sizes[node] else float(value)

    def _states(self, node: int) -> list[Any]:
        if node in self.density_.bins:
            return self.density_.bins[node].names()
        alphabet = self._alphabet(node)
        assert alphabet is not None
        return list(alphabet.tolist())

    def _alphabet(self, node: int) -> NDArray[Any] | None:
        """Categories of a node that is a column of the table; None where it holds numbers."""
        return self.schema_.alphabets[self.density_.columns.index(node)]

    def _nodes(self, columns: Any) -> list[int]:
        several = isinstance(columns, Iterable) and not isinstance(columns, str)
        positions = self.schema_.positions(columns) if not several or len(list(columns)) else []
        return [self.density_.columns[at] for at in positions]

    def _rows(self, X: Any, target: int | None = None) -> Array:
        """Rows of all nodes."""
        return self.density_.rows(self._cells(X, target))

    def _cells(self, X: Any, target: int | None = None) -> NDArray[Any]:
        """Rows as they are read; a frame may lack the column of a target, which is then not known in any row."""
        if target is not None and frame_kind(X):
            rest = [at for at, node in enumerate(self.density_.columns) if node != target]
            if rest and list(X.columns) == [self.schema_.labels[at] for at in rest]:
                found = self.schema_.select(rest).encode(rows_and_columns(X, sparse=False), compact=True)
                gone = -1 if found.dtype.kind == "i" else np.nan
                return np.insert(found, self.density_.columns.index(target), gone, axis=1)
        return np.asarray(self._later(X))

    def _evidence(self, given: Mapping[Any, Any] | None, do: Mapping[Any, Any] | None) -> tuple[BayesNetDensity, Array]:
        """The network that answers, and the row of what is known."""
        net, row = self.density_, self.density_.given.copy()
        for word, values in (("given", given), ("do", do)):
            if not isinstance(values, Mapping | None):
                raise TypeError(f"{word} must be a dict from columns to their values, got {values!r}.")
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
        if self._alphabet(node) is None:
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not (number and np.isfinite(value)):
                raise ValueError(f"{column!r} must be a finite number, got {value!r}; leave it out if it is not known.")
            return float(value)
        states = self._states(node)
        if np.ndim(value) or value not in states:
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
