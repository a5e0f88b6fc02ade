"""Densities of power-transformed columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, as_floats
from parzen.densities.columns import chosen, given_values, others
from parzen.densities.density import Density
from parzen.densities.power_transform import PowerTransform


@dataclass(frozen=True)
class TransformedDensity(Density):
    r"""K densities whose columns have another density once they are transformed: :math:`p(x) = q(t(x)) \, t'(x)`.

    Attributes
    ----------
    density : Density
        That of transformed rows.
    transform : PowerTransform
    """

    density: Density
    transform: PowerTransform

    @property
    def shape(self) -> tuple[int, int]:
        return self.density.shape

    @property
    def independent_columns(self) -> bool:
        return self.density.independent_columns

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        return self.density.log_density(self.transform.forward(X)) + self._log_slope(X)

    def compare(self, X: Any, out: Array) -> None:
        self.density.compare(self.transform.forward(as_floats(X, self.shape[1])), out)

    @property
    def keeps_rows(self) -> bool:
        return self.density.keeps_rows

    def leave_one_out(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        return self.density.leave_one_out(self.transform.forward(X)) + self._log_slope(X)

    def cdf(self, X: Any, upper: bool = False) -> Array:
        return self.density.cdf(self.transform.forward(as_floats(X, self.shape[1])), upper)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self.transform.inverse(self.density.sample(labels, rng))

    def marginal(self, columns: Sequence[int]) -> "TransformedDensity":
        own = chosen(self.shape[1], columns)
        return TransformedDensity(self.density.marginal(own), self.transform.select(own))

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "TransformedDensity":
        own, rest = chosen(self.shape[1], columns), others(self.shape[1], columns)
        known = self.transform.select(own).forward(given_values(values, len(own)))
        return TransformedDensity(self.density.conditional(own, known), self.transform.select(rest))

    def _log_slope(self, X: Array) -> Array:
        return self.transform.log_slope(X).sum(axis=1, keepdims=True)
