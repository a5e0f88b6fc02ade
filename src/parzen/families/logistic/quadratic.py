"""The least of a quadratic function and absolute values: one step of Newton's method."""

from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from parzen.compute.arrays import Array
from parzen.compute.descent import descend

#: Ridges, relative to a diagonal of ones, that are tried in turn until a matrix has a factor.
RIDGES = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5)


class Factor:
    """A factor of a matrix that need not be regular: scaled to a diagonal of ones, with a ridge where it needs one."""

    def __init__(self, matrix: Array) -> None:
        self.scale = np.sqrt(np.where(np.diagonal(matrix) > 0, np.diagonal(matrix), 1.0))
        scaled = matrix / self.scale / self.scale[:, None]
        empty = np.diagonal(scaled) <= 0
        for ridge in RIDGES:
            np.fill_diagonal(scaled, np.where(empty, 1.0, 1.0 + ridge))
            try:
                self.lower = cho_factor(scaled, lower=True, check_finite=False)
            except LinAlgError:
                continue
            if ridge > 0 or np.diagonal(self.lower[0]).min() > 1e-7:
                return
        raise LinAlgError("the second derivatives are not finite")

    def solve(self, right: Array) -> Array:
        """What the matrix takes to the right side, (m,) or (m, several)."""
        solved: Array = cho_solve(self.lower, (right.T / self.scale).T, check_finite=False)
        return (solved.T / self.scale).T


class Quadratic:
    """The quadratic model of an objective near a point: its curvature, and what it gains by the best step.

    Parameters
    ----------
    matrix : array of shape (m, m)
        Second derivatives of the smooth part.
    l1 : array of shape (m,)
        Weights of the absolute values of the coordinates.
    """

    dear = True

    def __init__(self, matrix: Array, l1: Array) -> None:
        self.matrix, self.l1 = matrix, np.ascontiguousarray(l1)

    @cached_property
    def factor(self) -> Factor:
        return Factor(self.matrix)

    def step(self, point: Array, slope: Array) -> tuple[Array, float]:
        """Where the model is least, less the point, and how much lower it is there."""
        if not self.l1.any():
            step = -self.factor.solve(slope)
            return step, -0.5 * float(slope @ step)
        end = self._sparse(point, slope)
        step = end - point
        gain = slope @ step + 0.5 * step @ self.matrix @ step + (self.l1 * (np.abs(end) - np.abs(point))).sum()
        return step, -float(gain)

    def _sparse(self, point: Array, slope: Array) -> Array:
        """Coordinate descent finds which coordinates are zero; among the others the step is Newton's."""
        end, now, small = point, slope, 1e-3
        for _ in range(20):
            end, now, _ = descend(self.matrix, now, end, self.l1, small, 50)
            small *= 0.1
            free = (end != 0.0) | (self.l1 == 0.0)
            if not free.any():
                return end
            signs = np.sign(end[free])
            among = self.matrix[np.ix_(free, free)]
            move = -Factor(among).solve(now[free] + self.l1[free] * signs)
            kept = (np.sign(end[free] + move) == signs) | (self.l1[free] == 0.0)
            share = 1.0
            if not kept.all():  # up to where the first coordinate would change its sign
                share = float((np.abs(end[free]) / np.where(kept, np.inf, np.abs(move))).min(initial=1.0))
            before, end = end, end.copy()
            end[free] += share * move
            if share < 1.0:
                continue_at = np.flatnonzero(free)[~kept]
                end[continue_at[np.argmin(np.abs(before[continue_at] / move[~kept]))]] = 0.0
            now = now + self.matrix @ (end - before)
            if kept.all() and (np.abs(now[~free]) <= self.l1[~free] * (1.0 + 1e-9)).all():
                return end
        return end
