"""K affine functions of a row: the scores of a softmax."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from parzen.compute.arrays import Array, as_csr, as_floats, check_columns, is_sparse, room
from parzen.compute.device import is_device
from parzen.compute.softmax import linear
from parzen.compute.sparse import csr_product
from parzen.statistics.accumulate import EVALUATED


@dataclass(frozen=True)
class Linear:
    """Scores ``X @ coef.T + intercept``, of dense or CSR rows.

    A coefficient of minus infinity marks a count that is impossible.

    Attributes
    ----------
    coef : array of shape (K, d)
    intercept : array of shape (K,)
    skips_missing : bool
        Whether a missing cell adds nothing; if not, the scores of its row are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> Linear(np.array([[1.0, 2.0]]), np.array([0.5])).log_density(np.array([[1.0, 1.0]]))
    array([[3.5]])
    """

    coef: Array
    intercept: Array
    skips_missing: bool = False

    rows_at_once: ClassVar[int] = EVALUATED

    @property
    def shape(self) -> tuple[int, int]:
        """K and d."""
        K, d = self.coef.shape
        return K, d

    @cached_property
    def _table(self) -> Array:
        return np.ascontiguousarray(np.where(np.isneginf(self.coef), 0.0, self.coef).T)

    @cached_property
    def _never(self) -> Array | None:
        never = np.isneginf(self.coef)
        return np.ascontiguousarray(never.T.astype(np.float64)) if never.any() else None

    def log_density(self, X: Any) -> Array:
        """Scores of each row, (n, d) -> (n, K)."""
        out = room(X, (X.shape[0], len(self.coef)))
        self.write(X, out)
        return out

    def write(self, X: Any, out: Array) -> None:
        """Write the scores of a block of rows."""
        check_columns(X, self.shape[1])
        self._product(X, self._table, self.intercept, out)
        if self.skips_missing and not is_sparse(X) and _any_missing(out):
            X = as_floats(X)
            X = X.filled(0.0) if is_device(X) else np.nan_to_num(X, nan=0.0, posinf=np.inf, neginf=-np.inf)
            self._product(X, self._table, self.intercept, out)
        if self._never is not None:
            forbidden = room(X, (X.shape[0], len(self.coef)))
            self._product(X, self._never, np.zeros(len(self.coef)), forbidden)
            out[forbidden.above(0.0) if is_device(X) else forbidden > 0] = -np.inf

    compare = write

    def _product(self, X: Any, table: Array, offset: Array, out: Array) -> None:
        if is_sparse(X):
            csr_product(as_csr(X), table, out)
            out += offset
        else:
            linear(as_floats(X), table, np.ascontiguousarray(offset), out)


def _any_missing(out: Any) -> bool:
    return bool(out.missing() if is_device(out) else np.isnan(out).any())
