"""Quasi-Newton corrections of a quadratic model that was made elsewhere: L-BFGS that begins from its curvature."""

from dataclasses import dataclass, field

import numpy as np

from parzen.compute.arrays import Array
from parzen.families.logistic.implicit import Implicit
from parzen.families.logistic.quadratic import Quadratic

#: Most steps that are remembered.
MEMORY = 20


@dataclass
class Secants:
    """A model of an objective, and what steps with it have shown of its curvature since it was made.

    Attributes
    ----------
    model : of the objective near here or near an earlier point
    pairs : the last steps, each with the change of the slope and one over the product of both
    """

    model: Quadratic | Implicit
    pairs: list[tuple[Array, Array, float]] = field(default_factory=list)

    def learn(self, step: Array, change: Array) -> None:
        """Take note of a step and of the change of the slope along it; of a smooth objective."""
        bend = float(step @ change)
        if bend > 1e-10 * float(np.sqrt((step @ step) * (change @ change))):
            self.pairs = [*self.pairs[1 - MEMORY :], (step, change, 1.0 / bend)]

    def step(self, point: Array, slope: Array) -> tuple[Array, float]:
        """Where the model is least, less the point, and how much lower it is there (Nocedal and Wright 2006, 7.4)."""
        if not self.pairs:
            return self.model.step(point, slope)
        left, shares = slope.copy(), []
        for step, change, inverse in reversed(self.pairs):
            shares.append(inverse * float(step @ left))
            left -= shares[-1] * change
        found = self.model.step(point, left)[0]
        for (step, change, inverse), share in zip(self.pairs, reversed(shares), strict=True):
            found -= (share + inverse * float(change @ found)) * step
        return found, -0.5 * float(slope @ found)
