"""The likelihood of labels given rows, and its gradient as a statistic that adds."""

from dataclasses import dataclass
from typing import Any, ClassVar

from parzen.compute.arrays import Array
from parzen.compute.memberships import Labels, Memberships
from parzen.compute.softmax import softmax_sums
from parzen.densities.linear import Linear
from parzen.families.logistic.terms import Terms
from parzen.statistics.accumulate import EVALUATED
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
class At:
    """Where a likelihood is observed.

    Attributes
    ----------
    table, offset : arrays of shape (p, K) and (K,)
        Scores are ``(terms - origin) @ table + offset``.
    origin : array of shape (p,), or None for zero
    curvature : float, or None where second derivatives are not wanted
        Of rows and two classes with w p_k p_l above this only.
    """

    table: Array
    offset: Array
    origin: Array | None = None
    curvature: float | None = None


@dataclass(frozen=True)
class Likelihood:
    """Observes the log-likelihood of labels under affine scores of terms, its slope and its curvature.

    Its statistic is `Sums` of one group, whose totals are those of `compute.softmax.softmax_sums`, the weight left
    out: the log-likelihood, minus its derivatives by the weights (p, K) and intercepts (K) of the classes, and, where
    curvature is wanted, the sums of w p_k p_l y y' for each two classes, where y is a row and a 1.
    """

    terms: Terms

    keeps_rows: ClassVar[bool] = False

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Sums:
        """Slope, and curvature where it is wanted, at a point: an `At`."""
        assert isinstance(R, Labels)
        assert isinstance(at, At)
        found = softmax_sums(self.terms.expand(X), R, at.table, at.offset, at.origin, at.curvature)[None]
        return Sums(found[:, :1], found[:, 1:])
