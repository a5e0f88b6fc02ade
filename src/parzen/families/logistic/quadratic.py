"""The least of a quadratic function and absolute values: one step of Newton's method."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotrs

from parzen.compute.arrays import Array
from parzen.compute.descent import descend

#: Ridges, relative to a diagonal of ones, that are tried in turn until a matrix has a factor.
RIDGES = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5)

#: Most times that all coordinates are looked at again; each time sweeps of coordinate descent, and coordinates stopped.
ROUNDS, SWEEPS, STOPS = 50, 100, 20


class Factor:
    """A factor of a matrix that need not be regular: scaled to a diagonal of ones, with a ridge where it needs one."""

    def __init__(self, matrix: Array) -> None:
        diagonal = np.diagonal(matrix)
        self.scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        scaled = matrix / self.scale / self.scale[:, None]
        empty = diagonal <= 0
        for ridge in RIDGES:
            scaled.ravel()[:: len(scaled) + 1] = np.where(empty, 1.0, 1.0 + ridge)
            self.lower, failed = dpotrf(scaled, lower=1)
            if not failed and (ridge > 0 or np.diagonal(self.lower).min() > 1e-7):
                return
        raise LinAlgError("the second derivatives are not finite")

    def solve(self, right: Array) -> Array:
        """What the matrix takes to the right side, (m,) or (m, several)."""
        solved: Array = dpotrs(self.lower, (right.T / self.scale).T, lower=1)[0]
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
        return self._sparse(point, slope)

    def _sparse(self, point: Array, slope: Array) -> tuple[Array, float]:
        """Coordinate descent tells which coordinates are zero; among the others the least is that of their signs."""
        end, now, gain = point, slope, 0.0
        for _ in range(ROUNDS):
            end, now, _ = descend(self.matrix, now, end, self.l1, 0.0, SWEEPS)
            free = (end != 0.0) | (self.l1 == 0.0)
            end = self._signed(end, now, free)
            step, before = end - point, gain
            now = slope + self.matrix @ step
            gain = -float(0.5 * (step @ (slope + now)) + self.l1 @ (np.abs(end) - np.abs(point)))
            held = (np.abs(now[~free]) <= self.l1[~free] * (1.0 + 1e-9)).all()
            if held or gain - before <= 1e-3 * gain:
                break
        return step, gain

    def _signed(self, end: Array, slope: Array, free: NDArray[np.bool_]) -> Array:
        """The least where coordinates keep their signs: those that would change them stop at zero, and leave `free`."""
        end, slope = end.copy(), slope.copy()
        for _ in range(STOPS):
            if not free.any():
                break
            signs, held = np.sign(end[free]), self.l1[free] > 0.0
            move = -Factor(self.matrix[np.ix_(free, free)]).solve(slope[free] + self.l1[free] * signs)
            crosses = held & (np.sign(end[free] + move) != signs)
            ways = np.where(crosses, np.abs(end[free]) / np.where(crosses, np.abs(move), 1.0), np.inf)
            share = min(1.0, float(ways.min()))
            step = np.zeros_like(end)
            step[free] = share * move
            end += step
            if not crosses.any():
                break
            stopped = np.flatnonzero(free)[ways <= share]
            end[stopped] = 0.0
            free[stopped] = False
            slope = slope + self.matrix @ step
        return end
