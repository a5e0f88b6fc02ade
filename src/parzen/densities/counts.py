"""Densities of counts: Poisson and negative binomial columns, multinomial and Dirichlet-multinomial rows.

Probabilities of large counts are computed from deviances (Loader 2000), so that counts of 1e15 keep their digits. What
is no count (negative, a fraction in a Poisson column) has probability zero.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import gammaln

from parzen.compute.arrays import Array, as_csr, as_floats, canonical, is_sparse
from parzen.compute.codes import lookup
from parzen.compute.gaussian import patterns
from parzen.compute.sparse import csr_product
from parzen.densities.columns import chosen, others
from parzen.densities.density import Density
from parzen.densities.linear import Linear
from parzen.densities.special import HALF_LOG_TWO_PI, deviance, dirichlet, log_rising, stirling_error

#: Blocks whose counts all lie below this are answered from a table of log-probabilities.
TABLE = 1024
#: Rows of counts with a larger total go through deviances: below, logs of factorials are exact to 1e-9.
LARGE = 1e6


def poisson(x: Array, rate: Any) -> Array:
    """Log-probability of counts x at a rate."""
    positive = np.where(x > 0, x, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = -deviance(positive, rate) - stirling_error(positive) - 0.5 * np.log(positive) - HALF_LOG_TWO_PI
    return np.where(x > 0, np.where(rate == 0, -np.inf, values), -rate)


def negative_binomial(x: Array, concentration: Any, rate: Any) -> Array:
    """Log-probability of counts x whose Poisson rate is Gamma(concentration, rate)."""
    # r / (r + x) times a binomial probability of x among r + x trials, by deviances as in Loader's dbinom.
    positive = np.where(x > 0, x, 1.0)
    trials = positive + concentration
    error = stirling_error(trials) - stirling_error(positive) - stirling_error(concentration)
    spread = deviance(positive, trials / (1.0 + rate)) + deviance(concentration, trials * (rate / (1.0 + rate)))
    logs = 0.5 * (np.log(concentration) - np.log(positive) - np.log(trials))
    return np.where(x > 0, error - spread + logs - HALF_LOG_TWO_PI, -concentration * np.log1p(1.0 / rate))


class _CountColumns(Density):
    """Columns of counts that stand alone: what follows from the log-probability of a count in each."""

    @abstractmethod
    def log_probability(self, x: Array) -> Array:
        """Log-probability of counts x, broadcast against (K, d)."""

    @property
    def independent_columns(self) -> bool:
        return True

    def compare(self, X: Any, out: Array) -> None:
        # What is no count has probability zero in every class, and so says nothing of the classes.
        X = as_floats(X, self.shape[1])
        out[...] = self.log_density(np.where(_valid(X) | np.isinf(X), X, np.nan))

    def log_density(self, X: Any) -> Array:
        X = as_floats(X, self.shape[1])
        valid = _valid(X)
        with np.errstate(invalid="ignore"):
            largest = np.fmax.reduce(X[valid], axis=None, initial=0.0)
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
        own = chosen(self.shape[1], columns)
        return type(self)(*(getattr(self, field.name)[:, own] for field in fields(self)))  # type: ignore[arg-type]

    def conditional(self, columns: Sequence[int], values: ArrayLike) -> Self:
        return self.marginal(others(self.shape[1], columns, values))


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
        return poisson(x, self.rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return rng.poisson(self.rate[labels]).astype(np.float64)

    def expectation(self) -> Array:
        return self.rate


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
        return negative_binomial(x, self.concentration, self.rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return rng.poisson(rng.gamma(self.concentration[labels], 1.0 / self.rate[labels])).astype(np.float64)


class _CountRows(Density):
    """Rows of counts with a given total: what multinomial and Dirichlet-multinomial share."""

    def log_density(self, X: Any) -> Array:
        if is_sparse(X):
            X = canonical(as_csr(X, self.shape[1]))
        else:
            X = as_floats(X, self.shape[1])
            missing = np.isnan(X)
            if missing.any():
                return self._log_incomplete(X, missing)
            X = csr_array(X)  # only cells that are not zero matter
        return self._log_complete(X.astype(np.float64))

    def _log_incomplete(self, X: Any, missing: NDArray[np.bool_]) -> Array:
        """Rows of which some counts are missing: the others, given their total, are of the same kind."""
        out = np.empty((len(X), self.shape[0]))
        order, begin = patterns(missing)
        for first, last in pairwise(begin):
            rows = order[first:last]
            seen = np.flatnonzero(~missing[rows[0]])
            out[rows] = self._among(seen).log_density(np.ascontiguousarray(X[np.ix_(rows, seen)])) if len(seen) else 0.0
        return out

    @abstractmethod
    def _among(self, columns: NDArray[np.integer]) -> "_CountRows":
        """Densities of the counts of some columns, given their total."""

    def _log_complete(self, X: Any) -> Array:
        n = X.shape[0]
        row = np.repeat(np.arange(n), np.diff(X.indptr))
        totals = _by_row(row, X.data, n)
        impossible = _by_row(row, ~((X.data >= 0) & np.isfinite(X.data)), n) > 0
        large = np.flatnonzero((totals > LARGE) & ~impossible)
        values = (gammaln(totals + 1.0) - _by_row(row, gammaln(X.data + 1.0), n))[:, None] + self._log_orders(
            X, row, totals
        )
        values[impossible] = -np.inf
        if len(large):
            X, totals = X[large], totals[large]
            row = np.repeat(np.arange(len(large)), np.diff(X.indptr))
            values[large] = np.stack([self._log_large(k, X, row, totals) for k in range(self.shape[0])], axis=1)
        return values

    @abstractmethod
    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        """Log-probability of one order in which a row's counts may have come, (n, K)."""

    @abstractmethod
    def _log_large(self, k: int, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        """Log-probability of rows with large totals under density k, (n,)."""

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

    def _among(self, columns: NDArray[np.integer]) -> "MultinomialDensity":
        logs = self.log_probability[:, columns]
        with np.errstate(invalid="ignore"):
            logs = logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)
        return MultinomialDensity(np.where(np.isnan(logs), -np.inf, logs), self.length)

    @cached_property
    def _linear(self) -> Linear:
        return Linear(self.log_probability, np.zeros(len(self.log_probability)))

    def compare(self, X: Any, out: Array) -> None:
        # Given the total, the coefficient is the same for all; a missing count leaves a multinomial of the rest.
        missing = np.zeros((1, 1), dtype=bool) if is_sparse(X) else np.isnan(as_floats(X))
        if not missing.any():
            self._linear.write(X, out)
            return
        counts = np.where(missing, 0.0, X)
        self._linear.write(counts, out)
        share = (~missing).astype(np.float64) @ np.exp(self.log_probability.T)
        out -= counts.sum(axis=1, keepdims=True) * np.log(np.where(share > 0, share, 1.0))

    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        return self._linear.log_density(X)

    def _log_large(self, k: int, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        # Independent Poissons of means N p, given their sum N: both near their modes, where nothing cancels.
        probability = np.exp(self.log_probability[k])
        cells = poisson(X.data, totals[row] * probability[X.indices])
        absent = totals * ((X.toarray() == 0) @ probability)
        return _by_row(row, cells, len(totals)) - absent - poisson(totals, totals * probability.sum())

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

    def _among(self, columns: NDArray[np.integer]) -> "DirichletMultinomialDensity":
        return DirichletMultinomialDensity(self.concentration[:, columns], self.length)

    def _log_orders(self, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        values = -log_rising(self.concentration.sum(axis=1), totals[:, None])
        # Gamma(a + x) / Gamma(a) is a for x = 1, which most cells of a text are: a product instead of gammas.
        ones = csr_array((np.where(X.data == 1, 1.0, 0.0), X.indices, X.indptr), shape=X.shape)
        values += csr_product(ones, np.ascontiguousarray(np.log(self.concentration).T))
        more = np.flatnonzero((X.data != 1) & (X.data > 0))
        if len(more):
            for k, concentration in enumerate(self.concentration):
                ratios = log_rising(concentration[X.indices[more]], X.data[more])
                values[:, k] += _by_row(row[more], ratios, len(values))
        return values

    def _log_large(self, k: int, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        # Independent negative binomials of one rate, given their sum N: at this rate N is the sum's mean.
        concentration = self.concentration[k]
        whole = concentration.sum()
        rate = whole / totals
        absent = ((X.toarray() == 0) @ concentration) * np.log1p(1 / rate)
        cells = negative_binomial(X.data, concentration[X.indices], rate[row])
        return _by_row(row, cells, len(totals)) - absent - negative_binomial(totals, whole, rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self._draw(dirichlet(self.concentration[labels], rng), self.length[labels], rng)


def _valid(X: Any) -> NDArray[np.bool_]:
    """Which cells are counts, or missing."""
    with np.errstate(invalid="ignore"):
        counts: NDArray[np.bool_] = np.isnan(X) | ((X >= 0) & (np.floor(X) == X) & np.isfinite(X))
    return counts


def _by_row(row: NDArray[np.integer], values: Any, n: int) -> Array:
    return np.bincount(row, weights=values, minlength=n).astype(np.float64)
