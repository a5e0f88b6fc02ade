"""Logistic regression of rows that are read batch by batch: every slope and curvature is a pass that sums them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels
from parzen.families.gaussian import Gaussian
from parzen.families.logistic.likelihood import At, Likelihood
from parzen.families.logistic.problem import FEW, ExpandedMoments, Problem
from parzen.families.logistic.terms import Terms
from parzen.statistics.accumulate import accumulate
from parzen.statistics.batches import Batches

#: Most sums that second derivatives may take (for each two classes the square of the number of terms), and most rows
#: that are drawn to begin near the optimum.
PAIRS, SAMPLED = 2**22, 2**17


@dataclass(frozen=True)
class BatchLabels:
    """What is known of the labels of batches without reading them.

    Attributes
    ----------
    counts, members : arrays of shape (K,)
        Weight and number of the rows of each class.
    least : float
        The least weight of a row.
    """

    counts: Array
    members: NDArray[np.int64]
    least: float
    weights: ClassVar[None] = None

    def __len__(self) -> int:
        return int(self.members.sum())

    @property
    def groups(self) -> int:
        """How many classes there are."""
        return len(self.counts)


@dataclass(frozen=True)
class StreamedProblem(Problem):
    """A `Problem` of batches, which bring their labels."""

    X: Batches
    labels: Any

    at_hand: ClassVar[bool] = False

    @classmethod
    def of_batches(cls, X: Batches, terms: Terms, intercept: bool, centred: bool, origin: Array | None) -> Self:
        """The problem of batches; the origin, if given, is about the means of the columns."""
        assert X.counts is not None
        assert X.members is not None
        p, K = terms.width(X.shape[1]), len(X.counts)
        if K * (K - 1) // 2 * (p + 1) ** 2 > PAIRS:
            raise ValueError(
                f"{K} classes and {p} terms have too many second derivatives to be summed in a pass over a source; "
                "give fewer columns, or a table in memory."
            )
        labels = BatchLabels(X.counts, X.members, X.least)
        whole = float(X.counts.sum())
        origin = origin if terms == Terms() and origin is not None else None
        at = np.zeros(p)
        if intercept and centred:
            moments = ExpandedMoments(Gaussian("diag"), terms)
            at = accumulate(moments, X).pooled().mean[0] if origin is None else origin
        return cls(X, labels, terms, intercept, np.ascontiguousarray(at), whole)

    @cached_property
    def mean(self) -> Array:
        """Of the terms."""
        mean: Array = accumulate(ExpandedMoments(Gaussian("diag"), self.terms), self.X).pooled().mean[0]
        return mean

    @cached_property
    def class_weights(self) -> Array:
        """Weight of the rows of each class, (K,)."""
        counts: Array = self.labels.counts
        return counts

    @cached_property
    def lightest(self) -> float:
        """Weight of the lightest row, in units of the mean weight."""
        return float(self.labels.least) * len(self.labels) / self.whole

    def _observed(self, at: At) -> tuple[float, Array, Array]:
        totals = accumulate(Likelihood(self.terms), self.X, at=at).totals[0]
        side, K = self.width + 1, self.labels.groups
        return -float(totals[0]), totals[1 : 1 + side * K].reshape(side, K).T, totals[1 + side * K :]

    def ample(self, rows: int) -> int:
        """How many rows a sample is to have: none where a class would have too few of them."""
        rows, n = min(rows, SAMPLED), len(self.labels)
        return rows if self.labels.members.min() * rows >= 2 * FEW * n else 0

    def sample(self, rows: int) -> Problem:
        stretch = len(self.labels) // rows
        begin = stretch * np.arange(rows)
        X, R = self.X.take(begin + np.random.default_rng(0).integers(0, stretch, rows))
        assert isinstance(R, Labels)
        own = np.ones(rows) if R.weights is None else np.array(R.weights)
        own *= (self.class_weights / np.maximum(np.bincount(R.codes, own, R.groups), 1e-300))[R.codes]
        labels = Labels.sound(R.codes, own, R.groups)
        rows_of = self.terms.expand(X)
        return Problem(rows_of, labels, Terms(), self.intercept, self.origin, self.whole)
