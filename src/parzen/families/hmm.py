"""Hidden Markov models: EM whose memberships come from forward and backward passes, over any family."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, row_block
from parzen.compute.hmm import smooth
from parzen.compute.memberships import Labels, Memberships
from parzen.densities.density import Density
from parzen.densities.hmm import HMMDensity, SequenceGroup, sequence_groups
from parzen.densities.mixture import MixtureDensity
from parzen.families.family import Family
from parzen.families.fit import fit
from parzen.families.likelihood import initial_density
from parzen.families.mixture import Mixture
from parzen.families.semi_supervised_mixture import SemiSupervisedMixture
from parzen.families.sequence_pieces import pieces
from parzen.statistics.counts import Counts
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.messages import Collapse, NeedsDensity, naming_groups, without_floor_warnings
from parzen.statistics.threads import for_each
from parzen.tables.table import Table

#: How likely a state is to stay in a start.
STAYING = 0.5
#: Rows of which at most so many differ are categories, for which starts are drawn by chance, so many of them.
DISTINCT, TRIES = 256, 6
#: Steps that a start is judged by, over so many rows, in pieces of so many.
FEW_STEPS, SAMPLE, PIECE = 20, 4096, 512


@dataclass(eq=False, repr=False)
class HMM(Family):
    """Rows in their order, each from the density of a hidden state: a chain of states, and a family for what they emit.

    Its statistic is the `Joint` of the weights of first states, of transitions, and of the emissions' family, every row
    counted in every state by its posterior under the current density (Baum and Welch).

    Parameters
    ----------
    emission : Family, optional
        What the states emit; by default ``Gaussian()``.
    n_components : int
    lengths : array of int64, optional
        Of the sequences that rows are cut into.
    start_allowed, transition_allowed : arrays of bool, optional
        Where a chain may begin, (K,), and how it may go on, (K, K): what is not allowed stays at zero.
    start_concentration, transition_concentration : float
        Of Dirichlet priors; 1 is none.
    states : array of shape (n,), optional
        States of rows that are known, -1 of the others.
    init, n_init : see `parzen.Mixture`, in which a hidden chain begins
    """

    emission: Any = None
    n_components: int = 2
    lengths: Any = None
    start_allowed: Any = None
    transition_allowed: Any = None
    start_concentration: float = 1.0
    transition_concentration: float = 1.0
    states: Any = None
    init: str = "kmeans"
    n_init: int = 1

    keeps_rows: ClassVar[bool] = True
    in_order: ClassVar[bool] = True
    iterates: ClassVar[bool] = True

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """As the emissions' family does."""
        return bool(self._emissions().takes_missing)

    def _states(self) -> Mixture:
        return Mixture(self.emission, int(self.n_components), init=self.init, n_init=self.n_init)

    def _emissions(self) -> Family:
        """The emissions' family, by point estimates."""
        return self._states().components()

    def bind(self, table: Table) -> Self:
        return replace(self, emission=self._emissions().bind(table))

    def _cut(self, n: int) -> NDArray[np.int64]:
        return np.array([n], dtype=np.int64) if self.lengths is None else self.lengths

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        if at is None:
            raise NeedsDensity("a hidden chain must be found by EM: use parzen.fit or an estimator.")
        lengths = self._cut(X.shape[0])
        w = _of_sequences(R, lengths)
        emitted = self._emissions()
        total: Any = None

        def add(part: ExpectedStatistic) -> None:
            nonlocal total
            total = part if total is None else total + part

        groups = sequence_groups(lengths, at.size)
        for_each(lambda group: self._observe_group(emitted, X, w, at, lengths, group), groups, add)
        assert isinstance(total, ExpectedStatistic)
        return total

    def _observe_group(
        self,
        emitted: Family,
        X: Any,
        w: Array | None,
        at: HMMDensity,
        lengths: NDArray[np.int64],
        group: SequenceGroup,
    ) -> ExpectedStatistic:
        """The statistic of a few sequences, one after the other."""
        X, lengths = row_block(X, *group.rows), lengths[slice(*group.sequences)]
        w = None if w is None else w[slice(*group.sequences)]
        rows = self._seen(at.rows(X), group.rows[0])
        found = smooth(rows, lengths, at.start, at.transition, w)
        likelihood = float(found.log_likelihood.sum() if w is None else w @ found.log_likelihood)
        if not isfinite(likelihood):
            impossible = np.flatnonzero(~np.isfinite(found.log_likelihood))
            raise Collapse(
                f"sequence {group.sequences[0] + int(impossible[0])} is impossible under the current chain; allow more "
                "transitions"
                + ("" if self.states is None else " (labels must keep to the topology)")
                + ", or use a prior or a floor for the emissions."
            )
        share = found.posterior if w is None else found.posterior * np.repeat(w, lengths)[:, None]
        seen = emitted.observe(X, share, at.emission)
        inner = seen.statistic if isinstance(seen, ExpectedStatistic) else seen
        K = at.size
        counted = Counts(found.first[None], (K,)), Counts(found.pairs.reshape(1, -1), (K,) * K)
        weight = float(len(rows) if w is None else w @ lengths)
        return ExpectedStatistic(Joint((*counted, inner)), np.array([weight]), np.array([likelihood]))

    def _seen(self, rows: Array, first: int) -> Array:
        """Log-densities of rows, of which `first` is the first, of those whose state is known in that state alone."""
        if self.states is None:
            return rows
        states = self.states[first : first + len(rows)]
        known = np.flatnonzero(states >= 0)
        own = rows[known, states[known]]
        rows[known] = -np.inf
        rows[known, states[known]] = own
        return rows

    def maximise(self, statistic: Joint) -> HMMDensity:
        first, pairs, inner = statistic.parts
        K = int(self.n_components)
        start = dirichlet_mode(first.counts, self.start_concentration, self.start_allowed)[0]  # type: ignore[attr-defined]
        counts = pairs.counts.reshape(K, K)  # type: ignore[attr-defined]
        transition = dirichlet_mode(counts, self.transition_concentration, self.transition_allowed)
        with naming_groups("states"):
            emission = self._emissions().maximise(inner)
        return HMMDensity(emission, start, transition, self.lengths)

    def log_prior(self, density: Any, statistic: Any) -> float:
        inner = statistic.parts[2]
        total = self._emissions().log_prior(density.emission, inner)
        for concentration, p in (
            (self.start_concentration, density.start),
            (self.transition_concentration, density.transition),
        ):
            if concentration != 1:
                total += (concentration - 1.0) * float(np.log(p[p > 0]).sum())
        return float(total)

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> HMMDensity:
        lengths = self._cut(X.shape[0])
        w = _of_sequences(R, lengths)
        rows = None if w is None else np.repeat(w, lengths)
        if self.states is not None and (self.states >= 0).any():
            known = Labels(self.states.astype(np.int32), rows, groups=int(self.n_components))
            return self._begun(self._open(X, SemiSupervisedMixture(self._states()).start(X, known, rng), rows, rng))
        with without_floor_warnings():
            begun: Any = self._states().start(X, rows, rng)
        first = self._begun(self._open(X, begun, rows, rng))
        shares_of = _few_distinct(X)
        if self.n_components == 1 or (shares_of is None and self.transition_allowed is None):
            return first
        return self._best_of(X, rows, lengths, [first, *self._others(X, rows, lengths, shares_of, rng)], rng)

    def _begun(self, emission: Density, stay: Array | None = None) -> HMMDensity:
        """A chain that may begin anywhere it is allowed to, and likes to stay."""
        K = int(self.n_components)
        likes = STAYING * np.eye(K) + (1 - STAYING) * np.full((K, K), 1.0 / K) if stay is None else stay
        start = dirichlet_mode(np.full((1, K), 1.0), 1.0, self.start_allowed)[0]
        return HMMDensity(emission, start, dirichlet_mode(likes, 1.0, self.transition_allowed), self.lengths)

    def _open(self, X: Any, begun: Any, rows: Array | None, rng: np.random.Generator) -> Density:
        """The states' densities at the start. What is impossible there would stay so: each gets a part of all rows."""
        if not np.isneginf(begun.components.log_density(X)).any():
            return begun.components
        _, joint = begun.log_joint(X)
        top = joint.max(axis=1, keepdims=True)
        likely = np.exp(np.where(np.isneginf(top), 0.0, joint - np.where(np.isneginf(top), 0.0, top)))
        return self._sharing(X, 0.7 * likely / likely.sum(axis=1, keepdims=True), rows, rng)

    def _sharing(self, X: Any, share: Array, rows: Array | None, rng: np.random.Generator) -> Density:
        """The states' densities of rows in which each has a share, and at least some of every one."""
        share = share + 0.3 / share.shape[1]
        with without_floor_warnings():
            return initial_density(self._emissions(), X, share if rows is None else share * rows[:, None], rng)

    def _others(
        self,
        X: Any,
        rows: Array | None,
        lengths: NDArray[np.int64],
        distinct: tuple[int, NDArray[np.intp]] | None,
        rng: np.random.Generator,
    ) -> Iterator[HMMDensity]:
        """Other starts than from a partition of the rows, which is uninformative for categories and ordered states."""
        K = int(self.n_components)
        if self.transition_allowed is not None:  # one state after the other
            spans = [np.arange(n) * K // n for n in lengths]
            yield self._begun(self._sharing(X, 0.7 * np.eye(K)[np.concatenate(spans)], rows, rng))
        if distinct is not None:  # by chance, alike rows alike; and transitions by chance
            many, codes = distinct
            for _ in range(TRIES):
                share = rng.dirichlet(np.full(K, 0.5), many)[codes]
                yield self._begun(self._sharing(X, 0.7 * share, rows, rng), rng.dirichlet(np.ones(K), K))

    def _best_of(
        self,
        X: Any,
        rows: Array | None,
        lengths: NDArray[np.int64],
        tries: Sequence[HMMDensity],
        rng: np.random.Generator,
    ) -> HMMDensity:
        """The start from which a few steps, over a part of the rows, lead highest; where they lead."""
        part, cut = np.arange(X.shape[0]), lengths
        if self.transition_allowed is None:  # else a chain must be seen from its beginning
            part, cut = pieces(lengths, SAMPLE, PIECE)
        family = replace(self, lengths=cut)
        best: tuple[float, HMMDensity] | None = None
        for begun in tries:
            try:
                weights = None if rows is None else rows[part]
                found = fit(family, X[part], weights, start=replace(begun, lengths=cut), max_iter=FEW_STEPS, tol=1e-4)
            except Collapse:
                continue
            if best is None or found.objective[-1] > best[0]:
                best = found.objective[-1], found.density  # type: ignore[assignment]
        if best is None:
            return tries[0]
        emission, K = best[1].emission, int(self.n_components)
        even = MixtureDensity(emission, np.full(K, -np.log(K)))  # a part of the rows may lack what others hold
        return self._begun(self._open(X, even, rows, rng), 0.99 * best[1].transition + 0.01 / K)

    def n_parameters(self, density: Any) -> int:
        K = density.size
        free = np.ones(K, dtype=bool) if self.start_allowed is None else np.asarray(self.start_allowed, dtype=bool)
        ways = np.ones((K, K), dtype=bool) if self.transition_allowed is None else np.asarray(self.transition_allowed)
        chain = max(int(free.sum()) - 1, 0) + int(np.maximum(ways.sum(axis=1) - 1, 0).sum())
        return chain + self._emissions().n_parameters(density.emission)


def dirichlet_mode(counts: Array, concentration: Any, allowed: Any = None) -> Array:
    """Mode of the Dirichlet posterior of each row of counts, zero where not allowed; uniform without any weight.

    Parameters
    ----------
    concentration : float or array
        Of the prior; 1 is none, so that the mode is the relative frequencies.
    """
    raised = np.maximum(counts + (concentration - 1.0), 0.0)
    ways: Any = 1.0
    if allowed is not None:
        ways = np.asarray(allowed, dtype=bool).reshape(counts.shape)
        raised *= ways
    total = raised.sum(axis=1, keepdims=True)
    if not (total > 0).all():
        raised = np.where(total > 0, raised, ways)
        total = raised.sum(axis=1, keepdims=True)
    return np.ascontiguousarray(raised / total)


def _few_distinct(X: Any) -> tuple[int, NDArray[np.intp]] | None:
    """How many different rows there are, and which of them each is; None where there are many."""
    if not isinstance(X, np.ndarray) or len(np.unique(X[: 2 * DISTINCT], axis=0)) > DISTINCT:
        return None
    found, codes = np.unique(X, axis=0, return_inverse=True)
    return (len(found), codes.reshape(-1)) if len(found) <= DISTINCT else None


def _of_sequences(R: Memberships, lengths: NDArray[np.int64]) -> Array | None:
    """Weights of the sequences, from those of their rows."""
    if R is None:
        return None
    w = np.asarray(R.weights if isinstance(R, Labels) else R, dtype=np.float64)
    ends = np.cumsum(lengths)
    return np.ascontiguousarray(w[np.minimum(ends - lengths, len(w) - 1)])
