"""Rows of a conditional density: given columns and values, of numbers and of categories."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from parzen.compute.arrays import Array
from parzen.smoothing.categories import Category
from parzen.smoothing.kernel_functions import KERNEL_FUNCTIONS
from parzen.smoothing.local import LocalSum
from parzen.smoothing.regression import Codes
from parzen.smoothing.row_weights import Weighted

GAUSSIAN = KERNEL_FUNCTIONS["gaussian"]


@dataclass(frozen=True, eq=False)
class Pairs(Weighted):
    """Rows of given columns and of values, before a bandwidth is chosen.

    Attributes
    ----------
    X, codes, kinds : columns of numbers (n, d) and of categories (n, e) that are given
    Y, labels, sorts : the same of the values: (n, p) and (n, q)
    weights : array of shape (n,), or None where all are one
    """

    X: Array
    codes: Codes
    kinds: tuple[Category, ...]
    Y: Array
    labels: Codes
    sorts: tuple[Category, ...]
    weights: Array | None = None

    @cached_property
    def columns(self) -> Array:
        """All columns of numbers, given ones first."""
        return np.column_stack([self.X, self.Y])

    @property
    def all_kinds(self) -> tuple[Category, ...]:
        """All columns of categories, given ones first."""
        return self.kinds + self.sorts

    def sums(self, bandwidth: Array, rtol: float) -> tuple[LocalSum, LocalSum, Array, list[Array]]:
        """Local sums over the given columns and over all of them, and the kernels of the values.

        These are the bandwidths of the values that are numbers, and the tables of those that are categories.
        """
        d, p, e = self.X.shape[1], self.Y.shape[1], len(self.kinds)
        numbers, lambdas = bandwidth[: d + p], bandwidth[d + p :]
        tables = [kind.table(float(one)) for kind, one in zip(self.kinds, lambdas[:e], strict=True)]
        shares = [
            _with_unseen(sort.probabilities(float(one))) for sort, one in zip(self.sorts, lambdas[e:], strict=True)
        ]
        given = _sums(self.X, self.codes, numbers[:d], tables, self.weights, self.Y, rtol)
        both = joined_codes(self.codes, self.labels)
        joint = _sums(self.columns, both, numbers, [*tables, *shares], self.weights, self.Y[:, :0], rtol, e)
        return given, joint, numbers[d:], shares


def joined_codes(codes: Codes, labels: Codes) -> Codes:
    """Codes of two groups of columns side by side; None where there are no columns."""
    parts = [part for part in (codes, labels) if part is not None]
    return np.ascontiguousarray(np.concatenate(parts, axis=1)) if parts else None


def _sums(
    X: Array,
    codes: Codes,
    h: Array,
    tables: list[Array],
    weights: Array | None,
    values: Array,
    rtol: float,
    given: int | None = None,
) -> LocalSum:
    """Local sums by Gaussian kernels; a column of zeros where there are no columns of numbers."""
    if not X.shape[1]:
        X, h = np.zeros((len(X), 1)), np.ones(1)
    return LocalSum(GAUSSIAN, np.ascontiguousarray(X), values, weights, h, codes, tables, rtol, given)


def _with_unseen(shares: Array) -> Array:
    """Probabilities with one more row, of a category that no row has."""
    return np.vstack([shares, np.zeros(shares.shape[1])])
