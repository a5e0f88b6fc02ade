"""How well a node fits its parents: scores that add over the nodes of a graph, from counts and moments."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from parzen.compute.arrays import Array
from parzen.compute.checks import choose
from parzen.compute.codes import tally_pairs
from parzen.compute.families import CodedColumns
from parzen.compute.memberships import Labels
from parzen.compute.moments import moments
from parzen.densities.nets.linear_gaussian import LOG_2_PI, configuration

SCORES = ("bic", "aic", "bdeu", "k2", "bge", "log-likelihood")
#: Most cells of a table that a graph may ask for while it is searched.
MOST_CELLS = 2**22


@dataclass
class Scores:
    """Scores of families (a node and its parents) over complete rows; each is computed once.

    Parameters
    ----------
    codes : array of shape (n, d)
        States of discrete columns.
    cells : array of shape (n, d)
        Numbers of Gaussian columns.
    sizes : tuple of int
        States of each column; 0 for a Gaussian one.
    score : "bic", "aic", "bdeu", "k2", "bge" or "log-likelihood"
    equivalent_sample_size : float
        Of "bdeu".
    weights : array of shape (n,), optional
    """

    codes: NDArray[np.int32]
    cells: Array
    sizes: tuple[int, ...]
    score: str = "bic"
    equivalent_sample_size: float = 10.0
    weights: Array | None = None
    _known: dict[tuple[int, frozenset[int]], float] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        choose("score", self.score, SCORES)
        self.n = float(len(self.codes)) if self.weights is None else float(self.weights.sum())
        self.discrete = [node for node, size in enumerate(self.sizes) if size]
        self.gaussian = [node for node, size in enumerate(self.sizes) if not size]
        if self.gaussian and self.score in ("bdeu", "k2"):
            raise ValueError(f"criterion={self.score!r} is for categories; there are columns of numbers: use 'bic'.")
        if self.score == "bge" and self.discrete:
            raise ValueError("criterion='bge' is for numbers; there are columns of categories: use 'bic'.")
        if self.score == "bdeu":
            sample_size(self.equivalent_sample_size)
        self._coded = CodedColumns(np.ascontiguousarray(self.codes.T), self.sizes, self.weights)
        self._additions: dict[tuple[int, frozenset[int]], Array] = {}
        self._block = np.ascontiguousarray(self.cells[:, self.gaussian])
        self._moments: dict[tuple[int, ...], tuple[Array, Array]] = {}

    def of(self, node: int, parents: frozenset[int]) -> float:
        """The score of a node with these parents; minus infinity where its table would be too large."""
        key = node, parents
        if key not in self._known:
            if self.sizes[node]:
                self._tabulate(node, parents, [])
            else:
                self._known[key] = self._gaussian_score(node, parents)
        return self._known[key]

    def additions(self, node: int, parents: frozenset[int], candidates: Sequence[int]) -> Array:
        """Scores of a node with one more parent, for each candidate: one compiled call counts them all."""
        if not self.sizes[node]:
            return np.array([self.of(node, parents | {one}) for one in candidates])
        key = node, parents
        found = self._additions.get(key)
        if found is None:
            found = self._additions[key] = np.full(len(self.sizes), np.nan)
        own = found[candidates]
        if np.isnan(own).any():
            new = [one for one, value in zip(candidates, own.tolist(), strict=True) if value != value]
            found[new] = self._tabulate(node, parents, new)
            own = found[candidates]
        return own

    def total(self, parents: Sequence[Sequence[int]]) -> float:
        """The score of a graph."""
        return float(sum(self.of(node, frozenset(own)) for node, own in enumerate(parents)))

    def _base(self, parents: list[int]) -> tuple[NDArray[np.int64], int]:
        volume = int(np.prod([self.sizes[one] for one in parents], dtype=object)) if parents else 1
        if volume > MOST_CELLS:
            return np.zeros(0, dtype=np.int64), volume
        return configuration(self.codes, tuple(parents), self.sizes), volume

    def _tabulate(self, node: int, parents: frozenset[int], new: list[int]) -> Array:
        """Scores of a node with its parents and each of the new ones; they and that without a new one are kept."""
        size, own = self.sizes[node], sorted(parents)
        volume = int(np.prod([self.sizes[one] for one in own], dtype=object)) if own else 1
        scores = np.full(1 + len(new), -np.inf)
        if volume * size <= MOST_CELLS:
            fitting = [at for at, one in enumerate(new) if volume * size * self.sizes[one] <= MOST_CELLS]
            chosen = [new[at] for at in fitting]
            volumes = volume * np.array([1, *(self.sizes[one] for one in chosen)])
            if self.score in ("k2", "bdeu"):
                found = self._dirichlet(node, own, chosen, volumes)
            else:
                found = self._coded.likelihoods(node, own, chosen)
                found -= penalty(self.score, self.n) * (size - 1) * volumes
            scores[[0, *(1 + at for at in fitting)]] = found
        self._known[node, parents] = float(scores[0])
        self._known.update(
            ((node, parents | {one}), value) for one, value in zip(new, scores[1:].tolist(), strict=True)
        )
        return scores[1:]

    def _dirichlet(self, node: int, parents: list[int], new: list[int], volumes: NDArray[np.int64]) -> Array:
        """Scores by a Dirichlet prior of a node with its parents, and with each of the new ones."""
        size = self.sizes[node]
        state = (configuration(self.codes, tuple(parents), self.sizes) * size + self.codes[:, node]).astype(np.int32)
        alone = np.bincount(state, self.weights, volumes[0] * size).astype(np.float64)
        sizes = [self.sizes[one] for one in new]
        found = tally_pairs(
            state, int(volumes[0]) * size, self._coded.columns, new, sizes, self.weights, np.array(self.sizes)
        )
        more = np.split(found, np.cumsum(sizes)[:-1]) if new else []
        return np.array([self._of_table(table.reshape(-1, size)) for table in (alone, *more)])

    def _of_table(self, counts: Array) -> float:
        return table_score(counts, self.n, self.score, self.equivalent_sample_size)

    def _gaussian_score(self, node: int, parents: frozenset[int]) -> float:
        inner = [self.gaussian.index(one) for one in sorted(parents) if not self.sizes[one]]
        scope = tuple(sorted(one for one in parents if self.sizes[one]))
        if self.score == "bge":
            return self._bge(self.gaussian.index(node), inner)
        if scope not in self._moments:
            which, volume = self._base(list(scope))
            if volume * len(self.gaussian) ** 2 > MOST_CELLS:
                return -np.inf
            labels = Labels.sound(which.astype(np.int32), self.weights, volume)
            found = moments(self._block, labels)
            self._moments[scope] = found[0], found[2]
        weight, scatter = self._moments[scope]
        place = self.gaussian.index(node)
        whole = self.scatter()[place, place] / self.n
        total = 0.0
        for w, S in zip(weight, scatter, strict=True):
            if w > 0:
                rest = S[place, place]
                if inner:
                    across = S[inner, place]
                    rest = rest - across @ np.linalg.lstsq(S[np.ix_(inner, inner)], across, rcond=1e-12)[0]
                total -= 0.5 * w * (LOG_2_PI + 1.0 + np.log(max(rest / w, 1e-9 * whole, 1e-300)))
        free = len(weight) * (len(inner) + 2)
        return float(total - penalty(self.score, self.n) * free)

    def scatter(self) -> Array:
        """Scatter of the numbers about their mean."""
        if () not in self._moments:
            found = moments(self._block, self.weights)
            self._moments[()] = found[0], found[2]
        return self._moments[()][1][0]

    def _bge(self, node: int, parents: list[int]) -> float:
        """Bayesian Gaussian equivalent score (Geiger & Heckerman 1994, as corrected by Kuipers et al. 2014).

        Prior: mean of the rows with the weight of one, precision Wishart with d + 2 degrees of freedom and a scale that
        expects the columns' own variances.
        """
        d, n = len(self.gaussian), self.n
        weight, dof = 1.0, d + 2.0
        prior = np.diag(np.maximum(np.diagonal(self.scatter()) / n, 1e-300)) * (weight * (dof - d - 1) / (weight + 1))
        posterior = prior + self.scatter()
        p = len(parents)

        def log_det(matrix: Array, own: list[int]) -> float:
            return float(np.linalg.slogdet(matrix[np.ix_(own, own)])[1]) if own else 0.0

        family = [*parents, node]
        a = dof - d + p + 1
        score = 0.5 * np.log(weight / (n + weight)) - 0.5 * n * np.log(np.pi)
        score += float(gammaln(0.5 * (n + a)) - gammaln(0.5 * a))
        score += 0.5 * a * log_det(prior, family) - 0.5 * (a - 1) * log_det(prior, parents)
        score += 0.5 * (n + a - 1) * log_det(posterior, parents) - 0.5 * (n + a) * log_det(posterior, family)
        return float(score)


def sample_size(value: float) -> float:
    """An equivalent sample size, or an error."""
    if not 0 < value < np.inf:
        raise ValueError(f"equivalent_sample_size must be above 0 and finite, got {value!r}.")
    return value


def penalty(score: str, n: float) -> float:
    """What a score charges for a free parameter."""
    return {"bic": 0.5 * float(np.log(n)) if n > 0 else 0.0, "aic": 1.0}.get(score, 0.0)


def table_score(counts: Array, n: float, score: str, equivalent_sample_size: float) -> float:
    """The score of a node's counts, (C, size)."""
    C, size = counts.shape
    rows = counts.sum(axis=1)
    if score in ("k2", "bdeu"):
        cell = 1.0 if score == "k2" else equivalent_sample_size / (C * size)
        seen = counts[rows > 0]
        per = gammaln(cell * size) - gammaln(rows[rows > 0] + cell * size)
        positive = seen[seen > 0]
        return float(per.sum() + (gammaln(positive + cell) - gammaln(cell)).sum())
    positive = counts[counts > 0]
    likelihood = (positive * np.log(positive)).sum() - (rows[rows > 0] * np.log(rows[rows > 0])).sum()
    return float(likelihood - penalty(score, n) * C * (size - 1))
