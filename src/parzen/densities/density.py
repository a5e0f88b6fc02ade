"""The contract of densities: K of them at once, over the same columns.

They always have a leading axis: one density for each class of a classifier or each component of a mixture, K = 1 of a
plain density.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parzen.compute.arrays import Array
from parzen.statistics.accumulate import EVALUATED


class Density(ABC):
    """K densities over the same d columns."""

    #: Most rows that are evaluated at once: as many as stay in cache.
    rows_at_once: ClassVar[int] = EVALUATED

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """K and d."""

    @abstractmethod
    def log_density(self, X: Any) -> Array:
        """Log-density of each row under each density, (n, d) -> (n, K); a missing cell (NaN) is marginalised.

        Where that has no meaning (rows of multinomial counts, whose total would be unknown) it is an error.
        """

    @property
    def independent_columns(self) -> bool:
        """Whether the columns are independent, so that each has a density of its own (`marginal`)."""
        return False

    def write(self, X: Any, out: Array) -> None:
        """Write `log_density` of a block of rows where it belongs, into a C-contiguous (n, K) array."""
        out[...] = self.log_density(X)

    def compare(self, X: Any, out: Array) -> None:
        """Write `log_density` up to a term of the row alone, which cancels in a posterior and may be costly."""
        self.write(X, out)

    def elbo(self, X: Any, at: "Density") -> Array:
        """Evidence lower bound of `log_density`, by another density's posterior; equal without latent variables."""
        return self.log_density(X)

    @property
    def keeps_rows(self) -> bool:
        """Whether the density keeps its training rows, so that `leave_one_out` leaves them out in every column."""
        return False

    def leave_one_out(self, X: Any) -> Array:
        """Leave-one-out log-density: a row that is among the training rows is evaluated without itself, (n, K)."""
        return self.log_density(X)

    def cdf(self, X: Any, upper: bool = False) -> Array:
        """Probability of values of one column up to those given, or with `upper` above them, (n, K)."""
        raise TypeError(f"the distribution function of a {type(self).__name__} is not offered.")

    def log_cdf(self, X: Any, upper: bool = False) -> Array:
        """Logarithm of `cdf`, (n, K); near 0 it follows from the other side."""
        below, above = self.cdf(X, upper), self.cdf(X, not upper)
        with np.errstate(divide="ignore"):
            return np.where(below > 0.5, np.log1p(-above), np.log(below))

    def expectation(self) -> Array:
        """Means of the columns, (K, d)."""
        raise TypeError(f"the mean of a {type(self).__name__} is not offered.")

    @abstractmethod
    def sample(self, labels: NDArray[np.integer], rng: np.random.Generator) -> Array:
        """One row from density ``labels[i]`` for each i, (n,) -> (n, d)."""

    @abstractmethod
    def marginal(self, columns: Sequence[int]) -> "Density":
        """Densities of some of the columns, in the order given."""

    @abstractmethod
    def conditional(self, columns: Sequence[int], values: ArrayLike) -> "Density":
        """Densities of the other columns, given the values of these."""
