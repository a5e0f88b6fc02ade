"""Densities of counts: Poisson and negative binomial columns, multinomial and Dirichlet-multinomial rows.

Probabilities of counts are computed from deviances (Loader 2000), so that counts of 1e15 keep their digits.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln

from parzen.family import Density, others
from parzen.kernels.arrays import Array, as_csr, as_floats, is_sparse
from parzen.kernels.codes import lookup
from parzen.kernels.sparse import csr_product

HALF_LOG_TWO_PI = 0.5 * float(np.log(2 * np.pi))
#: Blocks whose counts all lie below this are answered from a table of log-probabilities.
TABLE = 1024


def stirling_error(x: Any) -> Array:
    """Log x! minus Stirling's formula, for x > 0."""
    x = np.asarray(x, dtype=np.float64)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / x**2) / x**2) / x**2) / x
    with np.errstate(over="ignore", invalid="ignore"):
        direct = gammaln(x + 1.0) - (x + 0.5) * np.log(x) + x - HALF_LOG_TWO_PI
    return np.where(x > 15, series, direct)


def deviance(x: Any, mean: Any) -> Array:
    """X log(x / mean) + mean - x without cancellation, for x >= 0 and mean > 0."""
    x, mean = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(mean, dtype=np.float64))
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = np.where(x == 0, mean, x * np.log(x / mean) + mean - x)
    v = (x - mean) / (x + mean)
    # x log((1 + v) / (1 - v)) = 2 x (v + v^3/3 + ...), and mean - x = -v (x + mean).
    terms = sum(v ** (2 * i + 1) / (2 * i + 1) for i in range(1, 9))
    close = (x - mean) * v + 2 * x * terms
    return np.where(np.abs(v) < 0.1, close, plain)


class _CountColumns(Density):
    """Columns of counts that stand alone: what follows from the log-probability of a count in each."""

    @abstractmethod
    def log_probability(self, x: Array) -> Array:
        """Log-probability of counts x, broadcast against (K, d)."""

    def log_density(self, X: Any) -> Array:
        X = as_floats(X)
        with np.errstate(invalid="ignore"):
            valid = np.isnan(X) | ((X >= 0) & (np.floor(X) == X))
            largest = np.fmax.reduce(X, axis=None, initial=0.0)
        X = np.where(valid, X, 0.0).astype(np.float64, copy=False)
        out = self._tabulated(X, int(largest) + 1) if largest < min(TABLE, len(X)) else self._direct(X)
        out[~valid.all(axis=1)] = -np.inf
        return out

    def _tabulated(self, X: Array, size: int) -> Array:
        K, d = self.shape
        table = self.log_probability(np.arange(size, dtype=np.float64)[:, None, None])
        slots = np.ascontiguousarray(table.transpose(2, 0, 1).reshape(d * size, K))
        return lookup(X, slots, (size,) * d, open_ended=False)

    def _direct(self, X: Array) -> Array:
        missing = np.isnan(X)
        cells = self.log_probability(np.where(missing, 0.0, X)[:, None, :])
        return np.where(missing[:, None, :], 0.0, cells).sum(axis=2)

    def marginal(self, columns: Sequence[int]) -> Self:
        return type(self)(*(getattr(self, field.name)[:, list(columns)] for field in fields(self)))  # type: ignore[arg-type]

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Self:
        return self.marginal(others(self.shape[1], columns))


@dataclass(frozen=True)
class PoissonDensity(_CountColumns):
    """K products of Poisson columns.

    Attributes
    ----------
    rate : array of shape (K, d)
    """

    rate: Array

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.rate.shape
        return K, d

    def log_probability(self, x: Array) -> Array:
        positive = np.where(x > 0, x, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = (
                -deviance(positive, self.rate) - stirling_error(positive) - 0.5 * np.log(positive) - HALF_LOG_TWO_PI
            )
        values = np.where(self.rate == 0, -np.inf, values)
        return np.where(x > 0, values, -self.rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return rng.poisson(self.rate[labels]).astype(np.float64)


@dataclass(frozen=True)
class NegativeBinomialDensity(_CountColumns):
    """K products of Poisson columns whose rates have Gamma distributions.

    Attributes
    ----------
    concentration, rate : arrays of shape (K, d)
        Shape and rate of the Gamma.
    """

    concentration: Array
    rate: Array

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.rate.shape
        return K, d

    def log_probability(self, x: Array) -> Array:
        # r / (r + x) times a binomial probability of x among r + x trials, by deviances as in Loader's dbinom.
        r, q = self.concentration, 1.0 / (1.0 + self.rate)
        p = self.rate / (1.0 + self.rate)
        zero = -r * np.log1p(1.0 / self.rate)
        positive = np.where(x > 0, x, 1.0)
        trials = positive + r
        error = stirling_error(trials) - stirling_error(positive) - stirling_error(r)
        spread = deviance(positive, trials * q) + deviance(r, trials * p)
        values = error - spread + 0.5 * (np.log(r) - np.log(positive) - np.log(trials)) - HALF_LOG_TWO_PI
        return np.where(x > 0, values, zero)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return rng.poisson(rng.gamma(self.concentration[labels], 1.0 / self.rate[labels])).astype(np.float64)


class _CountRows(Density):
    """Rows of counts with a given total: what multinomial and Dirichlet-multinomial share."""

    def log_density(self, X: Any) -> Array:
        # Only cells that are not zero matter, in dense rows too.
        X = as_csr(X) if is_sparse(X) else csr_array(as_floats(X))
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        totals: Array = np.bincount(row, weights=X.data, minlength=X.shape[0]).astype(np.float64)
        ways = gammaln(totals + 1.0) - np.bincount(row, weights=gammaln(X.data + 1.0), minlength=X.shape[0])
        values = ways[:, None] + self._log_orders(X, row, totals)
        impossible = np.bincount(row, weights=~(X.data >= 0), minlength=X.shape[0]) > 0
        values[impossible] = -np.inf
        return values

    @abstractmethod
    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        """Log-probability of one order in which a row's counts may have come, (n, K)."""

    def _draw(self, probability: Array, length: Array, rng: np.random.Generator) -> Array:
        return rng.multinomial(np.maximum(np.rint(length), 1).astype(np.int64), probability).astype(np.float64)

    def marginal(self, columns: Sequence[int]) -> Density:
        raise TypeError("counts of some categories are not multinomial without the rest; sum the rest into one column.")

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Density:
        raise TypeError("a multinomial row given some of its counts needs its total, which this density doesn't know.")


@dataclass(frozen=True)
class MultinomialDensity(_CountRows):
    """K multinomials over rows of counts, each row given its total.

    Attributes
    ----------
    log_probability : array of shape (K, d)
    length : array of shape (K,)
        Total of a row that is sampled.
    """

    log_probability: Array
    length: Array

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.log_probability.shape
        return K, d

    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        never = np.isneginf(self.log_probability)
        values = csr_product(X, np.ascontiguousarray(np.where(never, 0.0, self.log_probability).T))
        if never.any():
            values[csr_product(X, np.ascontiguousarray(never.T.astype(np.float64))) > 0] = -np.inf
        return values

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        probability = np.exp(self.log_probability)
        return self._draw((probability / probability.sum(axis=1, keepdims=True))[labels], self.length[labels], rng)


@dataclass(frozen=True)
class DirichletMultinomialDensity(_CountRows):
    """K multinomials whose probabilities have Dirichlet distributions: the predictive of a row of counts.

    Attributes
    ----------
    concentration : array of shape (K, d)
    length : array of shape (K,)
        Total of a row that is sampled.
    """

    concentration: Array
    length: Array

    @property
    def shape(self) -> tuple[int, int]:
        K, d = self.concentration.shape
        return K, d

    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        whole = self.concentration.sum(axis=1)
        values = gammaln(whole) - gammaln(totals[:, None] + whole)
        # Gamma(a + x) / Gamma(a) is a for x = 1, which most cells of a text are: a product instead of gammas.
        ones = csr_array((np.where(X.data == 1, 1.0, 0.0), X.indices, X.indptr), shape=X.shape)
        values += csr_product(ones, np.ascontiguousarray(np.log(self.concentration).T))
        more = np.flatnonzero((X.data != 1) & (X.data > 0))
        if len(more):
            for k, concentration in enumerate(self.concentration):
                a = concentration[X.indices[more]]
                ratios = gammaln(a + X.data[more]) - gammaln(a)
                values[:, k] += np.bincount(row[more], weights=ratios, minlength=len(values))
        return values

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        gammas = rng.standard_gamma(self.concentration[labels])
        return self._draw(gammas / gammas.sum(axis=1, keepdims=True), self.length[labels], rng)
