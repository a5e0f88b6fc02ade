"""Densities of symbols: Bernoulli and categorical columns, which stand alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array, ColumnError, as_csr, as_floats, canonical, is_sparse
from parzen.compute.codes import as_codes, lookup
from parzen.compute.sparse import bits
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density
from parzen.densities.linear import Linear


@dataclass(frozen=True)
class CategoricalDensity(Density):
    """K products of categorical columns over codes.

    Attributes
    ----------
    log_probability : array of shape (K, sum(sizes))
    sizes : tuple of int
        Slots of each column; they follow one another in `log_probability`.
    open_ended : bool
        Whether each column's last slot is the probability of any category beyond its alphabet. If not, a code beyond
        the alphabet is an error.
    """

    log_probability: Array
    sizes: tuple[int, ...]
    open_ended: bool

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.log_probability), len(self.sizes)

    @cached_property
    def _table(self) -> Array:
        return np.ascontiguousarray(self.log_probability.T)

    def columns(self) -> list[Array]:
        """Log-probabilities of each column, arrays of shape (K, size)."""
        return np.split(self.log_probability, np.cumsum(self.sizes)[:-1], axis=1)

    @property
    def independent_columns(self) -> bool:
        return True

    def log_density(self, X: Any) -> Array:
        return lookup(as_codes(X, self.shape[1]), self._table, self.sizes, self.open_ended)

    def write(self, X: Any, out: Array) -> None:
        lookup(as_codes(X, self.shape[1]), self._table, self.sizes, self.open_ended, out)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        out = np.empty((len(labels), len(self.sizes)))
        for j, column in enumerate(self.columns()):
            known = column[:, :-1] if self.open_ended else column  # nobody can name what was never met
            cumulative = np.exp(known).cumsum(axis=1)
            draws = rng.random(len(labels)) * cumulative[labels, -1]
            for k in np.unique(labels):
                rows = labels == k
                out[rows, j] = np.minimum(np.searchsorted(cumulative[k], draws[rows], side="right"), known.shape[1] - 1)
        return out

    def marginal(self, columns: Sequence[int]) -> "CategoricalDensity":
        parts, own = self.columns(), chosen(len(self.sizes), columns)
        logs = np.concatenate([parts[j] for j in own], axis=1)
        return CategoricalDensity(logs, tuple(self.sizes[j] for j in own), self.open_ended)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "CategoricalDensity":
        return self.marginal(others(len(self.sizes), columns, values))


@dataclass(frozen=True)
class BernoulliDensity(Density):
    """K products of columns that are 0 or 1.

    Attributes
    ----------
    log_failure, log_success : arrays of shape (K, d)
        Both kept: the smaller of the two would drown in one minus the larger.
    threshold : float, optional
        Cells above it are ones, others zeros; without it cells are 0 and 1 already.
    """

    log_failure: Array
    log_success: Array
    threshold: float | None = None

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.log_success.shape
        return K, d

    @property
    def probability(self) -> Array:
        """Probability of a one, (K, d)."""
        return np.exp(self.log_success)

    @cached_property
    def _table(self) -> Array:
        return np.ascontiguousarray(
            np.stack([self.log_failure, self.log_success], axis=2).reshape(len(self.log_success), -1).T
        )

    @property
    def independent_columns(self) -> bool:
        return True

    def log_density(self, X: Any) -> Array:
        if is_sparse(X):
            return self._log_density_csr(bits_in_csr(as_csr(X, self.shape[1]), self.threshold))
        return lookup(as_bits(X, self.shape[1], self.threshold), self._table, (2,) * X.shape[1], open_ended=False)

    def write(self, X: Any, out: Array) -> None:
        if is_sparse(X):
            out[...] = self.log_density(X)
        else:
            bits = as_bits(X, self.shape[1], self.threshold)
            lookup(bits, self._table, (2,) * X.shape[1], open_ended=False, out=out)

    @cached_property
    def _linear(self) -> tuple[Linear, Linear | None]:
        """Scores relative to a row of zeros; and how many of the columns that can't be zero are ones, if there are any.

        Where a zero or a one is impossible, its count decides, not infinite odds.
        """
        sure = np.isneginf(self.log_failure)
        failure = np.where(sure, 0.0, self.log_failure)
        with np.errstate(invalid="ignore"):
            odds = np.where(sure, 0.0, self.log_success - failure)
        scores = Linear(odds, failure.sum(axis=1))
        return scores, Linear(sure.astype(np.float64), -sure.sum(axis=1).astype(np.float64)) if sure.any() else None

    def _log_density_csr(self, X: Any) -> Array:
        scores, ones = self._linear
        values = scores.log_density(X)
        return values if ones is None else np.where(ones.log_density(X) < 0, -np.inf, values)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        ones = rng.random((len(labels), self.shape[1])) < self.probability[labels]
        low, high = (0.0, 1.0) if self.threshold is None else (min(0.0, self.threshold), max(1.0, self.threshold + 1.0))
        return np.where(ones, high, low)

    def marginal(self, columns: Sequence[int]) -> "BernoulliDensity":
        own = chosen(self.shape[1], columns)
        return BernoulliDensity(self.log_failure[:, own], self.log_success[:, own], self.threshold)

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "BernoulliDensity":
        return self.marginal(others(self.shape[1], columns, values))


BITS = "Bernoulli needs cells that are 0, 1 or NaN, but column {{column}} holds {value:g}; binarise it: X > threshold."


def as_bits(X: Any, d: int | None = None, threshold: float | None = None) -> NDArray[Any]:
    """Codes of columns that are 0 or 1 (NaN where missing), or an error that names the column of another cell."""
    if threshold is not None:
        return _above(as_floats(X, d), threshold)
    codes = as_codes(X, d)
    if codes.dtype != np.uint8 or codes.max(initial=0) > 1:
        wrong = (codes != 0) & (codes != 1) & (codes == codes)
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise ColumnError(BITS.format(value=codes[row, column]), int(column))
    return codes


def _above(X: NDArray[np.floating], threshold: float) -> NDArray[Any]:
    bits, finite = threshold < X, np.isfinite(X)
    if finite.all():
        return bits.view(np.uint8)
    if np.isinf(X).any():
        row, column = np.argwhere(np.isinf(X))[0]
        raise ColumnError(BITS.format(value=X[row, column]), int(column))
    return np.where(finite, bits, np.nan).astype(np.float32)


def bits_in_csr(X: Any, threshold: float | None = None) -> Any:
    """Sparse rows of zeros and ones, or an error that names the column of another cell."""
    X = canonical(X)
    if threshold is not None and threshold < 0:
        raise ValueError(f"threshold is {threshold:g}, but the cells that a sparse matrix leaves out are 0, above it.")
    ones, odd = bits(X.data, threshold or 0.0)
    if odd or (threshold is None and not ((X.data == 0) | (X.data == 1)).all()):
        sound = (X.data == 0) | (X.data == 1) if threshold is None else np.isfinite(X.data)
        wrong = np.flatnonzero(~sound)
        raise ColumnError(BITS.format(value=X.data[wrong[0]]), int(X.indices[wrong[0]]))
    part = type(X)(X.shape, dtype=np.uint8)
    part.data, part.indices, part.indptr = ones, X.indices, X.indptr
    return part
