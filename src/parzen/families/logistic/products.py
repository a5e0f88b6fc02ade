"""Products with the design matrix, for curvatures that are too large to be formed."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from parzen.compute.arrays import Array, is_sparse
from parzen.compute.softmax import softmax_product
from parzen.families.logistic.problem import KEPT, Problem
from parzen.statistics.accumulate import map_blocks

#: Rows of a block of products.
ROWS = 8192


class Products:
    """The design matrix of a problem, with a column of ones for the intercept; of zeros where there is none."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.shape = problem, (len(problem.labels), problem.width + 1)

    @cached_property
    def csr(self) -> Any:
        """Sparse rows in float64; None for dense ones."""
        return sparse.csr_matrix(self.problem.X, dtype=np.float64) if is_sparse(self.problem.X) else None

    @cached_property
    def csc(self) -> Any:
        """All columns but the last in sparse form."""
        if self.csr is not None:
            return self.csr.tocsc()
        rows = np.concatenate([block[:, :-1] for _, block in self._blocks()])
        (n, p), data = rows.shape, np.ascontiguousarray(rows.T).ravel()
        places = np.tile(np.arange(n, dtype=np.int32), p)
        return sparse.csc_matrix((data, places, n * np.arange(p + 1)), shape=(n, p), copy=False)

    @cached_property
    def weights(self) -> Array:
        """Of the rows."""
        weights = self.problem.labels.weights
        return np.ones(self.shape[0]) if weights is None else weights

    def times(self, point: Array) -> Array:
        """Scores of the rows at a point (F, p + 1), of shape (n, F)."""
        if self.csr is not None:
            return np.asarray(self.csr @ point[:, :-1].T) + self._one * point[:, -1]
        return np.concatenate([block @ point.T for _, block in self._blocks()])

    def sums(self, values: Array) -> Array:
        """Sums of values (n, F) times the columns, of shape (F, p + 1)."""
        if self.csr is not None:
            return np.column_stack([(self.csr.T @ values).T, self._one * values.sum(axis=0)])
        return sum(values[begin : begin + len(block)].T @ block for begin, block in self._blocks())  # type: ignore[return-value]

    def bent(self, shares: Array, way: Array) -> Array:
        """Second derivatives of the loss of sparse rows at probabilities (n, F) times a direction (F, p + 1)."""
        table = np.ascontiguousarray(way.T)
        table[-1] *= self._one

        def part(begin: int, rows: Any) -> Array:
            own = slice(begin, begin + rows.shape[0])
            return softmax_product(rows, shares[own], self.weights[own], table)

        total: Array = sum(map_blocks(part, self.csr, shares.shape[1]))
        total[-1] *= self._one
        return total.T

    def squares(self, values: Array) -> Array:
        """Sums of values (n, F) times the squares of the columns, of shape (F, p + 1)."""
        if self.csr is not None:
            return np.column_stack([(self._squared.T @ values).T, self._one * values.sum(axis=0)])
        return sum(values[begin : begin + len(block)].T @ block**2 for begin, block in self._blocks())  # type: ignore[return-value]

    def gram(self, values: Array) -> Array:
        """Sum of values (n,) times the products of two columns, of shape (p + 1, p + 1), of dense rows."""
        total = np.zeros((self.shape[1], self.shape[1]))
        for begin, block in self._blocks():
            total += block.T @ (values[begin : begin + len(block), None] * block)
        return total

    def probabilities(self, point: Array) -> Array:
        """Of the classes whose weights are free, (n, F)."""
        scores = self.times(point)
        if scores.shape[1] == 1:
            return np.asarray(expit(scores))
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    @property
    def _one(self) -> float:
        return 1.0 if self.problem.intercept else 0.0

    @cached_property
    def _squared(self) -> Any:
        out = self.csr.copy()
        out.data **= 2
        return out

    @cached_property
    def _kept(self) -> list[tuple[int, Array]]:
        return list(self._made())

    def _blocks(self) -> Iterator[tuple[int, Array]]:
        """Blocks of dense rows, each with its first row's number; kept where all of them fit into memory."""
        return iter(self._kept) if self.shape[0] * self.shape[1] <= KEPT else self._made()

    def _made(self) -> Iterator[tuple[int, Array]]:
        problem = self.problem
        for begin in range(0, self.shape[0], ROWS):
            rows = problem.terms.expand(problem.X[begin : begin + ROWS])
            block = np.full((len(rows), self.shape[1]), self._one)
            np.subtract(rows, problem.origin, out=block[:, :-1], casting="unsafe")
            yield begin, block
