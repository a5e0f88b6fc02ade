"""Quadratic models whose curvature is never formed: for many unknowns."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array
from parzen.compute.descent import descend_columns
from parzen.families.logistic.products import Products
from parzen.families.logistic.quadratic import Factor

#: Most columns of dense rows whose products are formed to speed up conjugate gradients.
FORMED = 1000
#: Where conjugate gradients end near the optimum.
SHARE = 3e-3


class Implicit:
    """The quadratic model of an objective near a point, known by its products with a direction.

    Parameters
    ----------
    products : of the design matrix
    point : array of shape (F, p + 1)
    l1, l2 : arrays of shape (p + 1,)
        Weights of absolute values and half squares.
    share : float
        Conjugate gradients end where one gains no more than this share of all that they have gained.
    """

    dear = False

    def __init__(self, products: Products, point: Array, l1: Array, l2: Array, share: float = SHARE) -> None:
        self.products, self.l1, self.l2, self.share = products, l1, l2, share
        self.shares = np.ascontiguousarray(products.probabilities(point))
        self.weights = products.weights

    def step(self, point: Array, slope: Array) -> tuple[Array, float]:
        """Nearly where the model is least, less the point, and how much lower it is there."""
        shape = (self.shares.shape[1], self.products.shape[1])
        point, slope = point.reshape(shape), slope.reshape(shape)
        step, gain = self._sparse(point, slope) if self.l1.any() else self._conjugate(slope)
        return step.ravel(), gain

    def _sparse(self, point: Array, slope: Array) -> tuple[Array, float]:
        """By coordinate descent, over coordinates that are not zero or not held there."""
        away = (point != 0.0) | (np.abs(slope) > self.l1)
        if not self.products.problem.intercept:
            away[:, -1] = False
        candidates = np.flatnonzero(away).astype(np.int64)
        start, slope = np.ascontiguousarray(point), np.ascontiguousarray(slope)
        near, gain, _ = descend_columns(
            self.products.csc, self.shares, self.weights, start, slope, self.l1, self.l2, candidates, 1e-2, 100
        )
        end = self._signed(near, slope + self._product(near - point))
        step = end - point
        cost = (self.l1 * (np.abs(end) - np.abs(point))).sum()
        better = -float((step * (slope + 0.5 * self._product(step))).sum() + cost)
        return (step, better) if better > gain else (near - point, gain)

    def _signed(self, end: Array, slope: Array) -> Array:
        """Nearer to the least where no coordinate changes its sign: correlated columns make coordinate descent slow."""
        signs = np.sign(end)
        free = (end != 0.0) | (self.l1 == 0.0)
        if not self.products.problem.intercept:
            free[:, -1] = False
        move, _ = self._conjugate(np.where(free, slope + self.l1 * signs, 0.0), free)
        crosses = (self.l1 > 0.0) & (np.sign(end + move) != signs) & free
        ways = np.where(crosses, np.abs(end) / np.where(crosses, np.abs(move), 1.0), np.inf)
        share = min(1.0, float(ways.min(initial=np.inf)))
        end = end + share * move
        end[ways <= share] = 0.0
        return end

    def _conjugate(self, slope: Array, free: NDArray[np.bool_] | None = None) -> tuple[Array, float]:
        """By preconditioned conjugate gradients, until they gain little more; among the free coordinates only."""
        left, step, gain = -slope, np.zeros_like(slope), 0.0
        better = self._preconditioned(left, free)
        way, size, more = better, float((left * better).sum()), np.inf
        for _ in range(500):
            if not size > 0.0 or not more > (self.share if free is None else SHARE) * gain:
                break
            bent = self._product(way)
            bent = bent if free is None else np.where(free, bent, 0.0)
            curve = float((way * bent).sum())
            if not curve > 0.0:
                break
            length = size / curve
            step += length * way
            left = left - length * bent
            more = 0.5 * length * size
            gain += more
            better = self._preconditioned(left, free)
            size, before = float((left * better).sum()), size
            way = better + (size / before) * way
        return step, gain

    def _product(self, way: Array) -> Array:
        if self.products.csr is not None and self.shares.shape[1] > 1:  # one class is as fast by SciPy's products
            return self.products.bent(self.shares, way) + self.l2 * way
        moved = self.products.times(way)
        moved -= (self.shares * moved).sum(axis=1, keepdims=True)
        return self.products.sums(self.weights[:, None] * self.shares * moved) + self.l2 * way

    def _preconditioned(self, left: Array, free: NDArray[np.bool_] | None) -> Array:
        if free is not None or self._factor is None:
            return left / self._diagonal
        return self._factor.solve(left.T).T / self._relative[:, None]

    @cached_property
    def _bends(self) -> Array:
        return self.weights[:, None] * self.shares * (1.0 - self.shares)

    @cached_property
    def _diagonal(self) -> Array:
        diagonal = self.products.squares(self._bends) + self.l2
        return np.where(diagonal > 0, diagonal, 1.0)

    @cached_property
    def _relative(self) -> Array:
        """Curvature of each class, relative to their mean."""
        sums = self._bends.sum(axis=0) + 1e-8 * self.weights.sum()
        return sums / sums.mean()

    @cached_property
    def _factor(self) -> Factor | None:
        """Of the mean curvature of the classes, as if none had to do with another."""
        if self.products.csr is not None or self.products.shape[1] > FORMED:
            return None
        return Factor(self.products.gram(self._bends.mean(axis=1)) + np.diag(self.l2))
