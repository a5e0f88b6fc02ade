"""The contracts: a family observes rows into a statistic and maximises a statistic into densities.

Always K densities over one space, on a leading axis: a classifier has one for each class, a mixture one for each
component, a plain density has K = 1.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator

from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.statistics.accumulate import accumulate
from parzen.statistics.statistic import Statistic
from parzen.tables.table import Table


class Family(BaseEstimator, ABC):
    """Hyperparameters and how to use them. Never changed by fitting; `get_params`, `set_params` and `clone` work.

    Attributes
    ----------
    keeps_rows : bool
        Whether its statistic is the rows themselves, or rows must be seen all at once.
    in_order : bool
        Whether the order of the rows matters.
    iterates : bool
        Whether its statistic is always an expectation under a current density, so that it is fitted by EM.
    takes_sparse : bool
        Whether `observe` and its densities read CSR matrices.
    takes_device : bool
        Whether they read rows on a GPU.
    takes_missing : bool
        Whether a cell may be NaN.
    takes_negative : bool
        Whether a cell may be below zero.
    """

    keeps_rows: ClassVar[bool] = False
    in_order: ClassVar[bool] = False
    iterates: ClassVar[bool] = False
    takes_sparse: ClassVar[bool] = False
    takes_device: ClassVar[bool] = False
    takes_missing: bool = True
    takes_negative: ClassVar[bool] = True

    @abstractmethod
    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        """Statistic of a block of rows.

        Parameters
        ----------
        X : array of shape (n, d)
        R : memberships of the rows in K groups (see `parzen.Labels`); None: all rows in one
        at : the current density, for families whose statistic is an expectation under it; without one they raise
            `NeedsDensity`, and with one they give an `ExpectedStatistic` statistic
        """

    def observe_additive(self, X: Any, R: Memberships = None) -> Statistic:
        """Statistic of a block of rows that adds to those of other batches and shards, whatever the density.

        That of `observe`, unless missing cells make that one an expectation: it may then be a larger statistic, which
        `maximise` takes as well. Where there is none, `NeedsDensity`.
        """
        return self.observe(X, R)

    @abstractmethod
    def maximise(self, statistic: Any) -> Density:
        """The K densities that fit the statistic best, in the sense of the family's estimate."""

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> Density:
        """Density that EM begins from; where the fit has a closed form, that one."""
        return self.maximise(accumulate(self, X, R))

    def log_prior(self, density: Any, statistic: Any) -> float:
        """Log-prior of a density's parameters, up to a constant: what MAP adds to the log-likelihood."""
        return 0.0

    def n_parameters(self, density: Any) -> int:
        """How many parameters were free when a density of this family was found: what BIC and AIC charge for."""
        raise TypeError(f"{self!r} has no number of parameters, and so no BIC; compare by the score of new rows.")

    def bind(self, table: Table) -> Self:
        """The same family, bound to a table: positions of named columns, categories of columns."""
        return self


@dataclass(frozen=True)
class Additive:
    """Observes what adds to other batches and shards: `Family.observe_additive`, for `accumulate`."""

    family: Family

    @property
    def keeps_rows(self) -> bool:
        """Whether the statistic is the rows themselves."""
        return self.family.keeps_rows

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        """The family's additive statistic of a block of rows."""
        return self.family.observe_additive(X, R)
