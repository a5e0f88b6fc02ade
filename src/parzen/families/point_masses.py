"""Point masses: columns in which a few values, such as zero, have a probability of their own."""

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from parzen.compute.arrays import Array, ColumnError, as_floats
from parzen.compute.codes import tally
from parzen.compute.memberships import Memberships
from parzen.compute.steps import counted, mass_places
from parzen.densities.density import Density
from parzen.densities.gaussian import GaussianDensity
from parzen.densities.point_masses import PointMassDensity
from parzen.families.checks import total_or_collapse
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.likelihood import LogLikelihood, initial_density
from parzen.statistics.accumulate import accumulate, map_rows
from parzen.statistics.counts import Counts
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.statistic import Statistic
from parzen.tables.table import Table

#: Share of the cells, and number of rows, that a value has at least to be a point mass.
SHARE, ROWS = 0.05, 10


@dataclass(eq=False, repr=False)
class PointMasses(Family):
    r"""One column with point masses: :math:`p(a_i) = p_i` at a few values, :math:`p(x) = p_0 \, q(x)` elsewhere.

    Amounts that are mostly zero (zero-inflated ones), measurements that end at a limit, numbers that people round.
    Its statistic is the `Joint` of `Counts` of the values and that of the family of all others.

    Parameters
    ----------
    family : Family, optional
        That of the other values; by default ``Gaussian("diag", estimate="bayes")``.
    at : float or sequence of float, optional
        Values that have a probability of their own. By default those of at least 5% of the first table's cells (and 10
        rows), which an estimator looks for; on bare arrays (`parzen.fit`) they must be given.
    strength : float
        Weight of a uniform prior of the probabilities: as many rows of each value, and of the rest.
    width : float, optional
        What a probability is divided by to be read beside densities: as if a point mass were a box of that width. By
        default the standard deviation of the first table's other values, and 1 on bare arrays.

    Notes
    -----
    A probability is no density: these are densities with respect to Lebesgue's measure and a mass of `width` at each
    of the values. Densities of one such family may be compared, as those of classes are, with any width; those of a
    family without point masses have another meaning.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import PointMasses, fit
    >>> gains = np.array([[0.0], [0.0], [0.0], [5.2], [0.0], [7.1]])
    >>> density = fit(PointMasses(at=0.0), gains).density
    >>> np.exp(density.log_mass).round(2)  # of zero, and of all other values
    array([[0.64, 0.36]])
    """

    family: Any = None
    at: Any = None
    strength: float = 0.5
    width: float | None = None

    @property
    def iterates(self) -> bool:  # type: ignore[override]
        """Whether the family of the other values is fitted by EM."""
        return self._inner().iterates

    def bind(self, table: Table) -> Self:
        if len(table.names()) != 1:
            raise ValueError(f"PointMasses is for one column, got {len(table.names())}: give each column its own.")
        at, width = self._given_at(), self.width
        if at is None or width is None:
            values, count = counted(table.numbers(0))
            at = values[frequent(count)] if at is None else at
            width = spread(values, count, ~np.isin(values, at)) if width is None else width
        return replace(self, family=self._inner().bind(table), at=at, width=width)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        self._check()
        atoms, rest = self._apart(X)
        counts = Counts(tally(atoms, R, (len(self._values()) + 1,)), (len(self._values()) + 1,))
        seen = self._inner().observe(rest, R, None if at is None else at.rest)
        if not isinstance(seen, ExpectedStatistic):
            return Joint((counts, seen))
        return replace(LogLikelihood(at).observe(X, R), statistic=Joint((counts, seen.statistic)))

    def maximise(self, statistic: Any) -> PointMassDensity:
        self._check()
        counts, seen = statistic.parts
        total_or_collapse(counts.counts.sum(axis=1, keepdims=True), "PointMasses")
        rest = self._inner().maximise(seen) if counts.counts[:, -1].any() else self._around(counts.counts)
        return PointMassDensity(
            self._values(), self._log_mass(counts.counts), rest, 1.0 if self.width is None else float(self.width)
        )

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> PointMassDensity:
        alone = replace(self, family=None)
        apart = alone.maximise(accumulate(alone, X, R))
        return replace(
            apart, rest=initial_density(self._inner(), map_rows(lambda part: self._apart(part)[1], X), R, rng)
        )

    def log_prior(self, density: Any, statistic: Any) -> float:
        return self._inner().log_prior(density.rest, statistic.parts[1])

    def n_parameters(self, density: Any) -> int:
        return int(density.log_mass[:, :-1].size) + self._inner().n_parameters(density.rest)

    def _apart(self, X: Any) -> tuple[NDArray[np.int32], Array]:
        """Positions of cells among the point masses (-1 where missing), and the column without these cells."""
        X, values = as_floats(X), self._values()
        if X.shape[1] != 1:
            raise ColumnError("PointMasses is for one column, but there is a column {column}; give each its own.", 1)
        places, rest = mass_places(np.asarray(X[:, 0], dtype=np.float64), values)
        return places[:, None], rest[:, None]

    def _log_mass(self, counts: Array) -> Array:
        filled = np.where(counts.any(axis=1, keepdims=True), counts, counts.sum(axis=0)) + self.strength
        with np.errstate(divide="ignore"):
            return np.log(filled) - np.log(filled.sum(axis=1, keepdims=True))

    def _around(self, counts: Array) -> Density:
        """The density of other values where none has come yet: one Gaussian of all groups, as wide as the values."""
        values, weight = self._values(), counts.sum(axis=0)[:-1]
        mean = np.average(values, weights=weight)
        deviation = np.sqrt(np.average((values - mean) ** 2, weights=weight)) or max(abs(mean), 1.0)
        return GaussianDensity(np.full((len(counts), 1), mean), np.full((len(counts), 1), deviation))

    def _inner(self) -> Family:
        if self.family is None:
            return Gaussian("diag", estimate="bayes")
        if not isinstance(self.family, Family):
            raise TypeError(f"family must be a family such as Gaussian(), got {self.family!r}.")
        return self.family

    def _given_at(self) -> Array | None:
        if self.at is None:
            return None
        values = np.asarray(self.at, dtype=np.float64).reshape(-1)
        if not np.isfinite(values).all() or len(np.unique(values)) < len(values):
            raise ValueError(f"at must be different finite numbers, got {self.at!r}.")
        return np.sort(values)

    def _values(self) -> Array:
        values = self._given_at()
        if values is None:
            raise ValueError(
                "PointMasses doesn't know its values yet: an estimator looks for them in its first table; on bare "
                "arrays give them, as in at=0.0."
            )
        return values

    def _check(self) -> None:
        if not isinstance(self.strength, Real) or not 0 <= self.strength < np.inf:
            raise ValueError(f"strength must be a number, at least 0, got {self.strength!r}.")
        if self.width is not None and (not isinstance(self.width, Real) or not 0 < self.width < np.inf):
            raise ValueError(f"width must be a finite number above 0, got {self.width!r}.")


def frequent(count: NDArray[Any], share: float = SHARE, rows: int = ROWS) -> NDArray[np.bool_]:
    """Which values have a share of all cells, and so many rows, at least, by their counts."""
    return (count >= share * count.sum()) & (count >= rows)


def spread(values: Array, count: NDArray[Any], others: NDArray[np.bool_]) -> float:
    """Standard deviation of those values that are no point masses; where these don't vary, of all, or 1."""
    parts = ((values[own], count[own]) for own in (others, slice(None)) if count[own].any())
    widths = (float(np.sqrt(np.cov(part, fweights=weight, ddof=0))) for part, weight in parts)
    return next((width for width in widths if 0 < width < np.inf), 1.0)
