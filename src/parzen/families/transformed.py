"""Families of power-transformed columns."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from parzen.compute.arrays import Array, as_floats
from parzen.compute.memberships import Memberships
from parzen.compute.moments import sums
from parzen.densities.power_transform import PowerTransform
from parzen.densities.transformed import TransformedDensity
from parzen.families.family import Family
from parzen.families.gaussian import Gaussian
from parzen.families.power import Power, likeliest_power
from parzen.statistics.accumulate import map_rows
from parzen.statistics.joint import ExpectedStatistic
from parzen.statistics.statistic import Statistic
from parzen.tables.table import Table

PARAMETERS = ("power", "location", "scale")


@dataclass(eq=False, repr=False)
class Transformed(Family):
    r"""Another family of power-transformed columns: :math:`p(x) = q(t(x)) \, t'(x)`, t by John and Draper (1980).

    Amounts, sizes and durations with a long tail are near a Gaussian once they are transformed. With
    :math:`z = (x - c) / s` and the sign of z, :math:`t = \pm ((1 + |z|)^\lambda - 1) / \lambda`, or
    :math:`\pm \log(1 + |z|)`: linear near the location c, a power or logarithm far from it. Its statistic is that of
    the other family, of transformed rows.

    Parameters
    ----------
    family : Family, optional
        That of transformed columns; by default ``Gaussian("diag", estimate="bayes")``.
    power : float or array of shape (d,), optional
        The exponent, at least 0: a logarithm; with 1 columns stay as they are.
    location, scale : float or array of shape (d,), optional
        c, where a column is measured from, and s, its unit there.

    Notes
    -----
    What is not given is learnt from the first table that an estimator sees, by maximum likelihood of Gaussians within
    its classes, and stays as it is from then on: so statistics of later batches add. On bare arrays (`parzen.fit`) all
    three must be given.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import DensityEstimator, Transformed
    >>> wages = np.random.default_rng(0).lognormal(3.0, 0.8, (500, 1))
    >>> model = DensityEstimator(Transformed()).fit(wages)
    >>> float(model.family_.power[0]) < 0.1
    True
    >>> round(model.score(wages) - DensityEstimator().fit(wages).score(wages), 2)  # against a Gaussian
    0.44
    """

    family: Any = None
    power: Any = None
    location: Any = None
    scale: Any = None

    @property
    def keeps_rows(self) -> bool:  # type: ignore[override]
        """Whether the family of transformed rows keeps them."""
        return self._inner().keeps_rows

    @property
    def iterates(self) -> bool:  # type: ignore[override]
        """Whether the family of transformed rows is fitted by EM."""
        return self._inner().iterates

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether the family of transformed rows may have missing cells."""
        return self._inner().takes_missing

    def bind(self, table: Table) -> Self:
        d = len(table.names())
        given = {name: self._given(name, d) for name in PARAMETERS}
        if any(value is None for value in given.values()):
            asked = ({name: None if value is None else float(value[j]) for name, value in given.items()}
                     for j in range(d))  # fmt: skip
            found = [likeliest_power(table.numbers(j), table.memberships, Power(**one)) for j, one in enumerate(asked)]
            given = {name: np.array([getattr(one, name) for one in found]) for name in PARAMETERS}
        return replace(self, family=self._inner().bind(table), **given)

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        X, transform = as_floats(X), self._transform(X.shape[1])
        seen = self._inner().observe(transform.forward(X), R, None if at is None else at.density)
        if not isinstance(seen, ExpectedStatistic):
            return seen
        _, slopes = sums(transform.log_slope(X).sum(axis=1, keepdims=True), R)
        return replace(seen, log_likelihood=seen.log_likelihood + slopes[:, 0])

    def maximise(self, statistic: Any) -> TransformedDensity:
        density = self._inner().maximise(statistic)
        return TransformedDensity(density, self._transform(density.shape[1]))

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> TransformedDensity:
        transform = self._transform(X.shape[1])
        rows = map_rows(Forward(transform), X)
        return TransformedDensity(self._inner().start(rows, R, rng), transform)

    def log_prior(self, density: Any, statistic: Any) -> float:
        return self._inner().log_prior(density.density, statistic)

    def n_parameters(self, density: Any) -> int:
        return self._inner().n_parameters(density.density) + 3 * density.shape[1]

    def _inner(self) -> Family:
        if self.family is None:
            return Gaussian("diag", estimate="bayes")
        if not isinstance(self.family, Family):
            raise TypeError(f"family must be a family such as Gaussian(), got {self.family!r}.")
        return self.family

    def _transform(self, d: int) -> PowerTransform:
        given = {name: self._given(name, d) for name in PARAMETERS}
        lacking = [name for name, value in given.items() if value is None]
        if lacking:
            raise ValueError(
                f"Transformed has no {' and no '.join(lacking)} yet: an estimator learns them from its first table; on "
                "bare arrays give power, location and scale."
            )
        return PowerTransform(**given)  # type: ignore[arg-type]

    def _given(self, name: str, d: int) -> Array | None:
        value = getattr(self, name)
        if value is None:
            return None
        array = np.asarray(value, dtype=np.float64)
        if array.shape not in ((), (d,)) or not np.isfinite(array).all():
            raise ValueError(f"{name} must be a finite number, or one for each of {d} columns, got {value!r}.")
        if name == "power" and not (array >= 0).all():
            raise ValueError(f"power must be at least 0, where the transform reaches every number, got {value!r}.")
        if name == "scale" and not (array > 0).all():
            raise ValueError(f"scale must be above 0, got {value!r}.")
        return np.array(np.broadcast_to(array, d))


@dataclass(frozen=True, eq=False)
class Forward:
    """Transforms rows."""

    transform: PowerTransform

    def __call__(self, X: Any) -> Any:
        """Those of a block."""
        return self.transform.forward(as_floats(X))
