"""What a logistic regression minimises: its loss and the penalty."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.device import is_device
from parzen.compute.softmax import linear, logit_run
from parzen.families.logistic.implicit import SHARE, Implicit
from parzen.families.logistic.penalty import Penalty
from parzen.families.logistic.problem import Problem
from parzen.families.logistic.products import Products
from parzen.families.logistic.quadratic import Quadratic
from parzen.families.logistic.terms import Terms

#: Most unknowns whose second derivatives are formed, and most of which they are whatever that takes.
FORMED, FEW = 1000, 300
#: Most unknowns for rows on a device, where second derivatives are always formed.
MOST = 4096
#: Products of two cells, by which second derivatives cost little more than a slope, and too much.
CHEAP, DEAR = 1_000_000, 1_000_000_000
#: Where conjugate gradients end far from the optimum.
FAR = 0.05
#: Rows that say little of a curvature have at most this share of the mean loss.
NEGLIGIBLE = 1e-3
#: Most unknowns of two classes for which Newton's method on few rows is one call.
RUN = 300


@dataclass(frozen=True)
class Reached:
    """A point on the way to the optimum, and what is known there.

    Attributes
    ----------
    point : array of shape (free, p + 1)
    value : the objective
    slope : derivatives of its smooth part, of the shape of the point
    gap : how far the value is above the least, at most or as far as a model tells
    steps : how many led here
    settled : whether this is near enough
    sharp : whether the last step left a small share only of what there was to gain, as steps to a finite optimum do
    model : of the objective near here or near an earlier point
    """

    point: Array
    value: float
    slope: Array
    gap: float = np.inf
    steps: int = 0
    settled: bool = False
    sharp: bool = False
    model: Quadratic | Implicit | None = None


@dataclass(frozen=True)
class Objective:
    """The loss of a problem plus a penalty."""

    products: Products
    penalty: Penalty

    @property
    def problem(self) -> Problem:
        return self.products.problem

    @cached_property
    def l1(self) -> Array:
        """Weights of absolute values of terms and intercept, (p + 1,)."""
        return np.append(np.full(self.problem.width, self.penalty.l1), self.penalty.intercept_l1)

    @cached_property
    def l2(self) -> Array:
        """Weights of half squares of terms and intercept, (p + 1,)."""
        return np.append(np.full(self.problem.width, self.penalty.l2), self.penalty.intercept_l2)

    def at(self, point: Array, near: Reached | None = None) -> Reached:
        """Value and slope at a point; and a model where that costs little, or near a point where one is wanted."""
        with np.errstate(over="ignore", invalid="ignore"):
            if near is None and not self._cheap:
                return self._reached(point, *self.problem.slopes(point))
            least = 0.0 if near is None else self._negligible(near)
            loss, slope, matrix = self.problem.curvature(point, least)
            return replace(self._reached(point, loss, slope), model=self._quadratic(matrix))

    def curved(self, here: Reached, exact: bool, before: float = 0.0) -> Reached:
        """The same point, with a model there; one that is not exact leaves out rows that say little.

        Where much was gained before, there is far to go, and a model that is not formed need not be exact.
        """
        if not self._formed:
            share = min(max(0.1 * before / max(here.value, 1e-300), SHARE), FAR)
            return replace(here, model=Implicit(self.products, here.point, self.l1, self.l2, share))
        matrix = self.problem.curvature(here.point, 0.0 if exact else self._negligible(here))[2]
        return replace(here, model=self._quadratic(matrix))

    @cached_property
    def runs(self) -> bool:
        """Whether Newton's method is one call: for two classes, few unknowns and a penalty that has a slope."""
        problem = self.problem
        few = problem.free == 1 and problem.size <= RUN
        compiled = problem.at_hand and not is_sparse(problem.X) and not is_device(problem.X)
        return few and compiled and self.penalty.smooth and problem.terms == Terms()

    def run(
        self, start: Array, most: int, enough: float = 0.0, relative: float = 0.0, rest: Array | None = None
    ) -> tuple[Reached, float] | None:
        """Where Newton's method comes to, and what its last step promised to gain.

        No more than enough is left to gain there, or than a share of the objective, or it took the most steps. A linear
        function may be added, by its slopes and its value at zero, for rows that are not here.
        """
        problem = self.problem
        found = logit_run(
            problem.terms.expand(problem.X),
            problem.labels,
            start.ravel(),
            self.l2,
            problem.origin,
            rest=rest,
            intercept=problem.intercept,
            negligible=self._share if enough else 0.0,
            enough=enough,
            relative=relative,
            done=1e-8 * problem.whole,
            most=most,
        )
        if found is None:
            return None
        steps, point, values, slope, matrix = found
        at, down = point.reshape(start.shape), slope.reshape(start.shape)
        return Reached(at, float(values[0]), down, steps=steps, model=self._quadratic(matrix)), 0.5 * float(values[1])

    def discriminant(self, start: Array) -> Array | None:
        """The first step, as long as serves best along it: for two classes the direction of a linear discriminant.

        Where classes are far apart Newton's steps lengthen their weights little by little. None for other problems.
        """
        problem = self.problem
        if problem.free > 1 or not self._formed or not self.penalty.smooth or start.any() or is_device(problem.X):
            return None
        _, slope, matrix = self.problem.curvature(start)
        step = self._quadratic(matrix).step(start.ravel(), slope.ravel())[0]
        along, rows = np.empty((len(problem.labels), 1)), problem.terms.expand(problem.X)
        linear(rows, np.ascontiguousarray(step[:-1, None]), np.zeros(1), along, problem.origin)
        l2 = np.append(self.penalty.l2 * (step[:-1] @ step[:-1]), self.penalty.intercept_l2)
        begin = np.append(1.0, step[-1])
        found = logit_run(along, problem.labels, begin, l2, intercept=problem.intercept, relative=1e-2)
        return None if found is None else np.append(found[1][0] * step[:-1], found[1][1]).reshape(start.shape)

    def _negligible(self, here: Reached) -> float:
        """What rows may say of the curvature near here without being heard."""
        return self._share * (here.value - self.cost(here.point))

    @cached_property
    def _share(self) -> float:
        """The same as a share of the loss: none without a penalty, where rows that are being separated say how."""
        problem = self.problem
        if not self.has_optimum:
            return 0.0
        return NEGLIGIBLE * float(problem.class_weights.min()) / problem.whole / len(problem.labels)

    @cached_property
    def dearness(self) -> float:
        """How many slopes second derivatives cost, about; infinitely many where they are not formed."""
        side, K = self.problem.width + 1, self.problem.labels.groups
        second = K * (K - 1) / 2 * side * (0.5 + 0.03 * side)  # nanoseconds for one row, as measured
        first = 8.0 + 0.33 * side if K == 2 else 10.0 + 0.25 * K * side
        return second / first if self._formed else np.inf

    @cached_property
    def _formed(self) -> bool:
        """Whether second derivatives are formed."""
        problem = self.problem
        if not problem.at_hand:
            return True
        if is_device(problem.X):
            if problem.size > MOST:
                raise problem.X.stays_there()
            return True
        if is_sparse(problem.X) or problem.size > FORMED:
            return False
        return problem.size <= FEW or problem.free == 1 or self._work <= DEAR

    @cached_property
    def _cheap(self) -> bool:
        """Whether second derivatives cost little more than a slope."""
        return self._formed and self._work <= CHEAP

    @property
    def _work(self) -> int:
        """Products of two cells that second derivatives take."""
        problem, K = self.problem, self.problem.labels.groups
        return len(problem.labels) * (K * (K - 1) // 2) * (problem.width + 1) ** 2

    def _reached(self, point: Array, loss: float, slope: Array) -> Reached:
        return Reached(point, loss + self.cost(point), slope + self.l2 * point)

    def _quadratic(self, matrix: Array) -> Quadratic:
        return Quadratic(self._regular(matrix), self._l1s)

    @cached_property
    def _l1s(self) -> Array:
        return np.tile(self.l1, self.problem.free)

    @cached_property
    def _l2s(self) -> Array:
        return np.tile(self.l2, self.problem.free)

    def _regular(self, matrix: Array) -> Array:
        """Second derivatives with those of the penalty.

        All classes alike may move together without a change of the loss; the slope is zero that way. Where no penalty
        speaks, a curvature of its own makes the matrix regular and changes no step.
        """
        free, side = self.problem.free, self.problem.width + 1
        matrix.ravel()[:: len(matrix) + 1] += self._l2s
        if free > 1:
            blocks = matrix.reshape(free, side, free, side)
            for j in self._unpenalised:
                block = blocks[:, j, :, j]
                block += block.trace() / free**2
        return matrix

    @cached_property
    def _unpenalised(self) -> NDArray[np.intp]:
        return np.flatnonzero((self.l1 == 0.0) & (self.l2 == 0.0))

    @cached_property
    def has_optimum(self) -> bool:
        """Whether it is certain that weights reach the least: those of separated classes need a penalty for it."""
        alone = np.count_nonzero(self.problem.class_weights) == 1
        return self.penalty != Penalty() and not (alone and self.problem.intercept and self.penalty.free_intercept)

    def is_settled(self, here: Reached, gap: float, tol: float) -> bool:
        """Whether a point is near enough: by the gap relative to its value, and by the slope of the mean objective."""
        return gap <= self.near_enough(here, tol) and self.steepness(here) <= tol

    def is_certain(self, here: Reached, tol: float) -> bool:
        """Whether no row is left in doubt at a point, not even the lightest."""
        least_told = self.problem.whole * (min(1.0, self.problem.lightest) if self.has_optimum else 1.0)
        return here.value <= 1e-4 * tol * least_told

    def near_enough(self, here: Reached, tol: float) -> float:
        """How far a value may be above the least.

        A step more than is asked for costs little, and starts from near and from far then end at the same weights.
        """
        return self.share_left(tol) * here.value

    def share_left(self, tol: float) -> float:
        """The same as a share of the value."""
        return min(0.01 * tol, 1e-6)

    def bound(self, here: Reached) -> float:
        """How far a value is above the least, at most: the duality gap (infinite without squares in the penalty).

        Any probabilities of the classes give a lower bound: their entropy, less what the penalty's conjugate makes of
        the terms' sums under them. Those of the point are taken, but where an intercept is free they must give each
        class its own weight: they are mixed with as little as is needed of probabilities that all rows share.
        """
        problem, penalty = self.problem, self.penalty
        if not penalty.l2 or (problem.intercept and penalty.intercept_l1 and not penalty.intercept_l2):
            return np.inf
        slope = here.slope - self.l2 * here.point  # of the loss
        least = here.value - self.cost(here.point) - float((slope * here.point).sum())
        if problem.intercept and penalty.free_intercept:
            excess = slope[:, -1] if problem.free > 1 else np.append(-slope[:, -1], slope[:, -1])
            expected = problem.class_weights + excess
            share = float((excess / expected).max(initial=0.0))
            if share > 0:
                common = np.maximum(expected - excess / share, 0.0) / problem.whole
                sums = np.outer(common, problem.sums) - problem.class_sums
                slope = (1.0 - share) * slope[:, :-1] + share * sums[-problem.free :]
                least = (1.0 - share) * least - share * problem.whole * float(xlogy(common, common).sum())
            slope = np.concatenate([slope[:, : problem.width], np.zeros((problem.free, 1))], axis=1)
        beyond = np.maximum(np.abs(slope) - self.l1, 0.0)
        least -= float((beyond**2 / np.where(self.l2 > 0, 2.0 * self.l2, 1.0)).sum())
        return max(here.value - least, 0.0)

    def steepness(self, here: Reached) -> float:
        """The largest derivative of the mean objective by a coordinate; where it has several, the smallest of them."""
        away = np.abs(here.slope + self.l1 * np.sign(here.point))
        held = np.maximum(np.abs(here.slope) - self.l1, 0.0)
        return float(np.where(here.point == 0.0, held, away).max()) / self.problem.whole

    def cost(self, point: Array) -> float:
        """The penalty at a point."""
        return self.penalty.value(point[:, :-1], point[:, -1])
