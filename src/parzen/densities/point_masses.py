"""Densities with point masses: a few values that have a probability of their own, and a density of the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.compute.steps import mass_lookup
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density


@dataclass(frozen=True)
class PointMassDensity(Density):
    r"""K densities of one column with point masses: :math:`p_i` at values :math:`a_i`, :math:`p_0 \, q(x)` elsewhere.

    They are densities with respect to Lebesgue's measure and a mass of `width` at each :math:`a_i`: as if a point mass
    were spread over so wide a box. In other units of the column all log-densities change alike.

    Attributes
    ----------
    at : array of shape (m,)
        Values with a probability of their own, rising.
    log_mass : array of shape (K, m + 1)
        Logarithms of the probabilities of these, and, last, of all other values together.
    rest : Density
        That of the other values.
    width : float
    """

    at: Array
    log_mass: Array
    rest: Density
    width: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.log_mass), 1

    @property
    def independent_columns(self) -> bool:
        return True

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, 1)
        return self._with_masses(X, np.array(self.rest.log_density(X), order="C"))

    def compare(self, X: Any, out: Array) -> None:
        X = as_floats(X, 1)
        self.rest.compare(X, out)
        self._with_masses(X, out)

    @property
    def keeps_rows(self) -> bool:
        return self.rest.keeps_rows

    def leave_one_out(self, X: Any) -> Array:
        X = as_floats(X, 1)
        return self._with_masses(X, np.array(self.rest.leave_one_out(X), order="C"))

    def _with_masses(self, X: Any, rest: Array) -> Array:
        """Log-densities, in the place of those of the other values."""
        mass_lookup(np.asarray(X[:, 0], dtype=np.float64), *self._masses, rest)
        return rest

    @cached_property
    def _masses(self) -> tuple[Array, Array]:
        """Values that have a mass, and logs of the masses as densities, (m + 1, K); the last is that of the rest."""
        masses = np.array(self.log_mass.T, order="C")
        masses[:-1] -= np.log(self.width)
        return np.ascontiguousarray(self.at, dtype=np.float64), masses

    def cdf(self, X: Any, upper: bool = False) -> Array:
        X = as_floats(X, 1)
        masses, none = np.exp(self.log_mass), np.zeros((len(self.log_mass), 1))
        atoms = masses[:, :-1]
        if upper:
            steps = np.concatenate([np.cumsum(atoms[:, ::-1], axis=1)[:, ::-1], none], axis=1)
        else:
            steps = np.concatenate([none, np.cumsum(atoms, axis=1)], axis=1)
        return steps.T[np.searchsorted(self.at, X[:, 0], side="right")] + masses[:, -1] * self.rest.cdf(X, upper)

    def expectation(self) -> Array:
        masses = np.exp(self.log_mass)
        return (masses[:, :-1] @ self.at)[:, None] + masses[:, -1:] * self.rest.expectation()

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        steps = np.cumsum(np.exp(self.log_mass), axis=1)[labels]
        atoms = (rng.random(len(labels))[:, None] * steps[:, -1:] >= steps[:, :-1]).sum(axis=1)
        rest = self.rest.sample(labels, rng)
        return np.where((atoms < len(self.at))[:, None], np.append(self.at, 0.0)[atoms][:, None], rest)

    def marginal(self, columns: Sequence[int]) -> "PointMassDensity":
        chosen(1, columns)
        return self

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "PointMassDensity":
        return self.marginal(others(1, columns, values))
