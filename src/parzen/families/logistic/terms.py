"""Linear and quadratic terms of a row."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parzen.compute.arrays import Array, as_csr, as_floats, is_sparse


@dataclass(frozen=True)
class Terms:
    """The terms that a model is linear in: the columns less a centre and, for degree 2, all their products.

    Attributes
    ----------
    degree : 1 or 2
    centre : array of shape (d,), or None where rows are taken as they are
    """

    degree: int = 1
    centre: Array | None = None

    def expand(self, X: Any) -> Any:
        """Terms of each row: x_1 ... x_d, then x_1 x_1, x_1 x_2, ... x_d x_d."""
        if is_sparse(X):
            X = as_csr(X)
            return X if X.dtype.kind == "f" else X.astype(np.float64)
        X = as_floats(X)
        if self.centre is not None:
            X = X - self.centre
        if self.degree == 1:
            return X
        X = X.astype(np.float64)  # products of float32 would lose digits
        i, j = np.triu_indices(X.shape[1])
        return np.concatenate([X, X[:, i] * X[:, j]], axis=1)

    def width(self, d: int) -> int:
        """How many terms d columns have."""
        return d if self.degree == 1 else d + d * (d + 1) // 2

    def names(self, columns: list[str]) -> list[str]:
        """What the terms are called."""
        if self.degree == 1:
            return list(columns)
        i, j = np.triu_indices(len(columns))
        products = [f"{columns[a]}^2" if a == b else f"{columns[a]} {columns[b]}" for a, b in zip(i, j, strict=True)]
        return [*columns, *products]
