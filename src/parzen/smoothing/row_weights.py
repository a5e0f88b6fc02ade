"""What weights of rows mean: whole numbers count rows, other weights say how much a row matters."""

from functools import cached_property

import numpy as np

from parzen.compute.arrays import Array


def counts_rows(weights: Array | None) -> bool:
    """Whether all weights are whole numbers, which count rows; beyond 2^53 every number is whole, and none counts."""
    return weights is None or bool((weights == np.floor(weights)).all() and weights.max(initial=0.0) <= 2.0**53)


def effective_rows(weights: Array | None, n: int) -> float:
    """Effective number of n rows: the sum of weights that count rows, else Kish's (sum w)^2 / sum w^2."""
    if weights is None:
        return float(n)
    if counts_rows(weights):
        return float(weights.sum())
    share = weights / weights.max()  # squares of weights as they came may be too large or too small to be numbers
    return float(share.sum() ** 2 / (share**2).sum())


def without_each(w: Array) -> tuple[Array, Array]:
    """Weights for leave-one-out sums: what remains of each row's own weight, and of the sum of all weights.

    A weight that counts rows loses one of them; any other is left out as a whole.
    """
    left = w - 1.0 if counts_rows(w) else np.zeros(len(w))
    return left, w.sum() - (w - left)


class WeightedPoints:
    """Points with optional weights."""

    points: Array
    weights: Array | None

    @cached_property
    def w(self) -> Array:
        """Weights, one for each point."""
        return np.ones(len(self.points)) if self.weights is None else self.weights

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(len(self.points)) if self.weights is None else float(self.weights.sum())


class Weighted:
    """Rows X with optional weights."""

    X: Array
    weights: Array | None

    @cached_property
    def w(self) -> Array:
        """Weights, one for each row."""
        return np.ones(len(self.X)) if self.weights is None else self.weights

    @cached_property
    def effective(self) -> float:
        """Effective number of rows."""
        return effective_rows(self.weights, len(self.X))
