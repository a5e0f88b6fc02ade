"""A family for each column, chosen from what the column holds."""

from dataclasses import dataclass
from typing import Any

from parzen.compute.arrays import Array
from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.families.bernoulli import Bernoulli
from parzen.families.categorical import Categorical
from parzen.families.column_choice import choose_family
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.poisson import Poisson
from parzen.families.product import Product
from parzen.families.uninformative import Uninformative
from parzen.statistics.statistic import Statistic
from parzen.statistics.threads import for_each
from parzen.tables.kinds import NUMERIC
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class AutoColumns(Family):
    """Independent columns, each of the family that suits what it holds: it becomes a `Product` at the first table.

    Parameters
    ----------
    columns : "auto" or dict
        A dict gives families to some of the columns, by name or position (or a tuple of them). For every other column:

        - text, declared categories, numbers that are 0 and 1: ``Categorical()``
        - booleans: ``Bernoulli()``
        - counts (whole, not negative, with a mean below 10 and a variance within a factor 2 of it): ``Poisson()``
        - other numbers: ``Gaussian("diag", estimate="bayes")``
        - not a single value: the column is left out of account

        In a classifier, counts and numbers have another density where one fits clearly better: ``Transformed()`` (a
        long tail), ``Histogram()`` (bounds, several modes), ``PointMasses()`` (many zeros, rounded numbers).

    Notes
    -----
    Densities of number columns are compared by cross-validation on (at most 3000) rows of the first table, within
    classes: by their held-out log-likelihood, to the resolution that values are recorded with. Another one than the
    usual is taken where it is better by two standard errors and 0.01 nats a row; `NaiveBayes.explain` says so. The
    choice is made once: batches that are learnt later add to it. Estimators fitted to different tables may choose
    differently and then don't merge; give them the same, as in ``columns=first.family_.blocks``.

    Examples
    --------
    >>> import pandas as pd
    >>> from parzen import AutoColumns, DensityEstimator
    >>> table = pd.DataFrame({"age": [31.0, 40, 52, None], "city": ["Oslo", "Lund", "Oslo", "Oslo"]})
    >>> DensityEstimator(AutoColumns()).fit(table).family_
    Product(blocks={(0,): Gaussian(covariance_type='diag', estimate='bayes'),
                    (1,): Categorical(categories=(array(['Lund', 'Oslo'], dtype=object),))})
    """

    columns: Any = "auto"

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether every family that is given may have missing cells."""
        return all(family.takes_missing for family in self._given().values())

    def bind(self, table: Table) -> Any:
        given: dict[tuple[int, ...], Family] = {}
        taken: dict[int, Any] = {}
        for key, family in self._given().items():
            positions = tuple(table.positions(key))
            for position in positions:
                if position in taken:
                    raise ValueError(
                        f"columns gives one column to {taken[position]!r} and to {key!r}; one family each."
                    )
                taken[position] = key
            given[positions] = family
        kinds = {position: table.kind(position) for position in range(len(table.names())) if position not in taken}
        numbers = {position: table.numbers(position) for position, kind in kinds.items() if kind in NUMERIC}
        chosen = _chosen(numbers, table.memberships, kinds)
        usual: dict[str, list[int]] = {}
        for position, kind in kinds.items():
            if (position,) not in chosen:
                usual.setdefault(kind, []).append(position)
        blocks = given | chosen | {tuple(positions): FAMILIES[kind] for kind, positions in usual.items()}
        return Product({key: family.bind(table.select(list(key))) for key, family in sorted(blocks.items())})

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        raise TypeError("Columns chooses families from a table; use it in an estimator, or a Product with parzen.fit.")

    def maximise(self, statistic: Any) -> Density:
        raise TypeError("Columns chooses families from a table; use it in an estimator, or a Product with parzen.fit.")

    def _given(self) -> dict[Any, Family]:
        if isinstance(self.columns, str) and self.columns == "auto":
            return {}
        if not isinstance(self.columns, dict):
            raise ValueError(f"columns must be 'auto' or a dict from columns to families, got {self.columns!r}.")
        for key, family in self.columns.items():
            if not isinstance(family, Family):
                raise TypeError(f"columns[{key!r}] must be a family such as Gaussian(), got {family!r}.")
        return self.columns


def _chosen(
    numbers: dict[int, Array], memberships: Memberships, kinds: dict[int, str]
) -> dict[tuple[int, ...], Family]:
    """Families of columns of numbers that have another one than is usual for their kind; columns on all threads."""
    found: list[Family] = []
    for_each(lambda j: choose_family(numbers[j], memberships, FAMILIES[kinds[j]]), iter(numbers), found.append)
    pairs = zip(numbers, found, strict=True)
    return {(j,): family for j, family in pairs if family is not FAMILIES[kinds[j]]}


FAMILIES: dict[str, Family] = {
    "continuous": Gaussian("diag", estimate="bayes"),
    "binary": Bernoulli(),
    "count": Poisson(),
    "categorical": Categorical(),
    "empty": Uninformative(),
}
