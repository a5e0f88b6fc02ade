"""What follows from a density's parameters alone: its shape, and marginals of independent columns."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from parzen.densities.columns import chosen, others
from parzen.densities.density import Density


class ParametricDensity(Density):
    """A dataclass of parameters, the first of which has shape (K, d)."""

    @property
    def shape(self) -> tuple[int, int]:
        K, d = getattr(self, next(iter(self.__dataclass_fields__))).shape  # type: ignore[attr-defined]
        return K, d


class IndependentColumns(ParametricDensity):
    """Densities of independent columns, whose arrays of parameters all have shape (K, d)."""

    @property
    def independent_columns(self) -> bool:
        return True

    def marginal(self, columns: Sequence[int]) -> Self:
        own = chosen(self.shape[1], columns)
        arrays = {name: value for name in _names(self) if isinstance(value := getattr(self, name), np.ndarray)}
        picked = {name: np.ascontiguousarray(value[:, own]) for name, value in arrays.items()}
        return replace(self, **picked)  # type: ignore[type-var]

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Self:
        return self.marginal(others(self.shape[1], columns, values))


def _names(density: Any) -> list[str]:
    return [field.name for field in fields(density)]
