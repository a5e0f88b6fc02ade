"""Posterior probabilities that are a softmax of affine functions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, is_sparse
from parzen.densities.boundary import numeric_rows
from parzen.densities.linear import Linear
from parzen.densities.posterior import decide, posterior


@dataclass(frozen=True)
class Softmax:
    """Posterior probabilities proportional to exponentials of affine functions: a logistic regression, however fitted.

    Attributes
    ----------
    classes : array of shape (K,)
    centred_coef, centred_intercept, centre
        Coefficients (K, d) and intercepts (K,) of x - centre.
    names : tuple of str, optional
        Names of the columns, which a table must have.
    threshold : float, optional
        If given, x is 1 where a cell is above it and 0 elsewhere.
    """

    classes: NDArray[Any]
    centred_coef: Array
    centred_intercept: Array
    centre: Array
    names: tuple[str, ...] | None = None
    threshold: float | None = None

    @property
    def coef(self) -> Array:
        """Coefficients of the columns for each class, (K, d)."""
        return self.centred_coef

    @property
    def intercept(self) -> Array:
        """Intercepts (K,) of the functions of x itself."""
        return self.centred_intercept - self.centred_coef @ self.centre

    def predict_proba(self, X: Any) -> Array:
        """Posterior probability of each class, (n, K)."""
        return posterior(self._scores(X), self._offset(), self._rows(X), log=False)[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row, (n,)."""
        return self.classes[decide(self._scores(X), self._offset(), self._rows(X))[0]]

    def _rows(self, X: Any) -> Any:
        if is_sparse(X):
            return X if self.threshold is None else self.threshold < X
        return numeric_rows(X, self.names, self.threshold) - (self.centre if self.centre.any() else 0.0)

    def _scores(self, X: Any) -> Linear:
        zero = np.zeros(len(self.classes)) if not is_sparse(X) else -self.centred_coef @ self.centre
        return Linear(self.centred_coef, zero)

    def _offset(self) -> Array:
        return np.ascontiguousarray(self.centred_intercept)
