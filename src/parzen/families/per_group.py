"""A family for each group, and densities that are known beforehand."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from parzen.compute.memberships import Memberships, group_count, only_group
from parzen.densities.density import Density
from parzen.densities.per_group import PerGroupDensity
from parzen.families.family import Family
from parzen.families.likelihood import initial_density, observe_with_likelihood
from parzen.statistics.joint import ExpectedStatistic, Joint
from parzen.statistics.statistic import Statistic
from parzen.tables.table import Table


@dataclass(eq=False, repr=False)
class Fixed(Family):
    """Densities that are known: nothing is learnt. Its statistic is empty.

    Parameters
    ----------
    density : Density

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import Gaussian, Fixed, fit
    >>> density = fit(Gaussian(), np.array([[0.0], [2.0]])).density
    >>> fit(Fixed(density), np.array([[5.0]])).density is density
    True
    """

    density: Density | None = None

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Joint:
        self._check(X.shape[1], group_count(R))
        return Joint(())

    def n_parameters(self, density: Any) -> int:
        return 0

    def maximise(self, statistic: Any) -> Density:
        assert self.density is not None
        return self.density

    def _check(self, d: int, groups: int) -> None:
        if not isinstance(self.density, Density):
            raise TypeError(f"density must be a density such as fit(...).density, got {self.density!r}.")
        if self.density.shape != (groups, d):
            K, columns = self.density.shape
            raise ValueError(
                f"the known density is {K} densities of {columns} columns, but there are {groups} groups and {d} "
                "columns; give one density for each group, over the same columns."
            )


@dataclass(eq=False, repr=False)
class PerGroup(Family):
    """A family for each group: classes that are of different kinds. Its statistic is the `Joint` of theirs.

    Parameters
    ----------
    parts : list of K families

    Examples
    --------
    >>> import numpy as np
    >>> from parzen import PerGroup, Gaussian, Labels, fit
    >>> X = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 3.0], [5.0, 5.0], [6.0, 7.0]])
    >>> both = PerGroup([Gaussian(), Gaussian("spherical")])
    >>> fit(both, X, Labels([0, 0, 0, 1, 1])).density.parts[1].mean
    array([[5.5, 6. ]])
    """

    parts: Any = None

    @property
    def takes_missing(self) -> bool:  # type: ignore[override]
        """Whether every group's family may have missing cells."""
        return all(part.takes_missing for part in self.parts or ())

    @property
    def iterates(self) -> bool:  # type: ignore[override]
        """Whether a group's family is fitted by EM."""
        return any(part.iterates for part in self.parts or ())

    def bind(self, table: Table) -> Self:
        return replace(self, parts=[part.bind(table) for part in self._parts()])

    def observe(self, X: Any, R: Memberships = None, at: Any = None) -> Statistic:
        parts = self._parts(group_count(R))
        if at is None:
            return Joint(tuple(part.observe(X, only_group(R, k)) for k, part in enumerate(parts)))
        seen = [
            observe_with_likelihood(part, X, only_group(R, k), density)
            for k, (part, density) in enumerate(zip(parts, at.parts, strict=True))
        ]
        weights = [np.broadcast_to(one.weight.reshape(1, -1), (1, X.shape[1])) for one in seen]
        likelihood = np.concatenate([one.log_likelihood for one in seen])
        return ExpectedStatistic(Joint(tuple(one.statistic for one in seen)), np.concatenate(weights), likelihood)

    def observe_additive(self, X: Any, R: Memberships = None) -> Joint:
        parts = enumerate(self._parts(group_count(R)))
        return Joint(tuple(part.observe_additive(X, only_group(R, k)) for k, part in parts))

    def log_prior(self, density: Any, statistic: Any) -> float:
        parts = zip(self._parts(), density.parts, statistic.parts, strict=True)
        return sum(part.log_prior(own, seen) for part, own, seen in parts)

    def n_parameters(self, density: Any) -> int:
        return sum(part.n_parameters(own) for part, own in zip(self._parts(), density.parts, strict=True))

    def maximise(self, statistic: Joint) -> PerGroupDensity:
        pairs = zip(self._parts(len(statistic.parts)), statistic.parts, strict=True)
        return PerGroupDensity(tuple(part.maximise(own) for part, own in pairs))

    def start(self, X: Any, R: Memberships, rng: np.random.Generator) -> PerGroupDensity:
        parts = enumerate(self._parts())
        return PerGroupDensity(tuple(initial_density(part, X, only_group(R, k), rng) for k, part in parts))

    def _parts(self, groups: int | None = None) -> list[Family]:
        parts = list(self.parts or ())
        wrong = [part for part in parts if not isinstance(part, Family)]
        if wrong or not parts:
            raise TypeError(f"parts must be a list of families such as [Gaussian(), Poisson()], got {self.parts!r}.")
        if groups is not None and len(parts) != groups:
            raise ValueError(f"there are {len(parts)} families, but {groups} groups; give one family for each.")
        return parts
