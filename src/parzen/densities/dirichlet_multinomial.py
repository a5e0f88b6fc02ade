"""Dirichlet-multinomial rows of counts: the predictive density of a multinomial with a Dirichlet posterior."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from parzen.compute.arrays import Array
from parzen.compute.sparse import csr_product
from parzen.densities.count_rows import CountRows, by_row
from parzen.densities.negative_binomial import negative_binomial
from parzen.densities.special import dirichlet, log_rising


@dataclass(frozen=True)
class DirichletMultinomialDensity(CountRows):
    """K multinomials whose probabilities have Dirichlet distributions.

    Attributes
    ----------
    concentration : array of shape (K, d)
    length : array of shape (K,)
        Total of each sampled row.
    """

    concentration: Array
    length: Array

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
                values[:, k] += by_row(row[more], ratios, len(values))
        return values

    def _log_large(self, k: int, X: Any, row: NDArray[np.integer], totals: Array) -> Array:
        # Independent negative binomials of one rate, given their sum N: at this rate N is the sum's mean.
        concentration = self.concentration[k]
        whole = concentration.sum()
        rate = whole / totals
        absent = ((X.toarray() == 0) @ concentration) * np.log1p(1 / rate)
        cells = negative_binomial(X.data, concentration[X.indices], rate[row])
        return by_row(row, cells, len(totals)) - absent - negative_binomial(totals, whole, rate)

    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        return self._draw(dirichlet(self.concentration[labels], rng), self.length[labels], rng)
