"""The rows of a logistic regression as an optimiser sees them: the loss at a point, its slope and its curvature."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse, on_host, picked
from parzen.compute.memberships import Labels, Memberships, group_counts, take
from parzen.compute.sparse import csr_sums
from parzen.families.gaussian import Gaussian
from parzen.families.logistic.likelihood import At, Likelihood
from parzen.families.logistic.terms import Terms
from parzen.statistics.accumulate import BLOCK, EXPECTED, accumulate, map_blocks
from parzen.statistics.moments import Moments

#: A design matrix of at most so many cells is made once, not anew in every step.
KEPT = 2**25
#: A class that fewer rows of a sample have is a rare one.
FEW = 32
#: A mean of equal numbers is away from them by no more than this share.
ROUNDED = 1e-11
#: Sparse rows of at most so many cells, zeros among them, are made dense.
FILLED = 2**22


@dataclass(frozen=True)
class Problem:
    """Minus the log-likelihood of labels at a point: weights of terms less their means, and intercepts there.

    A point has shape (free, p + 1), intercepts in its last column. For two classes one row is free, the other is zero.

    Attributes
    ----------
    X : rows, dense or CSR
    labels : with their weights
    terms : of the rows
    intercept : whether there is one
    origin : array of shape (p,)
        What terms are less: about their means, or zero for CSR, without an intercept, or where it is penalised.
    whole : float
        Weight of all rows.
    """

    X: Any
    labels: Labels
    terms: Terms
    intercept: bool
    origin: Array
    whole: float

    #: Whether the rows are in memory.
    at_hand: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        X: Any,
        labels: Labels,
        terms: Terms,
        intercept: bool,
        centred: bool = True,
        origin: Array | None = None,
    ) -> "Problem":
        """The problem of rows; their terms are made once where they fit into memory.

        The origin, if given, is about the means of the columns; it serves where these are the terms.
        """
        weights = labels.weights
        whole = float(len(labels) if weights is None else weights.sum())
        p = terms.width(X.shape[1])
        known = origin if terms == Terms() else None
        small = X.shape[0] * p <= KEPT
        if terms != Terms() and (small or terms.sparse or is_sparse(X)):
            X, terms = terms.expand(X), Terms()
        if is_sparse(X) and X.shape[0] * p <= FILLED:
            X = X.toarray()
        problem = cls(X, labels, terms, intercept, np.zeros(p), whole)
        if is_sparse(X) or not intercept or not centred:
            return problem
        return replace(problem, origin=problem.about(problem.mean if known is None else known))

    @property
    def free(self) -> int:
        """Rows of weights that are free: one for two classes, whose other row is zero."""
        return 1 if self.labels.groups == 2 else self.labels.groups

    @property
    def width(self) -> int:
        """How many terms there are."""
        return len(self.origin)

    @property
    def size(self) -> int:
        """How many weights and intercepts are free."""
        return self.free * (self.width + 1)

    @cached_property
    def mean(self) -> Array:
        """Of the terms of dense rows."""
        mean: Array = accumulate(ExpandedMoments(Gaussian("diag"), self.terms), self.X, self.labels.weights).mean[0]
        return mean

    def about(self, mean: Array) -> Array:
        """Means of the terms; where a column is constant its own value, from which rounding has moved the mean.

        Such a column then is zero and gets no weight, where it would share an intercept that nothing penalises.
        """
        if not isinstance(self.X, np.ndarray):
            return np.ascontiguousarray(mean)
        first = self.terms.expand(self.X[:1])[0].astype(np.float64)
        return np.where(np.abs(first - mean) <= ROUNDED * np.abs(mean), first, mean)

    @cached_property
    def class_weights(self) -> Array:
        """Weight of the rows of each class, (K,)."""
        return group_counts(on_host(self.labels.codes), self.labels.weights, self.labels.groups)

    @cached_property
    def sums(self) -> Array:
        """Weighted sums of the terms less their origin, (p,)."""
        if is_sparse(self.X):
            totals: Array = csr_sums(self.X, self.labels.weights)[1][0]
            return totals
        return self.whole * (self.mean - self.origin)

    @cached_property
    def class_sums(self) -> Array:
        """The same for the rows of each class, (K, p)."""
        K = self.labels.groups
        zero = At(np.zeros((self.width, K)), np.zeros(K), self._away)
        return self.sums / K - self._observed(zero)[1][:, :-1]

    @cached_property
    def lightest(self) -> float:
        """Weight of the lightest row, in units of the mean weight."""
        weights = self.labels.weights
        return 1.0 if weights is None else float(weights.min()) * len(self.labels) / self.whole

    def enter(self, coef: Array, intercept: Array) -> Array:
        """The point of weights and intercepts."""
        return np.column_stack([coef, intercept + coef @ self.origin])

    def leave(self, point: Array) -> tuple[Array, Array]:
        """Weights and intercepts of a point."""
        coef = np.ascontiguousarray(point[:, :-1])
        return coef, point[:, -1] - coef @ self.origin if self.intercept else np.zeros(self.free)

    def slopes(self, point: Array) -> tuple[float, Array]:
        """Loss and its derivatives, of the shape of the point."""
        loss, slope, _ = self._observed(self._at(point))
        return loss, self._own(slope)

    def curvature(self, point: Array, least: float = 0.0) -> tuple[float, Array, Array]:
        """Loss, its derivatives and the matrix of its second derivatives, (size, size).

        The latter of rows and two classes with w p_k p_l above the least only.
        """
        loss, slope, pairs = self._observed(self._at(point, least))
        return loss, self._own(slope), self._matrix(pairs)

    def _observed(self, at: At) -> tuple[float, Array, Array]:
        """Loss, its derivatives (K, p + 1) by weights and intercepts, and sums of products for each two classes."""
        labels, seen = self.labels, Likelihood(self.terms)

        def part(begin: int, rows: Any) -> Array:
            whole = rows.shape[0] == len(labels)
            own = labels if whole else take(labels, slice(begin, begin + rows.shape[0]))
            return seen.observe(rows, own, at).totals[0]

        size = BLOCK if at.curvature is None else EXPECTED
        totals: Array = sum(map_blocks(part, self.X, labels.groups, size))
        side, K = self.width + 1, self.labels.groups
        return -float(totals[0]), totals[1 : 1 + side * K].reshape(side, K).T, totals[1 + side * K :]

    def _at(self, point: Array, curvature: float | None = None) -> At:
        offsets = point[:, -1] if self.intercept else np.zeros(self.free)
        coef = point[:, :-1]
        table, offset = np.zeros((self.width, self.labels.groups)), np.zeros(self.labels.groups)
        table[:, -self.free :], offset[-self.free :] = coef.T, offsets
        return At(table, offset, self._away, curvature)

    @cached_property
    def _away(self) -> Array | None:
        return self.origin if self.origin.any() else None

    def _own(self, slope: Array) -> Array:
        slope = np.array(slope[-self.free :], order="C")
        if not self.intercept:
            slope[:, -1] = 0.0
        return slope

    def _matrix(self, pairs: Array) -> Array:
        side, K = self.width + 1, self.labels.groups
        pairs = pairs.reshape(-1, side, side)
        if not self.intercept:
            pairs[:, -1, :] = pairs[:, :, -1] = 0.0
        if self.free == 1:
            return pairs[0]
        matrix = np.zeros((K, side, K, side))
        for pair, (k, m) in zip(pairs, combinations(range(K), 2), strict=True):
            matrix[k, :, m] = matrix[m, :, k] = -pair
            matrix[k, :, k] += pair
            matrix[m, :, m] += pair
        return matrix.reshape(K * side, K * side)

    def ample(self, rows: int) -> int:
        """How many rows a sample is to have, of so many that would be taken."""
        return rows

    def sample(self, rows: int) -> "Problem":
        """The problem of about so many of the rows, with weights that give each class its own.

        One row is drawn of each stretch of equal length: a table may be sorted.
        """
        codes, weights, K = on_host(self.labels.codes), self.labels.weights, self.labels.groups
        stretch = len(codes) // rows
        begin = stretch * np.arange(len(codes) // stretch)
        chosen = begin + np.random.default_rng(0).integers(0, stretch, len(begin))
        few = np.flatnonzero(group_counts(codes[chosen], None, K) < FEW)
        if len(few):
            chosen = np.unique(np.concatenate([chosen, *(_spread(np.flatnonzero(codes == k)) for k in few)]))
        labels = codes[chosen]
        own = np.ones(len(chosen)) if weights is None else weights[chosen]
        own *= (self.class_weights / np.maximum(np.bincount(labels, own, K), 1e-300))[labels]
        return replace(self, X=picked(self.X, chosen), labels=Labels.sound(labels, own, K))


def _spread(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """At most some times as many of the rows as make a class no rare one."""
    return rows[:: max(len(rows) // (4 * FEW), 1)]


@dataclass(frozen=True)
class ExpandedMoments:
    """A family that observes the terms of rows."""

    family: Gaussian
    terms: Terms

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Moments:
        seen = self.family.observe(self.terms.expand(X), R, at)
        assert isinstance(seen, Moments)
        return seen
