"""The likelihood of labels given rows, and its gradient as a statistic that adds."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.softmax import softmax
from parzen.densities.linear import Linear
from parzen.families.logistic.terms import Terms
from parzen.statistics.accumulate import EVALUATED
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.sums import Sums


@dataclass(frozen=True)
class Scores:
    """Affine functions of terms: what a fitted logistic regression compares classes by.

    Attributes
    ----------
    terms : Terms
    linear : Linear
    columns : int
        Columns of the rows, before they are expanded.
    """

    terms: Terms
    linear: Linear
    columns: int

    rows_at_once: ClassVar[int] = EVALUATED

    @property
    def shape(self) -> tuple[int, int]:
        """K, and how many columns the rows have."""
        return len(self.linear.coef), self.columns

    def write(self, X: Any, out: Array) -> None:
        """Write the scores of a block of rows."""
        self.linear.write(self.terms.expand(X), out)

    compare = write


@dataclass(frozen=True)
class Likelihood:
    """Observes the log-likelihood of labels under affine scores of terms, and its slope.

    Its statistic is an `ExpectedStatistic` of `Sums`: the weight of the rows, and minus the derivatives of the
    log-likelihood by the weights of each class and by its intercept, (K, p + 1).
    """

    terms: Terms

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> ExpectedStatistic:
        """Slope at the scores `at`, a `Linear`."""
        assert isinstance(R, Labels)
        table, offset = np.ascontiguousarray(at.coef.T), np.ascontiguousarray(at.intercept)
        weight, likelihood, gradient, slope = softmax(self.terms.expand(X), R, table, offset)
        K = len(offset)
        whole, part = np.zeros(K), np.zeros(K)
        whole[0], part[0] = weight, likelihood
        return ExpectedStatistic(
            Sums(whole[:, None], np.concatenate([gradient.T, slope[:, None]], axis=1)), whole, part
        )
