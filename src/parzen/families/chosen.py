"""A family that was chosen for a column, and what speaks for it."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from parzen.compute.memberships import Memberships
from parzen.densities.density import Density
from parzen.families.family import Family
from parzen.families.histogram import Histogram
from parzen.families.point_masses import PointMasses
from parzen.families.transformed import Transformed
from parzen.statistics.statistic import Statistic
from parzen.tables.table import Table

#: Most point masses that are named in a sentence.
NAMED = 3


@dataclass(eq=False, repr=False)
class Chosen(Family):
    """A family that `AutoColumns` has chosen for a column by cross-validation: it is that family, with the reason.

    Parameters
    ----------
    family : Family
    gain, error : float
        Held-out log-likelihood of a row above that of the column's usual family, in nats, and its standard error.
    usual : str
        The usual family: "Gaussian" or "Poisson".
    """

    family: Any = None
    gain: float = 0.0
    error: float = 0.0
    usual: str = "Gaussian"

    @property
    def keeps_rows(self) -> bool:  # type: ignore[override]
        """Whether its statistic is the rows themselves."""
        return bool(self.family.keeps_rows)

    @property
    def iterates(self) -> bool:  # type: ignore[override]
        """Whether it is fitted by EM."""
        return bool(self.family.iterates)

    def bind(self, table: Table) -> Self:
        return replace(self, family=self.family.bind(table))

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        return self.family.observe(X, R, at)

    def maximise(self, statistic: Any) -> Density:
        return self.family.maximise(statistic)

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> Density:
        return self.family.start(X, R, rng)

    def log_prior(self, density: Any, statistic: Any) -> float:
        return float(self.family.log_prior(density, statistic))

    def n_parameters(self, density: Any) -> int:
        return int(self.family.n_parameters(density))

    def reason(self) -> str:
        """What was chosen, and why, in a few words."""
        return f"{described(self.family)}: {self.gain:+.2g} ± {2 * self.error:.1g} nats a row against a {self.usual}"


def described(family: Any) -> str:
    """A family of one column in a few words."""
    if isinstance(family, Transformed):
        return f"power-transformed {described(family.family)} (power {float(np.ravel(family.power)[0]):.2g})"
    if isinstance(family, Histogram):
        return f"histogram of {len(family.bins[0]) - 1} bins"
    if isinstance(family, PointMasses):
        named = ", ".join(f"{value:g}" for value in family.at[:NAMED])
        more = f" and {len(family.at) - NAMED} more" if len(family.at) > NAMED else ""
        return f"point masses at {named}{more}; elsewhere {described(family.family)}"
    return "Gaussian" if family is None else type(family).__name__
