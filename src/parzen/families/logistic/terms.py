"""Linear and quadratic terms of a row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, as_csr, as_floats, is_sparse
from parzen.families.logistic.design import Design


@dataclass(frozen=True)
class Terms:
    """The terms that a model is linear in: the columns less a centre and, for degree 2, all their products.

    Attributes
    ----------
    degree : 1 or 2
    centre : array of shape (d,), or None where rows are taken as they are
    design : Design, or None where the columns are those of the rows
        Products of two levels of one column, and squares of zeros and ones, are no terms: they would be zero, or the
        column again.
    """

    degree: int = 1
    centre: Array | None = None
    design: Design | None = None

    def expand(self, X: Any) -> Any:
        """Terms of each row: x_1 ... x_d, then x_1 x_1, x_1 x_2, ... x_d x_d."""
        if self.design is not None:
            X = self.design.expand(X, dense=self.degree > 1)
        if is_sparse(X):
            X = as_csr(X)
            return X if X.dtype.kind == "f" else X.astype(np.float64)
        X = as_floats(X)
        if self.centre is not None:
            X = X - self.centre
        if self.degree == 1:
            return X
        X = X.astype(np.float64)  # products of float32 would lose digits
        i, j = self.pairs(X.shape[1])
        return np.concatenate([X, X[:, i] * X[:, j]], axis=1)

    @property
    def sparse(self) -> bool:
        """Whether the terms of dense rows are a sparse matrix."""
        return self.degree == 1 and self.design is not None and self.design.sparse

    def columns(self, d: int) -> int:
        """How many columns the design matrix of d columns has."""
        return d if self.design is None else self.design.width

    def width(self, d: int) -> int:
        """How many terms d columns have."""
        p = self.columns(d)
        return p if self.degree == 1 else p + len(self.pairs(p)[0])

    def pairs(self, p: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Columns of the design matrix whose products are terms."""
        i, j = np.triu_indices(p)
        if self.design is None or self.design.plain:
            return i, j
        numbers = np.isin(np.arange(p), self.design.places)
        origins = self.design.origins
        kept = (origins[i] != origins[j]) | (numbers[i] & numbers[j])
        return i[kept], j[kept]

    def names(self, columns: list[str]) -> list[str]:
        """What the terms are called, by the columns of the design matrix."""
        if self.degree == 1:
            return list(columns)
        i, j = self.pairs(len(columns))
        products = [f"{columns[a]}^2" if a == b else f"{columns[a]} {columns[b]}" for a, b in zip(i, j, strict=True)]
        return [*columns, *products]
